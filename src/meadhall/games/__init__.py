"""The games of the hall, each a folder that holds all there is to know of it."""

"""Page models, the templates that draw them, and responses."""

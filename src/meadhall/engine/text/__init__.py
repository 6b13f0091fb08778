"""Words: languages, rulebooks, lessons and readable forms."""

"""What a hall does by itself: scheduled jobs, housekeeping, and getting games ready."""

"""Many matches at once: batches, bulk runs, cores and clusters."""

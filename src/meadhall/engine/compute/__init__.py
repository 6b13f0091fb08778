"""Many matches at once: batches, bulk runs, cores, clusters and GPUs."""

"""AxxA: stacks to be slid together, for 1 to 6 together or two sides against each other."""

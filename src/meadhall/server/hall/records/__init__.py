"""Records of finished matches, and uploaded ones."""

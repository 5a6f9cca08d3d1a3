"""ir layer."""

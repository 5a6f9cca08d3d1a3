"""optimizations layer."""

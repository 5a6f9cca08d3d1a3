"""tape layer."""

"""autograd layer."""

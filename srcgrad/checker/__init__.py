"""Checks derivatives against their primals, sharing nothing with what made them."""

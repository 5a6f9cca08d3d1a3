"""A small double of array-api-compat, as a package has a copy of it."""

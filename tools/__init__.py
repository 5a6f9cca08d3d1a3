"""What is run by hand and by make: checks, pages, mutants, long runs."""

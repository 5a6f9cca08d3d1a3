"""Shows what a derivative is made of and what it computes: explanations, traces, checks."""

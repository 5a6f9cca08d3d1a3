"""Writes the program over a batch of examples from the program for one example.

`facts` says what is known of each value, `statements` and `expressions` rewrite the program, and
`indexing`, `products`, `reductions`, `arranging` and `making` say what becomes of what NumPy does.
"""

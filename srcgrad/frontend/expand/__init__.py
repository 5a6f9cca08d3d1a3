"""Takes function values and objects out of a function, as far as they are known beforehand.

Nested functions, lambdas, methods and objects made on the way become plain functions of numbers
and arrays: closures by passing what they read (at the call, as Python reads it), objects by one
variable for each field, small functions by putting their expression in place.
"""

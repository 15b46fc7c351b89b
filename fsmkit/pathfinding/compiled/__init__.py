"""The compiled engine of a grid: the same searches, by numba."""

"""Keeping a run: copies of machines, and the run of a machine as values and back."""

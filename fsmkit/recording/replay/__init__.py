"""Recordings: what was asked of a machine and what it did, made again and compared."""

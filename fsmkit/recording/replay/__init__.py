"""Recordings: the calls to a machine and what it did, to be replayed and compared."""

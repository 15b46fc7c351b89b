"""Recordings: the calls to a machine and what it did, to be replayed and compared."""

from __future__ import annotations


def warn(message: str) -> None:
    """Log a warning; a recording never fails the game that it records."""
    import logging  # here, because most programs never need it and it is slow to import

    logging.getLogger("fsmkit").warning(message)

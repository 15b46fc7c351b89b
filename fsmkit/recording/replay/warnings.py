"""Warnings of a recording, which never fails the game that it records."""

from __future__ import annotations


def warn(message: str) -> None:
    """Log a warning."""
    import logging  # here, because most programs never need it and it is slow to import

    logging.getLogger("fsmkit").warning(message)

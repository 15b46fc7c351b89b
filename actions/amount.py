"""Amounts that have to be finite and not negative."""

from __future__ import annotations

from math import inf


def checked_amount(amount: float, what: str) -> float:
    """Return `amount`; raise ValueError unless it is finite and not negative."""
    if not 0.0 <= amount < inf:
        raise ValueError(f"{what}, finite and >= 0, not {amount!r}.")
    return amount


def checked_speed(speed: float, who: str, unit: str = "units per second") -> float:
    """Return `speed`; raise ValueError unless it is finite and not negative."""
    return checked_amount(speed, f"{who}: a speed is in {unit}")

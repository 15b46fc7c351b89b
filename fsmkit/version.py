"""Which fsmkit this is."""

from __future__ import annotations


def installed_version() -> str:
    """The version that is installed."""
    from importlib.metadata import PackageNotFoundError, version  # here: it is slow to import

    try:
        return version("fsmkit")
    except PackageNotFoundError:
        return "(not installed)"

"""The documented place of `write_atomically`, for save games with more than machines in them."""

from fsmkit.terminal.atomic_file import write_atomically

__all__ = ["write_atomically"]

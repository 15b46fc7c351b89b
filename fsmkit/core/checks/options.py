"""The options of a machine."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

OnUnhandled: TypeAlias = Literal["warn", "ignore", "raise"]


class Options(NamedTuple):
    """What can be chosen for a machine; most share the usual ones."""

    on_unhandled: OnUnhandled = "warn"
    max_transitions: int = 100


USUAL: Final = Options()


def checked_options(options: Options, carry_time: object = False) -> Options:
    """Return options; raise TypeError or ValueError for those that no machine can have."""
    if options.on_unhandled not in ("warn", "ignore", "raise"):
        raise ValueError(
            f'on_unhandled must be "warn", "ignore" or "raise", got {options.on_unhandled!r}.'
        )
    bound = options.max_transitions
    if not isinstance(bound, int) or isinstance(bound, bool):
        raise TypeError(f"max_transitions must be a whole number, got {bound!r}.")
    if bound < 1:
        raise ValueError(f"max_transitions must be at least 1, got {bound!r}.")
    if not isinstance(carry_time, bool):
        raise TypeError(f"carry_time must be True or False, got {carry_time!r}.")
    return options

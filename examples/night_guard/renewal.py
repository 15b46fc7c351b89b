"""The guards go on with the code as it is now: edit guards.py while they walk, and press F5."""

from __future__ import annotations

from typing import Any, Final

from guards import guard_machines

from fsmkit import FsmGroup
from fsmkit.reloading import Reloader

_said: Final[list[str]] = []
_reloader: Final = Reloader(_said.append, every=0.0)  # one for all nights: they share the code


def renew(guards: FsmGroup, *arguments: Any) -> str:
    """Have `guards`, whom `guard_machines(*arguments)` has built, go on with the new code.

    Return what has changed, or what is wrong with it; then they go on as they are. From the first
    call on it knows what has changed.
    """
    _said.clear()
    for _look in range(2):  # a change counts once the file has stood still between two looks
        _reloader.reloaded(guards, guard_machines, *arguments)
    return "\n".join(_said) or "The guards are as they were: their code has not changed."

"""The guards continue with the code as it is now: edit guards.py while they walk, and press F5."""

from __future__ import annotations

from typing import Any, Final

from guards import guard_machines

from fsmkit import FsmGroup
from fsmkit.reloading import Reloader

UNCHANGED: Final = "The guards are as they were: their code has not changed."


class Renewal:
    """What is known of the code of the guards; all nights share it."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._reloader = Reloader(self._said.append, every=0.0)
        self._fault = ""
        """What is wrong with the code, until somebody has fixed it."""

    def renew(self, guards: FsmGroup, *arguments: Any) -> str:
        """Continue `guards`, which `guard_machines(*arguments)` built, with the new code.

        Return what has changed, or what is wrong with it; then they continue as they are. From the
        first call on it knows what has changed.
        """
        before = [*guards]
        self._said.clear()
        for _look in range(2):  # a change counts once the file has stood still between two looks
            self._reloader.reloaded(guards, guard_machines, *arguments)
        news = "\n".join(self._said)
        if news:
            self._fault = news if [*guards] == before else ""
        return news or self._fault or UNCHANGED


renew: Final = Renewal().renew

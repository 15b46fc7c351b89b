"""ExploredFinding: what a walk has found, with a test that shows it."""

from __future__ import annotations

from typing import Any, Final

from attrs import frozen

from fsmkit.checking import Finding
from fsmkit.checking.finding import WALK_DESCRIPTIONS

CODES: Final = tuple(WALK_DESCRIPTIONS)
"""Every code that a finding of a walk may have; docs/exploring.md describes each."""


@frozen
class ExploredFinding(Finding):
    """A finding that was not concluded but seen: `script` led there.

    >>> from fsmkit import Fsm
    >>> from fsmkit.exploring import explore
    >>> def build():
    ...     fsm = Fsm("Lift")
    ...     ground, top = fsm.add_state("Ground"), fsm.add_state("Top")
    ...     ground.add_transition("UP", top, do=lambda: 1 / 0)
    ...     top.add_transition("DOWN", ground)
    ...     return fsm
    >>> explore(build).findings[0].script
    ['UP']
    """

    script: list[Any] | None = None
    """The steps that lead there, for `fsmkit.testing.drive`; None if there are none to show."""
    test: str = ""
    """A test in Python that shows it; it passes as long as it is so."""

    def __str__(self) -> str:
        return "\n".join(filter(None, (super().__str__(), self.test)))

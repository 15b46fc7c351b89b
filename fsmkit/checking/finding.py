"""Finding: the result of a check, with its place."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from attrs import frozen

Severity: TypeAlias = Literal["error", "warning", "info"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")
"""From worst to mildest."""

CODES: Final = (
    "no-states",
    "dead-end-event",
    "endless-chain",
    "unreachable-state",
    "no-way-out",
    "finished-never-fires",
    "unheard-finish",
    "shadowed-transition",
    "nothing-to-resume",
    "never-resumed",
    "runs-itself",
    "runs-twice",
    "unknown-outcome",
    "missing-outcome",
    "similar-events",
)
"""Every code that a finding may have; docs/checks.md has an example of each."""


@frozen
class Place:
    """The place of a finding.

    >>> print(Place("Guard", "Patrol", "actions[0] (Move)"))
    Fsm 'Guard', state 'Patrol', actions[0] (Move)
    """

    machine: str
    """Its name; that of a nested machine begins with the outer machine's name and a slash."""
    state: str | None = None
    """The name of the state; None if it concerns the whole machine."""
    action: str | None = None
    """The action of the state, as in the notes of errors: `actions[0] (Move)`."""
    event: str | None = None
    """The event, if it is about one."""

    @property
    def inside(self) -> str:
        """The place within the machine; empty for the whole machine."""
        state = None if self.state is None else f"state {self.state!r}"
        return ", ".join(part for part in (state, self.action) if part is not None)

    def __str__(self) -> str:
        return ", ".join(filter(None, (f"Fsm {self.machine!r}", self.inside)))


@frozen
class Finding:
    """Something about a machine that its author should know.

    >>> place = Place("Guard", "Patrol")
    >>> print(Finding("no-way-out", "warning", place, "Nothing leads out.", "Add a transition."))
    warning no-way-out: Fsm 'Guard', state 'Patrol': Nothing leads out. Add a transition.
    """

    code: str
    """One of `CODES`."""
    severity: Severity
    place: Place
    message: str
    """The problem, in one sentence."""
    advice: str
    """The remedy."""

    def __str__(self) -> str:
        return f"{self.severity} {self.code}: {self.place}: {self.message} {self.advice}"

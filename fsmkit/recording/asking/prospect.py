"""Prospect: the effect that an event would have."""

from __future__ import annotations

from typing import Final

from attrs import frozen

TAKEN: Final = ("changed", "queued", "consumed")
"""The outcomes of an event that somebody has taken."""

NOT_GIVEN: Final = object()
"""The data of an event that nobody has given."""


@frozen
class Prospect:
    """The effect that an event would have now.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import why
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("Off").add_transition("PRESS", lamp.add_state("On"))
    >>> lamp.start()
    >>> prospect = why(lamp, "PRESS")
    >>> prospect.outcome, prospect.target
    ('changed', 'On')
    """

    outcome: str
    """The outcome that observers would get: `"changed"`, `"queued"`, `"consumed"`, `"ignored"`,
    `"refused"` or `"unhandled"`; `"raised"` where it raises an error."""
    target: str
    """The state it leads to if no action takes it; empty if there is none."""
    reasons: tuple[str, ...]
    """Sentences that say why, the decisive one first."""
    certain: bool = True
    """False where only running your own code would tell: an `on_event` that does not say what it
    would take, or a guard that is not asked. Then `outcome` is what comes of it if that agrees."""

    def __str__(self) -> str:
        return " ".join(self.reasons)

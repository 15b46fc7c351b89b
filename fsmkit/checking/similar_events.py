"""Events with names so similar that they may be meant as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import define, field

from fsmkit import FsmState
from fsmkit.checking.dead_ends import is_lost
from fsmkit.checking.events import taken_in
from fsmkit.checking.finding import Finding
from fsmkit.checking.spelling import differ_by_case, is_inflected, slips_among
from fsmkit.checking.subject import Subject
from fsmkit.core.words.quoting import quote


@define
class Usage:
    """The uses of an event in a machine."""

    is_global: bool = False
    known_in: dict[FsmState[Any], None] = field(factory=dict)
    """The states that have a transition of their own for it, or an action that takes it."""
    sent_in: dict[FsmState[Any], None] = field(factory=dict)
    is_lost: bool = False
    """True if it is sent somewhere where nothing takes it."""

    @property
    def is_proven(self) -> bool:
        """True if it is sent, and always taken."""
        return bool(self.sent_in) and not self.is_lost

    @property
    def states(self) -> list[FsmState[Any]]:
        """The states that it is used in."""
        return list(dict.fromkeys((*self.known_in, *self.sent_in)))


def similar_events(subject: Subject) -> Iterator[Finding]:
    """Yield pairs of events that differ only by case or by one letter."""
    usages = _usages(subject)
    for name, other in slips_among(usages):
        usage, other_usage = usages[name], usages[other]
        if not _is_meant(name, usage, other, other_usage):
            how = "only by case" if differ_by_case(name, other) else "by one letter"
            rare = min(other, name, key=lambda event: len(usages[event].states))
            yield subject.finding(
                "similar-events",
                "warning",
                f"The events {quote(name)} ({_where(usage)}) and {quote(other)} "
                f"({_where(other_usage)}) differ {how}.",
                "If they are the same event, spell them alike; a constant keeps them so.",
                state=next(iter(usages[rare].states), None),
                event=rare,
            )


def _usages(subject: Subject) -> dict[str, Usage]:
    usages: dict[str, Usage] = {}
    for state in subject.states:
        for event in dict.fromkeys((*subject.ways.own(state), *taken_in(state))):
            usages.setdefault(event, Usage()).known_in[state] = None
        for sent in subject.sending.of_state(state):
            if sent.receiver is subject.machine:
                usage = usages.setdefault(sent.event, Usage())
                usage.sent_in[state] = None
                usage.is_lost |= is_lost(subject, sent)
    for event in subject.ways.shared:
        usages.setdefault(event, Usage()).is_global = True
    return usages


def _is_meant(a: str, usage: Usage, b: str, other: Usage) -> bool:
    """Return True if there is good reason to believe that these are two different events."""
    return (
        (is_inflected(a, b) and not (usage.is_lost or other.is_lost))
        or (usage.is_global and other.is_global)
        or not usage.known_in.keys().isdisjoint(other.known_in)
        or (usage.is_proven and other.is_proven)
    )


def _where(usage: Usage) -> str:
    states = [repr(state.name) for state in usage.states]
    shown = [*states[:2], f"{len(states) - 2} more"] if len(states) > 3 else states
    return ", ".join([*(["global"] if usage.is_global else []), *shown])

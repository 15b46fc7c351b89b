"""Traps: groups of states that are never left again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from fsmkit import BACK, FsmState
from fsmkit.checking.finding import Finding
from fsmkit.checking.graph import components
from fsmkit.checking.subject import ANY, Subject
from fsmkit.checking.user_code import may_stop
from fsmkit.checking.ways import all_ways
from fsmkit.checking.wording import joined

Group: TypeAlias = list[FsmState[Any]]


def traps(subject: Subject) -> Iterator[Finding]:
    """Yield groups of states that lead only to each other, after others that were gone round in.

    States that are passed once, before a loop that goes on for ever, are a perfectly normal begin.
    """
    if subject.is_exited_from_outside:
        return
    for group, before in _groups(subject):
        if len(group) > 1 and before and _is_closed(subject, set(group)):
            yield _finding(subject, group, before)


def _groups(subject: Subject) -> Iterator[tuple[Group, Group]]:
    """Yield the groups of states that all get to each other, with a larger one that leads there."""
    behind: dict[FsmState[Any] | str, Group] = {}
    for nodes in reversed(components(subject.edges)):
        group = [node for node in nodes if isinstance(node, FsmState)]
        before = next((behind[node] for node in nodes if node in behind), [])
        yield group, before
        last = group if len(group) > 1 else before
        for node in nodes if last else ():
            for target in subject.edges[node]:
                behind.setdefault(target, last)


def _is_closed(subject: Subject, group: set[FsmState[Any]]) -> bool:
    """Return True if nothing leads out of a group of states, and nothing ends in it."""
    return all(
        not state.final
        and all(target in group for target in subject.edges[state] if target != ANY)
        and all(way.target is not BACK for way in all_ways(subject.ways.own(state)))
        and not may_stop(state)
        for state in group
    ) and all(way.target in group for way in all_ways(subject.ways.shared))


def _finding(subject: Subject, group: Group, before: Group) -> Finding:
    ordered = subject.in_order(group)
    names = joined([repr(state.name) for state in ordered])
    others = joined([repr(state.name) for state in subject.in_order(before)])
    return subject.finding(
        "trap",
        "warning",
        f"{names} lead only to each other: once here, the machine never gets back to {others}.",
        "Add a transition that leads out, or mark where it ends: add_state(..., final=True).",
        state=ordered[0],
    )

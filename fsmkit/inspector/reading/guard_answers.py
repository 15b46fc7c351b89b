"""GuardAnswers: what the guards of machines said last. It follows from what events have done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

from attrs import define, field, frozen

from fsmkit import Fsm, FsmState, Transition
from fsmkit.diagram.wording import function_text
from fsmkit.inspector.reading.chart import StateChart
from fsmkit.introspection import walk
from fsmkit.introspection.answers import Destination, given, measured

MOST: Final = 60
"""Answers that are sent to a page: the latest ones."""


@frozen
class GuardAnswer:
    of: walk.OwnedTransition
    answer: bool
    time: float
    measured: str

    def row(self) -> dict[str, Any]:
        return {
            "answer": "yes" if self.answer else "no", "time": self.time,
            **({"measured": self.measured} if self.measured else {}),
        }  # fmt: skip

    @property
    def machine(self) -> Fsm[Any]:
        owner = self.of.owner
        return owner if isinstance(owner, Fsm) else owner.fsm

    @property
    def is_there(self) -> bool:
        """False once the transition has been removed."""
        return self.of.transition in walk.table(self.of.owner).get(self.of.event, ())


@define(eq=False)
class GuardAnswers:
    """The last answer of each guard that was asked about an event. No guard is asked for it."""

    _known: dict[int, GuardAnswer] = field(factory=dict, init=False)
    """By the `id` of the transition, which the answer holds."""

    def note_event(
        self,
        fsm: Fsm[Any],
        event: str,
        outcome: str,
        time: float,
        decided: Sequence[walk.OwnedTransition],
    ) -> None:
        """Note the answers that led to the outcome. For an observer, in `event_sent`.

        `decided` are the `decided_transitions`.
        """
        state = fsm.current_state
        if state is None or (outcome != "refused" and not decided):
            return
        target = None
        if decided:
            owner, _, rank, transition = decided[0]
            if transition.when is None and rank == 0 and owner is state:
                return  # it was the only one to be asked
            target = transition.target
        self.note(state, event, target, time)

    def note(
        self,
        state: FsmState[Any],
        event: str,
        target: Destination | None,
        time: float,
        *,
        is_present: bool = True,
    ) -> None:
        """Note the answers of the guards that were asked about an event; see `given`.

        What conditions have measured is known only if it is the present event.
        """
        for each, answer in given(state, event, target):
            near = measured(each.transition.when, state) if is_present else ""
            self._known[id(each.transition)] = GuardAnswer(each, answer, time, near)

    def row_of(self, transition: Transition[Any]) -> dict[str, Any] | None:
        """Return the last answer of its guard, as `answer`, `time` and perhaps `measured`."""
        known = self._known.get(id(transition))
        return None if known is None else known.row()

    def rows(self, chart: StateChart) -> Iterator[dict[str, Any]]:
        """Yield the latest answers, each with the machine, its transition and the id of its edge.

        `state` is the state or the group that the transition leads from, empty for a global one,
        `number` its place among those for the event, from 1 on.
        """
        latest = sorted(self._known.values(), key=attrgetter("time"))[-MOST:]
        for each in latest:
            owner, event, rank, transition = each.of
            if each.machine in chart.machines and each.is_there:
                yield {
                    "machine": chart.names[each.machine],
                    "state": "" if isinstance(owner, Fsm) else owner.name,
                    "event": event,
                    "number": rank + 1,
                    "edge": chart.edge(each.machine, each.of),
                    "guard": function_text(transition.when) if transition.when else "",
                    **each.row(),
                }

"""The traversal of all moments that inputs and time lead to, the shortest scripts first.

Theory of operation
-------------------
The real machine runs in its real world, which may keep anything anywhere. So nothing is restored:
every step into the unknown begins with a new `build()`, follows the script that leads to the
moment, and takes one step more. Everything reported has happened in exactly this way.

From each moment two kinds of steps lead on:

*Inputs.* Each event is offered, with each of its data. With `failures` each action that may fail by
code of the game, or by work elsewhere, is made to fail, too.

*Waiting.* Updates follow each other until something happens: a state is entered, an event sent, an
action finished, or any value changes that is not a float. An update lasts up to the next known time
(of a delayed event, of a timed action), but at most `step`. The points between are no moments: only
numbers change there. But an input may come there too. It is offered right before something happens,
and at several points on the way; there it counts if its result differs in more than such numbers.

A moment that has been seen before is not entered a second time. Moments that differ in nothing but
the states of random generators are entered `VARIANTS` times.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from fsmkit import FAILED, Fsm, FsmAction, TimeReference
from fsmkit.checking.checker import Builder
from fsmkit.checking.emissions import Emissions
from fsmkit.checking.reading.objects import is_of_library
from fsmkit.checking.transitions import Transitions
from fsmkit.exploring.inputs import Inputs, chosen_inputs, default_inputs, pending_events, sent_in
from fsmkit.exploring.moments import Configuration, MomentReader, Shape, WorldMoment
from fsmkit.exploring.rehearsal import (
    EventOutcome,
    Happened,
    Rehearsal,
    StateKey,
    TransitionKey,
    failure_of,
)
from fsmkit.exploring.scripts import (
    InducedFailure,
    Input,
    LastStep,
    Rank,
    Script,
    ShortestScripts,
    cost,
    rank,
    seconds_of,
)
from fsmkit.exploring.written_test import TestWriter
from fsmkit.introspection import walk
from fsmkit.introspection.run_state import is_entered, read_handles
from fsmkit.timing import TIME_TOLERANCE, CountdownTimer

DIGITS: Final = 9
"""Decimal places of a step: what is due within `TIME_TOLERANCE` is due."""

VARIANTS: Final = 8
"""The most moments entered that differ only in random generators."""

LONGEST: Final = 200
"""The most inputs and waits of a script."""

Shapes: TypeAlias = "dict[Input, dict[int, Shape]]"
"""The result of each input at the points of a wait, by their index."""

POINTS: Final = 8
"""The number of points of a wait at which inputs are offered, besides the last one."""


@define
class MomentNode:
    number: int
    script: Script
    moment: WorldMoment
    configuration: Configuration
    successors: set[int] = field(factory=set)
    is_expanded: bool = False
    """True once everything that leads on from it has been tried."""
    moved: set[int] = field(factory=set)
    """The machines that enter another state in one of these steps, if only briefly."""
    fails: bool = False
    """True if one of these steps raises an error; what follows it is not explored."""


@frozen
class Point:
    wait: Script
    moment: WorldMoment


@define
class Limits:
    step: float
    moments: int
    seconds: float
    every_step: bool = False
    failures: bool = False


@define
class Seen:
    results: ShortestScripts = field(factory=ShortestScripts)
    """The `results` of each `Happened`, each `ScriptFailure`, and the name of each invariant that
    was broken."""
    left: set[StateKey] = field(factory=set)
    """The states that led to another one, if only within a step."""
    cuts: set[str] = field(factory=set)
    """Why the walk is not complete; empty if it is."""
    work: set[str] = field(factory=set)
    """The actions whose work elsewhere was not begun."""
    changed: list[Script] = field(factory=list)
    """The scripts that led elsewhere the second time."""

    def note_change(self, script: Script) -> None:
        self.changed.append(script)
        self.cuts.add("changed")


class Walk:
    def __init__(
        self, build: Builder, always: Mapping[str, Callable[[Any], object]], inputs: Inputs | None,
        limits: Limits,
    ) -> None:  # fmt: skip
        self.build = build
        self.always = always
        self.limits = limits
        self.first = Rehearsal(build)
        self.machines = {name: machine for machine, name in self.first.names.items()}
        self.definition = self.first.definition
        self.outline = self.first.outline
        self.transitions = [key for key in self.definition if isinstance(key, TransitionKey)]
        self.pending = pending_events(self.first.all)
        self.held_back: set[str] = set()
        """The events that are not offered, since an action sends them."""
        if inputs is not None:
            self.inputs = chosen_inputs(inputs)
        else:
            self.held_back = sent_in(self.first.all)
            self.inputs = default_inputs(self.first.members, self.first.all)
        if limits.failures:
            self.inputs = (*self.inputs, *possible_failures(build, self.first))
        self.reader = MomentReader()
        self.reader.read(self.first.members)  # to learn which facts its code reads
        self._begin()

    def go(self, explored: Callable[[int], object]) -> None:
        """Walk. `explored` is called after each moment, with the number of moments so far."""
        while not self._settles(explored):
            self._begin()  # code was found that reads facts which were not compared
        if self.reader.opaque:
            self.seen.cuts.add("opaque")

    def _begin(self) -> None:
        self.seen = Seen()
        self.nodes: list[MomentNode] = []
        self.walked = 0
        self._known: dict[WorldMoment, MomentNode] = {}
        self._variants: dict[tuple[Any, ...], list[MomentNode]] = {}
        self._waiting: list[tuple[Rank, int]] = []

    def _settles(self, explored: Callable[[int], object]) -> bool:
        """Walk; False if the code turns out to read more facts than were known at the beginning."""
        facts = set(self.reader.reads.facts)
        rehearsal = Rehearsal(self.build)
        rehearsal.watch()
        if self._note(rehearsal, rehearsal.start(), ()):
            self._arrive(rehearsal, (), self.reader.read(rehearsal.members))
        while self._waiting and self.reader.reads.facts == facts:
            node = self.nodes[heappop(self._waiting)[1]]
            if node.is_expanded:  # it was queued twice, the second time with a shorter script
                continue
            if self.walked == self.limits.moments:
                self.seen.cuts.add("moments")
                break
            self._expand(node)
            self.walked += 1
            explored(self.walked)
        return self.reader.reads.facts == facts

    # One moment

    def _expand(self, node: MomentNode) -> None:
        if seconds_of(node.script) >= self.limits.seconds:
            self.seen.cuts.add("seconds")
            return
        if cost(node.script) >= LONGEST:
            self.seen.cuts.add("longest")
            return
        shapes: Shapes = {given: {} for given in self.inputs}
        rehearsal = self._rehearse(node.script)
        if self.reader.read(rehearsal.members) != node.moment:
            self.seen.note_change(node.script)
        start = Point((), node.moment)
        left = self._offer_all(node, start, shapes, 0, rehearsal)
        points, node.is_expanded = self._wait(node, left or self._rehearse(node.script))
        if points:
            self._offer_later(node, [start, *points], shapes)

    def _offer_later(self, node: MomentNode, points: list[Point], shapes: Shapes) -> None:
        """Offer the inputs at the end of a wait, and on the way where that makes a difference."""
        last = len(points) - 1
        self._offer_all(node, points[last], shapes, last)
        every = 1 if self.limits.every_step else max(1, last // POINTS)
        for index in range(1, last, every):
            self._offer_all(node, points[index], shapes, index, is_between=True)
        for given in self.inputs:
            known = shapes[given]
            for left, right in pairwise(sorted(known)):
                if known[left] != known[right]:
                    self._find_change(node, points[left : right + 1], given, known[left])

    def _offer_all(
        self,
        node: MomentNode,
        point: Point,
        shapes: Shapes,
        index: int,
        rehearsal: Rehearsal | None = None,
        *,
        is_between: bool = False,
    ) -> Rehearsal | None:
        """Offer each input at a point; return machines that are still there, if any are.

        Machines that an input has not changed take the next one. The results are put into `shapes`;
        between the ends of a wait they are followed only if they are new there.
        """
        is_known = is_between and not self.limits.every_step
        for given in self.inputs:
            rehearsal = rehearsal or self._rehearse((*node.script, *point.wait))
            known = tuple(shapes[given].values()) if is_known else ()
            after = self._offer(node, point, rehearsal, given, known)
            shapes[given][index] = _shape(after)
            if after != point.moment:
                rehearsal = None
        return rehearsal

    def _offer(
        self,
        node: MomentNode,
        point: Point,
        rehearsal: Rehearsal,
        given: Input,
        known: Sequence[Shape],
    ) -> WorldMoment | None:
        """Offer an input, and follow its result unless that has a known shape.

        Return the moment after it; None if it raises an error.
        """
        script = (*node.script, *point.wait, given)
        happened = rehearsal.take(given)
        node.moved |= happened.moved
        if not self._note(rehearsal, happened, script):
            node.fails = True
            return None
        if happened.is_quiet and not rehearsal.listens:  # nothing was asked
            return point.moment
        now = self.reader.read(rehearsal.members)
        if now != point.moment and now.shape not in known:
            node.successors.add(self._arrive(rehearsal, script, now).number)
        return now

    def _find_change(
        self, node: MomentNode, points: list[Point], given: Input, shape: Shape
    ) -> None:
        """Follow an input where in a wait it begins to lead to another shape than `shape`."""

        def differs(point: Point) -> bool:
            rehearsal = self._rehearse((*node.script, *point.wait))
            return _shape(self._offer(node, point, rehearsal, given, (shape,))) != shape

        bisect_left(points[1:-1], True, key=differs)

    def _wait(self, node: MomentNode, rehearsal: Rehearsal) -> tuple[list[Point], bool]:
        """Let time pass until something happens, or nothing ever will.

        Return the points on the way, and False if the time limit came first.
        """
        points: list[Point] = []
        point, shape = Point((), node.moment), node.moment.shape
        while True:
            seconds = next_step(rehearsal.all, self.limits.step)
            wait = (*point.wait, seconds)
            script = (*node.script, *wait)
            happened = rehearsal.take(seconds)
            node.moved |= happened.moved
            if not self._note(rehearsal, happened, script):
                node.fails = True
                return points, True
            now = self.reader.read(rehearsal.members)
            if not happened.is_quiet or now.shape != shape:
                script = (*script[:-1], LastStep(seconds))
                node.successors.add(self._arrive(rehearsal, script, now).number)
                return points, True
            if now == point.moment:
                return points, True
            point = Point(wait, now)
            points.append(point)
            if seconds_of(script) >= self.limits.seconds:
                self.seen.cuts.add("seconds")
                return points, False

    def _rehearse(self, script: Script) -> Rehearsal:
        rehearsal = Rehearsal(self.build)
        if rehearsal.outline != self.outline:
            self.seen.note_change(())
        rehearsal.follow(script)
        rehearsal.watch()
        return rehearsal

    # The result of a step

    def _note(self, rehearsal: Rehearsal, happened: Happened, script: Script) -> bool:
        """Note what a step led to; False if it raised an error."""
        seen = self.seen
        seen.left |= happened.left
        for result in happened.results:
            if happened.error is None or not isinstance(result, EventOutcome):
                seen.results.note(result, script)
        if rehearsal.work:
            seen.cuts.add("work")
            seen.work |= rehearsal.work
        if happened.error is not None:  # to be fixed first: no event of this step is reported
            seen.results.note(failure_of(happened.error), script)
            seen.cuts.add("errors")
            return False
        self._check(rehearsal, script)
        return True

    def _check(self, rehearsal: Rehearsal, script: Script) -> None:
        for name in self.always:
            if not self.keeps(name, rehearsal)[0]:
                self.seen.results.note(name, script)

    def keeps(self, name: str, rehearsal: Rehearsal) -> tuple[bool, Exception | None]:
        try:
            return bool(self.always[name](rehearsal.machines)), None
        except Exception as error:
            return False, error

    def _arrive(self, rehearsal: Rehearsal, script: Script, moment: WorldMoment) -> MomentNode:
        known = self._known.get(moment)
        if known is None:
            variants = self._variants.setdefault(moment.leaves, [])
            if len(variants) >= VARIANTS:
                self.seen.cuts.add("chance")
                known = variants[0]
            else:
                known = MomentNode(len(self.nodes), script, moment, rehearsal.configuration)
                self.nodes.append(known)
                variants.append(known)
                heappush(self._waiting, (rank(script), known.number))
            self._known[moment] = known
        elif not known.is_expanded and rank(script) < rank(known.script):
            known.script = script
            heappush(self._waiting, (rank(script), known.number))
        return known


def possible_failures(
    build: Callable[[], object], rehearsal: Rehearsal
) -> Iterator[InducedFailure]:
    """Yield the failures of actions of the game, and of work elsewhere, which is not begun.

    Others of the library fail by the time, or with what they run: the walk finds that by itself.
    """
    writer = TestWriter(build, rehearsal)
    for machine, name in rehearsal.names.items():
        emissions = Emissions(Transitions(machine))
        for state in walk.states(machine):
            for place, action in walk.paths(state):
                kind = type(action)
                is_own = not is_of_library(kind) or kind._work_done_ is not FsmAction._work_done_
                if is_own and not action.children and emissions.may_fail(action):
                    code = writer.action(name, state.name, place)
                    yield InducedFailure(FAILED, None, 0, name, state.name, place, code)


def _shape(moment: WorldMoment | None) -> Shape:
    return moment.shape if moment is not None else (BaseException,)


def next_step(machines: Sequence[Fsm[Any]], step: float) -> float:
    """Return the seconds to the next known time, `step` at most."""
    ahead = [seconds for seconds in _times_ahead(machines) if seconds > TIME_TOLERANCE]
    return round(min([step, *ahead]), DIGITS)


def _times_ahead(machines: Sequence[Fsm[Any]]) -> Iterator[float]:
    for machine in machines:
        if not machine.is_running:
            continue
        current, *_ = read_handles(machine)
        for delayed in current:
            yield delayed.due - machine.time
        if machine.current_state is not None:
            for action in walk.actions(machine.current_state):
                if not action.finished and is_entered(action):
                    yield from _times_of(action)


def _times_of(action: FsmAction[Any]) -> Iterator[float]:
    elapsed, length = getattr(action, "elapsed", None), getattr(action, "length", None)
    if isinstance(elapsed, float) and isinstance(length, float):
        yield _by_machine(length - elapsed, getattr(action, "time", None))
    for value in vars(action).values():
        if isinstance(value, CountdownTimer):
            yield _by_machine(value.remaining, value.time)


def _by_machine(seconds: float, time: object) -> float:
    """Convert seconds of a time reference into those of the machine."""
    if not isinstance(time, TimeReference):
        return seconds
    scale = time.scaled(1.0)
    return seconds / scale if scale > 0.0 else 0.0

"""Walk: goes through all moments that inputs and time lead to, the shortest scripts first.

Theory of operation
-------------------
The real machine runs, with its real world, which may keep anything anywhere. So nothing is put
back: every step into the unknown begins with a new `build()`, which follows the script that leads
to the moment, and takes one step more. Whatever is reported has happened in just this way.

From each moment two kinds of steps lead on:

*Inputs.* Each event is offered, with each of its data.

*Waiting.* Updates follow each other until something happens: a state is entered, an event sent, an
action finished, or any value changes that is not a float. An update lasts up to the next time that
is known (of a delayed event, of a timed action), but `step` at most. What lies between is no moment
of its own: there only numbers flow. But an input may come there too. It is offered right before
something happens, and at several points on the way; there it counts if it leads to something that
differs in more than such numbers.

A moment that has been seen before is not entered a second time. Moments that differ in nothing but
the states of random generators are entered `VARIANTS` times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from fsmkit.exploring.inputs import (
    Inputs,
    chosen_inputs,
    default_inputs,
    events_on_the_way,
    sent_in,
)
from fsmkit.exploring.moment import Configuration, Moment, MomentReader, Shape
from fsmkit.exploring.notes import Failure, Rank, Shortest, failure_of, rank
from fsmkit.exploring.play import Build, Happened, Play, StateKey, TurnedDown, Unhandled, WayKey
from fsmkit.exploring.scripts import Input, LastStep, Script, cost, seconds_of
from fsmkit.exploring.waiting import next_step

VARIANTS: Final = 8
"""How many moments that differ only in random generators are entered."""

LONGEST: Final = 200
"""How many inputs and waits a script has at most."""

Shapes: TypeAlias = "dict[Input, dict[int, Shape]]"
"""What each input has led to at the points of a wait, by their index."""

POINTS: Final = 8
"""At how many points of a wait inputs are offered, beside the last one."""


@define
class Node:
    """A moment that was found."""

    number: int
    script: Script
    moment: Moment
    configuration: Configuration
    successors: set[int] = field(factory=set)
    is_expanded: bool = False
    """True once all that leads on from it has been tried."""
    moved: set[int] = field(factory=set)
    """The machines that come into another state in one of these steps, if only for a moment."""
    fails: bool = False
    """True if one of these steps raises something; what comes after it is not walked."""


@frozen
class Point:
    """A point of a wait that begins at a node."""

    wait: Script
    moment: Moment


@define
class Limits:
    """The bounds of a walk."""

    step: float
    moments: int
    seconds: float
    every_step: bool = False


@define
class Seen:
    """What happened on the way, each thing with the shortest script that led to it."""

    states: Shortest[StateKey] = field(factory=Shortest[StateKey])
    ways: Shortest[WayKey] = field(factory=Shortest[WayKey])
    left: set[StateKey] = field(factory=set)
    """The states that led to another one, if only within a step."""
    failures: Shortest[Failure] = field(factory=Shortest[Failure])
    unhandled: Shortest[Unhandled] = field(factory=Shortest[Unhandled])
    turned_down: Shortest[TurnedDown] = field(factory=Shortest[TurnedDown])
    broken: Shortest[str] = field(factory=Shortest[str])
    cuts: set[str] = field(factory=set)
    """Why the walk is not complete; empty if it is."""
    work: set[str] = field(factory=set)
    """The actions whose work elsewhere was not begun."""
    changed: list[Script] = field(factory=list)
    """The scripts that have led elsewhere the second time."""

    def note_change(self, script: Script) -> None:
        """Note that a script has led elsewhere the second time."""
        self.changed.append(script)
        self.cuts.add("changed")


class Walk:
    """One walk through the machines that `build` returns."""

    def __init__(
        self, build: Build, always: Mapping[str, Callable[[Any], object]], inputs: Inputs | None,
        limits: Limits,
    ) -> None:  # fmt: skip
        self.build = build
        self.always = always
        self.limits = limits
        self.first = Play(build)
        self._definition = self.first.definition
        self.on_the_way = events_on_the_way(self.first.all)
        self.held_back: set[str] = set()
        """The events that are not offered, since an action sends them."""
        if inputs is not None:
            self.inputs = chosen_inputs(inputs)
        else:
            self.held_back = sent_in(self.first.all)
            self.inputs = default_inputs(self.first.members, self.first.all)
        self.reader = MomentReader()
        self.reader.read(self.first.members)  # to know what its code asks about
        self._begin()

    def go(self) -> None:
        """Walk until there is nothing new, or a limit is reached."""
        while not self._goes_well():
            self._begin()  # code has come to light that asks about more than was looked at
        if self.reader.opaque:
            self.seen.cuts.add("opaque")

    def _begin(self) -> None:
        self.seen = Seen()
        self.nodes: list[Node] = []
        self.walked = 0
        self._known: dict[Moment, Node] = {}
        self._variants: dict[tuple[Any, ...], list[Node]] = {}
        self._waiting: list[tuple[Rank, int]] = []

    def _goes_well(self) -> bool:
        """Walk; False if what the code asks about turns out to be more than in the beginning."""
        facts = set(self.reader.facts)
        play = Play(self.build)
        play.watch()
        if self._note(play, play.start(), ()):
            self._arrive(play, (), self.reader.read(play.members))
        while self._waiting and self.reader.facts == facts:
            node = self.nodes[heappop(self._waiting)[1]]
            if node.is_expanded:  # it came up twice, the second time by a shorter script
                continue
            if self.walked == self.limits.moments:
                self.seen.cuts.add("moments")
                break
            self._expand(node)
            self.walked += 1
        return self.reader.facts == facts

    # One moment

    def _expand(self, node: Node) -> None:
        """Try all that leads on from a moment."""
        if seconds_of(node.script) >= self.limits.seconds:
            self.seen.cuts.add("seconds")
            return
        if cost(node.script) >= LONGEST:
            self.seen.cuts.add("longest")
            return
        shapes: Shapes = {given: {} for given in self.inputs}
        play = self._play(node.script)
        if self.reader.read(play.members) != node.moment:
            self.seen.note_change(node.script)
        start = Point((), node.moment)
        left = self._offer_all(node, start, shapes, 0, play)
        points, node.is_expanded = self._wait(node, left or self._play(node.script))
        if points:
            self._offer_later(node, [start, *points], shapes)

    def _offer_later(self, node: Node, points: list[Point], shapes: Shapes) -> None:
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
        self, node: Node, point: Point, shapes: Shapes, index: int, play: Play | None = None, *,
        is_between: bool = False,
    ) -> Play | None:  # fmt: skip
        """Offer each input at a point; return machines that still stand there, if any do.

        Machines that an input has not changed take the next one. What each has led to is put into
        `shapes`. Between the ends of a wait it is followed only if it is new there.
        """
        is_known = is_between and not self.limits.every_step
        for given in self.inputs:
            play = play or self._play((*node.script, *point.wait))
            known = tuple(shapes[given].values()) if is_known else ()
            after = self._offer(node, point, play, given, known)
            shapes[given][index] = _shape(after)
            if after != point.moment:
                play = None
        return play

    def _offer(
        self, node: Node, point: Point, play: Play, given: Input, known: Sequence[Shape]
    ) -> Moment | None:
        """Offer an input, and follow what it leads to unless that has a known shape.

        Return the moment after it; None if it raises something.
        """
        script = (*node.script, *point.wait, given)
        happened = play.take(given)
        node.moved |= happened.moved
        if not self._note(play, happened, script):
            node.fails = True
            return None
        if happened.is_quiet and not play.listens:  # nobody has been asked
            return point.moment
        now = self.reader.read(play.members)
        if now != point.moment and now.shape not in known:
            node.successors.add(self._arrive(play, script, now).number)
        return now

    def _find_change(self, node: Node, points: list[Point], given: Input, shape: Shape) -> None:
        """Find where in a wait an input begins to lead to something else than `shape`."""
        first, last = 0, len(points) - 1
        while last - first > 1:
            middle = (first + last) // 2
            play = self._play((*node.script, *points[middle].wait))
            if _shape(self._offer(node, points[middle], play, given, (shape,))) == shape:
                first = middle
            else:
                last = middle

    def _wait(self, node: Node, play: Play) -> tuple[list[Point], bool]:
        """Let time pass until something happens, or nothing ever will.

        Return the points on the way, and False if the time was up before that.
        """
        points: list[Point] = []
        point, shape = Point((), node.moment), node.moment.shape
        while True:
            seconds = next_step(play.all, self.limits.step)
            wait = (*point.wait, seconds)
            script = (*node.script, *wait)
            happened = play.take(seconds)
            node.moved |= happened.moved
            if not self._note(play, happened, script):
                node.fails = True
                return points, True
            now = self.reader.read(play.members)
            if not happened.is_quiet or now.shape != shape:
                script = (*script[:-1], LastStep(seconds))
                node.successors.add(self._arrive(play, script, now).number)
                return points, True
            if now == point.moment:
                return points, True
            point = Point(wait, now)
            points.append(point)
            if seconds_of(script) >= self.limits.seconds:
                self.seen.cuts.add("seconds")
                return points, False

    def _play(self, script: Script) -> Play:
        play = Play(self.build)
        if play.definition != self._definition:
            self.seen.note_change(())
        play.follow(script)
        play.watch()
        return play

    # What a step has led to

    def _note(self, play: Play, happened: Happened, script: Script) -> bool:
        """Note what a step led to; False if it raised something."""
        seen = self.seen
        seen.left |= happened.left
        for state in happened.states:
            seen.states.note(state, script)
        for way in happened.ways:
            seen.ways.note(way, script)
        if play.work:
            seen.cuts.add("work")
            seen.work |= play.work
        if happened.error is not None:  # to be mended first: nothing else is said about this step
            seen.failures.note(failure_of(happened.error), script)
            seen.cuts.add("errors")
            return False
        for event in happened.unhandled:
            seen.unhandled.note(event, script)
        for each in happened.turned_down:
            seen.turned_down.note(each, script)
        self._check(play, script)
        return True

    def _check(self, play: Play, script: Script) -> None:
        for name, holds in self.always.items():
            try:
                is_kept = bool(holds(play.machines))
            except Exception:
                is_kept = False
            if not is_kept:
                self.seen.broken.note(name, script)

    def _arrive(self, play: Play, script: Script, moment: Moment) -> Node:
        """Return the node of the present moment, a new one if it is new."""
        known = self._known.get(moment)
        if known is None:
            variants = self._variants.setdefault(moment.leaves, [])
            if len(variants) >= VARIANTS:
                self.seen.cuts.add("chance")
                known = variants[0]
            else:
                known = Node(len(self.nodes), script, moment, play.configuration)
                self.nodes.append(known)
                variants.append(known)
                heappush(self._waiting, (rank(script), known.number))
            self._known[moment] = known
        elif not known.is_expanded and rank(script) < rank(known.script):
            known.script = script
            heappush(self._waiting, (rank(script), known.number))
        return known


def _shape(moment: Moment | None) -> Shape:
    return moment.shape if moment is not None else (BaseException,)

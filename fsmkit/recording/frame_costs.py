"""FrameCosts: how long the frames of a game spend in its machines, their states and their actions.

Time is counted to what is innermost on the stack: to an action, a guard or an effect while its
callback runs, otherwise to the machine itself. The clock is read when each begins and ends. What
the measuring takes in between is counted to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import get_ident
from time import perf_counter
from typing import Any, Final

from attrs import define, frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.core.checks.functions import described
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import (
    Found,
    MachineNames,
    fixed_children,
    members,
    titled_alike,
)

ITSELF: Final = "the machine itself"
"""The title of what a machine does between callbacks: it walks actions and handles events."""

GUARD: Final = "when"
"""The phase in which a machine asks a guard."""

MICROSECONDS: Final = 1e6

TRIALS: Final = 20
"""Calls by which it is found out what measuring a call adds to it."""


@define
class Durations:
    """The durations of calls, in seconds."""

    count: int = 0
    total: float = 0.0
    worst: float = 0.0

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total += seconds
        self.worst = max(self.worst, seconds)


@define(eq=False)
class MeasuredPart:
    """An action, a guard or an effect, or a machine itself while it is in a state."""

    machine: str
    state: str
    title: str
    whole: Durations
    """Its calls, with all that is called by them."""
    own: float = 0.0
    """Seconds, without what was called and is a part of its own."""
    depth: int = 0
    """How many of its calls are in progress."""


class CallInProgress:
    """A call of a part, or the update of a machine. A plain class: one is made for each call."""

    __slots__ = ("inner", "machine", "own", "part")

    def __init__(self, part: MeasuredPart, machine: Fsm[Any] | None = None) -> None:
        self.part = part
        self.machine = machine
        self.own = self.inner = 0.0


@frozen
class PartCost:
    """What an action, a guard or an effect costs, or a machine itself. Times in microseconds.

    `machine` may stand for several machines with the same states, as `Wolf 1 and 199 more`.
    """

    machine: str
    state: str
    title: str
    """As `actions[0] (Move)`; `[is_near]` is a guard and `/ shout` an effect."""
    own: float
    """A frame, on average, without what it calls that has a row itself."""
    whole: float
    """A frame, on average, with that."""
    worst: float
    """The longest call, with that."""
    calls: int


@frozen
class StateCost:
    """What a machine costs while it is in a state, in microseconds a frame, on average."""

    machine: str
    state: str
    own: float


@frozen
class MachineCost:
    """What the updates of a machine cost, in microseconds; a nested one is updated by its host."""

    machine: str
    updates: int
    mean: float
    worst: float


@frozen
class CostTable:
    """What frames cost, in microseconds."""

    frames: int
    measured: int
    """The frames in which not only the updates were measured, but every part of them."""
    mean: float
    worst: float
    outside: float
    """The time of a frame, on average, that no machine took: drawing, waiting, other code."""
    machines: Sequence[MachineCost]
    states: Sequence[StateCost]
    parts: Sequence[PartCost]
    """The most expensive ones, by their own time."""


class FrameCosts:
    """Measures what the frames of machines cost, until it is closed.

    A frame is an update of each of the outermost machines, with the events that are sent to them
    before the next one. Every frame is timed, which takes some five microseconds for each machine,
    and in one of `every` each part of it, which takes one to two for each callback. `clock` returns
    seconds.

    `on_exit` of a child counts to its parent, and so does all that a child does which was made
    while the parent runs; `on_suspend` and `on_resume` count to the machine itself.
    """

    def __init__(
        self,
        machines: Fsm[Any] | FsmGroup,
        *,
        every: int = 1,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._clock = clock
        self._every = every
        self._names = MachineNames()
        self._parts: dict[int, tuple[object, MeasuredPart]] = {}
        """Those of actions, by the id of the action, which is held so that no other one gets it."""
        self._others: dict[tuple[Fsm[Any], FsmState[Any] | None, str], MeasuredPart] = {}
        """Those of guards, effects and machines, by machine, state and title."""
        self._composites: list[FsmAction[Any]] = []
        self._instrumented: dict[int, tuple[object, Callable[..., Any]]] = {}
        """By the id of a callback, with the callback, which is held."""
        self._described: dict[int, str] = {}
        """By the id of a guard or an effect, its title without a sign."""
        self._updates: dict[Fsm[Any], tuple[str, Durations]] = {}
        """With the names of the machines."""
        self._unmeasured = MeasuredPart("", "", "", Durations())
        """Takes the time of all calls in frames that are not measured."""

        self._stack: list[CallInProgress] = []
        self._thread: int | None = None
        self._read_at = 0.0
        """When the clock was read last."""
        self._frames = Durations()
        self._measured = 0
        self._outside = 0.0
        self._is_measuring = True
        self._updated: set[Fsm[Any]] = set()
        """The outermost machines that were updated in this frame."""
        self._within = self._overhead = 0.0
        """Seconds of this frame that the machines took, and the measuring."""
        self._within_call = self._around_call = 0.0
        """Seconds that measuring a call adds to it, and to the call around it."""
        self._within_call, self._around_call = self._measured_emptiness()
        for machine in members(machines):
            self._add(self._names.add([machine]))
        self._detach = machines.observe(self, nested=True)
        self._begun_at = clock()

    def close(self) -> None:
        """End the measuring, and the last frame; the table can still be read."""
        if self._updated and not self._stack:
            self._end_frame()
        self._detach()
        for action in self._composites:
            action.nested.report_calls(None)
        self._composites = []

    def uncounted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same, and whose time is counted to nothing.

        For what watches the machines, and is called in the middle of their calls.
        """

        def call(*arguments: Any) -> Any:
            now = self._clock()
            if self._stack:
                self._stack[-1].own += now - self._read_at
            try:
                return function(*arguments)
            finally:
                self._read_at = self._clock()
                self._overhead += self._read_at - now

        return call

    def table(self, most: int = 10) -> CostTable:
        """Return the figures of all frames so far, with the `most` expensive parts."""
        titles = self._titles()
        parts = [*(part for _, part in self._parts.values()), *self._others.values()]
        frames = self._frames.count
        return CostTable(
            frames=frames,
            measured=self._measured,
            mean=_mean(self._frames.total, frames),
            worst=self._frames.worst * MICROSECONDS,
            outside=_mean(self._outside, frames),
            machines=list(_machine_costs(self._updates.values(), titles)),
            states=list(self._state_costs(parts, titles)),
            parts=self._part_costs(parts, titles)[:most],
        )

    # An observer of all machines

    def update_begun(self, fsm: Fsm[Any], _dt: float) -> None:
        if self._stack and self._stack[0].machine is fsm:  # a Ctrl-C has ended its last update
            self._abandon()
        if not self._stack:
            self._thread = get_ident()
            if fsm in self._updated:
                self._end_frame()
            self._updated.add(fsm)
        elif not self._is_at_work():
            return
        if fsm not in self._updates:
            self._updates[fsm] = self._name(fsm), Durations()
        self._begin(self._other(fsm, ITSELF), fsm)

    def update_ended(self, fsm: Fsm[Any]) -> None:
        if self._stack and self._stack[-1].machine is fsm and get_ident() == self._thread:
            seconds = self._end(self._clock())
            self._updates[fsm][1].add(seconds)

    def instrument(self, callback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that measures a callback of an action, a guard or an effect."""
        known = self._instrumented.get(id(callback))
        if known is None:
            known = self._instrumented[id(callback)] = callback, self._measuring(callback)
        return known[1]

    def _measuring(self, callback: Callable[..., Any]) -> Callable[..., Any]:
        def measured(subject: Any, *arguments: Any) -> Any:
            if not self._stack:
                self._thread = get_ident()
            elif not self._is_at_work():
                return callback(subject, *arguments)
            self._begin(self._part_of(subject, callback))
            try:
                return callback(subject, *arguments)
            finally:
                self._end(self._clock())

        return measured

    def _measured_emptiness(self) -> tuple[float, float]:
        """Return what measuring adds to a callback that does nothing, and to what calls it."""

        def nothing(_: object) -> None:
            pass

        inner, outer = (MeasuredPart("", "", "", Durations()) for _ in range(2))
        self._parts[id(nothing)] = nothing, inner
        self._thread = get_ident()
        measured, results = self._measuring(nothing), []
        for _ in range(TRIALS):  # the least counts: another program may come in between
            inner.own = outer.own = 0.0
            self._begin(outer)
            measured(nothing)
            self._end(self._clock())
            before = self._clock()
            for _ in range(TRIALS):
                nothing(nothing)
            plain = (self._clock() - before) / TRIALS
            results.append((plain, inner.own, outer.own))
        del self._parts[id(nothing)]
        self._within = self._overhead = 0.0
        plain, within, around = map(min, zip(*results, strict=True))
        return max(0.0, within - plain), around

    def replaced(self, fsm: Fsm[Any], successor: Fsm[Any]) -> None:
        if fsm in self._names.names:
            self._add(self._names.replace(fsm, successor))

    # Calls of children

    def begin(self, child: FsmAction[Any]) -> None:
        if self._stack and self._is_at_work():
            known = self._parts.get(id(child))
            part = known[1] if known is not None else self._stack[-1].part
            self._begin(part)

    def end(self) -> None:
        now = self._clock()
        if self._stack and self._is_at_work():
            self._end(now)

    # Calls in progress

    def _is_at_work(self) -> bool:
        """Tell whether what a call consists of is measured: in this frame, and in this thread."""
        return self._is_measuring and get_ident() == self._thread

    def _begin(self, part: MeasuredPart, machine: Fsm[Any] | None = None) -> None:
        now, stack = self._clock(), self._stack
        if stack:
            stack[-1].own += now - self._read_at
        stack.append(CallInProgress(part, machine))
        part.depth += 1
        self._read_at = read_at = self._clock()
        self._overhead += read_at - now

    def _end(self, now: float) -> float:
        """End the innermost call; return how long it took, in seconds."""
        stack = self._stack
        call = stack.pop()
        part, own = call.part, max(0.0, call.own + now - self._read_at - self._within_call)
        seconds = own + call.inner
        part.own += own
        part.depth -= 1
        if not part.depth:  # otherwise it is a part of another call
            part.whole.add(seconds)
        if stack:
            stack[-1].inner += seconds
            stack[-1].own -= self._around_call
        else:
            self._within += seconds
        self._read_at = read_at = self._clock()
        self._overhead += read_at - now
        return seconds

    def _abandon(self) -> None:
        for call in self._stack:
            call.part.depth = 0
        self._stack.clear()

    def _end_frame(self) -> None:
        now = self._clock()
        self._frames.add(self._within)
        self._outside += now - self._begun_at - self._within - self._overhead
        self._measured += self._is_measuring
        self._is_measuring = self._frames.count % self._every == 0
        self._updated.clear()
        self._begun_at, self._within, self._overhead = now, 0.0, 0.0

    # Parts

    def _add(self, found: Iterable[Found]) -> None:
        for name, machine, _ in found:
            for state in walk.states(machine):
                for path, action in walk.paths(state, "fixed"):
                    self._add_action(action, name, path)

    def _add_action(self, action: FsmAction[Any], machine: str, path: walk.ActionPath) -> None:
        title = f"{walk.subscripts(path)} ({type(action).__name__})"
        part = MeasuredPart(machine, action.state.name, title, Durations())
        self._parts[id(action)] = action, part
        if fixed_children(action):
            action.nested.report_calls(self)
            self._composites.append(action)

    def _name(self, fsm: Fsm[Any]) -> str:
        if fsm not in self._names.names:  # it has joined
            self._add(self._names.add([fsm]))
        return self._names.names[fsm]

    def _part_of(self, subject: Any, callback: Callable[..., Any]) -> MeasuredPart:
        """Return the part that `callback` belongs to: of an action, or of a state's transition."""
        known = self._parts.get(id(subject))
        if known is not None and self._is_measuring:
            return known[1]
        if not isinstance(subject, FsmAction):
            text = self._described.get(id(callback))
            if text is None:
                text = self._described[id(callback)] = described(callback)
            return self._other(
                subject.fsm, f"[{text}]" if subject.fsm.phase == GUARD else f"/ {text}"
            )
        self._name(subject.fsm)
        if id(subject) not in self._parts:  # it was added to its state meanwhile
            self._add_action(subject, self._name(subject.fsm), walk.path_of(subject))
        return self._parts[id(subject)][1] if self._is_measuring else self._unmeasured

    def _other(self, fsm: Fsm[Any], title: str) -> MeasuredPart:
        if not self._is_measuring:
            return self._unmeasured
        state = fsm.current_state
        known = self._others.get((fsm, state, title))
        if known is None:
            name = state.name if state is not None else ""
            known = MeasuredPart(self._name(fsm), name, title, Durations())
            self._others[fsm, state, title] = known
        return known

    # The table

    def _titles(self) -> dict[str, str]:
        """Return the title of each machine by its name; one that was replaced may have none."""
        names = self._names.names
        alike = titled_alike(names)
        return {names[machine]: title for title, machines in alike for machine in machines}

    def _state_costs(
        self, parts: Sequence[MeasuredPart], titles: Mapping[str, str]
    ) -> Iterator[StateCost]:
        seconds: dict[tuple[str, str], float] = {}
        for part in parts:
            key = titles.get(part.machine, part.machine), part.state
            seconds[key] = seconds.get(key, 0.0) + part.own
        for (machine, state), own in seconds.items():
            if own:
                yield StateCost(machine, state, _mean(own, self._measured))

    def _part_costs(
        self, parts: Sequence[MeasuredPart], titles: Mapping[str, str]
    ) -> list[PartCost]:
        alike: dict[tuple[str, str, str], list[MeasuredPart]] = {}
        for part in parts:
            if part.whole.count:
                title = titles.get(part.machine, part.machine)
                alike.setdefault((title, part.state, part.title), []).append(part)
        costs = [
            PartCost(
                *key,
                own=_mean(sum(part.own for part in added), self._measured),
                whole=_mean(sum(part.whole.total for part in added), self._measured),
                worst=max(part.whole.worst for part in added) * MICROSECONDS,
                calls=sum(part.whole.count for part in added),
            )
            for key, added in alike.items()
        ]
        return sorted(costs, key=lambda cost: -cost.own)


def _machine_costs(
    updates: Iterable[tuple[str, Durations]], titles: Mapping[str, str]
) -> Iterator[MachineCost]:
    alike: dict[str, list[Durations]] = {}
    for name, durations in updates:
        alike.setdefault(titles.get(name, name), []).append(durations)
    for title, added in alike.items():
        count = sum(each.count for each in added)
        mean = _mean(sum(each.total for each in added), count)
        yield MachineCost(title, count, mean, max(each.worst for each in added) * MICROSECONDS)


def _mean(seconds: float, count: int) -> float:
    """Return the average in microseconds."""
    return seconds / count * MICROSECONDS if count else 0.0

"""Stops: the list of breakpoints, everything that stops the machines, and why they have stopped."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final, TypeAlias

from attrs import define, evolve, field, frozen

from fsmkit import Fsm, FsmState
from fsmkit.core.words.notes import shown_error
from fsmkit.inspector.live.breakpoints.breakpoint import (
    CHANGES,
    IN_BRACES,
    Breakpoint,
    BreakpointKind,
    Halt,
    StopReason,
    mark_of,
    way_of,
)
from fsmkit.inspector.live.journal import LiveJournal
from fsmkit.inspector.live.pausing import InterceptedMachines, Interceptor, UpdateClock
from fsmkit.inspector.live.requests.page_request import RequestError
from fsmkit.inspector.live.watched_machine import failures_of
from fsmkit.inspector.reading.candidates import state_name, target_of, targets
from fsmkit.inspector.reading.page_values import LONGEST, PLAIN, error_text, text_of
from fsmkit.inspector.reading.watches import NamedValues, Occasion, Unreadable, UnreadableValueError
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import decided_transitions
from fsmkit.observer import Observer

HitPlace: TypeAlias = tuple[BreakpointKind, object]
"""The kind and the subject of the breakpoints that are hit."""

MOST: Final = 200


@define(eq=False)
class Breakpoints:
    """Breakpoints by the names of machines: a machine inherits those of an earlier one of its name.

    `names` are those of all machines; `log` writes a line about a machine.
    """

    _names: Mapping[Fsm[Any], str]
    _values: NamedValues
    _log: Callable[[Fsm[Any], str], object]
    version: int = field(default=0, init=False)
    """Increases with each change."""
    _points: dict[int, Breakpoint] = field(factory=dict, init=False)
    _at: dict[tuple[str | None, BreakpointKind, object], list[Breakpoint]] = field(
        factory=dict, init=False
    )
    _numbers: Iterator[int] = field(factory=lambda: count(1), init=False)

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(self._points.values())

    def __len__(self) -> int:
        return len(self._points)

    # The list

    def add(self, point: Breakpoint) -> Breakpoint:
        """Add a breakpoint under a new number. Raises RequestError if there are too many."""
        if len(self) >= MOST:
            raise RequestError(f"There can be {MOST} breakpoints. Remove one first.")
        return self.put(evolve(point, number=next(self._numbers)))

    def put(self, point: Breakpoint) -> Breakpoint:
        """Replace the breakpoint of that number; its hits are counted from zero."""
        self._points[point.number] = point
        self._index()
        return point

    def find(self, number: int) -> Breakpoint:
        """Return the breakpoint of that number. Raises RequestError."""
        if number not in self._points:
            raise RequestError("That breakpoint has been removed.")
        return self._points[number]

    def on(self, machine: str | None, kind: str, name: str) -> list[Breakpoint]:
        """Return those of this kind and name on a machine, switched off or not."""
        wanted = machine, kind, name
        return [each for each in self if (each.machine, each.kind, each.name) == wanted]

    def remove(self, *points: Breakpoint) -> None:
        for point in points:
            self._points.pop(point.number, None)
        self._index()

    def switch(self, point: Breakpoint, on: bool, note: str = "") -> None:
        point.is_on, point.note = on, note
        self._index()

    def _index(self) -> None:
        self.version += 1
        self._at = {}
        for point in self:
            if point.is_on:
                place = point.machine, point.kind, point.subject
                self._at.setdefault(place, []).append(point)

    # Hits

    def are_on(self, machine: Fsm[Any], kinds: Container[str]) -> bool:
        owners = (None, self._names.get(machine))
        return any(owner in owners and kind in kinds for owner, kind, _ in self._at)

    def hit(self, occasion: Occasion, *places: HitPlace) -> StopReason | None:
        """Count the hits and write the log points; return why to stop, None to go on."""
        found = [point for point in self._found(occasion.machine, places) if point.is_on]
        reasons = [self.reason(point, occasion) for point in found]
        return next(filter(None, reasons), None)

    def reason(self, point: Breakpoint, occasion: Occasion, change: str = "") -> StopReason | None:
        """Count a hit of `point` if its condition holds; return why to stop, None to go on.

        `change` describes the change of a value that hits it; then its condition holds. An error
        from reading or comparing a value switches the breakpoint off.
        """
        try:
            shown = change or self._shown_condition(point, occasion)
            if shown is None or not (occasion.error is None or point.is_new(occasion.error)):
                return None
        except Exception as error:  # from the program's own values
            self.switch(point, on=False, note=f"switched off: {shown_error(error)}")
            return None
        if not point.is_hit():
            return None
        if point.text:
            self._log(occasion.machine, self._filled(point.text, occasion))
            return None
        return self._reason(point, occasion, shown)

    def forget_errors(self) -> None:
        """Forget the last error of each: the call that raised it is over."""
        for point in self:
            point.error = None

    def _found(self, machine: Fsm[Any], places: tuple[HitPlace, ...]) -> list[Breakpoint]:
        own = self._names.get(machine)
        owners = (None,) if own is None else (own, None)
        found = [
            each
            for kind, subject in places
            for owner in owners
            for each in self._at.get((owner, kind, subject), ())
        ]
        return sorted(found, key=lambda point: point.number) if len(found) > 1 else found

    def _shown_condition(self, point: Breakpoint, occasion: Occasion) -> str | None:
        """Return the condition with the value that meets it; None if it does not hold."""
        condition = point.condition
        if condition is None:
            return ""
        found = self._values.read(condition.name, occasion)
        if not condition.holds(found):
            return None
        return str(condition) if condition.operator == "==" else f"{condition} ({text_of(found)})"

    def _reason(self, point: Breakpoint, occasion: Occasion, shown: str) -> StopReason:
        parts = [shown] if shown else []
        if occasion.error is not None:
            parts.insert(0, shown_error(occasion.error))
        if point.count > 1:
            parts.append(f"hit {point.hits}")
        machine = self._names.get(occasion.machine, occasion.machine.name)
        return StopReason(
            point.kind, machine, point.title, ", ".join(parts), point.number, stays=point.stays
        )

    def _filled(self, text: str, occasion: Occasion) -> str:
        def value(match: Any) -> str:
            try:
                found = self._values.read(match[1].strip(), occasion)
            except Exception as error:  # from the program's own values
                return (
                    error.args[0] if isinstance(error, UnreadableValueError) else shown_error(error)
                )
            return found[:LONGEST] if isinstance(found, str) else text_of(found)

        return IN_BRACES.sub(value, text)


@frozen
class UndecidedChange:
    """A change whose target will be known when it has happened."""

    halt: Halt
    occasion: Occasion
    was_held: bool
    """True if the loop has been held before this change, on the event."""


@define(eq=False)
class NextChange:
    """Waits for the first change of state of the machines that are `followed`.

    A stop is a change as well. The change before which the loop is held at first does not count.
    """

    awaited: str | None = None
    """The name of the machine, empty for any; None if no change is awaited."""
    followed: frozenset[Fsm[Any]] = frozenset()
    _skipped: Fsm[Any] | None = None
    _sources: dict[Fsm[Any], str] = field(factory=dict)
    """The state that a machine has just exited."""
    _found: tuple[Fsm[Any], str, str] | None = None

    def begin(self, name: str, held: Halt | None) -> None:
        self.cancel()
        self.awaited = name
        if held is not None and held.target is not None and not held.is_begun:
            self._skipped = held.machine

    def cancel(self) -> None:
        self.awaited = self._skipped = self._found = None
        self.followed = frozenset()
        self._sources.clear()

    def forget(self, machine: Fsm[Any]) -> None:
        self._sources.pop(machine, None)

    def take(self, names: Mapping[Fsm[Any], str]) -> StopReason | None:
        """Return the change that has happened, if any, and wait no longer."""
        for machine, source in self._sources.items():
            if machine.current_state is None:
                self._found = self._found or (machine, source, "stopped")
        self._sources.clear()
        if self._found is None:
            return None
        machine, source, target = self._found
        self.cancel()
        text = f"{source} → {target}" if source else f"start in {target}"
        return StopReason("change", names.get(machine, machine.name), "the next change", text)

    def exit(self, machine: Fsm[Any], state: str) -> None:
        if machine in self.followed:
            self._sources[machine] = state

    def enter(self, machine: Fsm[Any], state: str) -> None:
        if machine in self.followed:
            source = self._sources.pop(machine, "")
            if machine is self._skipped:
                self._skipped = None
            elif self._found is None:
                self._found = machine, source, state


@define(eq=False)
class ValueChanges:
    """Finds the values that meet a condition now and did not before, or that have changed."""

    _breakpoints: Breakpoints
    _values: NamedValues
    _before: dict[tuple[Breakpoint, Fsm[Any]], ValueReading] = field(factory=dict, init=False)

    def keep_to(self, wanted: Mapping[Breakpoint, Iterable[Fsm[Any]]]) -> None:
        """Read these machines for these breakpoints; a condition that is met already is no hit."""
        pairs = [(point, machine) for point, machines in wanted.items() for machine in machines]
        before, self._before = self._before, {}
        for pair in pairs:
            reading = before.get(pair) or self._read(*pair)
            if reading is not None:
                self._before[pair] = reading

    def holding(self, point: Breakpoint) -> Fsm[Any] | None:
        """Return a machine whose value meets the condition of `point` now; None without one."""
        if point.condition is None or point.condition.operator == CHANGES:
            return None
        now = ((fsm, reading) for (each, fsm), reading in self._before.items() if each is point)
        return next((fsm for fsm, reading in now if reading.holds), None)

    def check(self) -> StopReason | None:
        """Count the hits since the last check; return why to stop, None to go on."""
        found = [self._check(*pair) for pair in tuple(self._before)]
        return next(filter(None, found), None)

    def _check(self, point: Breakpoint, machine: Fsm[Any]) -> StopReason | None:
        now = self._read(point, machine) if point.is_on else None
        if now is None:
            return None
        before, self._before[point, machine] = self._before[point, machine], now
        if now.mark == before.mark or not now.holds:
            return None
        change = f"{point.condition}: {before} → {now}"
        return self._breakpoints.reason(point, Occasion(machine), change)

    def _read(self, point: Breakpoint, machine: Fsm[Any]) -> ValueReading | None:
        """Read the value; None, and the breakpoint is switched off, if that is not possible."""
        condition = point.condition
        assert condition is not None
        try:
            value = self._values.read(condition.name, Occasion(machine))
            kept = value if isinstance(value, PLAIN) else Unreadable(text_of(value))
            if condition.operator == CHANGES:
                return ValueReading(kept, holds=True, mark=mark_of(value))
            holds = condition.holds(value)
            return ValueReading(kept, holds, mark=holds)
        except Exception as error:  # from the program's own values
            note = f"switched off: {error_text(error)}"
            self._breakpoints.switch(point, on=False, note=note)
            return None


@frozen
class ValueReading:
    kept: object
    """The value if it is a plain one, else its text, since it may change inside."""
    holds: bool
    mark: object
    """Equal to that of another reading if nothing has happened between them."""

    def __str__(self) -> str:
        return text_of(self.kept)


@define(eq=False, slots=False)
class Stops(Observer):
    """Reads the journal, and stops where a breakpoint is hit.

    A state is entered in two ways: by an event, which is reported before the change, and by
    `start()`, which is intercepted.

    No guard is called for a breakpoint. Where guards decide between several targets, only the event
    is known before the change: there a breakpoint on a state holds the machine once it is in that
    state, before the first `on_enter` or after the last `on_resume`.

    `hold` holds the loop in the middle of a call; between two updates the clock is paused.
    `may_stop` returns if it may be held now, `is_seen` if a page can let it go on. `log`
    writes a line about a machine.
    """

    _journal: LiveJournal
    _clock: UpdateClock
    values: NamedValues
    hold: Callable[[Halt, StopReason], None]
    may_stop: Callable[[], bool]
    is_seen: Callable[[], bool]
    log: Callable[[Fsm[Any], str], object]
    reason: StopReason | None = field(default=None, init=False)
    """Why the machines are stopped, unless a page has paused them."""
    next_change: NextChange = field(factory=NextChange, init=False)
    _undecided: dict[Fsm[Any], UndecidedChange] = field(factory=dict, init=False)
    _known: object = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._names = self._journal.names
        self.breakpoints = Breakpoints(self._names, self.values, self.log)
        self._value_changes = ValueChanges(self.breakpoints, self.values)
        self._started = InterceptedMachines(Interceptor("start", self._check_start))

    def close(self) -> None:
        self.breakpoints.remove(*self.breakpoints)
        self.next_change.cancel()
        self.refresh()

    def forget(self, machine: Fsm[Any]) -> None:
        """Forget a machine that has left; one of the same name will inherit its breakpoints."""
        self._started.discard(machine)
        self._undecided.pop(machine, None)
        self.next_change.forget(machine)
        self._known = None

    def breakpoint_rows(self) -> list[dict[str, Any]]:
        """Return the breakpoints for the page, with a machine whose value is already so."""
        rows = []
        for point in self.breakpoints:
            machine = self._value_changes.holding(point)
            name = None if machine is None else self._names.get(machine)  # it may just have left
            rows.append(point.to_json() | ({} if name is None else {"holds": name}))
        return rows

    def stop_on_error(self) -> None:
        """Set a breakpoint on any error of any machine, which stops even without a page."""
        self.breakpoints.add(Breakpoint(0, "error", None, stays=True))
        self.refresh()

    # Around an update

    def before_update(self) -> None:
        self.refresh()
        self._pause(self.next_change.take(self._names))

    def after_update(self) -> None:
        self.breakpoints.forget_errors()
        change = self.next_change.take(self._names)
        self._pause(self._value_changes.check() or change)

    def _pause(self, reason: StopReason | None) -> None:
        if reason is not None and self.is_seen():
            self.reason = reason
            self._clock.pause(by_page=True)

    def begin_next_change(self, name: str | None, held: Halt | None) -> None:
        self.next_change.begin(name or "", held)
        self._known = None  # it may have been awaited before
        self.refresh()

    def refresh(self) -> None:
        known = self.breakpoints.version, len(self._names), self.next_change.awaited
        if known == self._known:
            return
        on = [point for point in self.breakpoints if point.is_on]
        starts = [self._machines(point) for point in on if point.kind == "state"]
        self._started.keep_to(machine for machines in starts for machine in machines)
        values = {point: self._machines(point) for point in on if point.kind == "value"}
        self._value_changes.keep_to(values)
        awaited = self.next_change.awaited
        if awaited is not None:
            self.next_change.followed = self._followed(awaited)
        # Without anything to stop at, thousands of machines cost nothing here.
        self._journal.last_reader = self if on or awaited is not None else None
        self._known = known

    def _followed(self, name: str) -> frozenset[Fsm[Any]]:
        """Return the machine of that name and those nested in it; all machines without a name."""
        outer = [machine for machine, other in self._names.items() if name in ("", other)]
        for machine in outer:
            self._journal.add_inside(machine)
        return frozenset(inner for machine in outer for inner in walk.machines(machine))

    def _machines(self, point: Breakpoint) -> list[Fsm[Any]]:
        return [each for each, name in self._names.items() if point.machine in (None, name)]

    # Reports of the journal

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        if outcome == "changed":
            self._check_change(fsm, event, data)
        elif outcome == "unhandled" and self._may_hit(fsm, "unhandled"):
            reason = self.breakpoints.hit(Occasion(fsm, event, data), ("unhandled", ""))
            if reason is not None:
                self.hold(Halt(fsm, event, state_name(fsm), None), reason)

    def _check_change(self, fsm: Fsm[Any], event: str, data: object) -> None:
        state = fsm.current_state
        self._undecided.pop(fsm, None)
        if state is None or not self._may_hit(fsm, "state", "event", "transition"):
            return
        found = targets(fsm, event)
        places: list[HitPlace] = [("event", event)]
        if len(found) == 1:
            places.append(("state", found[0]))
        decided = decided_transitions(fsm, event)
        places.extend(("transition", (event, way_of(each))) for each in decided)
        occasion = Occasion(fsm, event, data)
        reason = self.breakpoints.hit(occasion, *places)
        leads = " or ".join(found)
        if reason is not None and reason.kind == "transition":
            leads = getattr(target_of(fsm, decided[0].transition), "name", leads)
        halt = Halt(fsm, event, state.name, leads)
        if len(found) != 1:
            self._undecided[fsm] = UndecidedChange(halt, occasion, was_held=reason is not None)
        if reason is not None:
            self.hold(halt, reason)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:  # noqa: ARG002
        """Hold the loop if a breakpoint is on this state, which was not known before the change."""
        self.next_change.enter(fsm, state.name)
        undecided = self._undecided.pop(fsm, None)
        if undecided is None or not self.may_stop():
            return
        reason = self.breakpoints.hit(undecided.occasion, ("state", state.name))
        if reason is not None and not undecided.was_held:
            self.hold(evolve(undecided.halt, target=state.name, is_begun=True), reason)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.state_entered(fsm, state, None)

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.next_change.exit(fsm, state.name)

    state_suspended = state_exited

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Hold the loop if a breakpoint on errors stops. Ctrl-C does not count."""
        if not isinstance(error, Exception) or not self._may_hit(fsm, "error"):
            return
        reason = self.breakpoints.hit(Occasion(fsm, error=error), ("error", ""))
        if reason is not None:
            state = state_name(fsm)
            failures = (each for each in failures_of(fsm, error) if each.state == state)
            place = next((each.where for each in failures), "")
            self.hold(Halt(fsm, "", state, None), evolve(reason, place=place))

    def _check_start(self, fsm: Fsm[Any], start: Callable[..., Any], state: object) -> Any:
        self._undecided.pop(fsm, None)
        target = next(iter(fsm.states), "") if state is None else state
        target = target.name if isinstance(target, FsmState) else target
        if isinstance(target, str) and target in fsm.states and self._may_hit(fsm, "state"):
            reason = self.breakpoints.hit(Occasion(fsm), ("state", target))
            if reason is not None:
                self.hold(Halt(fsm, "", state_name(fsm), target), reason)
        return start(state=state)

    def _may_hit(self, fsm: Fsm[Any], *kinds: str) -> bool:
        return self.breakpoints.are_on(fsm, kinds) and self.may_stop()

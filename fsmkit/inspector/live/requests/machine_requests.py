"""The requests of pages about machines: to control, edit, rewind and view them.

The methods may raise FieldError as well as RequestError.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from sys import float_info
from threading import Thread
from typing import Any, Final
from weakref import WeakKeyDictionary

from attrs import Factory, asdict, define, field, frozen

from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.checking import Finding, check
from fsmkit.diagram.graph import edge_id, source_id, target_id
from fsmkit.editing.values import code_for
from fsmkit.inspector.live.mailbox import PageMailbox
from fsmkit.inspector.live.pausing import InterceptedMachines, UpdateClock, Updated, checked_speed
from fsmkit.inspector.live.requests.page_request import LONGEST_NAME, PageAnswer, RequestError
from fsmkit.inspector.live.subscribers import Inspected, Subscribers
from fsmkit.inspector.live.watched_machine import WatchedMachine
from fsmkit.inspector.reading.candidates import prospect, refusal
from fsmkit.inspector.reading.chart import DrawnExtent
from fsmkit.inspector.reading.code import Code, code_map
from fsmkit.inspector.reading.kept_places import KeptPlaces
from fsmkit.inspector.reading.page_values import (
    LONGEST_ANSWER,
    EditableField,
    error_text,
    find_action,
    find_field,
    kinds_of,
    moment_text,
    named_fields,
    text_of,
)
from fsmkit.inspector.reading.plots import ValuePath
from fsmkit.inspector.reading.rewind import Rewind, RewindFrame
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import MachineNames, members
from fsmkit.recording import restore, snapshot
from fsmkit.svg.state_colours import StateColours


class Findings:
    def __init__(self, machine: Fsm[Any], version: int, code: Code, ignore: Sequence[str]) -> None:
        self.version = version
        self._answer: dict[str, Any] | None = None
        work = Thread(target=self._check, args=(machine, code, ignore), daemon=True)
        try:
            work.start()
        except RuntimeError:  # a browser has no threads
            self._check(machine, code, ignore)

    def to_json(self) -> dict[str, Any]:
        """Return the findings for the page; None until they are computed."""
        return self._answer or {"findings": None}

    def _check(self, machine: Fsm[Any], code: Code, ignore: Sequence[str]) -> None:
        try:
            found = check(machine, ignore, places=code.places)
            named = {name: each for name, each, _ in MachineNames().add([machine])}
            answer: dict[str, Any] = {"findings": [_to_json(each, named, code) for each in found]}
        except Exception as error:  # from a user's property, or the definition changes meanwhile
            answer = {"findings": [], "failed": error_text(error, LONGEST_ANSWER)}
        self._answer = answer


def _to_json(finding: Finding, named: dict[str, Fsm[Any]], code: Code) -> dict[str, Any]:
    place = finding.place
    where = ", ".join(filter(None, (place.state, place.group, place.action, place.event)))
    line = None if place.code is None else code.line(place.code)
    return {
        "code": finding.code,
        "severity": finding.severity,
        "where": where or place.machine,
        "text": f"{finding.message} {finding.advice}",
        "parts": list(_parts(finding, named.get(place.machine))),
        **({} if line is None else {"place": line}),
    }


def _parts(finding: Finding, machine: Fsm[Any] | None) -> Iterator[str]:
    """Yield the ids of what a finding is about: the edges of an event, else the state."""
    place = finding.place
    if machine is None:
        return
    part = machine.states.get(place.state or "") or machine.groups.get(place.group or "")
    source = source_id(place.machine, part or machine)
    table = walk.table(part or machine) if place.action is None else {}
    found = table.get(place.event or "", ())
    yield from dict.fromkeys(edge_id(source, target_id(place.machine, each)) for each in found)
    if part is not None and not found:
        yield source


MOST_PLOTTED: Final = 64
"""Values in one request."""


@frozen
class ViewRequests:
    subscribers: Subscribers
    code: Code
    ignore: Sequence[str]
    """The findings that are not shown."""
    is_held: Callable[[], bool]
    """Tells if a machine is held at a breakpoint."""
    kept_places: KeptPlaces
    _colours: StateColours = field(factory=StateColours, init=False)
    _findings: WeakKeyDictionary[Fsm[Any], Findings] = field(factory=WeakKeyDictionary, init=False)

    # What a page is sent

    def select(self, machine: str, page: PageMailbox) -> None:
        self._check_watchable(machine, "selecting")
        self.subscribers.watched(machine)
        page.select(machine)

    def follow_all(self, on: bool, page: PageMailbox) -> None:
        page.follow_all(on)

    def follow_sends(self, on: bool, page: PageMailbox) -> None:
        page.follow_sends(on)
        self.subscribers.note_sends_while_shown()

    # Machines as they are and were

    def ask(self, machine: str, event: str) -> PageAnswer:
        return {"why": prospect(self.subscribers.inspected.machine(machine), event)}

    def colours(self) -> PageAnswer:
        for machine in members(self.subscribers.inspected.machines):
            if self._colours.add(machine.states):
                for inner in walk.machines(machine):
                    self._colours.add(inner.states)
        return {"colours": dict(self._colours.numbers)}

    def moment(self, machine: str, time: float) -> PageAnswer:
        moment = self.subscribers.watched(machine).moment(time)
        if moment is None:
            raise RequestError(f"What {machine!r} did at {moment_text(time)} is not known.")
        return {"moment": moment}

    def graph(self, machine: str, around: Collection[str] = (), radius: int = 0) -> PageAnswer:
        graph, parts = self.subscribers.watched(machine).drawing(DrawnExtent(around, radius))
        return {"graph": (graph if radius else self.kept_places.applied(graph, parts), parts)}

    def snapshot(self, machine: str | None) -> PageAnswer:
        inspected = self.subscribers.inspected
        target = inspected.machines if machine is None else inspected.machine(machine)
        return {"snapshot": snapshot(target)}

    def samples(self, machine: str, wanted: list[Any]) -> PageAnswer:
        """Answer with the samples of each value after a time, taken since they were asked for."""
        if len(wanted) > MOST_PLOTTED:
            raise RequestError(f"At most {MOST_PLOTTED} values can be plotted, got {len(wanted)}.")
        pairs = [_path_and_time(each) for each in wanted]
        watched = self.subscribers.watched(machine)
        if not isinstance(watched, WatchedMachine):
            raise RequestError(f"Values of {machine!r} cannot be plotted.")
        return {"samples": watched.plots.since(pairs, watched.now())}

    # Its code

    def lines(self, machine: str) -> PageAnswer:
        watched = self._watched(machine)
        if watched is None:
            return {"lines": {}}
        names = self.subscribers.inspected.naming.names
        return {"lines": code_map(watched.machine, names, self.code)}

    def findings(self, machine: str) -> PageAnswer:
        """Answer with the findings for the drawing as it is now; None until they are known."""
        watched = self._watched(machine)
        if watched is None:
            return {"findings": []}
        watched.chart.update()
        found = self._findings.get(watched.machine)
        if found is None or found.version != watched.chart.version:
            found = Findings(watched.machine, watched.chart.version, self.code, self.ignore)
            self._findings[watched.machine] = found
        return found.to_json()

    def _watched(self, name: str) -> WatchedMachine | None:
        """Return a machine on display; None for an agent of a crowd. Raises RequestError."""
        self._check_watchable(name, "looking at")
        watched = self.subscribers.watched(name)
        return watched if isinstance(watched, WatchedMachine) else None

    def _check_watchable(self, machine: str, what: str) -> None:
        if self.is_held() and not self.subscribers.is_watched(machine):
            raise RequestError(f"The machine is at a breakpoint: resume before {what} others.")


def _path_and_time(pair: Any) -> tuple[ValuePath, float]:
    match pair:
        case [list(path), int() | float() as time] if _is_finite(time):
            return checked_path(path), time
    raise RequestError(f"Each value wanted must be a path and a time, got {text_of(pair)}.")


def _is_finite(time: float) -> bool:
    return type(time) is not bool and abs(time) <= float_info.max  # an integer may be larger


MOST_LISTED: Final = 5_000
"""Machines whose states an answer lists."""

FEW: Final = 32
"""A group of up to this many machines is kept; in a larger one, each goes back alone."""

GROUP_INTERVAL: Final = 1.0
"""Seconds between two frames of a group: of 32 machines each takes about 4 ms."""

GROUP_LIMIT: Final = 300
"""Frames of a group: five minutes."""

NAMED: Final = 5
"""Machines that a sentence names."""


@frozen
class TimeTravelRequests:
    subscribers: Subscribers
    past: GroupPast
    note_jump: Callable[[str], None]
    """Called after machines were put into other states, with a text for the log."""

    def go_on(self, machine: str, seq: int) -> PageAnswer:
        frame = self.subscribers.watched(machine).go_back(seq)
        if frame is None:
            raise RequestError("That moment is no longer kept, or could not be saved.")
        too_large = ", ".join(frame.too_large(dict.fromkeys(frame.machines, "context")))
        self.note_jump(
            f"went back to {moment_text(frame.time)}"
            + (f"; too large to restore: {too_large}" if too_large else "")
        )
        return {"time": frame.time}

    def restore(self, machine: str | None, data: dict[str, Any]) -> None:
        inspected = self.subscribers.inspected
        restore(inspected.machines if machine is None else inspected.machine(machine), data)
        self.note_jump("loaded a snapshot")

    def find_change(self, time: float, forward: bool, machine: str | None = None) -> PageAnswer:
        """Answer with the nearest change before a time, or after, of that machine, or of any."""
        if machine is None:
            change = self.subscribers.journal.change_beside(time, forward=forward)
            found = None if change is None else (change.record.name, change.time)
        else:
            watched = self.subscribers.watched(machine)
            if not isinstance(watched, WatchedMachine):
                raise RequestError(f"The changes of {machine!r} are not kept.")
            at = watched.log.change_beside(time, forward=forward)
            found = None if at is None else (machine, at)
        return {"found": found}

    def group_moment(self, time: float, machines: list[Any] | None = None) -> PageAnswer:
        names = self.subscribers.inspected if machines is None else _checked_names(machines)
        then = self.subscribers.journal.states_at(time, names, MOST_LISTED)
        then.left = then.left[:MOST_LISTED]
        return {"time": time, **asdict(then, recurse=False), "go_on": self.past.offer(time)}

    def go_on_group(self, seq: int) -> PageAnswer:
        time, text = self.past.go_back(seq)
        self.note_jump(text)
        return {"time": time}


def _checked_names(names: Sequence[Any]) -> Container[str]:
    if len(names) > MOST_LISTED:
        raise RequestError(
            f"'group_moment': 'machines' must have at most {MOST_LISTED} names, got {len(names)}."
        )
    if not all(isinstance(each, str) and len(each) <= LONGEST_NAME for each in names):
        raise RequestError(
            f"'group_moment': 'machines' must be strings of at most {LONGEST_NAME} characters."
        )
    return frozenset(names)


@define(eq=False)
class GroupPast:
    """Keeps a small group once a second, and takes it back.

    Machines that have left since a moment stay as they are, and so do those that have joined.
    `names` are those of the machines, `now` returns the seconds of the inspector's clock.
    """

    _machines: Updated
    _names: Mapping[Fsm[Any], str]
    _now: Callable[[], float]
    _rewind: Rewind = field(factory=lambda: Rewind(GROUP_INTERVAL, GROUP_LIMIT), init=False)

    def before_update(self) -> None:
        group = self._machines
        is_small = isinstance(group, FsmGroup) and 1 < len(group) <= FEW
        if is_small and self._rewind.is_due(self._now()):
            self._rewind.keep(self._now(), self._members())

    def offer(self, time: float) -> PageAnswer | None:
        """Return the moment to which the group can go back from `time`; None without one."""
        frame = self._rewind.at(time)
        if frame is None or not self._staying(frame):
            return None
        return {
            "seq": frame.seq,
            "time": frame.time,
            "others": list(self._others(frame)),
        }

    def go_back(self, seq: int) -> tuple[float, str]:
        """Take the group back to a moment; return its time, and a description.

        Raises RequestError if that is impossible; then nothing has changed.
        """
        frame = self._rewind.frame(seq)
        if frame is None:
            raise RequestError("That moment of the group is no longer kept.")
        staying = self._staying(frame)
        if not staying:
            raise RequestError("None of the machines of that moment is still in the group.")
        try:
            frame.put_back(staying)
        except FsmError as error:
            raise RequestError(f"The group cannot go back, nothing was changed: {error}") from error
        titles = {machine: f"{self._names[machine]}: context" for machine in staying}
        notes = list(self._others(frame))
        if too_large := ", ".join(frame.too_large(titles)):
            notes.append(f"too large to restore: {too_large}")
        text = f"the group went back to {moment_text(frame.time)}"
        return frame.time, "; ".join([text, *notes])

    def _staying(self, frame: RewindFrame) -> Sequence[Fsm[Any]]:
        return [machine for machine in frame.machines if machine in self._members()]

    def _others(self, frame: RewindFrame) -> Iterable[str]:
        members = self._members()
        unsaved = [self._names[each] for each in frame.unsaved if each in members]
        known = {*frame.machines, *frame.unsaved}
        joined = [name for machine, name in members.items() if machine not in known]
        left = [each.name for each in (*frame.machines, *frame.unsaved) if each not in members]
        for title, names in (
            ("cannot be saved", unsaved), ("joined since", joined), ("left since", left),
        ):  # fmt: skip
            if names:
                yield f"{title}: {_listed(names)}"

    def _members(self) -> dict[Fsm[Any], str]:
        group = self._machines if isinstance(self._machines, FsmGroup) else ()
        return {machine: self._names.get(machine, machine.name) for machine in group}


def _listed(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


MOST_EDITS: Final = 20
"""Edits that can be undone."""

LONGEST_PATH: Final = 5


@frozen
class ValueRequests:
    inspected: Inspected
    note: Callable[[Fsm[Any], str], None]
    """Called after something was changed, with the machine and a text for its log."""
    _edits: deque[tuple[Fsm[Any], EditableField, object]] = Factory(
        lambda: deque(maxlen=MOST_EDITS)
    )
    """The machine, the field, and its former value."""

    def offer(self, machine: str, path: list[Any]) -> PageAnswer:
        """Answer with the values a field can be set to; its value may be longer than shown."""
        return {"offer": self._field(machine, path)[1].offer()}

    def look_inside(self, machine: str, path: list[Any]) -> PageAnswer:
        field = self._field(machine, path)[1]
        fields = named_fields(field.value)
        if not fields:
            raise RequestError(f"{field.title} has no public fields.")
        rows = [[name, text_of(value)] for name, value in fields.items()]
        return {"rows": rows, "kinds": kinds_of(fields)}

    def set(self, machine: str, path: list[Any], value: object) -> PageAnswer:
        """Set a value; `written` is what keeps a parameter of an action in the code, if anything.

        That is the value of the edit `set`.
        """
        target, field = self._field(machine, path)
        new = field.set(value)
        self._edits.append((target, field, field.value))
        change = f"{field.title}: {text_of(field.value)} -> {text_of(new)}"
        self.note(target, f"{change}, edited on the page")
        written = (
            code_for(new) if path[0] == "action" else None
        )  # the rest is no code of the machine
        return {"text": text_of(new), "outcome": change, "written": written}

    def undo(self) -> PageAnswer:
        if not self._edits:
            raise RequestError("There is no edit to undo.")
        machine, field, before = self._edits.pop()
        if machine not in self.inspected.naming.names:
            raise RequestError(f"{machine.name!r} is not (or no longer) an inspected machine.")
        field.put(before)
        change = f"{field.title}: back to {text_of(before)}"
        self.note(machine, f"{change}, undone on the page")
        return {"outcome": change}

    def enable(self, machine: str, state: str, place: str, on: bool) -> None:
        """Switch an action off, or on again; it takes effect on the next visit of its state."""
        target = self.inspected.machine(machine)
        action = find_action(target, state, place)
        if action.enabled != on:
            action.enabled = on
            title, switched = type(action).__name__, "on" if on else "off"
            self.note(target, f"{title} in {state} switched {switched} on the page")

    def _field(self, machine: str, path: list[Any]) -> tuple[Fsm[Any], EditableField]:
        target = self.inspected.machine(machine)
        return target, find_field(target, checked_path(path), self.inspected.naming.names)


def checked_path(path: list[Any]) -> tuple[str, ...]:
    """Return a path in a message. Raises RequestError unless it is a few strings."""
    if not 1 <= len(path) <= LONGEST_PATH:
        raise RequestError(f"A path must have 1 to {LONGEST_PATH} names, got {len(path)}.")
    for name in path:
        if type(name) is not str or len(name) > LONGEST_NAME:
            raise RequestError(f"A path must consist of strings, got {text_of(name)}.")
    return tuple(path)


@frozen
class ControlRequests:
    inspected: Inspected
    clock: UpdateClock
    is_held: Callable[[], bool]
    """Tells if a machine is held at a breakpoint."""
    release: Callable[[], None]
    """Lets that machine go on."""
    await_nothing: Callable[[], None]
    """Ends the run to the next change."""
    suspended: InterceptedMachines
    note: Callable[[Fsm[Any], str], None]
    """Called with a machine that was suspended or resumed, and a text for its log."""

    def pause(self) -> None:
        self.clock.pause(by_page=True)
        self.await_nothing()

    def resume(self) -> None:
        self.clock.resume()
        self.release()

    def step(self) -> None:
        """Let one update pass, or the machine that is held go on, and pause."""
        self.await_nothing()
        if self.is_held():
            self.clock.pause(by_page=True)
            self.release()
        else:
            self.clock.step()

    def speed(self, factor: float) -> None:
        """Run that many times as fast as the game."""
        self.clock.speed = checked_speed(factor)

    def send(self, machine: str, event: str, data: object = None) -> PageAnswer:
        target = self.inspected.machine(machine)
        if not event:
            raise RequestError("The name of the event must not be empty.")
        reason = prospect(target, event)
        outcomes = EventOutcomes(target, event)
        undo = target.observe(outcomes)
        try:
            target.offer_event(event, data)
        finally:
            undo()
        if outcomes.seen[:1] == ["refused"]:
            reason = refusal(target, event)
        return {"outcome": reason}

    def force(self, machine: str, state: str) -> None:
        target = self.inspected.machine(machine)
        if state not in target.states:
            raise RequestError(f"{machine!r} has no state {state!r}.")
        target.start(state)

    def suspend(self, machine: str, on: bool) -> None:
        """Withhold updates from a machine, or resume them; events still reach it."""
        target = self.inspected.machine(machine)
        if target is self.inspected.machines:
            raise RequestError(f"{machine!r} is the only machine here. Pause instead.")
        if on != (target in self.suspended):
            (self.suspended.add if on else self.suspended.discard)(target)
            self.note(target, f"{'suspended' if on else 'resumed'} on the page")


@frozen
class EventOutcomes:
    """Observes the outcomes of one event of a machine, which its own callbacks may send again."""

    machine: Fsm[Any]
    event: str
    seen: list[str] = Factory(list)

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        if (fsm, event) == (self.machine, self.event):
            self.seen.append(outcome)

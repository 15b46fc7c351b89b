"""Journal: what machines do during a call, and the chronicle that journals add up to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fsmkit import FAILED, Fsm, FsmState
from fsmkit.core.words.notes import shown_error
from fsmkit.recording.action_paths import sender_title
from fsmkit.recording.chronicle import Chronicle, ChronicleBuilder, MachineCourse, RaisedError
from fsmkit.recording.replay.digest import NOT_PLAIN, short_text
from fsmkit.recording.replay.steps import UNKNOWN, Header, JournalEntry, Step
from fsmkit.terminal.console import described


class Journal:
    def __init__(self, names: Mapping[Fsm[Any], str]) -> None:
        self.data: object = None
        """The data of the call, which the journal does not repeat."""
        self.visited: list[FsmState[Any]] = []
        """The states that were entered or exited since the last `take`."""
        self.entries: list[JournalEntry] = []
        self._names = names

    def take(self) -> tuple[JournalEntry, ...]:
        entries = tuple(self.entries)
        self.entries, self.visited = [], []
        return entries

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        acting = fsm.acting
        sender = "" if acting is None else sender_title(acting)
        name = event if isinstance(event, str) else described(event)  # a journal holds strings only
        entry: JournalEntry = ("event", self._names[fsm], name, outcome, sender)
        if data is not None and data is not self.data:
            entry = (*entry, *_data_text(data))
        self.entries.append(entry)

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.visited.append(state)
        self.entries.append(("leave", self._names[fsm], state.name))

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        self.visited.append(state)
        self.entries.append(("enter", self._names[fsm], state.name, event or ""))

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.visited.append(state)
        self.entries.append(("suspend", self._names[fsm], state.name))

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.visited.append(state)
        self.entries.append(("resume", self._names[fsm], state.name))

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        self.entries.append(("error", self._names[fsm], shown_error(error)))


def whereabouts(names: Mapping[Fsm[Any], str]) -> tuple[JournalEntry, ...]:
    entries: list[JournalEntry] = []
    for fsm, name in names.items():
        entries.append(("restored", name))
        entries += [("suspend", name, state.name) for state in fsm.suspended]
        if fsm.current_state is not None:
            entries.append(("in", name, fsm.current_state.name))
    return tuple(entries)


def _data_text(data: object) -> tuple[str, ...]:
    """Return the text of the plain parts of an event's data; nothing if no part is plain."""
    try:
        text = short_text(data)
    except Exception:  # of a class of the game's own
        return ()
    return (text,) if text != NOT_PLAIN else ()


def _data_in(text: str) -> object:
    """Return what a text in a journal says: the text itself, if that is not a plain value."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def chronicle_of(header: Header, steps: Sequence[Step]) -> Chronicle:
    builder = ChronicleBuilder()
    courses: dict[str, MachineCourse] = {}
    for machine, state in header.states.items():
        if state != UNKNOWN:
            courses[machine] = MachineCourse(machine, builder)
            courses[machine].entered(header.time, state)
    for step in steps:
        for entry in step.journal:
            machine = entry[1]
            if machine not in courses:
                courses[machine] = MachineCourse(machine, builder)
            _read(entry, step, courses[machine], builder)
    end = steps[-1].time if steps else header.time
    return builder.chronicle(header.machines, header.time, end)


def _read(
    entry: JournalEntry, step: Step, course: MachineCourse, builder: ChronicleBuilder
) -> None:
    time, arguments = step.time, step.arguments
    match entry:
        case ["event", _, event, outcome, sender, *texts]:
            is_of_call = event == (FAILED if step.call == "fail" else arguments.get("event"))
            data = arguments.get("data") if is_of_call else None
            if event == FAILED and texts:
                data = _data_in(texts[0])
            course.sent(time, course.state, event, data, outcome, sender=sender or None)
        case ["enter", _, state, event]:
            course.entered(time, state, event or None)
        case ["in", _, state]:
            course.entered(time, state)
        case ["leave", _, state]:
            course.exited(time, state)
        case ["suspend", _, state]:
            course.suspend(time, state)
        case ["resume", _, state]:
            course.resume(time, state)
        case ["restored", _]:
            course.put_elsewhere(time)
        case ["error", machine, error]:
            builder.errors.append(RaisedError(machine, time, course.state, error))

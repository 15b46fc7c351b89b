"""The machines of a recording at any position: drawn from what occurred, or rebuilt and replayed.

`RecordedMachines` are sketches, which never run. `ReplayedMachines` show more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from operator import itemgetter
from time import monotonic
from typing import Any, Final

from fsmkit import BACK, Fsm, FsmAction, FsmState
from fsmkit.core.words.notes import shown_error
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.playback.chronicle_view import NAMELESS, ChronicleView, MachineVisits
from fsmkit.inspector.reading.candidates import labelled
from fsmkit.inspector.reading.chart import DrawnExtent, StateChart
from fsmkit.inspector.reading.details import Detail, detail_of
from fsmkit.inspector.reading.explanations import agents_among, unread
from fsmkit.inspector.reading.guard_answers import GuardAnswers
from fsmkit.inspector.reading.page_values import PartReader, moment_text
from fsmkit.inspector.reading.positions import MachinePositions
from fsmkit.inspector.reading.world_map import WorldMap
from fsmkit.introspection import walk
from fsmkit.introspection.answers import Destination
from fsmkit.introspection.nesting import MachineNames, inner_machines, members
from fsmkit.recording import Recording, Replay, StateVisit
from fsmkit.recording.replay.replayer import Build
from fsmkit.recording.replay.steps import PutBack
from fsmkit.recording.value_codec import Decode

MOST_STATES: Final = 1_000
"""States of a machine that are drawn; a layout of more would take minutes."""

UNKNOWN: Final = (
    "The recording alone does not hold this. Give the machine as well, and the run is replayed: "
    "fsmkit inspect run.jsonl game.py:build"
)


class RecordedMachines:
    """Shows the machines of a recording: states and transitions as far as they occurred.

    With several recordings their graphs are drawn together.
    """

    fault = ""
    """Always empty: nothing is carried out that could fail."""

    map = None
    """No position is recorded."""

    def __init__(self, view: ChronicleView, *others: ChronicleView) -> None:
        self.view = view
        self.position = 0
        self._sketches = _sketches_of([view, *others])
        self._names = {fsm: name for name, fsm in self._sketches.items()}
        self._charts: dict[str, StateChart] = {}

    def advance(self, position: int, _deadline: float) -> None:
        self.position = position

    def is_at(self, position: int) -> bool:
        return self.position == position

    def drawing(self, name: str, extent: DrawnExtent | None = None) -> tuple[Graph, dict[str, Any]]:
        return self._chart(name).read(extent)

    def detail(self, name: str) -> Detail:
        now = self._now
        machine = self.view.machines[name]
        index, visit = machine.index(now), machine.at(now)
        chart = self._chart(name)
        shown = [(fsm, self._visit(self._names[fsm])) for fsm in chart.machines]
        running = [(fsm, each) for fsm, each in shown if each is not None]
        return {
            "machine": name,
            "running": visit is not None,
            "state": None if visit is None else visit.state,
            "previous": machine.previous_state(index if visit is not None else index + 1),
            "time": now - self.view.start,
            "time_in_state": 0.0 if visit is None else now - visit.start,
            "last_event": None if visit is None else visit.event or None,
            "suspended": [] if visit is None else list(visit.suspended),
            "events": list(self._events(name)),
            "states": list(self._sketches[name].states),
            "actions": [],
            "context": [],
            "unknown": UNKNOWN,
            "inner": [
                {"machine": inner, "running": True, "state": state}
                for inner, state in self._inside(name)
            ],
            "lit": [
                chart.state(fsm, each.state) for fsm, each in running if each.state in fsm.states
            ],
            "dashed": [
                chart.state(fsm, state)
                for fsm, each in running
                for state in each.suspended
                if state in fsm.states
            ],
            **traces_of(self.view, chart, self._names, now),
            "graph": chart.version,
        }

    @property
    def _now(self) -> float:
        return self.view.time_at(self.position)

    def _chart(self, name: str) -> StateChart:
        if name not in self._charts:
            self._charts[name] = StateChart(self._sketches[name], self._names)
        return self._charts[name]

    def _visit(self, name: str) -> StateVisit | None:
        """Return the current visit; also None for a machine that another recording has."""
        known = self.view.machines.get(name)
        return known.at(self._now) if known is not None else None

    def _state(self, name: str) -> FsmState[Any] | None:
        visit = self._visit(name)
        return None if visit is None else self._sketches[name].states.get(visit.state)

    def _inside(self, name: str) -> Iterator[tuple[str, str]]:
        state = self._state(name)
        for machine in inner_machines(state) if state is not None else ():
            inner = self._names[machine]
            if (visit := self._visit(inner)) is not None:
                yield inner, visit.state
                yield from self._inside(inner)

    def _events(self, name: str) -> Iterator[dict[str, Any]]:
        for each in (name, *(inner for inner, _ in self._inside(name))):
            place = "" if each == name else f"{self._sketches[each].name}: "
            if (state := self._state(each)) is None:
                continue
            for event, asked in walk.table(state).items():
                for transition, label in labelled(asked):
                    target = getattr(transition.target, "name", "the suspended state")
                    yield {
                        "name": event, "target": f"{place}{target}", "global": False,
                        "machine": each, **({} if label == event else {"label": label}),
                    }  # fmt: skip


# Sketches


class _NestingAction(FsmAction[Any]):
    def __init__(self, machine: Fsm[Any]) -> None:
        self.machine = machine

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return (self.machine,)


def _sketches_of(views: Sequence[ChronicleView]) -> dict[str, Fsm[Any]]:
    """Return a sketch of each machine in some recordings, by name.

    It has the states and the transitions that occurred in any of them, and the groups of these
    states. A transition for an event that led to several states has a guard, since only a guard can
    have decided.
    """
    sketches: dict[str, Fsm[Any]] = {}
    for view in views:
        for name, machine in view.machines.items():
            fsm = sketches.setdefault(name, Fsm(machine.title or name or NAMELESS))
            _add_states(fsm, machine)
    for name, fsm in sketches.items():
        for view in views:
            _add_groups(fsm, view.header.groups.get(name, {}))
        _add_transitions(fsm, [each.machines[name] for each in views if name in each.machines])
    hosted: set[str] = set()
    for view in views:
        for machine in view.machines.values():
            if machine.name not in hosted and (host := _host_in(sketches, view, machine)):
                host.add_action(_NestingAction(sketches[machine.name]))
                hosted.add(machine.name)
    return sketches


def _host_in(
    sketches: Mapping[str, Fsm[Any]], view: ChronicleView, machine: MachineVisits
) -> FsmState[Any] | None:
    """Return the sketched state in which a recording shows that a machine ran, if any."""
    if machine.outer is None:
        return None
    outer = view.machines[machine.outer]
    hosts = (outer.state(visit.start) or "" for visit in machine.visits)
    known = sketches[outer.name].states
    return next((known[each] for each in hosts if each in known), None)


def _add_states(fsm: Fsm[Any], machine: MachineVisits) -> None:
    for visit in machine.visits:
        for state in (visit.state, *visit.suspended):
            if state not in fsm.states and len(fsm.states) < MOST_STATES:
                fsm.add_state(state)


def _add_groups(fsm: Fsm[Any], groups: Mapping[str, Sequence[str]]) -> None:
    for name, states in groups.items():
        present = [state for state in dict.fromkeys(states) if state in fsm.states]
        if name and present and name not in fsm.groups and name not in fsm.states:
            fsm.add_group(name, *present)


def _add_transitions(fsm: Fsm[Any], machines: Sequence[MachineVisits]) -> None:
    seen: dict[tuple[str, str], dict[tuple[str, bool, bool], None]] = {}
    for machine in machines:
        for before, visit in pairwise(machine.visits):
            source, is_suspended = before.state, _is_suspension(before, visit)
            if visit.event and not (is_suspended and source == visit.state):
                change = visit.state, is_suspended, visit.resumed
                seen.setdefault((source, visit.event), {})[change] = None
    for (source, event), changes in seen.items():
        last = [*changes][-1]
        for change in changes:
            target, is_suspended, is_resumed = change
            if source in fsm.states and target in fsm.states:
                fsm.states[source].add_transition(
                    event,
                    BACK if is_resumed else target,
                    when=None if change == last else _not_recorded,
                    suspend=is_suspended,
                )


def _is_suspension(before: StateVisit, visit: StateVisit) -> bool:
    return before.state in visit.suspended and not visit.resumed


def _not_recorded(_state: object) -> bool:
    """Stand for a guard: a recording does not hold it."""
    return False


# Traces


def traces_of(
    view: ChronicleView, chart: StateChart, names: Mapping[Fsm[Any], str], now: float
) -> dict[str, Any]:
    """Return the part of a machine's details that says how it got into its state."""
    machines = {
        fsm: view.machines[names[fsm]] for fsm in chart.machines if names[fsm] in view.machines
    }
    own = view.machines[names[chart.machine]].at(now)
    origin = {}
    if own is not None and own.event:  # the line of code is not recorded
        origin = {"event": own.event, **({"sender": own.sender} if own.sender else {})}
    return {
        **_failures(machines, chart, now),
        "origin": origin,
        "resumed_by": own.event if own is not None and own.resumed else None,
        "edge": _edge(machines, chart, now),
        **chart.shading({fsm: machine.seconds(now) for fsm, machine in machines.items()}),
        "size": chart.size,
    }


def _edge(machines: Mapping[Fsm[Any], MachineVisits], chart: StateChart, now: float) -> str | None:
    last = [
        (machine.orders[index], fsm, index)
        for fsm, machine in machines.items()
        if (index := machine.index(now)) >= 0
    ]
    if not last:
        return None
    _, fsm, index = max(last, key=itemgetter(0))
    visit, source = machines[fsm].visits[index], machines[fsm].previous_state(index)
    if not visit.event or source is None:
        return None
    return chart.transition(fsm, source, None if visit.resumed else visit.state, visit.event)


def _failures(
    machines: Mapping[Fsm[Any], MachineVisits], chart: StateChart, now: float
) -> dict[str, list[str]]:
    states, texts = [], []
    for fsm, machine in machines.items():
        state, errors = machine.state(now), machine.errors_of_visit(now)
        if errors and state is not None and state in fsm.states:
            states.append(chart.state(fsm, state))
            texts += [f"{text} ({state})" for text in dict.fromkeys(errors)]
    return {"failed": states, "failures": texts}


MOST_ENTRIES: Final = 500
"""The latest entries of a log that are searched for the answers of guards."""

BUNCH: Final = 64
"""Steps between two checks of the time."""


class ReplayedMachines:
    """Carries out a recording on machines of its own, and shows them at any position.

    Its machines belong to the thread that calls `advance`. Where they deviate from the recording,
    they are shown as they are, and `fault` says so.

    Raises what `Replay` raises.
    """

    def __init__(
        self,
        view: ChronicleView,
        build: Build,
        recording: Recording,
        *,
        decode: Decode | None = None,
        world: PutBack | None = None,
    ) -> None:
        self.view = view
        self.fault = ""
        """Why the replay ended, or how it differs from the recording; empty if all is well."""
        self._begin = partial(Replay, build, recording, decode=decode, world=world)
        self._replay = self._begin()
        self._has_world = world is not None
        self._is_stuck = False
        self._recorded = RecordedMachines(view)
        self._charts: dict[str, StateChart] = {}
        self._versions: dict[str, tuple[Any, int, StateChart]] = {}
        self._readers: dict[str, PartReader] = {}
        self._naming = MachineNames()
        self._machines: Any = None
        self.map = WorldMap(MachinePositions(self._present, self._name), self._present)

    @property
    def position(self) -> int:
        return self._replay.position

    def advance(self, position: int, deadline: float) -> None:
        """Go towards a position, until the deadline at the latest, a `time.monotonic()`."""
        try:
            if position < self.position:
                self._go_back(position)
            while not self._is_stuck and self.position < position:
                self._replay.go_to(min(position, self.position + BUNCH))
                if monotonic() >= deadline:
                    break
        except Exception as error:  # of the recording, or raised by the program's own functions
            self._is_stuck = True
            end = moment_text(self._replay.time)
            self.fault = f"The replay ends at {end}. {shown_error(error)}"
            return
        self._note_difference()

    def is_at(self, position: int) -> bool:
        """Return True if it is at that position, or as near as it gets."""
        return self.position == position or (self._is_stuck and self.position < position)

    def drawing(self, name: str, extent: DrawnExtent | None = None) -> tuple[Graph, dict[str, Any]]:
        fsm = self.machine(name)
        if fsm is None:
            return self._recorded.drawing(name, extent)
        return self._chart(name, fsm).read(extent)

    def detail(self, name: str) -> Detail:
        fsm = self.machine(name)
        if fsm is None:  # it has left, or has not joined yet
            self._recorded.advance(self.position, 0.0)
            return self._recorded.detail(name)
        chart, names = self._chart(name, fsm), self._naming.names
        answers = self._answers(name, chart)
        reader = self._readers.setdefault(name, PartReader(lambda: name, lambda _: None))
        traces = traces_of(self.view, chart, names, self.view.time_at(self.position))
        return {
            **detail_of(fsm, names, reader, answers),
            "answers": list(answers.rows(chart)),
            "lit": chart.lit(),
            "dashed": chart.dashed(),
            "why": [unread(names[agent]) for agent in agents_among(chart.machines)],
            **traces,
            "failed": [*traces["failed"], *chart.failed()],
            "graph": self._version(name, chart),
        }

    def machine(self, name: str) -> Fsm[Any] | None:
        """Return the machine of that name as it is now; None if it is not there."""
        machines = self._replay.machines
        if machines is not self._machines:
            self._machines, self._naming, self._charts = machines, MachineNames(), {}
        list(self._naming.add(members(machines)))  # those that have joined, named as recorded
        return next((fsm for fsm, known in self._naming.names.items() if known == name), None)

    def _present(self) -> tuple[Fsm[Any], ...]:
        return members(self._replay.machines)

    def _name(self, machine: Fsm[Any]) -> str:
        self.machine("")  # names those that have joined
        return self._naming.names[machine]

    def _answers(self, name: str, chart: StateChart) -> GuardAnswers:
        """Return what guards have said, as it follows from the latest events."""
        machines = {self._naming.names[machine]: machine for machine in chart.machines}
        answers = GuardAnswers()
        for sent, led in self.view.decided_before(name, self.position, MOST_ENTRIES):
            states = machines[sent.machine].states if sent.machine in machines else {}
            source = states.get(sent.state)
            target: Destination | None = None
            if led is not None:
                target = BACK if led[0] == "resume" else states.get(led[2])
            if source is not None and (led is None or target is not None):
                answers.note(source, sent.event, target, sent.time, is_present=False)
        return answers

    def _go_back(self, position: int) -> None:
        self._is_stuck = False
        if self._has_world:
            self._replay.go_to(position)  # from the key frame before it
        else:
            self._replay = self._begin()

    def _note_difference(self) -> None:
        """Note the first difference from the recording, which stays noted at earlier times."""
        found = self._replay.difference or self._replay.deviation
        if found is None or self.fault:
            return
        effects = None if found.replayed is None else found.replayed.told()
        did_the_same = effects == found.recorded.told()
        what = "it has other values" if did_the_same else "it does something else"
        when = f"at {moment_text(found.recorded.time)}"
        self.fault = f"The replay differs from the recording {when}: {what}.\n{found}"

    def _chart(self, name: str, fsm: Fsm[Any]) -> StateChart:
        if name not in self._charts:
            self._charts[name] = StateChart(fsm, self._naming.names)
        chart = self._charts[name]
        before = chart.version
        chart.update()
        if chart.version != before:  # the definition has changed: compare the drawing again
            self._versions.pop(name, None)
        for machine in chart.machines:
            list(self._naming.add_inside(machine))
        return chart

    def _version(self, name: str, chart: StateChart) -> int:
        """Return the version of a drawing, which it keeps as long as it looks the same."""
        known = self._versions.get(name)
        if known is not None and known[2] is chart:
            return known[1]
        picture = chart.read()
        version = known[1] if known is not None and known[0] == picture else chart.version
        self._versions[name] = picture, version, chart
        return version

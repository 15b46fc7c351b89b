"""CrowdSession: a crowd on the page, its census over time, and the agents that were singled out."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, NoReturn, cast

from attrs import frozen

from fsmkit import Fsm, FsmState
from fsmkit.core.checks import arguments
from fsmkit.core.words.notes import notes_of
from fsmkit.crowd import Crowd, CrowdError
from fsmkit.diagram.graph import Graph, edge_id, source_id, state_id, target_id
from fsmkit.inspector.live.breakpoints.breakpoint import ORDERINGS
from fsmkit.inspector.live.pausing import Advance
from fsmkit.inspector.live.requests.machine_requests import ControlRequests
from fsmkit.inspector.live.requests.map_requests import MapRequests
from fsmkit.inspector.live.requests.page_request import PageAnswer, RequestError
from fsmkit.inspector.live.session import Session
from fsmkit.inspector.live.subscribers import WatchedRow
from fsmkit.inspector.live.watched_machine import TimeInStates
from fsmkit.inspector.reading.candidates import prospect
from fsmkit.inspector.reading.chart import DrawnExtent, StateChart
from fsmkit.inspector.reading.crowd_positions import CrowdPositions
from fsmkit.inspector.reading.details import Detail, bare_detail, detail_of
from fsmkit.inspector.reading.machine_log import MachineLog
from fsmkit.inspector.reading.page_values import PartReader, text_of
from fsmkit.inspector.reading.rewind import Rewind
from fsmkit.inspector.reading.world_map import WorldMap
from fsmkit.introspection import walk
from fsmkit.introspection.described_error import described_error
from fsmkit.introspection.known_events import has_way
from fsmkit.introspection.nesting import MachineNames
from fsmkit.svg.state_colours import colours_of

MOST_MOMENTS: Final = 4_000
"""The moments that are kept; the oldest ones are dropped."""


class Display:
    """The drawing, the log and the past of a crowd or of one agent, under a name.

    `now` returns the seconds of the inspector's clock.
    """

    interval: ClassVar[float]
    """Seconds between two moments that are kept while no state changes."""

    def __init__(self, crowd: Crowd, name: str, now: Callable[[], float]) -> None:
        self.crowd = crowd
        self.name = name
        self.now = now
        self.log = MachineLog()
        self.machine = crowd.layout.machine
        self.chart = StateChart(self.machine, {self.machine: name})
        self._rewind = Rewind(self.interval, MOST_MOMENTS)

    def close(self) -> None: ...

    def before_update(self) -> None:
        """Do nothing: a crowd is read after updates."""

    def go_back(self, seq: int) -> None:
        """Do nothing: a crowd cannot rewind."""

    def drawing(self, extent: DrawnExtent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph to draw, or as much of it, and the meaning of its parts."""
        return self.chart.read(extent)

    def moment(self, time: float) -> dict[str, Any] | None:
        frame = self._rewind.at_or_first(time)
        return None if frame is None else frame.to_json()

    def note(self, text: str) -> None:
        self.log.add(self.now(), self.name, "note", text=text)

    note_jump = note

    def _bare(self) -> Detail:
        return {
            **bare_detail(self.machine, {self.machine: self.name}),
            "time": self.crowd.time, "states": [*self.machine.states],
            "lit": [], "dashed": [], "resumed_by": None, "edge": None, "shade": {}, "share": {},
            "graph": self.chart.version, "size": self.chart.size,
        }  # fmt: skip

    def _world(self) -> Iterator[list[str]]:
        for name in self.machine.world_record.kinds:
            yield [f"world.{name}", text_of(getattr(self.crowd.world, name))]


class CrowdDisplay(Display):
    interval = 0.25

    def __init__(self, crowd: Crowd, now: Callable[[], float]) -> None:
        super().__init__(crowd, crowd.layout.machine.name, now)
        self.after_update()

    def after_update(self) -> None:
        if self._rewind.is_due(self.now()):
            numbers = " ".join(map(str, self.crowd.count().values()))
            self.log.add(self.now(), self.name, "census", counts=numbers)
            self._rewind.keep(self.now(), detail=self.detail())

    def detail(self) -> Detail:
        counts = self.crowd.count()
        present = {state: number for state, number in counts.items() if number}
        return {
            **self._bare(),
            **self.chart.shading({self.machine: present}),
            "running": sum(counts.values()) > 0,
            "events": list(self._events(counts)),
            "context": [*self._world(), *self._columns()],
            "census": {"size": len(self.crowd), "counts": counts},
        }

    def note_error(self, error: BaseException) -> None:
        lines = [*described_error(error).splitlines(), *notes_of(error)]
        text = "\n".join(dict.fromkeys(line.strip() for line in lines))
        self.log.add(self.now(), self.name, "error", text=text)

    def note_event(self, event: str, moved: int) -> None:
        outcome = "changed" if moved else "ignored"
        why = f"{moved:,} of {len(self.crowd):,} agents changed their state."
        self.log.add(self.now(), self.name, "event", event=event, outcome=outcome, why=why)

    def _events(self, counts: Mapping[str, int]) -> Iterator[dict[str, Any]]:
        """Yield each event with the number of agents that it might move now."""
        known: Counter[str] = Counter()
        for state in walk.states(self.machine):
            local = (event for owner in walk.sources(state)[:-1] for event in walk.table(owner))
            known.update(dict.fromkeys(local, counts[state.name]))
        everywhere = dict.fromkeys(walk.table(self.machine), sum(counts.values()))
        for event, number in {**known, **everywhere}.items():
            yield {
                "name": event, "target": f"up to {number:,} agents",
                "global": event in everywhere, "machine": self.name,
            }  # fmt: skip

    def _columns(self) -> Iterator[list[str]]:
        for name, kind in self.machine.agent_record.kinds.items():
            column = self.crowd[name]
            if not len(column):
                yield [name, "–"]
            elif kind is bool:
                yield [name, f"{100 * float(column.mean()):.3g} % are True"]
            else:
                ends = f"{float(column.min()):.4g} to {float(column.max()):.4g}"
                yield [name, f"mean {float(column.mean()):.4g}, {ends}"]


class AgentDisplay(Display):
    """Follows one agent, which keeps its number when others are added or removed.

    It runs in compiled code with all others: the changes of its state are seen after each update,
    but not the events that led to them.
    """

    interval = 0.2

    def __init__(self, crowd: Crowd, number: int, name: str, now: Callable[[], float]) -> None:
        super().__init__(crowd, name, now)
        self.number = number
        self._index = 0
        self._previous: str | None = None
        self._edge: str | None = None
        self._times = TimeInStates()
        self._reader = PartReader(lambda: self.name, self.note)
        self._follow()

    @property
    def state(self) -> str | None:
        """Its state, as far as it has been followed; None if it is not running."""
        return self._times.state

    @property
    def index(self) -> int | None:
        """Its index in the crowd now; None if it has been removed."""
        ids = self.crowd.ids
        if self._index >= len(ids) or ids[self._index] != self.number:
            (found,) = (ids == self.number).nonzero()
            if not len(found):
                return None
            self._index = int(found[0])
        return self._index

    def after_update(self) -> None:
        if self._follow() or self._rewind.is_due(self.now()):
            self._rewind.keep(self.now(), detail=self.detail())

    def detail(self) -> Detail:
        index = self.index
        if index is None:
            return {**self._bare(), "previous": self._previous}  # it has been removed
        fsm, agent = self.crowd.fsm(index), self.crowd[index]
        fields = ([name, text_of(getattr(agent, name))] for name in self.machine.agent_record.kinds)
        return {
            **detail_of(fsm, {fsm: self.name}, self._reader),
            **self.chart.shading({self.machine: self._times.so_far(self.now())}),
            "context": [*fields, *self._world()],
            "previous": self._previous, "resumed_by": None, "edge": self._edge,
            "lit": [] if self.state is None else [self.chart.state(self.machine, self.state)],
            "dashed": [], "graph": self.chart.version, "size": self.chart.size,
        }  # fmt: skip

    def _follow(self) -> bool:
        """Read its state; return True if it has changed."""
        index = self.index
        number = -1 if index is None else int(self.crowd.states[index])
        state = self.crowd.layout.states[number].name if number >= 0 else None
        if state == self.state:
            return False
        self._previous, now = self.state, self.now()
        if self._previous is not None:
            self._times.leave(now)
            self.log.add(now, self.name, "leave", state=self._previous)
            self._edge = _edge_between(self.machine, self._previous, state) if state else None
        if state is not None:
            self._times.enter(state, now)
            self.log.add(now, self.name, "enter", state=state)
        return True


def _edge_between(machine: Fsm[Any], source: str, target: str) -> str | None:
    end = state_id(machine.name, target)
    for owner in walk.sources(machine.states[source]):
        found = (each.transition for each in walk.own_transitions(owner))
        if any(target_id(machine.name, each) == end for each in found):
            return edge_id(source_id(machine.name, owner), end)
    return None


MOST_AGENTS: Final = 50
"""Agents that may be singled out at the same time."""

LARGEST: Final = 2.0**53
"""Every integer up to there is a float."""

OPERATORS: Final = {**ORDERINGS, "==": operator.eq, "!=": operator.ne}


class InspectedCrowd:
    """The rows of the page's list: first the crowd, then the agents that were singled out.

    `now` returns the seconds of the inspector's clock.
    """

    def __init__(self, crowd: Crowd, now: Callable[[], float]) -> None:
        self.crowd = crowd
        self.first = crowd.layout.machine.name
        self.naming = MachineNames()  # empty: agents are not machines
        self.whole = CrowdDisplay(crowd, now)
        self._now = now
        self._agents: dict[str, AgentDisplay] = {}
        self._sent: dict[str, str | None] = {}
        """Agent -> the state that the pages were sent last."""
        self._joined: list[tuple[str, str | None]] = []
        self._left: list[str] = []

    @property
    def states(self) -> list[tuple[str, str | None]]:
        agents = [(name, agent.state) for name, agent in tuple(self._agents.items())]
        return [(self.first, None), *agents]

    def __contains__(self, name: object) -> bool:
        return name == self.first or name in self._agents

    @property
    def machines(self) -> NoReturn:
        raise RequestError("A crowd has no snapshot. Save it in the program, with crowd.save().")

    def machine(self, name: str) -> NoReturn:
        raise RequestError(
            f"{name!r} runs in a crowd, in compiled code: that is possible with machines only. "
            "Take an agent out with crowd.fsm(index), and inspect that machine."
        )

    def is_there(self, name: str, watched: object) -> bool:
        return watched is self.whole or self._agents.get(name) is watched

    def agent(self, name: str) -> AgentDisplay:
        """Return the agent of that name. Raises RequestError."""
        if name not in self._agents:
            raise RequestError(f"{name!r} is not (or no longer) an agent that was singled out.")
        return self._agents[name]

    def single_out(self, index: int) -> str:
        """Show the agent of that index from now on, and return its name. Raises RequestError."""
        name, number = self._name(index), int(self.crowd.ids[index])
        if name not in self._agents:
            if len(self._agents) >= MOST_AGENTS:
                raise RequestError(
                    f"{MOST_AGENTS} agents are singled out already. Let go of one first."
                )
            agent = self._agents[name] = AgentDisplay(self.crowd, number, name, self._now)
            self._sent[name] = agent.state
            self._joined.append((name, agent.state))
        return name

    def let_go(self, name: str) -> None:
        """Stop showing an agent. Raises RequestError."""
        self.agent(name)
        del self._agents[name], self._sent[name]
        self._left.append(name)

    def indices(self) -> dict[str, int]:
        """Return the index of each agent that was singled out."""
        found = {name: agent.index for name, agent in self._agents.items()}
        return {name: index for name, index in found.items() if index is not None}

    def is_singled_out(self, index: int) -> bool:
        return self._name(index) in self._agents

    def after_update(self) -> None:
        self.whole.after_update()
        for name, agent in tuple(self._agents.items()):
            agent.after_update()
            if agent.index is None:
                self.whole.note(f"{name} has been removed from the crowd")
                self.let_go(name)

    def succeeds(self, name: str, watched: WatchedRow) -> bool:  # noqa: ARG002
        return False  # an agent has no successor

    def update(self) -> tuple[list[tuple[str, str | None]], list[str]]:
        news = self._joined, self._left
        self._joined, self._left = [], []
        return news

    def mark_all_changed(self) -> None:
        self._sent = dict.fromkeys(self._sent)

    def changed_states(self) -> dict[str, str | None]:
        changed = {
            name: agent.state
            for name, agent in self._agents.items()
            if self._sent[name] != agent.state
        }
        self._sent |= changed
        return changed

    def close(self) -> None: ...

    def _name(self, index: int) -> str:
        return f"{self.first} {int(self.crowd.ids[index])}"


@frozen
class CrowdRequests(ControlRequests):
    rows: InspectedCrowd

    def agent(self, index: int) -> PageAnswer:
        size = len(self.rows.crowd)
        if not 0 <= index < size:
            known = f"they go from 0 to {size - 1}" if size else "the crowd is empty"
            raise RequestError(f"There is no agent {index}: {known}.")
        return self._singled_out(index)

    def find_agent(self, field: str, operator: str, value: object) -> PageAnswer:
        """Single out the first matching agent, if possible one that is not singled out already."""
        (found,) = matching(self.rows.crowd, field, operator, value).nonzero()
        if not len(found):
            raise RequestError(f"There is no agent with {field} {operator} {value}.")
        index = next((i for i in found if not self.rows.is_singled_out(int(i))), found[0])
        return {**self._singled_out(int(index)), "count": len(found)}

    def let_go(self, machine: str) -> None:
        self.rows.let_go(machine)

    def colours(self) -> PageAnswer:
        return {"colours": colours_of([self._states])}

    def ask(self, machine: str, event: str) -> PageAnswer:
        crowd = self.rows.crowd
        if machine != self.rows.first:
            index = self.rows.agent(machine).index
            return {"why": prospect(crowd.fsm(index), event) if index is not None else ""}
        if event in crowd.layout.machine.global_transitions:
            return {"why": f"Every running agent may take {event!r}, whatever its state."}
        known = [name for name, state in self._states.items() if has_way(state, event)]
        if not known:
            return {"why": f"Nothing: no state knows {event!r}."}
        counts = crowd.count()
        number = sum(counts[name] for name in known)
        return {"why": f"Up to {number:,} agents take {event!r}: those in {', '.join(known)}."}

    def send(self, machine: str, event: str, data: object = None) -> PageAnswer:
        if data is not None:
            raise RequestError("The events of a crowd carry no data. Leave the field empty.")
        moved = self._carry_out(lambda crowd, where: crowd.send_event(event, where), machine)
        if machine != self.rows.first:
            return {"outcome": "It has changed its state." if moved else "It did nothing."}
        self.rows.whole.note_event(event, moved)
        size = len(self.rows.crowd)
        return {"outcome": f"{moved:,} of {size:,} agents have changed their state."}

    def force(self, machine: str, state: str) -> None:
        if state not in self._states:
            raise RequestError(f"{machine!r} has no state {state!r}.")
        self._carry_out(lambda crowd, where: crowd.start(state, where), machine)

    def set_breakpoint(self, **_wanted: object) -> NoReturn:
        raise RequestError(
            "The agents of a crowd run in compiled code, which nothing stops at a change. Take one "
            "out with crowd.fsm(index), and inspect that machine."
        )

    run_to_change = set_breakpoint

    @property
    def _states(self) -> Mapping[str, FsmState[Any]]:
        return self.rows.crowd.layout.machine.states

    def _singled_out(self, index: int) -> PageAnswer:
        name = self.rows.single_out(index)
        return {"machine": name, "state": self.rows.agent(name).state}

    def _carry_out(
        self, call: Callable[[Crowd, list[int | None] | None], Any], machine: str
    ) -> Any:
        where = None if machine == self.rows.first else [self.rows.agent(machine).index]
        try:
            return call(self.rows.crowd, where)
        except CrowdError as error:
            raise RequestError(str(error)) from None
        finally:
            self.rows.after_update()


def matching(crowd: Crowd, field: str, sign: str, value: Any) -> Any:
    """Return the mask of the agents whose field, `state` or `time_in_state` compares so.

    Raises RequestError.
    """
    arguments.choice(sign, "A comparison", OPERATORS, RequestError)
    kinds = crowd.layout.machine.agent_record.kinds
    if field not in kinds and field == "state":
        return _in_state(crowd, sign, value)
    if field not in kinds and field != "time_in_state":
        known = ", ".join((*kinds, "state", "time_in_state"))
        raise RequestError(f"The agents have no field {field!r}. Choose one of: {known}.")
    if kinds.get(field) is bool:
        if not isinstance(value, bool) or sign not in ("==", "!="):
            raise RequestError(f"{field!r} is true or false: write {field} == true, or != true.")
    elif type(value) not in (int, float) or not abs(value) <= LARGEST:  # such as nan
        raise RequestError(f"{field!r} must be compared with a number, got {text_of(value)}.")
    column = crowd[field] if field in kinds else crowd.time_in_state
    return OPERATORS[sign](column, float(value))


def _in_state(crowd: Crowd, sign: str, state: Any) -> Any:
    names = [*crowd.layout.machine.states]
    if state not in names:
        raise RequestError(f"There is no state {state!r}. Choose one of: {', '.join(names)}.")
    if sign not in ("==", "!="):
        raise RequestError(f"A state is compared by == or !=, not by {sign}.")
    mask = crowd.where(state)
    return mask if sign == "==" else ~mask


class CrowdSession(Session):
    """Counts a crowd and follows single agents, for the pages.

    The agents run compiled code: their changes are seen after each update, and they cannot be held
    in the middle of one.
    """

    @property
    def title(self) -> str:
        size = len(self.crowd)
        return f"{self.rows.first}, {size:,} agent{'' if size == 1 else 's'}"

    def greeting(self) -> dict[str, Any]:
        fields = [*self.crowd.layout.machine.agent_record.kinds, "time_in_state", "state"]
        return {**super().greeting(), "kind": "crowd", "fields": fields}

    def _inspect(self) -> InspectedCrowd:
        self.crowd = cast("Crowd", self.machines)
        self.rows = InspectedCrowd(self.crowd, self.now)
        return self.rows

    def _map(self) -> WorldMap:
        return WorldMap(CrowdPositions(self.crowd, self.rows.indices))

    def _watch(
        self,
        name: str,
        before: WatchedRow | None = None,  # noqa: ARG002  # a crowd is not reloaded
    ) -> CrowdDisplay | AgentDisplay:
        return self.rows.whole if name == self.rows.first else self.rows.agent(name)

    def _check_machine(self, name: str) -> None:
        self.subscribers.watched(name)

    def _named_machines(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        states = tuple(self.crowd.layout.machine.states)
        return ((name, states) for name, _ in self.rows.states)

    def _topics(self) -> Iterator[object]:
        yield CrowdRequests(**self._control(), rows=self.rows)
        yield MapRequests(self.map, self.now, self._no_machine)
        yield from super()._topics()

    def _no_machine(self, name: str) -> None:
        if name not in self.rows:
            self.rows.agent(name)  # raises

    def _let_pass(self, carry_out: Advance, dt: float) -> None:
        try:
            super()._let_pass(carry_out, dt)
        except Exception as error:
            self.rows.whole.note_error(error)
            raise
        finally:
            self._read(self.rows.after_update)

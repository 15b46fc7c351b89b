"""Play: newly built machines that follow a script, and what happens on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from attrs import define, field, frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState, Transition
from fsmkit.checking.ways import Table
from fsmkit.exploring.scripts import Input, Step
from fsmkit.tooling.decided import decided_transition
from fsmkit.tooling.nesting import MachineNames, members
from fsmkit.tooling.run_state import places

Machines: TypeAlias = "Fsm[Any] | FsmGroup"
Build: TypeAlias = Callable[[], Machines]


@frozen
class StateKey:
    """A state of a machine, whichever time it was built."""

    machine: str
    state: str


@frozen
class WayKey:
    """A transition, by its place in the table of its state, or in the global one."""

    machine: str
    state: str | None
    event: str
    index: int


@frozen
class Unhandled:
    """An event that an action sent, and that nobody knew."""

    machine: str
    state: str | None
    event: str


@frozen
class TurnedDown:
    """An event that changed nothing though there is a transition for it."""

    machine: str
    state: str
    event: str
    outcome: str


@define
class Happened:
    """What one step led to."""

    states: list[StateKey] = field(factory=list)
    ways: list[WayKey] = field(factory=list)
    unhandled: list[Unhandled] = field(factory=list)
    turned_down: list[TurnedDown] = field(factory=list)
    moved: set[int] = field(factory=set)
    """The machines that came into another state, by number, even if they are back by now."""
    left: set[StateKey] = field(factory=set)
    """The states that they left for it."""
    error: BaseException | None = None
    is_quiet: bool = True
    """True if nothing was entered, sent or finished."""


class Play:
    """Machines from one call of `build`, and what they do.

    `happened` is what the last step led to; `work` names the actions that have work done elsewhere,
    which was not begun.
    """

    def __init__(self, build: Build) -> None:
        self.machines = build()
        if not isinstance(self.machines, Fsm | FsmGroup):
            raise TypeError(
                f"build() must return an Fsm or an FsmGroup, got {self.machines!r}. Let it end "
                "with `return fsm`."
            )
        self.members = members(self.machines)
        self.names = MachineNames()
        self.all = [machine for _, machine, _ in self.names.add(self.members)]
        self.was_running = any(machine.is_running for machine in self.members)
        self.work: set[str] = set()
        self.happened = Happened()
        for machine in self.all:
            if _has_work(machine):
                machine.observe(_WorkStopper(self))

    def follow(self, script: Iterable[Step]) -> None:
        """Start, and take the steps of a script of which none raises anything.

        It is not watched, which takes half the time.
        """
        self._start()
        for step in script:
            self._take(step)

    def watch(self) -> None:
        """Note from now on what happens."""
        for number, machine in enumerate(self.all):
            machine.observe(_Watcher(self, number, machine.current_state))

    def start(self) -> Happened:
        """Start the machines that are not running yet."""
        return self._carry_out(self._start)

    def take(self, step: Step) -> Happened:
        """Take a step; what is raised is in the result."""
        return self._carry_out(lambda: self._take(step))

    @property
    def definition(self) -> object:
        """The names of machines, states and transitions, by which two builds can be compared."""
        return [
            (name, tuple(machine.states), *way_keys(name, machine))
            for machine, name in self.names.names.items()
        ]

    @property
    def listens(self) -> bool:
        """True if an action may look at the next event."""
        return any(
            type(action).on_event is not FsmAction.on_event
            for machine in self.members
            if machine.current_state is not None
            for action in machine.current_state.actions
        )

    @property
    def configuration(self) -> tuple[str | None, ...]:
        """The names of the current states of all machines, None for one that does not run."""
        states = (machine.current_state for machine in self.all)
        return tuple([state.name if state is not None else None for state in states])

    def _start(self) -> None:
        for machine in self.members:
            if not machine.is_running:
                machine.start()

    def _take(self, step: Step) -> None:
        """Take a step. An event of ours that nobody knows is no fault of the machine."""
        if isinstance(step, Input):
            for machine in self.members:
                machine.offer_event(step.event, step.data)
        else:
            self.machines.update(step)

    def _carry_out(self, call: Callable[[], object]) -> Happened:
        happened = self.happened = Happened()
        try:
            call()
        except (Exception, SystemExit) as error:  # reported, with the script that leads there
            happened.error = error
        return happened


class _Watcher:
    """The observer of one machine."""

    def __init__(self, play: Play, number: int, state: FsmState[Any] | None) -> None:
        self._play = play
        self._number = number
        self._state = state
        """The state that was entered last."""

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        happened = self._play.happened
        happened.is_quiet = False
        if state is not self._state or event is None:  # a start: it was stopped before
            happened.moved.add(self._number)
            if self._state is not None:
                happened.left.add(StateKey(self._play.names.names[fsm], self._state.name))
        self._state = state
        happened.states.append(StateKey(self._play.names.names[fsm], state.name))

    def state_exited(self, _fsm: Fsm[Any], _state: FsmState[Any]) -> None:
        self._play.happened.is_quiet = False

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.state_entered(fsm, state, None)

    def event_sent(self, fsm: Fsm[Any], event: str, _data: object, outcome: str) -> None:
        happened = self._play.happened
        happened.is_quiet = False
        name, state = self._play.names.names[fsm], fsm.current_state
        if outcome == "unhandled":
            where = state.name if state is not None else None
            happened.unhandled.append(Unhandled(name, where, event))
        elif outcome == "changed" and state is not None:
            way = decided_transition(fsm, event)
            if way is not None:
                happened.ways.append(_way_key(name, state, way))
        elif state is not None:
            happened.turned_down.append(TurnedDown(name, state.name, event, outcome))

    def action_finished(self, _action: FsmAction[Any]) -> None:
        self._play.happened.is_quiet = False


class _WorkStopper:
    """An observer of a machine that has work done elsewhere: it is not begun."""

    def __init__(self, play: Play) -> None:
        self._play = play

    def intercept(
        self,
        fsm: Fsm[Any],
        call: str,
        arguments: dict[str, Any],
        carry_out: Callable[..., object],
    ) -> object:
        if call == "begin_work":
            self._play.work |= _work_in(fsm.current_state)
            return None
        return carry_out(**arguments)


def way_keys(name: str, machine: Fsm[Any]) -> Sequence[WayKey]:
    """Return the keys of all transitions of a machine."""
    tables: list[tuple[str | None, Table]] = [(None, machine.global_transitions)]
    tables += [(state.name, state.transitions) for state in machine.states.values()]
    return [
        WayKey(name, state, event, index)
        for state, table in tables
        for event, ways in table.items()
        for index in range(len(ways))
    ]


def _way_key(machine: str, state: FsmState[Any], way: Transition[Any]) -> WayKey:
    own = state.transitions.get(way.event, ())
    for index, each in enumerate(own):
        if each is way or each == way:
            return WayKey(machine, state.name, way.event, index)
    table = state.fsm.global_transitions.get(way.event, ())
    return WayKey(machine, None, way.event, table.index(way))


def _has_work(machine: Fsm[Any]) -> bool:
    return any(_work_in(state) for state in machine.states.values())


def _work_in(state: FsmState[Any] | None) -> set[str]:
    """Return the names of a state's actions that have work done elsewhere."""
    if state is None:
        return set()
    return {
        f"{type(action).__name__} in {state.name!r}"
        for _, action in places(state)
        if type(action)._work_done_ is not FsmAction._work_done_
    }

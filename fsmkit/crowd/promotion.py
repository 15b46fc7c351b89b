"""Promotion: one agent of a crowd as an ordinary machine, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fsmkit import Fsm
from fsmkit.core.run_state import RunState, write_run_state
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.engine.store import NOT_RUNNING
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.individual import Individual, Remembered

if TYPE_CHECKING:
    from fsmkit.crowd.crowd import Crowd


def promoted(crowd: Crowd, index: int) -> Fsm[Individual]:
    """An ordinary machine in the condition of one agent.

    Its context is an `Individual`, with a copy of the agent as an instance of the agents' class,
    and the world that the crowd has. It goes its own way from here on.
    """
    store = crowd._store
    fsm = crowd.layout.machine.single(_individual(crowd, index))
    for action, columns in _memories(crowd, fsm):
        action.memory = {
            name: store.columns[column][index].item() for name, column in columns.items()
        }
    current = int(store.state[index])
    if current != NOT_RUNNING:
        state = crowd.layout.states[current]
        run = RunState(
            state=state.name,
            time=store.time,
            delta_time=store.delta_time,
            entered_at=float(store.entered_at[index]),
            entered=tuple(range(len(state.actions))),
            taking_part=len(state.actions),
        )
        write_run_state(fsm, run)
    return fsm


def put_back(crowd: Crowd, index: int, fsm: Fsm[Any]) -> None:
    """Bring one agent into the condition of such a machine.

    Raises CrowdError for a machine that was not made of an agent of this kind of crowd, TypeError
    or OverflowError for a field that no column takes, and changes nothing then.
    """
    individual = getattr(fsm, "context", None)
    if not isinstance(individual, Individual) or not isinstance(
        individual.agent, crowd.machine.agent
    ):
        raise CrowdError(
            f"{fsm!r} was not made of an agent of {crowd!r}. Put back what crowd.fsm() has made."
        )
    store, layout = crowd._store, crowd.layout
    if set(fsm.states) != set(layout.numbers):
        raise CrowdError(f"{fsm!r} has other states than {crowd!r}: {', '.join(fsm.states)}.")
    cells = {
        layout.columns.field(name): individual.read(name) for name in layout.columns.record.kinds
    }
    for action, columns in _memories(crowd, fsm):
        remembered = Remembered(individual, action)
        cells |= {column: remembered.read(name) for name, column in columns.items()}
    for column, value in cells.items():
        store.columns[column][index] = value
    now = fsm.current_state
    store.state[index] = NOT_RUNNING if now is None else layout.numbers[now.name]
    store.entered_at[index] = store.time - (fsm.time_in_state if now is not None else 0.0)


def _individual(crowd: Crowd, index: int) -> Individual:
    store, columns = crowd._store, crowd.layout.columns
    individual = Individual(
        crowd.machine.agent(),
        crowd.world,
        int(store.ids[index]),
        store.seed,
        store.step,
        columns.is_narrow,
    )
    for name in columns.record.kinds:
        individual.write(name, store.field(name)[index].item())
    return individual


def _memories(crowd: Crowd, fsm: Fsm[Any]) -> Iterator[tuple[Behaviour, Mapping[str, str]]]:
    """The actions of `fsm` that the crowd has too, and the columns of what each remembers.

    A character may have more actions. Raises CrowdError if one of the crowd's is not there.
    """
    for state in crowd.layout.states:
        own = [each for each in fsm.states[state.name].actions if isinstance(each, Behaviour)]
        for index in range(len(state.actions)):
            binding = crowd.layout.binding(state, index)
            action = own[index] if index < len(own) else None
            if action is None or _shape(action) != _shape(binding.action):
                raise CrowdError(
                    f"{fsm.states[state.name]} has other actions than {crowd!r} has there. "
                    "Add some behind those, but take none away."
                )
            yield action, binding.memory


def _shape(action: Behaviour) -> tuple[type, Mapping[str, type]]:
    return type(action), {name: type(each) for name, each in action.script.memory.items()}

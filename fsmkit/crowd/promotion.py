"""Promotion: one agent of a crowd as an ordinary machine, and back again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsmkit import Fsm
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.individual import Individual
from fsmkit.crowd.store import NOT_RUNNING
from fsmkit.run_state import RunState, write_run_state

if TYPE_CHECKING:
    from fsmkit.crowd.crowd import Crowd


def promoted(crowd: Crowd, index: int) -> Fsm[Individual]:
    """An ordinary machine in the condition of one agent.

    Its context is an `Individual`, with a copy of the agent as an instance of the agents' class,
    and the world that the crowd has. It goes its own way from here on.
    """
    store, layout = crowd._store, crowd.layout
    individual = Individual(
        _agent(crowd, index), crowd.world, int(store.ids[index]), store.seed, store.step
    )
    for state in layout.states:
        for number in range(len(state.actions)):
            columns = layout.binding(state, number).memory
            if columns:
                values = {
                    name: store.columns[column][index].item() for name, column in columns.items()
                }
                individual.memory[state.name, number] = values
    fsm = layout.machine.single(individual)
    current = int(store.state[index])
    if current != NOT_RUNNING:
        state = layout.states[current]
        run = RunState(
            state=state.name,
            time=store.time,
            delta_time=store.delta_time,
            entered_at=float(store.entered_at[index]),
            entered=tuple(range(len(state.actions))),
            taking_part=len(state.actions),
        )
        write_run_state(fsm, run)
    fsm.observe(individual)
    return fsm


def put_back(crowd: Crowd, index: int, fsm: Fsm[Any]) -> None:
    """Bring one agent into the condition of such a machine.

    Raises CrowdError for a machine that was not made of an agent of this kind of crowd.
    """
    individual = fsm.context
    if not isinstance(individual, Individual) or not isinstance(
        individual.agent, crowd.machine.agent
    ):
        raise CrowdError(
            f"{fsm!r} was not made of an agent of {crowd!r}. Put back what crowd.fsm() has made."
        )
    if set(fsm.states) != set(crowd.layout.numbers):
        raise CrowdError(f"{fsm!r} has other states than {crowd!r}: {', '.join(fsm.states)}.")
    store, layout = crowd._store, crowd.layout
    for name in layout.columns.record.kinds:
        store.put(name, index, getattr(individual.agent, name))
    for (state, number), values in individual.memory.items():
        columns = layout.binding(layout.states[layout.numbers[state]], number).memory
        for name, value in values.items():
            store.put_cell(columns[name], index, value, name)
    now = fsm.current_state
    store.state[index] = NOT_RUNNING if now is None else layout.numbers[now.name]
    store.entered_at[index] = store.time - (fsm.time_in_state if now is not None else 0.0)


def _agent(crowd: Crowd, index: int) -> Any:
    values = {name: crowd[name][index].item() for name in crowd.layout.columns.record.kinds}
    agent = crowd.machine.agent()
    for name, value in values.items():
        setattr(agent, name, value)
    return agent

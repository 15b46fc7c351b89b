"""Promotion: one agent of a crowd as an ordinary machine, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from fsmkit import Fsm
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.store import NOT_RUNNING, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.individual import Individual, IndividualMemory
from fsmkit.introspection import walk
from fsmkit.introspection.run_state import RunState, write_run_state


def promoted(layout: Layout, store: Store, world: Any, row: int) -> Fsm[Individual]:
    """Return an ordinary machine in the state of one agent.

    Its context is an `Individual`, with a copy of the agent as an instance of the agents' class,
    and the crowd's world. From here on it runs independently.
    """
    fsm = layout.machine.single(_individual(layout, store, world, row))
    for action, columns in _memories(layout, store, fsm):
        action.memory = {
            name: store.rows.columns[column][row].item() for name, column in columns.items()
        }
    current = int(store.state[row])
    run = RunState(time=store.time, delta_time=store.delta_time)
    if current != NOT_RUNNING:
        state = layout.states[current]
        run = evolve(
            run,
            state=state.name,
            entered_at=float(store.entered_at[row]),
            entered=tuple(range(len(state.actions))),
            taking_part=len(state.actions),
        )
    write_run_state(fsm, run)
    return fsm


def put_back(layout: Layout, store: Store, row: int, fsm: Fsm[Any]) -> None:
    """Bring one agent into the state of a machine that `promoted` has returned.

    Raises CrowdError for a machine that was not made from an agent of this kind of crowd, TypeError
    or OverflowError for a field that no column accepts; nothing is changed then.
    """
    individual = getattr(fsm, "context", None)
    if not isinstance(individual, Individual) or not isinstance(
        individual.agent, layout.machine.agent
    ):
        raise CrowdError(
            f"{fsm!r} was not made from an agent of a crowd of {store.plan.name!r}. Put back "
            "what crowd.fsm() has made."
        )
    if set(fsm.states) != set(layout.numbers):
        raise CrowdError(
            f"{fsm!r} must have the same states as {store.owner}, got {', '.join(fsm.states)}."
        )
    if fsm.suspended:
        raise CrowdError(
            f"{fsm!r} must have no suspended state, as no agent of {store.owner} has one. Send "
            "it BACK, or stop() it."
        )
    cells = {
        layout.columns.field(name): individual.read(name) for name in layout.columns.record.kinds
    }
    for action, columns in _memories(layout, store, fsm):
        memory = IndividualMemory(individual, action)
        cells |= {column: memory.read(name) for name, column in columns.items()}
    for column, value in cells.items():
        store.rows.columns[column][row] = value
    now = fsm.current_state
    store.state[row] = NOT_RUNNING if now is None else layout.numbers[now.name]
    store.entered_at[row] = store.time - (fsm.time_in_state if now is not None else 0.0)


def _individual(layout: Layout, store: Store, world: Any, row: int) -> Individual:
    columns = layout.columns
    individual = Individual(
        layout.machine.agent(),
        world,
        int(store.ids[row]),
        store.seed,
        store.step,
        columns.is_float32,
    )
    for name in columns.record.kinds:
        individual.write(name, store.field(name)[row].item())
    return individual


def _memories(
    layout: Layout, store: Store, fsm: Fsm[Any]
) -> Iterator[tuple[Behaviour, Mapping[str, str]]]:
    """Yield the actions of `fsm` that the crowd has too, each with the columns of its memory.

    A character may have more actions. Raises CrowdError if one of the crowd's is missing.
    """
    for (state, index), binding in layout.bindings.items():
        same = fsm.states[state.name]
        own = [each for each in walk.own_actions(same) if isinstance(each, Behaviour)]
        action = own[index] if index < len(own) else None
        if action is None or _shape(action) != _shape(binding.action):
            raise CrowdError(
                f"{same} must have the same actions as in {store.owner}. "
                "You may add some after those, but not remove any."
            )
        yield action, binding.memory


def _shape(action: Behaviour) -> tuple[type, Mapping[str, type]]:
    return type(action), {name: type(each) for name, each in action.definition.memory.items()}

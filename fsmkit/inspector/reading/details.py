"""The details of a machine, as data for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from fsmkit import BACK, Fsm, FsmAction, Transition
from fsmkit.core.parameters import parameters
from fsmkit.inspector.reading.values import LARGEST, name_of, public_fields, text_of
from fsmkit.inspector.reading.waiting import waiting_for
from fsmkit.inspector.reading.ways import global_ways, labelled, own_ways, target_of
from fsmkit.recording.snapshots.fields import remembered_by
from fsmkit.tooling.run_state import is_entered

Detail = dict[str, Any]
Names = Mapping[Fsm[Any], str]


def detail_of(machine: Fsm[Any], names: Names) -> Detail:
    """Return the details of `machine` and the machines nested in it."""
    state, previous = machine.current_state, machine.previous_state
    return {
        "machine": names[machine],
        "running": machine.is_running,
        "state": state.name if state is not None else None,
        "previous": previous.name if previous is not None else None,
        "time": machine.time,
        "time_in_state": machine.time_in_state if state is not None else 0.0,
        "last_event": machine.last_event,
        "suspended": [state.name for state in machine.suspended],
        "events": list(_events(machine, names)),
        "states": list(machine.states),
        "actions": list(_actions(machine, names, 0)),
        "context": list(_context(machine.context)),
        "waiting": [
            waiting
            for each in (machine, *_running_inside(machine))
            for waiting in waiting_for(each, names)
        ],
        "inner": [
            {
                "machine": names[inner],
                "running": inner.is_running,
                "state": inner.current_state.name if inner.current_state is not None else None,
            }
            for inner in _running_inside(machine)
        ],
    }


def _context(context: object) -> Iterator[list[str]]:
    fields = public_fields(context)
    for key, value in islice(fields.items(), LARGEST):
        yield [name_of(key), text_of(value)]
    if len(fields) > LARGEST:
        yield ["…", f"and {len(fields) - LARGEST} more"]


def watched_texts(values: Mapping[str, object]) -> list[list[str]]:
    """Return names and texts of the values that the program watches."""
    return [[name, text_of(value)] for name, value in values.items()]


def _events(machine: Fsm[Any], names: Names) -> Iterator[dict[str, Any]]:
    """Yield the events of the current state, and those of the machines that it runs."""
    yield from _own_events(machine, names[machine], "")
    for inner in _running_inside(machine):
        yield from _own_events(inner, names[inner], f"{inner.name}: ")


def _own_events(machine: Fsm[Any], name: str, place: str) -> Iterator[dict[str, Any]]:
    state = machine.current_state
    if state is None:
        return
    for event in state.transitions:
        yield from _ways(machine, name, place, own_ways(state, event), is_global=False)
    for event in machine.global_transitions:
        yield from _ways(machine, name, place, global_ways(machine, event), is_global=True)


def _ways(
    machine: Fsm[Any], name: str, place: str, found: Sequence[Transition[Any]], *, is_global: bool
) -> Iterator[dict[str, Any]]:
    """Yield the transitions for an event; the `label` is left out where it is the event alone."""
    for way, label in labelled(found):
        if is_global and way.target is machine.current_state:
            continue
        target = target_of(machine, way)
        where = target.name if target is not None else "nothing to go back to"
        back = "back to " if way.target is BACK and target is not None else ""
        yield {
            "name": way.event, "target": f"{place}{back}{where}", "global": is_global,
            "machine": name, **({} if label == way.event else {"label": label}),
        }  # fmt: skip


def _actions(machine: Fsm[Any], names: Names, depth: int) -> Iterator[dict[str, Any]]:
    state = machine.current_state
    if state is not None:
        for index, action in enumerate(state.actions):
            yield from _action(action, str(index), names, names[machine], depth)


def _action(
    action: FsmAction[Any], place: str, names: Names, machine: str, depth: int
) -> Iterator[dict[str, Any]]:
    children = action.children
    remembered = remembered_by(action)
    yield {
        "place": place,
        "depth": depth,
        "machine": machine,
        "name": type(action).__name__,
        "parameters": _texts(parameters(action), children),
        "values": _texts(remembered, children),
        "progress": _progress(action),
        "finished": action.finished,
        "entered": is_entered(action),
        "enabled": action.enabled,
    }
    for index, child in enumerate(children):
        yield from _action(child, f"{place}/{index}", names, machine, depth + 1)
    for inner in () if children else action.machines:
        state = inner.current_state
        title = f"{inner.name}: {state.name if state is not None else 'not running'}"
        yield {"place": place, "depth": depth + 1, "machine": names[inner], "title": title}
        yield from _actions(inner, names, depth + 2)


def _texts(values: Mapping[str, object], children: Any) -> list[list[str]]:
    """Return names and texts, without the actions that are shown on lines of their own."""
    own = {id(child) for child in children}
    return [
        [name, text_of(value)]
        for name, value in values.items()
        if id(value) not in own and not _are_actions(value) and not isinstance(value, Fsm)
    ]


def _are_actions(value: object) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(each, FsmAction) for each in value)


def _progress(action: FsmAction[Any]) -> float | None:
    """Return the `progress` of an action, from 0 to 1; None if it has none."""
    if action.finished:
        return 1.0
    try:
        progress = action.progress  # type: ignore[attr-defined]  # it may have none: see below
    except Exception:  # it has none, or none yet
        return None
    return float(progress) if isinstance(progress, (int, float)) and 0 <= progress <= 1 else None


def _running_inside(machine: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """Yield the machines that the current state runs, and those nested in them."""
    if machine.current_state is not None:
        for action in machine.current_state.actions:
            for inner in action.machines:
                yield inner
                yield from _running_inside(inner)

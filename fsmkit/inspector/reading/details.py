"""The details of a machine, as data for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from fsmkit import BACK, Fsm, FsmAction, Transition
from fsmkit.core.words.parameters import parameters
from fsmkit.inspector.reading.context import context_rows
from fsmkit.inspector.reading.fields import kinds_of, named_fields
from fsmkit.inspector.reading.part_reader import PartReader
from fsmkit.inspector.reading.value_kinds import kind_of
from fsmkit.inspector.reading.values import text_of
from fsmkit.inspector.reading.waiting import waiting_for
from fsmkit.inspector.reading.ways import global_ways, labelled, own_ways, target_of
from fsmkit.recording.snapshots.fields import fields_of, remembered_by
from fsmkit.tooling.run_state import is_entered

Detail = dict[str, Any]
Names = Mapping[Fsm[Any], str]


def detail_of(machine: Fsm[Any], names: Names, reader: PartReader) -> Detail:
    """Return the details of `machine` and the machines nested in it.

    What cannot be read is replaced by a text that says so.
    """
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
        "events": reader.attempt("events", lambda: list(_events(machine, names)), []),
        "states": list(machine.states),
        "actions": _Actions(names, reader).rows(machine),
        "context": reader.rows("context", lambda: context_rows(machine.context), _unnamed),
        "kinds": _context_kinds(machine.context),
        "waiting": reader.attempt("what it waits for", lambda: _waiting(machine, names), []),
        "inner": [
            {
                "machine": names[inner],
                "running": inner.is_running,
                "state": inner.current_state.name if inner.current_state is not None else None,
            }
            for inner in _running_inside(machine)
        ],
    }


def bare_detail(machine: Fsm[Any], names: Names) -> Detail:
    """Return what is left of the details if they cannot be read."""
    state = machine.current_state
    return {
        "machine": names[machine],
        "running": machine.is_running,
        "state": state.name if state is not None else None,
        "previous": None, "time": machine.time, "time_in_state": 0.0, "last_event": None,
        "suspended": [], "events": [], "states": [], "actions": [], "context": [], "inner": [],
        "waiting": [],
    }  # fmt: skip


def _unnamed(text: str) -> list[str]:
    return ["", text]


def _context_kinds(context: object) -> dict[str, str]:
    """Return name -> kind of the fields of the context that the page can plot, edit or open."""
    try:
        return kinds_of(named_fields(context))
    except Exception:  # it cannot be read, which its rows say
        return {}


def watched_texts(values: Mapping[str, object]) -> list[list[str]]:
    """Return names, texts and kinds of the values that the program watches."""
    return [[name, text_of(value), kind_of(value)] for name, value in values.items()]


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


class _Actions:
    """Reads the actions of machines, each apart."""

    def __init__(self, names: Names, reader: PartReader) -> None:
        self._names = names
        self._reader = reader

    def rows(self, machine: Fsm[Any]) -> list[Detail]:
        """Return a row for each action of the current state, and for those that they run."""

        def titled(text: str) -> Detail:
            return {"place": "", "depth": 0, "machine": self._names[machine], "title": text}

        return self._reader.rows("actions", lambda: self._of_machine(machine, 0), titled)

    def _of_machine(self, machine: Fsm[Any], depth: int) -> Iterator[Detail]:
        state = machine.current_state
        if state is not None:
            for index, action in enumerate(state.actions):
                owner = self._names[machine], state.name
                yield from self._of_action(action, str(index), owner, depth)

    def _of_action(
        self, action: FsmAction[Any], place: str, owner: tuple[str, str], depth: int
    ) -> Iterator[Detail]:
        children = self._reader.attempt("children of an action", lambda: action.children, ())
        given, given_kinds = self._values(parameters, _parameter_names, action, children)
        remembered, remembered_kinds = self._values(
            remembered_by, _remembered_names, action, children
        )
        entered, finished = is_entered(action), action.finished
        in_this_visit = entered or finished  # else what it remembers is of an earlier one
        yield {
            "place": place,
            "depth": depth,
            "machine": owner[0],
            "state": owner[1],
            "name": type(action).__name__,
            "parameters": given,
            "values": remembered if in_this_visit else [],
            "kinds": {**given_kinds, **remembered_kinds},
            "progress": _progress(action) if in_this_visit else None,
            "finished": finished,
            "entered": entered,
            "enabled": action.enabled,
        }
        for index, child in enumerate(children):
            yield from self._of_action(child, f"{place}/{index}", owner, depth + 1)
        for inner in () if children else action.machines:
            state = inner.current_state
            title = f"{inner.name}: {state.name if state is not None else 'not running'}"
            inside = self._names[inner]
            yield {"place": place, "depth": depth + 1, "machine": inside, "title": title}
            yield from self._of_machine(inner, depth + 2)

    def _values(
        self,
        read: Callable[[FsmAction[Any]], Mapping[str, object]],
        names: Callable[[FsmAction[Any]], Iterable[str]],
        action: FsmAction[Any],
        children: Sequence[FsmAction[Any]],
    ) -> tuple[list[list[str]], dict[str, str]]:
        """Return names and texts, without the actions that are shown on lines of their own.

        And name -> kind of those that the page can plot or edit.
        """
        try:
            values = read(action)
        except Exception:  # one of them cannot be read: then each apart
            return list(self._texts_apart(names(action), action, children)), {}
        own = {name: each for name, each in values.items() if _is_own(each, children)}
        return [[name, text_of(each)] for name, each in own.items()], kinds_of(own)

    def _texts_apart(
        self, names: Iterable[str], action: FsmAction[Any], children: Sequence[FsmAction[Any]]
    ) -> Iterator[list[str]]:
        for name in names:
            try:
                value = getattr(action, name)
            except AttributeError:
                continue
            except Exception as error:  # from the action's own class
                yield [name, self._reader.unreadable(name, error)]
            else:
                if _is_own(value, children):
                    yield [name, text_of(value)]


def _parameter_names(action: FsmAction[Any]) -> Iterable[str]:
    return fields_of(type(action)).parameters


def _remembered_names(action: FsmAction[Any]) -> Iterable[str]:
    kind = fields_of(type(action))
    undeclared = (name for name in vars(action) if name not in kind.known)
    return (*kind.remembered, *kind.extra_slots, *undeclared)


def _is_own(value: object, children: Iterable[FsmAction[Any]]) -> bool:
    """Return False for what is shown on a line of its own: actions and machines."""
    if any(value is child for child in children) or issubclass(type(value), Fsm):
        return False
    is_list = issubclass(type(value), (list, tuple))
    return not (is_list and any(issubclass(type(e), FsmAction) for e in cast("list[Any]", value)))


def _progress(action: FsmAction[Any]) -> float | None:
    """Return the `progress` of an action, from 0 to 1; None if it has none."""
    if action.finished:
        return 1.0
    try:
        progress = action.progress  # type: ignore[attr-defined]  # it may have none: see below
        return (
            float(progress) if isinstance(progress, (int, float)) and 0 <= progress <= 1 else None
        )
    except Exception:  # it has none, or none yet
        return None


def _waiting(machine: Fsm[Any], names: Names) -> list[Detail]:
    """Return what the current state waits for, and those of the machines that it runs."""
    machines = (machine, *_running_inside(machine))
    return [waiting for each in machines for waiting in waiting_for(each, names)]


def _running_inside(machine: Fsm[Any]) -> Iterator[Fsm[Any]]:
    """Yield the machines that the current state runs, and those nested in them."""
    if machine.current_state is not None:
        for action in machine.current_state.actions:
            for inner in action.machines:
                yield inner
                yield from _running_inside(inner)

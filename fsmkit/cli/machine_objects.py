"""Machines as objects: states, transitions and actions, with the lines of code that added them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import BACK, Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.cli.json_answer import JsonObject, place_fields
from fsmkit.core.checks.functions import described
from fsmkit.core.words.parameters import own_attributes, parameters
from fsmkit.inspector.reading.page_values import text_of
from fsmkit.introspection import walk
from fsmkit.introspection.definition_sites import DefinitionSites
from fsmkit.introspection.known_events import sent_events
from fsmkit.introspection.nesting import MachineNames, own_machines


def machine_objects(group: FsmGroup, places: DefinitionSites) -> list[JsonObject]:
    """Return the machines of a group and those nested in them, an outer one first."""
    named = MachineNames()
    found = [*named.add(group)]
    return [_MachineReader(named, places).object(name, machine) for name, machine, _ in found]


class _MachineReader:
    def __init__(self, named: MachineNames, places: DefinitionSites) -> None:
        self._names = named.names
        self._places = places

    def object(self, name: str, machine: Fsm[Any]) -> JsonObject:
        return {
            "machine": name,
            "states": [*map(self._state, walk.states(machine))],
            "groups": [
                {
                    "group": group.name,
                    "states": [state.name for state in group],
                    **place_fields(self._places.of(group)),
                }
                for group in walk.groups(machine)
            ],
            "transitions": [*map(self._transition, walk.transitions(machine))],
        }

    def _state(self, state: FsmState[Any]) -> JsonObject:
        return {
            "state": state.name,
            "final": state.final,
            "failed": state.failed,
            "actions": [*self._actions(state)],
            **place_fields(self._places.of(state)),
        }

    def _actions(self, state: FsmState[Any]) -> Iterator[JsonObject]:
        for path, action in walk.paths(state):
            yield {
                "index": path,
                "action": type(action).__name__,
                "parameters": _parameters(action),
                "sends": [*dict.fromkeys(sent_events(action))],
                "machines": [self._names[each] for each in own_machines(action)],
                **place_fields(self._places.of(action)),
            }

    def _transition(self, owned: walk.OwnedTransition) -> JsonObject:
        transition, owner = owned.transition, owned.owner
        target = None if transition.target is BACK else transition.target.name
        return {
            "source": None if isinstance(owner, Fsm) else owner.name,
            "event": owned.event,
            "rank": owned.rank,
            "target": target,
            "when": None if transition.when is None else described(transition.when),
            "do": None if transition.do is None else described(transition.do),
            "suspend": transition.suspend,
            **place_fields(self._places.of_transition(owner, transition)),
        }


def _parameters(action: FsmAction[Any]) -> JsonObject:
    """Return what an action was given, as texts; of a class without attrs, its attributes."""
    given = parameters(action) or own_attributes(action)
    return {name: text_of(value) for name, value in given.items()}

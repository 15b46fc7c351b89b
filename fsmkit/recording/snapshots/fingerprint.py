"""Fingerprints: whether two machines are built alike, and if not, how they differ.

What counts are states, transitions, the kinds of the actions in their order, and the machines
inside them. The names of machines and the parameters of actions do not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

from fsmkit import Fsm, FsmAction
from fsmkit.core.run_state import Place

Outline: TypeAlias = Mapping[str, Any]
"""How a machine is built, as JSON has it.

`{"states": {name: {"transitions": {event: name}, "actions": [...], "final": true}}, ...}`, with
`"global_transitions"` beside the states. An action is the name of its class; one with children or
machines is `{"class": name, "children": [...], "machines": [fingerprint]}`.
"""


class Definitions:
    """The outlines of machines, each distinct one once, by its fingerprint."""

    def __init__(self) -> None:
        self.outlines: dict[str, Outline] = {}
        self._known: dict[Fsm[Any], str] = {}

    def fingerprint(self, fsm: Fsm[Any]) -> str:
        """The fingerprint of `fsm`; its outline and those of the machines inside it are kept.

        >>> lamp, bulb = Fsm("Lamp"), Fsm("Bulb")
        >>> definitions = Definitions()
        >>> definitions.fingerprint(lamp) == definitions.fingerprint(bulb)
        True
        >>> _ = lamp.add_state("Off")
        >>> Definitions().fingerprint(lamp) == definitions.fingerprint(bulb)
        False
        """
        if fsm not in self._known:
            self._known[fsm] = ""  # for a machine that is inside itself
            outline = self._outline(fsm)
            text = json.dumps(outline, sort_keys=True)
            self._known[fsm] = sha256(text.encode()).hexdigest()[:16]
            self.outlines[self._known[fsm]] = outline
        return self._known[fsm]

    def _outline(self, fsm: Fsm[Any]) -> Outline:
        states: dict[str, Any] = {}
        for name, state in fsm.states.items():
            outline = states[name] = {
                "transitions": _targets(state.transitions),
                "actions": [self._action(action) for action in state.actions],
            }
            if state.final:
                outline["final"] = True
        return {"states": states, "global_transitions": _targets(fsm.global_transitions)}

    def _action(self, action: FsmAction[Any]) -> Any:
        name = type(action).__name__
        if not action.children and not action.machines:
            return name
        return {
            "class": name,
            "children": [self._action(child) for child in action.children],
            "machines": [self.fingerprint(machine) for machine in own_machines(action)],
        }


def own_machines(action: FsmAction[Any]) -> Sequence[Fsm[Any]]:
    """The machines that an action runs itself, without those of its children."""
    machines = action.machines
    if not machines or not action.children:
        return machines
    below = {machine for child in action.children for machine in child.machines}
    return tuple(machine for machine in machines if machine not in below)


def class_of(action: Any) -> str:
    """The name of the class of an action in an outline."""
    return str(action if isinstance(action, str) else action["class"])


def classes_by_place(actions: Sequence[Any], above: str = "") -> Iterator[tuple[Place, str]]:
    """The places of the actions in an outline, and the classes there."""
    for index, action in enumerate(actions):
        yield f"{above}{index}", class_of(action)
        if not isinstance(action, str):
            yield from classes_by_place(action["children"], f"{above}{index}/")


def _targets(transitions: Mapping[str, Any]) -> dict[str, str]:
    return {event: target.name for event, target in transitions.items()}

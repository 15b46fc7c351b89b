"""Fingerprints of machine definitions, equal for machines that are built alike.

States, transitions, the classes of actions in their order, and nested machines count. The names of
machines and the parameters of actions do not. Nor do guards that are functions of fsmkit itself:
its next version may have more of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from types import FunctionType, MethodType
from typing import Any, TypeAlias

from fsmkit import BACK, Fsm, FsmAction, Transition
from fsmkit.core.checks.functions import LAMBDA, Adapted, described
from fsmkit.tooling.nesting import fixed_children, own_machines
from fsmkit.tooling.run_state import Place

Outline: TypeAlias = Mapping[str, Any]
"""The definition of a machine, as JSON.

`{"states": {name: {"transitions": {event: way}, "actions": [...], "final": true}}, ...}`, with
`"global_transitions"` beside the states. A way is the name of the target; where there is more
to it, a list of `{"to": name, "when": function, "do": function, "suspend": true}`, without `"to"`
for BACK. An action is the name of its class; one with children or machines is
`{"class": name, "children": [...], "machines": [fingerprint]}`.
"""


class Definitions:
    """The distinct outlines of machines, by their fingerprints."""

    def __init__(self) -> None:
        self.outlines: dict[str, Outline] = {}
        self._known: dict[Fsm[Any], str] = {}

    def fingerprint(self, fsm: Fsm[Any]) -> str:
        """Return the fingerprint of `fsm`; keep its outline and those of its nested machines.

        >>> lamp, bulb = Fsm("Lamp"), Fsm("Bulb")
        >>> definitions = Definitions()
        >>> definitions.fingerprint(lamp) == definitions.fingerprint(bulb)
        True
        >>> _ = lamp.add_state("Off")
        >>> Definitions().fingerprint(lamp) == definitions.fingerprint(bulb)
        False
        """
        if fsm not in self._known:
            self._known[fsm] = ""  # in case the machine is nested in itself
            outline = self._outline(fsm)
            text = json.dumps(outline, sort_keys=True)
            self._known[fsm] = sha256(text.encode()).hexdigest()[:16]
            self.outlines[self._known[fsm]] = outline
        return self._known[fsm]

    def _outline(self, fsm: Fsm[Any]) -> Outline:
        states: dict[str, Any] = {}
        for name, state in fsm.states.items():
            outline = states[name] = {
                "transitions": _ways(state.transitions),
                "actions": [self._action(action) for action in state.actions],
            }
            if state.final:
                outline["final"] = True
        return {"states": states, "global_transitions": _ways(fsm.global_transitions)}

    def _action(self, action: FsmAction[Any]) -> Any:
        name = type(action).__name__
        children, machines = fixed_children(action), own_machines(action)
        if not children and not machines:
            return name
        return {
            "class": name,
            "children": [self._action(child) for child in children],
            "machines": [self.fingerprint(machine) for machine in machines],
        }


def class_of(action: Any) -> str:
    """Return the class name of an action in an outline."""
    return str(action if isinstance(action, str) else action["class"])


def classes_by_place(actions: Sequence[Any], above: str = "") -> Iterator[tuple[Place, str]]:
    """Yield the places of the actions in an outline, with the class names there."""
    for index, action in enumerate(actions):
        yield f"{above}{index}", class_of(action)
        if not isinstance(action, str):
            yield from classes_by_place(action["children"], f"{above}{index}/")


def _ways(transitions: Mapping[str, Sequence[Transition[Any]]]) -> dict[str, Any]:
    return {event: _way(asked) for event, asked in transitions.items()}


def _way(asked: Sequence[Transition[Any]]) -> Any:
    """Return where the transitions of one event lead."""
    ways = [_transition(transition) for transition in asked]
    if len(ways) == 1 and ways[0].keys() == {"to"}:
        return ways[0]["to"]
    return ways


def _transition(transition: Transition[Any]) -> dict[str, Any]:
    outline: dict[str, Any] = {}
    if transition.target is not BACK:
        outline["to"] = transition.target.name
    if transition.when is not None and not _is_ours(transition.when):
        outline["when"] = _name(transition.when)
    if transition.do is not None:
        outline["do"] = _name(transition.do)
    if transition.suspend:
        outline["suspend"] = True
    return outline


def _is_ours(guard: Callable[..., Any]) -> bool:
    """Return True for a function or method of fsmkit itself."""
    function = _unwrapped(guard)
    is_written = isinstance(function, FunctionType | MethodType)
    return is_written and function.__module__.partition(".")[0] == "fsmkit"


def _name(function: Callable[..., Any]) -> str:
    """Return the name of a function: of a lambda not its text, which an installed game may lack."""
    function = _unwrapped(function)
    if not hasattr(function, "__qualname__"):
        return type(function).__name__
    is_lambda = getattr(function, "__name__", "") == LAMBDA
    return LAMBDA if is_lambda else described(function)


def _unwrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(function, Adapted | partial):
        function = function.function if isinstance(function, Adapted) else function.func
    return function

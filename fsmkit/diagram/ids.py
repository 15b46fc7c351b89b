"""Ids for the parts of a picture, made of names alone: new parts do not change them.

`machine` is the name of a machine among all that are drawn: its own name, `Guard/Fight` for a
nested machine, `Guard #2` for a namesake, as `fsmkit.tooling.nesting` assigns them.
"""

from __future__ import annotations

from typing import Any

from fsmkit import FsmState, Transition


def machine_id(machine: str) -> str:
    """Return the id of a machine.

    >>> machine_id("Guard/Fight")
    'cluster_Guard_2f_Fight'
    """
    return f"cluster_{_encoded(machine)}"


def state_id(machine: str, state: str) -> str:
    """Return the id of a state, unique for any name.

    >>> state_id("Guard", "Patrol"), state_id("Guard", "Go home!")
    ('Guard__Patrol', 'Guard__Go_20_home_21_')
    """
    return f"{_encoded(machine)}__{_encoded(state)}"


def any_state_id(machine: str) -> str:
    """Return the id of the node "any state".

    >>> any_state_id("Guard")
    'Guard__'
    """
    return state_id(machine, "")


def back_id(machine: str) -> str:
    """Return the id of the node "back", where transitions to `BACK` lead.

    >>> back_id("Guard")
    'Guard___back'
    """
    return f"{any_state_id(machine)}_back"


def target_id(machine: str, transition: Transition[Any]) -> str:
    """Return the id of the node that `transition` leads to: a state, or "back".

    >>> from fsmkit import BACK, Fsm
    >>> pause = Fsm("Game").add_state("Pause")
    >>> target_id("Game", pause.add_transition("AGAIN", pause))
    'Game__Pause'
    >>> target_id("Game", pause.add_transition("RESUME", BACK))
    'Game___back'
    """
    target = transition.target
    return state_id(machine, target.name) if isinstance(target, FsmState) else back_id(machine)


def edge_id(source: str, target: str) -> str:
    """Return the id of the edge between two states with these ids.

    >>> edge_id(state_id("Guard", "Patrol"), state_id("Guard", "Chase"))
    'Guard__Patrol--Guard__Chase'
    """
    return f"{source}--{target}"


def bundle_id(any_state: str, target: str, event: str) -> str:
    """Return the id of the node that many arrows for `event` come from as one.

    >>> bundle_id(any_state_id("Guard"), state_id("Guard", "Dead"), "KILLED")
    'Guard___from_KILLED--Guard__Dead'
    """
    return f"{any_state}_from_{_encoded(event)}--{target}"


def tag_id(edge: str) -> str:
    """Return the id of the small node that an arrow with the id `edge` is drawn to or from.

    >>> tag_id(edge_id(state_id("Guard", "Chase"), state_id("Guard", "Patrol")))
    'Guard__Chase--Guard__Patrol--tag'
    """
    return f"{edge}--tag"


def _encoded(name: str) -> str:
    """Keep ASCII letters and digits, write others as their code points: `_20_` is a blank."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)

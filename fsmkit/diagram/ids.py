"""Ids for the parts of a picture, made of names alone: new parts do not change them.

`machine` is the name of a machine among all that are drawn: its own name, `Guard/Fight` for a
nested machine, `Guard #2` for a namesake, as `fsmkit.tooling.nesting` assigns them.
"""

from __future__ import annotations


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


def edge_id(source: str, target: str) -> str:
    """Return the id of the edge between two states with these ids.

    >>> edge_id(state_id("Guard", "Patrol"), state_id("Guard", "Chase"))
    'Guard__Patrol--Guard__Chase'
    """
    return f"{source}--{target}"


def _encoded(name: str) -> str:
    """Keep ASCII letters and digits, write others as their code points: `_20_` is a blank."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)

"""Ids for the parts of a picture, made of names alone: they stay as they are when others come.

`machine` is the name that a machine has among all that are drawn: its own one, `Guard/Fight` for a
machine inside another, `Guard #2` for a namesake. `fsmkit.tooling.nesting` says which.
"""

from __future__ import annotations


def machine_id(machine: str) -> str:
    """The id of a machine.

    >>> machine_id("Guard/Fight")
    'cluster_Guard_2f_Fight'
    """
    return f"cluster_{_encoded(machine)}"


def state_id(machine: str, state: str) -> str:
    """The id of a state. No two names have the same one, however odd they are.

    >>> state_id("Guard", "Patrol"), state_id("Guard", "Go home!")
    ('Guard__Patrol', 'Guard__Go_20_home_21_')
    """
    return f"{_encoded(machine)}__{_encoded(state)}"


def any_state_id(machine: str) -> str:
    """The id of the node "any state".

    >>> any_state_id("Guard")
    'Guard__'
    """
    return state_id(machine, "")


def edge_id(source: str, target: str) -> str:
    """The id of the edge between two states, of which the ids are given.

    >>> edge_id(state_id("Guard", "Patrol"), state_id("Guard", "Chase"))
    'Guard__Patrol--Guard__Chase'
    """
    return f"{source}--{target}"


def _encoded(name: str) -> str:
    """Letters and digits of ASCII as they are, anything else as its number: `_20_` is a blank."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)

"""Positions: where states are kept in a picture, as an option and in a file beside the machine.

    {
      "Guard": {"Patrol": [40, 30], "Chase": [240, 30]},
      "Guard/Fight": {"Aim": [60, 90]}
    }

A place is that of the centre of a state: x to the right and y to the bottom, in points, from the
upper left corner of what Graphviz draws of its machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from attrs import evolve

from fsmkit.core.checks import arguments
from fsmkit.diagram.graph import Cluster, Graph, changed, clusters_of
from fsmkit.diagram.selection import PictureError, unknown
from fsmkit.terminal.atomic_file import write_atomically

FARTHEST: Final = 100_000.0
"""Points."""

SUFFIX: Final = ".positions.json"

StatePlace: TypeAlias = tuple[float, float]
Positions: TypeAlias = Mapping[str, StatePlace | Mapping[str, StatePlace]]
"""State of the outermost machines -> its place, or name of a machine -> such a mapping."""

PlacesByMachine: TypeAlias = dict[str, dict[str, StatePlace]]

OUTERMOST: Final = ""
"""Stands for the outermost machines."""

FORM: Final = "a mapping of states to places, such as {'Patrol': (40, 30)}"


def checked(positions: object) -> PlacesByMachine:
    """Return positions by machine. Raises TypeError or ValueError for wrong ones."""
    places: PlacesByMachine = {}
    for name, value in _items(positions, "positions"):
        if isinstance(value, Mapping):
            inner = {state: _place(state, each) for state, each in _items(value, repr(name))}
            places.setdefault(name, {}).update(inner)
        else:
            places.setdefault(OUTERMOST, {})[name] = _place(name, value)
    return places


def _items(mapping: object, what: str) -> Iterable[tuple[str, Any]]:
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{what} must be {FORM}, got {mapping!r}.")
    for name, value in mapping.items():
        yield arguments.instance(name, f"A name in {what}", str, "text"), value


def _place(state: str, value: object) -> StatePlace:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"The place of {state!r} must be two numbers (x, y), got {value!r}.")
    numbers = [*value]
    if len(numbers) != 2:
        raise ValueError(f"The place of {state!r} must be two numbers (x, y), got {value!r}.")
    x, y = (
        arguments.number(each, f"The place of {state!r}", least=-FARTHEST, most=FARTHEST)
        for each in numbers
    )
    return x, y


def with_positions(graph: Graph, places: PlacesByMachine) -> Graph:
    """Return `graph` with states in their places. Raises ValueError for unknown names."""
    for machine, states in places.items():
        _check_names(graph, machine, states)
    outer = tuple(_placed(cluster, places.get(OUTERMOST, {})) for cluster in graph)
    return changed(outer, lambda cluster: _placed(cluster, _places_of(cluster, places)))


def _places_of(cluster: Cluster, places: PlacesByMachine) -> dict[str, StatePlace]:
    return next((places[name] for name in cluster.machines if name in places), {})


def _placed(cluster: Cluster, own: Mapping[str, StatePlace]) -> Cluster:
    if not own:
        return cluster
    nodes = (evolve(node, place=own.get(node.name, node.place)) for node in cluster.nodes)
    return evolve(cluster, nodes=tuple(nodes))


def _check_names(graph: Graph, machine: str, states: Iterable[str]) -> None:
    clusters = [*graph] if machine == OUTERMOST else [*clusters_of(graph)]
    if machine != OUTERMOST:
        names = [name for cluster in clusters for name in cluster.machines]
        if machine not in names:
            raise unknown("positions", "machine", machine, names)
        clusters = [cluster for cluster in clusters if machine in cluster.machines]
    known = [node.name for cluster in clusters for node in cluster.nodes]
    for state in states:
        if state not in known:
            raise unknown("positions", "state", state, known)


def known_positions(graph: Graph, places: PlacesByMachine) -> tuple[PlacesByMachine, list[str]]:
    """Return the positions of states that exist, and messages about the others."""
    known: PlacesByMachine = {}
    messages: list[str] = []
    for machine, states in places.items():
        for state, place in states.items():
            try:
                _check_names(graph, machine, [state])
            except PictureError as error:
                messages.append(str(error))
            else:
                known.setdefault(machine, {})[state] = place
    return known, list(dict.fromkeys(messages))


def positions_file(script: Path) -> Path:
    """Return the path of the positions of a script: `guard.positions.json` beside `guard.py`."""
    return script.with_name(f"{script.stem}{SUFFIX}")


def read_positions(path: Path) -> PlacesByMachine:
    """Return the positions in a file; none if it does not exist.

    Raises ValueError for a file with something else in it, and OSError if it cannot be read.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError:
        raise ValueError(f"{str(path)!r} must be JSON in UTF-8.") from None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{str(path)!r} must be JSON: {error}.") from None
    try:
        return checked(content)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{str(path)!r} has no positions of states: {error}") from None


def write_positions(path: Path, places: PlacesByMachine) -> None:
    """Write the file, a line for each machine; without any positions, remove it."""
    rows = [
        f"  {json.dumps(machine, ensure_ascii=False)}: {json.dumps(states, ensure_ascii=False)}"
        for machine, states in places.items()
        if states
    ]
    if rows:
        write_atomically(path, "{\n" + ",\n".join(rows) + "\n}\n")
    else:
        path.unlink(missing_ok=True)

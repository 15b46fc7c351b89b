"""paths: few scripts that together take every transition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fsmkit import Fsm
from fsmkit.exploring.exploration import Exploration, explore
from fsmkit.exploring.inputs import Inputs
from fsmkit.exploring.notes import rank
from fsmkit.exploring.play import Build, Play, WayKey, way_keys
from fsmkit.exploring.scripts import Script, drivable


class Paths(list[list[Any]]):
    """Scripts for `fsmkit.testing.drive`, the shortest first.

    `missing` names the transitions that none of them takes, `exploration` is the walk behind them.

    >>> from fsmkit import Fsm
    >>> from fsmkit.testing import paths
    >>> def build():
    ...     fsm = Fsm("Lamp")
    ...     _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    ...     return fsm
    >>> found = paths(build)
    >>> list(found), found.missing
    ([['PRESS']], [])
    """

    def __init__(
        self, scripts: Iterable[list[Any]], missing: Iterable[str], exploration: Exploration
    ) -> None:
        super().__init__(scripts)
        self.missing = list(missing)
        self.exploration = exploration


def paths(
    build: Build,
    *,
    inputs: Inputs | None = None,
    step: float = 0.5,
    moments: int = 1000,
    seconds: float = 60.0,
) -> Paths:
    """Return few scripts that together take every transition at least once, the shortest first.

    Each is a list of steps for `fsmkit.testing.drive`, on a new machine. What the walk could not
    take, or only in a step that raises, is in `missing`. The arguments are those of `explore`.
    Raises TypeError if `build` returns no single machine.

    >>> from fsmkit import Fsm
    >>> def build():
    ...     door = Fsm("Door", on_unhandled="ignore")
    ...     closed, opened = door.add_state("Closed"), door.add_state("Open")
    ...     closed.add_transition("OPEN", opened)
    ...     opened.add_transition("CLOSE", closed)
    ...     opened.add_transition("SLAM", closed)
    ...     return door
    >>> found = paths(build)
    >>> found, found.missing
    ([['OPEN', 'CLOSE'], ['OPEN', 'SLAM']], [])

    With pytest: `@pytest.mark.parametrize("path", paths(build), ids=str)`.
    """
    exploration = explore(build, inputs=inputs, step=step, moments=moments, seconds=seconds)
    if not isinstance(exploration.walk.first.machines, Fsm):
        raise TypeError("build must return one Fsm for paths(), got an FsmGroup.")
    taken = _taken_by_script(exploration)
    scripts = sorted(_few(taken), key=rank)
    covered = set().union(*taken.values())
    names = exploration.walk.first.names.names
    missing = [
        _title(key, len(names) > 1)
        for machine, name in names.items()
        for key in way_keys(name, machine)
        if key not in covered
    ]
    return Paths(map(drivable, scripts), missing, exploration)


def _taken_by_script(exploration: Exploration) -> dict[Script, set[WayKey]]:
    """Return the transitions that each shortest script takes; without those that raise."""
    taken: dict[Script, set[WayKey]] = {}
    for script in exploration.walk.seen.ways.scripts.values():
        if script not in taken and (ways := _ways(exploration.walk.build, script)) is not None:
            taken[script] = ways
    return taken


def _ways(build: Build, script: Script) -> set[WayKey] | None:
    """Return the transitions that a script takes; None if it raises."""
    play = Play(build)
    play.watch()
    happened = [play.start(), *map(play.take, script)]
    if any(each.error is not None for each in happened):
        return None
    return {way for each in happened for way in each.ways}


def _few(taken: dict[Script, set[WayKey]]) -> list[Script]:
    """Leave out scripts all of whose transitions others take, the shortest first."""
    kept = sorted(taken, key=rank)
    for script in tuple(kept):
        others = set().union(*(taken[other] for other in kept if other != script))
        if taken[script] <= others:
            kept.remove(script)
    return kept


def _title(key: WayKey, is_nested: bool) -> str:
    machine = f"{key.machine}: " if is_nested else ""
    state = "any state" if key.state is None else key.state
    number = f" #{key.index + 1}" if key.index else ""
    return f"{machine}{state} --{key.event}-->{number}"

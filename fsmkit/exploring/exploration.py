"""explore and paths: a walk through every reachable moment of a machine, and what it shows."""

from __future__ import annotations

import inspect
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

from attrs import evolve, field, frozen

from fsmkit import Fsm
from fsmkit.checking.checker import Builder
from fsmkit.core.checks import arguments
from fsmkit.core.checks.functions import described
from fsmkit.exploring.findings import ExploredFinding, Rules
from fsmkit.exploring.inputs import Inputs
from fsmkit.exploring.rehearsal import Rehearsal, StateKey, TransitionKey
from fsmkit.exploring.scripts import Script, drivable, rank
from fsmkit.exploring.traversal import LONGEST, Limits, Walk
from fsmkit.exploring.unreached import Unreached
from fsmkit.exploring.written_test import TestWriter
from fsmkit.introspection.blocks import block

Always: TypeAlias = "Callable[[Any], object] | Mapping[str, Callable[[Any], object]]"
"""An invariant: a function of the machines that `build` returns; or several, by name."""

MOMENTS: Final = 1000
"""The moments after which a walk ends, unless it is told otherwise."""

DOUBTS: Final = frozenset({"work", "chance", "opaque", "changed"})
"""The cuts after which a moment may lead to more than was seen."""

CUTS: Final[Mapping[str, str]] = {
    "moments": "stopped at {moments:,} moments",
    "seconds": "up to {seconds:g} s",
    "errors": "stopped at errors",
    "longest": "up to {longest} inputs and waits",
    "work": "without work done elsewhere, for which a test can build stand-ins: {work}",
    "chance": "not every random number was tried",
    "opaque": "some objects cannot be compared: {opaque}",
    "changed": "build() does not always build the same",
}


@frozen
class Coverage:
    """The number of states and transitions that a walk covered."""

    states: int
    all_states: int
    transitions: int
    all_transitions: int
    missing: tuple[TransitionKey | StateKey, ...] = field(repr=False)
    """The states and transitions that it did not cover."""

    def __str__(self) -> str:
        return f"{self.transitions} of {self.all_transitions} transitions"


@frozen(eq=False)
class Exploration:
    """The result of `explore`. It is true if there is no error and no warning.

    >>> from fsmkit import Fsm
    >>> def build():
    ...     lamp = Fsm("Lamp")
    ...     off, on = lamp.add_state("Off"), lamp.add_state("On")
    ...     off.add_transition("PRESSED", on)
    ...     on.add_transition("PRESSED", off)
    ...     return lamp
    >>> exploration = explore(build)
    >>> print(exploration.summary)
    2 moments explored, complete; 2 of 2 transitions taken
    >>> exploration.script_to("On")
    ['PRESSED']
    """

    moments: int
    """The number of different moments that were explored."""
    is_complete: bool
    """True if these are all moments that the inputs and steps of time lead to."""
    findings: list[ExploredFinding]
    coverage: Coverage
    cuts: tuple[str, ...]
    """Why it is not complete."""
    walk: Walk = field(repr=False)

    @property
    def summary(self) -> str:
        """What was explored, in one line."""
        how_far = "complete" if self.is_complete else "; ".join(self.cuts)
        return (
            f"{self.moments:,} moment{'s' * (self.moments != 1)} explored, {how_far}; "
            f"{self.coverage} taken"
        )

    def script_to(self, state: str, machine: str | None = None) -> list[Any]:
        """Return the shortest script that leads to a state, for `fsmkit.testing.drive`.

        `machine` is the name of the machine, if several have such a state. Raises LookupError if
        the walk did not reach it.
        """
        scripts = self.walk.seen.results.of(StateKey)
        for key, script in scripts.items():
            if key.state == state and machine in (None, key.machine):
                return drivable(script)
        entered = ", ".join(repr(key.state) for key in scripts)
        raise LookupError(f"The walk did not reach state {state!r}. It reached {entered}.")

    def __bool__(self) -> bool:
        return all(finding.severity == "info" for finding in self.findings)

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.findings), self.summary])


def explore(
    build: Builder,
    always: Always | None = None,
    *,
    inputs: Inputs | None = None,
    step: float = 0.5,
    moments: int = MOMENTS,
    seconds: float = 60.0,
    every_step: bool = False,
    failures: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Exploration:
    """Explore every reachable moment of the machines that `build` returns, shortest scripts first.

    `build` takes no arguments and returns an Fsm or an FsmGroup. It is called again for every step
    into the unknown, so it must build everything that the machine changes.

    `always` must hold in every moment: a function of the machines, or several by name. One that
    raises does not hold.

    `inputs` are the events that come from outside; `{"HIT": [1, 5]}` says with which data. By
    default all events that the machine knows and no action sends. `step` is the longest update in
    seconds. The walk ends at `moments` moments; scripts end at `seconds` seconds. During a wait,
    inputs are followed at its ends, and between where they lead to something else; with
    `every_step` after each update, which finds every order of timers that run at once.

    With `failures` every action that may fail, as its code or its `fails_on` says, is made to fail
    at each of these places, whether it would in the world of `build` or not. `progress` is called
    after each moment, with the number of moments explored so far.

    Raises TypeError unless `build` and `always` are functions, ValueError for wrong bounds, and
    whatever `build` raises.

    >>> from fsmkit import Fsm
    >>> def build():
    ...     fsm = Fsm("Duel", context={"hp": 2})
    ...     fight, dead = fsm.add_state("Fight"), fsm.add_state("Dead", final=True)
    ...     def hurt(state):
    ...         state.context["hp"] -= 1
    ...     fight.add_transition("HIT", fight, do=hurt, when=lambda state: state.context["hp"] >= 0)
    ...     fight.add_transition("HIT", dead)
    ...     return fsm
    >>> explore(build, always=lambda fsm: fsm.context["hp"] >= 0).findings[0].script
    ['HIT', 'HIT', 'HIT']
    """
    if not callable(build):
        raise TypeError(f"build must be the function that builds the machines, got {build!r}.")
    limits = Limits(
        arguments.number(step, "step", above=0.0, unit=" of seconds"),
        arguments.integer(moments, "moments", least=1),
        arguments.number(seconds, "seconds", above=0.0),
        every_step,
        arguments.flag(failures, "failures"),
    )
    stdout = sys.stdout

    def explored(moments: int) -> None:
        if progress is not None:
            with redirect_stdout(stdout):
                progress(moments)

    with _silence():
        walk = Walk(build, _invariants(always), inputs, limits)
        walk.go(explored)
        return _result(walk)


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
    build: Builder,
    *,
    inputs: Inputs | None = None,
    step: float = 0.5,
    moments: int = MOMENTS,
    seconds: float = 60.0,
) -> Paths:
    """Return a few scripts that together take every transition, the shortest first.

    Each is a list of steps for `fsmkit.testing.drive`, on a new machine. What the walk could not
    take, or only in a step that raises, is in `missing`. The arguments are those of `explore`.
    Raises TypeError unless `build` returns a single machine.

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
    return covering_paths(exploration)


def covering_paths(exploration: Exploration) -> Paths:
    """Return what `paths` does, after a walk that was made already."""
    walk = exploration.walk
    if not isinstance(walk.first.machines, Fsm):
        raise TypeError("build must return one Fsm for paths(), got an FsmGroup.")
    found = dict.fromkeys(walk.seen.results.of(TransitionKey).values())
    with _silence():
        taken = {script: _transitions(walk.build, script) for script in found}
    scripts = sorted(_covering(taken), key=rank)
    covered = set().union(*taken.values())
    is_nested = len(walk.machines) > 1
    missing = [_title(key, is_nested) for key in walk.transitions if key not in covered]
    return Paths(map(drivable, scripts), missing, exploration)


def _result(walk: Walk) -> Exploration:
    cuts = walk.seen.cuts
    given: dict[str, object] = {
        "moments": walk.limits.moments,
        "seconds": walk.limits.seconds,
        "longest": LONGEST,
        "opaque": ", ".join(sorted(walk.reader.opaque)),
        "work": ", ".join(sorted(walk.seen.work)),
    }
    findings = _one_of_each_kind(walk, _findings(walk))
    reasons = tuple(text.format(**given) for cut, text in CUTS.items() if cut in cuts)
    return Exploration(walk.walked, not cuts, findings, _coverage(walk), reasons, walk)


def _findings(walk: Walk) -> Iterator[ExploredFinding]:
    """Yield all findings, the worst first."""
    writer = TestWriter(walk.build, walk.first)
    rules = Rules(walk, writer)
    yield from rules.raised()
    yield from rules.broken()
    absences = Unreached(walk, writer)
    if not walk.seen.cuts & DOUBTS:
        yield from absences.never_left()
    yield from rules.unhandled()
    if not walk.seen.cuts:
        yield from absences.never_entered()
        yield from absences.never_taken()
    yield from rules.not_repeatable()


def _one_of_each_kind(walk: Walk, findings: Iterable[ExploredFinding]) -> list[ExploredFinding]:
    """Keep findings that machines of the same kind share once, for the first of them."""
    kinds: dict[str, Any] = {}
    for name in walk.machines:
        own = (key for key in walk.definition if key.machine == name)
        kinds[name] = tuple(evolve(key, machine="") for key in own)
    found: dict[Any, ExploredFinding] = {}
    for each in findings:
        place = evolve(each.place, machine="")
        found.setdefault((kinds[each.place.machine], each.code, place, each.message), each)
    return list(found.values())


def _coverage(walk: Walk) -> Coverage:
    missing = tuple(key for key in walk.definition if key not in walk.seen.results)
    transitions = len(walk.transitions)
    states = len(walk.definition) - transitions
    missed = sum(isinstance(key, TransitionKey) for key in missing)
    entered = states - (len(missing) - missed)
    return Coverage(entered, states, transitions - missed, transitions, missing)


def _invariants(always: Always | None) -> Mapping[str, Callable[[Any], object]]:
    if always is None:
        return {}
    given = dict(always) if isinstance(always, Mapping) else {"always": always}
    for name, holds in given.items():
        if not callable(holds):
            raise TypeError(f"always must be a function of the machine, got {holds!r} ({name}).")
        if not _takes_machines(holds):
            raise TypeError(
                f"always must be a function of the machine, but {described(holds)} ({name}) cannot "
                "be called with it alone."
            )
    return given


def _takes_machines(holds: Callable[..., object]) -> bool:
    try:
        inspect.signature(holds).bind(None)
    except TypeError:
        return False
    except ValueError:  # some functions written in C have no signature
        pass
    return True


@block
def _silence() -> Iterator[None]:
    """Drop what the machine prints and logs in the block: it would repeat thousands of times."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            yield
    finally:
        logging.disable(before)


def _transitions(build: Builder, script: Script) -> set[TransitionKey]:
    """Return the transitions that a script takes; none if it raises."""
    rehearsal = Rehearsal(build)
    rehearsal.watch()
    happened = [rehearsal.start(), *map(rehearsal.take, script)]
    if any(each.error is not None for each in happened):
        return set()
    results = chain.from_iterable(each.results for each in happened)
    return {key for key in results if isinstance(key, TransitionKey)}


def _covering(taken: dict[Script, set[TransitionKey]]) -> list[Script]:
    """Leave out scripts all of whose transitions others take, the shortest first."""
    kept = sorted(taken, key=rank)
    for script in tuple(kept):
        others = set().union(*(taken[other] for other in kept if other != script))
        if taken[script] <= others:
            kept.remove(script)
    return kept


def _title(key: TransitionKey, is_nested: bool) -> str:
    machine = f"{key.machine}: " if is_nested else ""
    state = key.state or key.group or "any state"
    number = f" #{key.index + 1}" if key.index else ""
    return f"{machine}{state} --{key.event}-->{number}"

"""explore: walks through all that a machine can come to, and says what is wrong with it."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from io import TextIOBase
from typing import Any, Final, TypeAlias

from attrs import evolve, field, frozen

from fsmkit.core.checks.functions import described
from fsmkit.exploring.absences import Absences
from fsmkit.exploring.finding import ExploredFinding
from fsmkit.exploring.inputs import Inputs
from fsmkit.exploring.play import Build, StateKey, WayKey, way_keys
from fsmkit.exploring.rules import Rules
from fsmkit.exploring.scripts import drivable
from fsmkit.exploring.walk import LONGEST, Limits, Walk
from fsmkit.timing import checked_seconds
from fsmkit.tooling.blocks import block

Always: TypeAlias = "Callable[[Any], object] | Mapping[str, Callable[[Any], object]]"
"""An invariant: a function of what `build` returns; or several, by name."""

DOUBTS: Final = frozenset({"work", "chance", "opaque", "changed"})
"""What makes doubtful that a moment leads to nothing but what was seen."""

CUTS: Final[Mapping[str, str]] = {
    "moments": "stopped at {moments:,} moments",
    "seconds": "not beyond {seconds:g} s",
    "errors": "not beyond errors",
    "longest": "not beyond {longest} inputs and waits",
    "work": "not beyond work done elsewhere, for which a test can build stand-ins: {work}",
    "chance": "not every random number was tried",
    "opaque": "some objects cannot be compared: {opaque}",
    "changed": "build() does not give the same every time",
}


@frozen
class Coverage:
    """How many of the states and transitions a walk came through."""

    states: int
    all_states: int
    transitions: int
    all_transitions: int
    missing: tuple[WayKey | StateKey, ...] = field(repr=False)
    """The states and transitions that it did not come through."""

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
    2 moments walked, all of them; 2 of 2 transitions taken
    >>> exploration.script_to("On")
    ['PRESSED']
    """

    moments: int
    """How many different moments were walked."""
    is_complete: bool
    """True if these are all that the inputs and steps of time lead to."""
    findings: list[ExploredFinding]
    coverage: Coverage
    cuts: tuple[str, ...]
    """Why it is not complete."""
    walk: Walk = field(repr=False)

    @property
    def summary(self) -> str:
        """What was walked, in one line."""
        how_far = "all of them" if self.is_complete else "; ".join(self.cuts)
        return (
            f"{self.moments:,} moment{'s' * (self.moments != 1)} walked, {how_far}; "
            f"{self.coverage} taken"
        )

    def script_to(self, state: str, machine: str | None = None) -> list[Any]:
        """Return the shortest script that leads to a state, for `fsmkit.testing.drive`.

        `machine` is the name of the machine, if several have such a state. Raises LookupError if
        the walk did not come to it.
        """
        for key, script in self.walk.seen.states.scripts.items():
            if key.state == state and machine in (None, key.machine):
                return drivable(script)
        entered = ", ".join(repr(key.state) for key in self.walk.seen.states.scripts)
        raise LookupError(f"The walk did not come to state {state!r}. It came to {entered}.")

    def __bool__(self) -> bool:
        return all(finding.severity == "info" for finding in self.findings)

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.findings), self.summary])


def explore(
    build: Build,
    always: Always | None = None,
    *,
    inputs: Inputs | None = None,
    step: float = 0.5,
    moments: int = 1000,
    seconds: float = 60.0,
    every_step: bool = False,
) -> Exploration:
    """Walk through all moments of the machines that `build` returns, the shortest ways first.

    `build` takes nothing and returns an Fsm or an FsmGroup. It is called anew for every step into
    the unknown, so it must make everything anew that the machine changes.

    `always` is what must hold in every moment: a function of what `build` returns, or several by
    name. One that raises does not hold.

    `inputs` are the events that come from outside; `{"HIT": [1, 5]}` says with which data. By
    default all that the machine knows and no action sends. `step` is the longest update in
    seconds. The walk ends at `moments` moments; scripts end at `seconds` seconds. During a wait,
    inputs are followed at its ends, and between where they lead to something else; with
    `every_step` after each update, which finds every order of several times that run at once.

    Raises TypeError for what is no function, ValueError for wrong bounds, and what `build` raises.

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
    counted = _checked_count(moments)
    limits = Limits(_checked_step(step), counted, _checked_step(seconds), every_step)
    with _silence():
        walk = Walk(build, _invariants(always), inputs, limits)
        walk.go()
        return _result(walk)


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
    rules = Rules(walk)
    yield from rules.raised()
    yield from rules.broken()
    absences = Absences(walk, is_complete=not walk.seen.cuts)
    if not walk.seen.cuts & DOUBTS:
        yield from absences.never_left()
    yield from rules.unhandled()
    if not walk.seen.cuts:
        yield from absences.never_entered()
        yield from absences.never_taken()
    yield from rules.not_repeatable()


def _one_of_each_kind(walk: Walk, findings: Iterable[ExploredFinding]) -> list[ExploredFinding]:
    """Keep what machines of the same kind in a group have in common once, for the first of them."""
    kinds: dict[str, Any] = {}
    for machine, name in walk.first.names.names.items():
        ways = [evolve(key, machine="") for key in way_keys(name, machine)]
        kinds[name] = (*machine.states, *ways)
    found: dict[Any, ExploredFinding] = {}
    for each in findings:
        place = evolve(each.place, machine="")
        found.setdefault((kinds[each.place.machine], each.code, place, each.message), each)
    return list(found.values())


def _coverage(walk: Walk) -> Coverage:
    names = walk.first.names.names
    states = [StateKey(name, state) for fsm, name in names.items() for state in fsm.states]
    ways = [key for machine, name in names.items() for key in way_keys(name, machine)]
    entered, taken = walk.seen.states.scripts, walk.seen.ways.scripts
    missing: list[WayKey | StateKey] = [state for state in states if state not in entered]
    missing += [way for way in ways if way not in taken]
    return Coverage(
        sum(state in entered for state in states), len(states),
        sum(way in taken for way in ways), len(ways), tuple(missing),
    )  # fmt: skip


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


def _checked_step(seconds: float) -> float:
    checked = checked_seconds(seconds, "step and seconds")
    if checked == 0.0:
        raise ValueError("step and seconds must be finite numbers > 0, got 0.")
    return checked


def _checked_count(moments: int) -> int:
    if not isinstance(moments, int) or isinstance(moments, bool) or moments < 1:
        raise ValueError(f"moments must be a whole number >= 1, got {moments!r}.")
    return moments


@block
def _silence() -> Iterator[None]:
    """Drop what the machine prints and logs meanwhile: it would come thousands of times."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stdout(_Nowhere()):
            yield
    finally:
        logging.disable(before)


class _Nowhere(TextIOBase):
    """A file that keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)

"""Finding: the result of a check, with its place, and how its message lists names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from attrs import field, frozen

from fsmkit.core.words.quoting import quote
from fsmkit.introspection.code_place import CodePlace

Severity: TypeAlias = Literal["error", "warning", "info"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")
"""From worst to mildest."""

DESCRIPTIONS: Final = {
    "no-states": "The machine has no states.",
    "dead-end-event": "An action may send an event where nothing handles it.",
    "endless-chain": "States that finish as soon as they are entered lead to each other endlessly.",
    "unreachable-state": "A state cannot be reached from the start state.",
    "no-way-out": "No transition leads out of a state, and it is not marked as final.",
    "leaves-final": "A global transition leads out of a state that is marked as final.",
    "finished-never-fires": "A state has a transition for FINISHED but never finishes.",
    "unheard-finish": "A state takes time, finishes, and nothing happens.",
    "failed-never-fires": "A state has a transition for FAILED, but nothing in it fails.",
    "unheard-failure": "An action may fail, and nothing handles its failure.",
    "shadowed-transition": "A transition is never taken, because another one comes first.",
    "empty-group": "A group with transitions has no states.",
    "nothing-to-resume": "A transition leads BACK, but nothing can be suspended when it is taken.",
    "never-resumed": "A state is suspended, and no transition leads BACK to it.",
    "work-suspended": "A state is suspended, and nothing says what its work elsewhere does then.",
    "option-never-runs": "An option comes after one that can always run and never fails.",
    "runs-itself": "An action runs the machine that it is a part of, or one around it.",
    "runs-twice": "A nested machine would run in two places at the same time.",
    "unknown-outcome": "The outcomes of a RunFsm name a state that is not there, or not final.",
    "missing-outcome": "A RunFsm has no outcome for a final state, and nothing happens there.",
    "similar-events": "Two events differ only by case, or by one letter.",
    "left-at-once": "A transition is never taken: its state is exited as soon as it is entered.",
    "too-late": "An event with a delay is never delivered: its state is exited before.",
    "trap": "States lead only to each other, and the machine never gets back to the others.",
    "error-loop": "Errors in a state lead to the same state.",
    "conflicting-actions": "Two actions write the same thing at the same time.",
    "guards-nothing": "An action such as Cooldown is for an event that nothing there handles.",
    "constant-guard": "A transition is never taken, because a guard always answers the same.",
    "forbidden-send": "An event is sent where no change of the state is possible.",
    "never-sent": "Nothing sends an event that has a transition.",
    "unknown-input": "No machine knows an event that comes from outside.",
    "unused-ignore": "A comment ignores a finding that is not there.",
}
"""Every code that a finding of `check` may have, and what it means, in one sentence."""

ERRORS: Final = frozenset({
    "no-states", "dead-end-event", "nothing-to-resume", "runs-itself", "runs-twice",
    "unknown-outcome", "forbidden-send",
})  # fmt: skip
"""The codes of findings that are errors. Others are warnings, but for a certain `endless-chain`."""

CODES: Final = tuple(DESCRIPTIONS)
"""Every code that a finding of `check` may have; docs/checks/ has a page for each."""

WALK_DESCRIPTIONS: Final = {
    "raises": "A script of inputs and time leads to an error.",
    "endless-loop": "A script of inputs and time leads to states that change without end.",
    "broken-invariant": "A script of inputs and time leads to a moment that should never come.",
    "never-left": "Nothing leads out of a state again, whatever happens.",
    "unhandled-event": "The machine sends itself an event where nothing handles it.",
    "never-entered": "No input and no time leads to a state.",
    "never-taken": "No input and no time leads through a transition.",
    "not-repeatable": "The same script does not always lead to the same moment.",
}
"""The same for the findings of a walk through the machine; see `fsmkit.exploring`."""

ALL_DESCRIPTIONS: Final = {**DESCRIPTIONS, **WALK_DESCRIPTIONS}


MOST_NAMES: Final = 8
"""How many names a message shows; of the others it gives the number."""


@frozen
class Place:
    """The place of a finding.

    >>> print(Place("Guard", "Patrol", "actions[0] (Move)"))
    Fsm 'Guard', state 'Patrol', actions[0] (Move)
    """

    machine: str
    """Its name; that of a nested machine begins with the outer machine's name and a slash."""
    state: str | None = None
    """The name of the state; None if it concerns the whole machine."""
    action: str | None = None
    """The action of the state, as in the notes of errors: `actions[0] (Move)`."""
    event: str | None = None
    """The event, if it is about one."""
    file: str | None = field(default=None, eq=False)
    """The path of the file that added its subject; None if that was not noted."""
    line: int | None = field(default=None, eq=False)
    """The line in that file. Findings that differ in nothing else are equal."""
    group: str | None = None
    """The name of the group of states, if it is about one."""

    @property
    def code(self) -> CodePlace | None:
        """File and line, if they are known."""
        return None if self.file is None or self.line is None else CodePlace(self.file, self.line)

    @property
    def inside(self) -> str:
        """The place within the machine; empty for the whole machine."""
        state = None if self.state is None else f"state {self.state!r}"
        group = None if self.group is None else f"group {self.group!r}"
        return ", ".join(part for part in (state, group, self.action) if part is not None)

    def finding(
        self, code: str, message: str, advice: str, *, severity: Severity | None = None
    ) -> Finding:
        """Return a finding here; its code decides the severity, unless one is given."""
        usual: Severity = "error" if code in ERRORS else "warning"
        return Finding(code, severity or usual, self, message, advice)

    def __str__(self) -> str:
        return ", ".join(filter(None, (f"Fsm {self.machine!r}", self.inside)))


@frozen
class Finding:
    """Something about a machine that its author should know.

    >>> place = Place("Guard", "Patrol")
    >>> print(Finding("no-way-out", "warning", place, "Nothing leads out.", "Add a transition."))
    warning no-way-out: Fsm 'Guard', state 'Patrol': Nothing leads out. Add a transition.
    """

    code: str
    """One of `CODES`."""
    severity: Severity
    place: Place
    message: str
    """The problem, in one sentence."""
    advice: str
    """The remedy."""

    def __str__(self) -> str:
        line = "" if self.place.code is None else f"{self.place.code}: "
        return f"{line}{self.severity} {self.code}: {self.place}: {self.message} {self.advice}"


def joined(names: Sequence[str], word: str = "and") -> str:
    """Return quoted names as a part of a sentence.

    >>> joined(["'A'"]), joined(["'A'", "'B'", "'C'"], "or"), joined(["x"] * 10)
    ("'A'", "'A', 'B' or 'C'", 'x, x, x, x, x, x, x, x and 2 more')
    """
    if len(names) <= MOST_NAMES:
        return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"


def advice_on_name(
    meant: str | None, otherwise: str, known: Iterable[str] = (), where: str = "here"
) -> str:
    """Return what to do about an unknown event: the name that was meant, or those `known`."""
    if meant is not None:
        return f"Did you mean {meant!r}?"
    names = [*map(quote, known)]
    shown = ", ".join(names) if len(names) <= MOST_NAMES else joined(names)
    return f"Known {where}: {shown}. {otherwise}" if names else otherwise

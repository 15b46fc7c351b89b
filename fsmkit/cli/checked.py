"""CheckedTarget: what `fsmkit check` has found about one of its targets."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmGroup
from fsmkit.checking import CODES, Finding
from fsmkit.checking.checker import findings_in
from fsmkit.checking.comments import Comments, IgnoreComment
from fsmkit.checking.events import all_actions, events_of, is_known_in, taken_in
from fsmkit.checking.finding import ALL_DESCRIPTIONS
from fsmkit.checking.ignoring import Ignores
from fsmkit.cli.errors import CommandError
from fsmkit.cli.explore_option import Explorer, new_findings
from fsmkit.cli.folders import expanded
from fsmkit.cli.settings import CheckSettings, settings_for
from fsmkit.cli.targets import apart, find, folder_of
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.tooling.code_place import CodePlace
from fsmkit.tooling.nesting import MachineNames, members
from fsmkit.tooling.places import noting_places


@define
class CheckedTarget:
    """A target with what was found about its machines, or why they could not be checked."""

    name: str
    settings: CheckSettings = field(factory=CheckSettings)
    error: CommandError | None = None
    place: CodePlace | None = None
    """The line of the function that builds, for findings that have none of their own."""
    findings: list[Finding] = field(factory=list)
    machines: int = 0
    states: int = 0
    walk: str = ""
    """How far a walk through the machines came; empty if there was none."""
    is_walked: bool = True
    """False if a walk has left something out."""

    def fails(self, *, strict: bool) -> bool:
        """Return True if there is an error, or a warning where that is as bad."""
        bad = {"error", "warning"} if strict or self.settings.strict else {"error"}
        return any(finding.severity in bad for finding in self.findings)


class Checking:
    """A check of several targets, each by itself, but with the same comments.

    `ignore` and `inputs` are what the command line says, the events with the data to try. With an
    `explorer` the machines are walked through as well. If it `is_quiet`, what the targets print
    goes to the errors, so that it does not get among the output.
    """

    def __init__(
        self,
        ignore: Sequence[str],
        explorer: Explorer | None = None,
        inputs: Mapping[str, Sequence[object]] | None = None,
        *,
        is_quiet: bool,
    ) -> None:
        self._ignore = ignore
        self._explorer = explorer
        self._inputs = inputs
        self._is_quiet = is_quiet
        self._comments = Comments()
        self._met: list[tuple[IgnoreComment, CheckedTarget, Ignores]] = []
        self._names: set[str] = set()
        """The states and events of all machines."""
        self._used: set[str] = set()
        """What of `ignore` was needed."""

    def check(self, targets: Iterable[str]) -> list[CheckedTarget]:
        """Check the targets; folders stand for the files in them.

        Raises CommandError for settings that are wrong, and for ignored names that nothing has.
        """
        checked = list({target.name: target for target in _targets(targets)}.values())
        for target in checked:
            if target.error is None:
                self._check(target)
        for comment, target, ignores in self._met:
            complaints = comment.complaints(CODES if self._explorer is None else ALL_DESCRIPTIONS)
            target.findings += [each for each in complaints if not ignores.covers(each)]
        if not any(target.error for target in checked):
            self._check_names()
        return checked

    def _check(self, target: CheckedTarget) -> None:
        try:
            with apart():
                self._check_machines(target)
        except CommandError as error:
            target.error = error

    def _check_machines(self, target: CheckedTarget) -> None:
        ignores = Ignores((*self._ignore, *target.settings.ignore), self._comments)
        is_apart = redirect_stdout(sys.stderr) if self._is_quiet else nullcontext()
        with noting_places() as places, is_apart:
            build = find(target.name)
            target.place = build.place
            machines = build()
        try:
            inputs = self._inputs or _project_inputs(target, machines)
            found = findings_in(machines, ignores, places, inputs)
        except Exception as error:
            raise CommandError(f"{build.label!r} cannot be checked.") from error
        target.findings = found
        if self._explorer is not None:
            exploration = self._explorer.walk(build, inputs)
            target.findings += new_findings(exploration, machines, places, ignores, found)
            target.walk, target.is_walked = exploration.summary, exploration.is_complete
        named = list(MachineNames().add(members(machines)))
        target.machines = len(named)
        target.states = sum(len(machine.states) for _, machine, _ in named)
        self._met += [(comment, target, ignores) for comment in self._comments.meet(places)]
        self._names.update(name for _, machine, _ in named for name in _names(machine))
        self._used |= ignores.used

    def _check_names(self) -> None:
        for text in self._ignore:
            _, colon, name = text.partition(":")
            if colon and text not in self._used and name not in self._names:
                raise CommandError(
                    f"--ignore {text}: there is no state and no event {name!r}. "
                    f"{did_you_mean(name, self._names) or 'Check the spelling.'}".rstrip()
                )


def _targets(names: Iterable[str]) -> Iterator[CheckedTarget]:
    for name in names:
        try:
            found = expanded(name)
        except CommandError as error:
            yield CheckedTarget(name, error=error)
        else:
            for each in found:
                yield CheckedTarget(each, settings_for(folder_of(each)))


def _project_inputs(target: CheckedTarget, machines: Fsm[Any] | FsmGroup) -> tuple[str, ...] | None:
    """Return those of the project's inputs that these machines know; None if it names none."""
    named = target.settings.inputs
    known = [event for event in named if any(is_known_in(m, event) for m in members(machines))]
    return tuple(known) if named else None


def _names(machine: Fsm[Any]) -> Iterator[str]:
    yield from machine.states
    yield from machine.global_transitions
    for state in machine.states.values():
        yield from state.transitions
        yield from taken_in(state)
        for action in all_actions(state):
            yield from events_of(action)

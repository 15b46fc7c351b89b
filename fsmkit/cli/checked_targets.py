"""The targets of `fsmkit check`: their machines, checked and explored, and the findings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any, Final

from attrs import define, evolve, field

from fsmkit import Fsm, FsmGroup
from fsmkit.checking import CODES, Finding
from fsmkit.checking.checker import findings_in
from fsmkit.checking.finding import ALL_DESCRIPTIONS
from fsmkit.checking.ignores import Comments, IgnoreComment, Ignores
from fsmkit.checking.subject import located
from fsmkit.cli.command_errors import CommandError
from fsmkit.cli.settings import CheckSettings, settings_for
from fsmkit.cli.targets import BuildFunction, apart, expanded, find, folder_of
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.introspection import walk
from fsmkit.introspection.code_place import CodePlace, place_of_function
from fsmkit.introspection.definition_sites import DefinitionSites, noting_places
from fsmkit.introspection.known_events import handled_events, may_know, sent_events, taken_events
from fsmkit.introspection.nesting import MachineNames, members
from fsmkit.terminal.progress import Progress

if TYPE_CHECKING:
    from fsmkit.exploring import Exploration, ExploredFinding, Paths
    from fsmkit.exploring.inputs import Inputs

TWINS: Final = {
    "never-left": "no-way-out",
    "never-entered": "unreachable-state",
    "never-taken": "shadowed-transition",
}
"""Codes of walks -> codes of checks that say the same: one of the two is enough."""


@define
class CheckedTarget:
    name: str
    settings: CheckSettings = field(factory=CheckSettings)
    error: CommandError | None = None
    place: CodePlace | None = None
    """The line of the function that builds, for findings without a line of their own."""
    findings: list[Finding] = field(factory=list)
    machines: int = 0
    states: int = 0
    walk: str = ""
    """The extent of a walk through the machines; empty without one."""
    is_walked: bool = True
    """False if a walk was incomplete."""
    paths: Paths | None = None
    """Scripts that together take every transition, if they were asked for."""

    def fails(self, *, strict: bool) -> bool:
        bad = {"error", "warning"} if strict or self.settings.strict else {"error"}
        return any(finding.severity in bad for finding in self.findings)


@define
class Checking:
    ignore: Sequence[str]
    """As on the command line."""
    explore_options: Mapping[str, Any] | None
    """The parameters of `explore`, which walks through the machines; None to only check them."""
    inputs: Mapping[str, Sequence[object]] | None
    """The events from outside, with the data to try; None if the command line has none."""
    with_paths: bool
    """True for scripts that together take every transition, after a walk."""
    is_quiet: bool
    """True if the targets print to stderr, to keep stdout for the findings."""
    _comments: Comments = field(factory=Comments, init=False)
    _met: list[tuple[IgnoreComment, CheckedTarget, Ignores]] = field(factory=list, init=False)
    _names: set[str] = field(factory=set, init=False)
    """The states and events of all machines."""
    _used: set[str] = field(factory=set, init=False)
    """The members of `ignore` that matched a finding."""

    def check(self, targets: Iterable[str]) -> list[CheckedTarget]:
        """Check the targets; folders stand for the files in them.

        Raises CommandError for wrong settings, and for ignored names that do not exist.
        """
        checked = list({target.name: target for target in _targets(targets)}.values())
        for target in checked:
            if target.error is None:
                self._check(target)
        for comment, target, ignores in self._met:
            complaints = comment.complaints(
                CODES if self.explore_options is None else ALL_DESCRIPTIONS
            )
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
        ignores = Ignores((*self.ignore, *target.settings.ignore), self._comments)
        is_apart = redirect_stdout(sys.stderr) if self.is_quiet else nullcontext()
        with noting_places() as places, is_apart:
            build = find(target.name)
            target.place = place_of_function(build.function)
            machines = build()
        try:
            inputs = self.inputs or _project_inputs(target, machines)
            found = findings_in(machines, ignores, places, inputs)
        except Exception as error:
            raise CommandError(f"{build.label!r} cannot be checked.") from error
        target.findings = found
        if self.explore_options is not None:
            exploration = _explored(build, inputs, self.explore_options)
            target.findings += _new_findings(exploration, machines, places, ignores, found)
            target.walk, target.is_walked = exploration.summary, exploration.is_complete
            if self.with_paths:
                target.paths = _covering_paths(exploration)
        named = list(MachineNames().add(members(machines)))
        target.machines = len(named)
        target.states = sum(len(machine.states) for _, machine, _ in named)
        self._met += [(comment, target, ignores) for comment in self._comments.meet(places)]
        self._names.update(name for _, machine, _ in named for name in _names(machine))
        self._used |= ignores.used

    def _check_names(self) -> None:
        for text in self.ignore:
            _, colon, name = text.partition(":")
            if colon and text not in self._used and name not in self._names:
                raise CommandError(
                    f"--ignore {text}: there is no state and no event {name!r}. "
                    f"{did_you_mean(name, self._names) or 'Check the spelling.'}".rstrip()
                )


def _explored(
    build: BuildFunction, inputs: Inputs | None, options: Mapping[str, Any]
) -> Exploration:
    """Walk through the machines that `build` returns. Raises CommandError if that fails."""
    from fsmkit.exploring.exploration import MOMENTS, explore  # here, because it is slow to import

    def named() -> Fsm[Any] | FsmGroup:
        return build()

    named.__module__ = build.module  # by these names a test imports it
    named.__name__ = named.__qualname__ = build.name
    try:
        with Progress(f"exploring {build.label}", options.get("moments", MOMENTS)) as progress:
            return explore(named, inputs=inputs, progress=progress.show, **options)
    except CommandError:
        raise
    except Exception as error:
        raise CommandError(f"{build.label!r} cannot be walked through.") from error


def _covering_paths(exploration: Exploration) -> Paths:
    from fsmkit.exploring.exploration import covering_paths

    try:
        return covering_paths(exploration)
    except TypeError as error:  # for a group of machines there are none
        raise CommandError(str(error)) from None


def _new_findings(
    exploration: Exploration, machines: Fsm[Any] | FsmGroup, places: DefinitionSites,
    ignores: Ignores, known: Sequence[Finding],
) -> Iterator[ExploredFinding]:  # fmt: skip
    said = {(each.code, evolve(each.place, action=None, event=None)) for each in known}
    for finding in located(exploration.findings, machines, places):
        twin = TWINS.get(finding.code, finding.code)
        is_said = (twin, evolve(finding.place, action=None, event=None)) in said
        if not is_said and not ignores.covers(finding) and not _covers_twin(ignores, finding, twin):
            yield finding


def _covers_twin(ignores: Ignores, finding: ExploredFinding, twin: str) -> bool:
    return twin != finding.code and ignores.covers(evolve(finding, code=twin))


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
    """Return the project's inputs that these machines know; None if it lists no inputs."""
    named = target.settings.inputs
    known = [event for event in named if any(may_know(m, event) for m in members(machines))]
    return tuple(known) if named else None


def _names(machine: Fsm[Any]) -> Iterator[str]:
    yield from (*machine.states, *handled_events(machine))
    for state in walk.states(machine):
        yield from taken_events(state)
    for action in walk.actions(machine, "enabled"):
        yield from sent_events(action)

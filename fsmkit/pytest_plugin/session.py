"""A test session with `--fsm-cover`: watches all machines, counts what they take, and reports.

The processes of pytest-xdist send their counts to the one that reports.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from attrs import define

from fsmkit import Fsm, FsmState
from fsmkit.introspection.code_place import OUR_FOLDERS, calling_place, is_ours
from fsmkit.pytest_plugin.cover import Cover, MachineCover, page, summary
from fsmkit.terminal.atomic_file import write_atomically

OUTPUT: Final = "fsmkit_cover"
"""The key under which processes of pytest-xdist send their counts."""

MADE_BY: Final = ("__init__", "__setstate__")
"""The methods that begin a machine; the second one begins a copy."""

FOLDER: Final = OUR_FOLDERS[0] / "pytest_plugin"

MAKERS: Final = ("core", "classic.py", "polled.py", "crowd/machine.py")
"""The files and folders in which machines of users are made."""

MAKING: Final = (str(FOLDER), *(str(FOLDER.parent / name) for name in MAKERS))
"""Files whose code runs while a machine of a user is made and watched."""


class CoverSession:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.options = config.option
        self.cover = Cover()
        self._page_fault = ""
        self._crashed = 0
        config.add_cleanup(watch_all(self.cover, config.rootpath))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the counts of a process of pytest-xdist, unless it crashed."""
        output = getattr(node, "workeroutput", {})
        self._crashed += OUTPUT not in output
        if OUTPUT in output:
            self.cover.add(pickle.loads(output[OUTPUT]))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the counts to the process that adds them up; that one writes and judges."""
        if (output := getattr(self.config, "workeroutput", None)) is not None:  # of a process
            output[OUTPUT] = pickle.dumps(self.cover)
        elif not self.options.collectonly:
            self.cover = self.cover.of_those(self.options.fsm_cover_of)
            self._write_page()
            has_failed = self._is_too_little or self._page_fault
            if has_failed and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.options.collectonly:
            return
        terminalreporter.section("coverage of machines")
        for line in summary(self.cover, self.options.fsm_cover_of):
            terminalreporter.line(line)
        if self._crashed:
            terminalreporter.line("Counts from a crashed process are missing here.")
        if self.options.fsm_cover_html:
            path = self.options.fsm_cover_html
            terminalreporter.line(self._page_fault or f"The pictures are in {path}.")
        if self._is_too_little:
            terminalreporter.line(f"FAILED: {self._too_little()}", red=True)

    @property
    def _is_too_little(self) -> bool:
        wanted = self.options.fsm_cover_fail_under
        return bool(wanted) and (not self.cover.machines or self.cover.percent < wanted)

    def _too_little(self) -> str:
        wanted = f"{self.options.fsm_cover_fail_under:g} %"
        if not self.cover.machines:
            return f"there were no transitions to take {wanted} of."
        return f"{self.cover.percent:.1f} % of the transitions were taken, fewer than {wanted}."

    def _write_page(self) -> None:
        if path := self.options.fsm_cover_html:
            file = self.config.invocation_params.dir / path
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(file, page(self.cover))
            except (ImportError, OSError) as error:
                self._page_fault = f"No pictures in {path}: {error}"


def watch_all(cover: Cover, root: Path) -> Callable[[], None]:
    """Count in `cover` what machines made from now on take; return the undo.

    Machines that the library makes for itself are left out, such as the one of a GoapAgent. The
    places where machines are made are relative to `root`.
    """

    def watch(fsm: Fsm[Any]) -> None:
        if not _is_of_library():
            fsm.observe(_CoverObserver(cover, _place(root)))

    patch = pytest.MonkeyPatch()
    for name in MADE_BY:
        patch.setattr(Fsm, name, _followed_by(getattr(Fsm, name), watch))
    return patch.undo


@define(eq=False)
class _CoverObserver:
    cover: Cover
    place: str
    _counts: MachineCover | None = None
    """None until the machine has been started."""
    _event: str = ""
    """The last one that changed the state."""

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Remember an event that may lead back to a suspended state: `state_resumed` has none."""
        if outcome == "changed":
            self._event = event

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        self._count(fsm, state, event, state.name)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self._count(fsm, state, self._event, None)

    def _count(
        self, fsm: Fsm[Any], state: FsmState[Any], event: str | None, target: str | None
    ) -> None:
        counts = self._counts
        if counts is None or state.name not in counts.states:
            counts = self._read(fsm)
        counts.states[state.name] += 1
        source = fsm.previous_state
        if event is None or source is None:
            return
        arrow = (source.name, event, target)
        if not counts.knows(arrow):  # it was added while the machine ran
            counts = self._read(fsm)
        if counts.knows(arrow):
            counts.taken[arrow] += 1

    def _read(self, fsm: Fsm[Any]) -> MachineCover:
        counts = self._counts = self.cover.of(self.place)
        counts.read(fsm)
        return counts


def _followed_by(method: Callable[..., None], then: Callable[[Fsm[Any]], None]) -> Any:
    @wraps(method)
    def watched(self: Fsm[Any], *arguments: Any, **named: Any) -> None:
        method(self, *arguments, **named)
        then(self)

    return watched


def _is_of_library() -> bool:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(MAKING):
        frame = frame.f_back
    return frame is not None and is_ours(frame.f_code.co_filename)


def _place(root: Path) -> str:
    """Return the line that makes the machine, such as `guard.py:14`."""
    place = calling_place()
    if place is None:
        return "(elsewhere)"
    path = Path(place.file)
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return f"{shown.as_posix()}:{place.line}"

"""Covering: counts during the tests, and reports at the end, for one process or for several."""

from __future__ import annotations

from typing import Any, Final

import pytest

from fsmkit.pytest_plugin.cover import Cover
from fsmkit.pytest_plugin.page import page
from fsmkit.pytest_plugin.summary import summary
from fsmkit.pytest_plugin.watching import watch_all
from fsmkit.tooling.atomic_file import write_atomically

OUTPUT: Final = "fsmkit_cover"
"""Under this key, processes of pytest-xdist send what they have counted."""


class Covering:
    """The part of the plugin that is at work with `--fsm-cover`."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.options = config.option
        self.cover = Cover()
        self._page_fault = ""
        self._crashed = 0
        config.add_cleanup(watch_all(self.cover, config.rootpath))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what a process of pytest-xdist has counted, unless it crashed."""
        output = getattr(node, "workeroutput", {})
        self._crashed += OUTPUT not in output
        self.cover.add(Cover.from_plain(output.get(OUTPUT, ())))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what was counted to the process that adds it up; that one writes and judges."""
        if hasattr(self.config, "workerinput"):  # one of several processes
            self.config.workeroutput[OUTPUT] = self.cover.to_plain()  # type: ignore[attr-defined]
        elif not self.options.collectonly:
            self.cover = self.cover.of_those(self.options.fsm_cover_of)
            self._write_page()
            has_failed = self._is_too_little or self._page_fault
            if has_failed and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Report."""
        if self.options.collectonly:
            return
        terminalreporter.section("coverage of machines")
        for line in summary(self.cover, self.options.fsm_cover_of):
            terminalreporter.line(line)
        if self._crashed:
            terminalreporter.line("What tests took in a process that crashed is missing here.")
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
            return f"there was nothing to take {wanted} of."
        return f"{self.cover.percent:.1f} % of the transitions were taken, fewer than {wanted}."

    def _write_page(self) -> None:
        if path := self.options.fsm_cover_html:
            file = self.config.invocation_params.dir / path
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(file, page(self.cover))
            except (ImportError, OSError) as error:
                self._page_fault = f"No pictures in {path}: {error}"

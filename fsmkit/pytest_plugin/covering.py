"""Covering: counts during the tests, and reports at the end, for one process or for several."""

from __future__ import annotations

from collections.abc import Generator
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
        config.add_cleanup(watch_all(self.cover, config.rootpath))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what a process of pytest-xdist has counted, unless it crashed."""
        self.cover.add(Cover.from_plain(getattr(node, "workeroutput", {}).get(OUTPUT, ())))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """After all tests, write the page, and fail if too little was taken."""
        result = yield
        if not self._is_one_of_several:
            self.cover = self.cover.of_those(self.options.fsm_cover_of)
            self._write_page()
            if self._is_too_little or self._page_fault:
                session.testsfailed += 1
        return result

    def pytest_sessionfinish(self) -> None:
        """Send what was counted to the process that adds it up."""
        if self._is_one_of_several:
            self.config.workeroutput[OUTPUT] = self.cover.to_plain()  # type: ignore[attr-defined]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Report."""
        terminalreporter.section("coverage of machines")
        for line in summary(self.cover):
            terminalreporter.line(line)
        if self.options.fsm_cover_html:
            path = self.options.fsm_cover_html
            terminalreporter.line(self._page_fault or f"The pictures are in {path}.")
        if self._is_too_little:
            wanted = self.options.fsm_cover_fail_under
            terminalreporter.line(
                f"FAILED: {self.cover.percent:.1f} % of the transitions were taken, fewer than "
                f"{wanted:g} %.",
                red=True,
            )

    @property
    def _is_one_of_several(self) -> bool:
        return hasattr(self.config, "workerinput")

    @property
    def _is_too_little(self) -> bool:
        wanted = self.options.fsm_cover_fail_under
        return wanted is not None and self.cover.percent < wanted

    def _write_page(self) -> None:
        if path := self.options.fsm_cover_html:
            try:
                write_atomically(path, page(self.cover))
            except (ImportError, OSError) as error:
                self._page_fault = f"No pictures in {path}: {error}"

"""Fixtures for the tests of commands, and what is collected here."""

import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from fsmkit.cli import main
from fsmkit.cli.targets import apart

Command: TypeAlias = Callable[..., tuple[int, list[str], list[str]]]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Leave out the search for doctests, which are in what is shipped and not in tests."""
    collectors = yield
    return [each for each in collectors if type(each).__name__ != "DoctestModule"]


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_is_heard() -> None:
    """Let commands be ended by SIGINT, also where a shell runs the tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, whose modules are forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Carries out a command line; gives the exit code and the lines of its output and errors."""

    def carry_out(*arguments: str) -> tuple[int, list[str], list[str]]:
        try:
            with apart():  # as each command has a process of its own
                exit_code = main(arguments)
        except SystemExit as end:  # argparse's way
            exit_code = int(end.code or 0)
        printed = capsys.readouterr()
        return exit_code, printed.out.splitlines(), printed.err.splitlines()

    return carry_out

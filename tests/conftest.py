"""Fixtures for the tests of commands, and what is collected here."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from fsmkit.cli import main
from fsmkit.cli.targets import apart

BROWSERS: Final = "chromium-headless-shell", "chromium", "chromium-browser"
"""The first draws no windows, and takes a third of the processor time of the others."""
CHROMIUM: Final = next(filter(None, map(shutil.which, BROWSERS)), None)
PATIENCE: Final = 30_000
"""Milliseconds for what a page is to show; a busy machine is slow, but not wrong."""

ROOT: Final = Path(__file__).parents[1]

sys.path.insert(0, str(Path(__file__).parent))  # for every

Command: TypeAlias = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_is_heard() -> None:
    """Let commands be ended by SIGINT, also where a shell runs the tests in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def folder(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder to work in, whose modules are forgotten afterwards."""
    namesakes = f"{ROOT / 'examples'}{os.sep}", f"{tmp_path_factory.getbasetemp()}{os.sep}"
    for name in [*sys.modules]:
        if _file_of(sys.modules[name]).startswith(namesakes):
            monkeypatch.delitem(sys.modules, name)
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in set(sys.modules) - before:
        if _file_of(sys.modules[name]).startswith(f"{tmp_path}{os.sep}"):
            del sys.modules[name]


def _file_of(module: object) -> str:
    """Return where it was imported from, as text: paths are slow, and modules are many."""
    return str(getattr(module, "__file__", None))


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


@pytest.fixture(scope="module")  # no longer: while it is open, asyncio can run nothing else
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no chromium on the PATH")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()

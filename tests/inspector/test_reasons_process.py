"""Whether a part can be edited is found out in a process beside the game, which goes on."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from threading import enumerate as threads
from time import sleep
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from fsmkit.cli.targets import find
from fsmkit.editing import Editor

pytestmark = pytest.mark.slow

GUARD = """\
print("hello")

from actions import TimedWait
from fsmkit import Fsm


def build() -> Fsm[None]:
    print("built")
    guard = Fsm("Guard")
    patrol = guard.add_state("Patrol")
    patrol.add_action(TimedWait(5.0))
    for number in range(2):
        guard.add_state(f"Sit {number}")
    return guard
"""

Opened = Callable[[], Any]


@pytest.fixture
def opened(folder: Path, inspected: Callable[..., Any]) -> Opened:
    """Open a page of a game that stands still."""

    def opened() -> Any:
        (folder / "guard.py").write_text(GUARD)
        build: Any = find("guard.py").function
        page = inspected(build(), editing=Editor(build, folder), editor="vscode")
        page.update = lambda: None
        return page

    return opened


def reasons(page: Any, **wanted: Any) -> Any:
    while not (answer := page.ask("reasons", **wanted)).get("complete", "error" in answer):
        pass
    return answer


def test_reasons_come_while_the_game_stands_still(opened: Opened, folder: Path) -> None:
    page = opened()
    assert reasons(page, state="Patrol")["state"] == {
        "rename": None, "remove": None, "final": None,
    }  # fmt: skip
    assert reasons(page, state="Sit 0")["state"]["rename"] == {
        "reason": "the name 'Sit 0' is computed",
        "file": "guard.py",
        "line": 13,
        "place": {
            "text": "guard.py:13",
            "path": "guard.py:13",
            "link": f"vscode://file/{(folder / 'guard.py').as_posix().lstrip('/')}:13",
        },
        "shared": [],
    }


def test_they_are_those_of_the_file_as_it_is_now(opened: Opened, folder: Path) -> None:
    page = opened()
    assert "error" not in reasons(page, state="Patrol")
    (folder / "guard.py").write_text(GUARD.replace('"Patrol"', '"March"'))
    assert reasons(page, state="March")["state"]["rename"] is None
    assert reasons(page, state="Patrol")["error"] == "The code builds no state 'Patrol' of 'Guard'."
    (folder / "guard.py").write_text("import nothing_like_that\n")
    assert "ModuleNotFoundError" in reasons(page, state="March")["error"]


def test_a_process_that_has_ended_is_followed_by_another(opened: Opened, folder: Path) -> None:
    page = opened()
    (folder / "guard.py").write_text("import os\n\nos._exit(3)\n")
    assert reasons(page, state="Patrol")["error"] == "The process that tries edits has ended."
    (folder / "guard.py").write_text(GUARD)
    assert reasons(page, state="Patrol")["state"]["rename"] is None


def test_it_ends_with_the_inspector(opened: Opened) -> None:
    page = opened()
    before = {*threads()}
    reasons(page, state="Patrol")
    (thread,) = [each for each in threads() if each not in before and each.daemon]
    assert isinstance(thread, Thread)
    page.inspector.close()
    thread.join(60.0)
    assert not thread.is_alive()


def test_it_ends_with_the_inspector_in_a_build_that_does_not(opened: Opened, folder: Path) -> None:
    page = opened()
    before = {*threads()}
    reasons(page, state="Patrol")
    (thread,) = [each for each in threads() if each not in before and each.daemon]
    stuck = folder / "stuck"
    (folder / "guard.py").write_text(f"open({str(stuck)!r}, 'w').close()\nwhile True: pass\n")

    def ask() -> None:
        with suppress(ConnectionClosed):  # as the inspector is closed before it answers
            page.ask("reasons", state="Patrol")

    asking = Thread(target=ask)
    asking.start()
    while not stuck.exists():
        sleep(0.001)
    page.inspector.close()
    asking.join()
    thread.join(60.0)
    assert not thread.is_alive()

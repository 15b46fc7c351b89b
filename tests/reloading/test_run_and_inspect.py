"""`fsmkit run --reload` and `fsmkit inspect --reload`."""

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fsmkit import FsmGroup
from fsmkit.reloading import Reloader

Command = Callable[..., tuple[int, list[str], list[str]]]

GUARD = """
from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm

def build():
    fsm = Fsm("Guard")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(1.0))
    rest.add_action(TimedWait(1.0))
    patrol.add_transition(FINISHED, rest)
    rest.add_transition(FINISHED, patrol)
    return fsm
"""


@pytest.fixture
def edits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[float, tuple[str, str]]:
    """What is replaced in `guard.py`, by the second; Ctrl-C where there is an empty text."""
    (folder / "guard.py").write_text(GUARD, "utf-8")
    planned: dict[float, tuple[str, str]] = {}
    now = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        for second in [second for second in planned if second <= now]:
            old, new = planned.pop(second)
            if not old:
                raise KeyboardInterrupt
            source = (folder / "guard.py").read_text("utf-8")
            assert old in source
            (folder / "guard.py").write_text(source.replace(old, new), "utf-8")

    monkeypatch.setattr("fsmkit.timing.time.monotonic", lambda: now)
    monkeypatch.setattr("fsmkit.timing.time.sleep", sleep)
    return planned


def shortened(lines: list[str]) -> list[str]:
    """The lines without the blanks before them."""
    return [line.strip() for line in lines]


def test_a_run_continues_with_what_has_changed(edits: Any, command: Command) -> None:
    edits[1.4] = ('"Rest"', '"Sleeping"')
    edits[2.4] = ("1.0", "0.25")
    edits[4.0] = ("", "")
    exit_code, lines, errors = command("run", "guard.py", "--reload", "--fps=4")
    assert (exit_code, errors) == (130, [])
    assert shortened(lines)[:14] == [
        "time  machine  from    event      to",
        "0.00 s  Guard            (start)    Patrol",
        "1.00 s  Guard    Patrol  FINISHED   Rest",
        "1.50 s  guard.py has changed: Guard goes on in 'Sleeping', at 0.50 s.",
        "Guard: 'Rest' is now 'Sleeping'.",
        "2.00 s  Guard    Sleeping  FINISHED   Patrol",
        "2.50 s  guard.py has changed: Guard goes on in 'Patrol', at 0.50 s.",
        (
            "Guard: TimedWait of 'Patrol' goes on as it was entered; duration=0.25 (it was 1.0) "
            "takes effect on its next visit."
        ),
        "3.00 s  Guard    Patrol    FINISHED   Sleeping",
        "3.25 s  Guard    Sleeping  FINISHED   Patrol",
        "3.50 s  Guard    Patrol    FINISHED   Sleeping",
        "3.75 s  Guard    Sleeping  FINISHED   Patrol",
        "",
        "Guard",
    ]
    assert [line.split()[:2] for line in lines[14:]] == [
        ["Patrol", "2.25"], ["Sleeping", "1.00"], ["Rest", "0.50"],
    ]  # fmt: skip


def test_an_error_makes_it_wait_until_the_code_has_changed(edits: Any, command: Command) -> None:
    edits[0.4] = (
        "rest.add_action(",
        "rest.add_action(DelegateAction(lambda: 1 / 0)); rest.add_action(",
    )
    edits[2.4] = ("1 / 0", "None")
    exit_code, lines, errors = command("run", "guard.py", "--reload", "--fps=4", "--seconds=4")
    assert (exit_code, errors) == (0, [])
    assert shortened(lines)[2:12] == [
        "0.50 s  guard.py has changed: Guard goes on in 'Patrol', at 0.50 s.",
        "1.00 s  Guard    Patrol  FINISHED   Rest",
        "1.00 s  ZeroDivisionError: division by zero",
        "Fsm 'Guard', state 'Rest', actions[0] (DelegateAction), on_enter",
        "in guard.py, line 9, <lambda>",
        "The machines wait until the code has changed.",
        "2.50 s  guard.py has changed: Guard goes on in 'Rest', at 0.00 s.",
        "3.50 s  Guard    Rest    FINISHED   Patrol",
        "",
        "Guard",
    ]


def test_the_page_says_what_is_wrong_with_the_new_code(
    edits: Any, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(package)
    from fsmkit.inspector.live.session import Session

    noted: list[str] = []
    monkeypatch.setattr(Session, "note", lambda _, text: noted.append(text))
    in_time = partial(Reloader, clock=time.monotonic)  # which `edits` has replaced
    monkeypatch.setattr("fsmkit.cli.inspect.Reloader", in_time)
    edits[1.4] = ("def build():", "def build(:")
    edits[2.4] = ("def build(:", "def built():")
    edits[3.4] = ("def built():", "def build():")
    edits[5.0] = ("", "")
    exit_code, _, errors = command("inspect", "guard.py", "--reload", "--fps=4")
    assert exit_code == 0
    assert [each.splitlines()[0] for each in noted] == [
        "guard.py has changed, but the code cannot be imported, so the old machines go on.",
        "guard.py has changed, but build() cannot take over, so the old machines go on.",
        "the code has changed",
    ]
    assert noted[0].endswith("SyntaxError: invalid syntax")
    assert {line for each in noted[:2] for line in each.splitlines()} <= {*errors}


def test_the_page_shows_the_new_machine(game: Any) -> None:
    for package in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(package)
    from fsmkit.inspector import inspect

    game.build(GUARD)
    group = game.machines = FsmGroup([game.machines])
    game.frame()
    for machine in group:
        machine.start()
    with inspect(group, announce=None) as inspector:
        session = inspector.session
        group.update(0.1)
        before = session.subscribers.watched("Guard")
        game.replace('"Rest"', '"Sleep"')
        inspector.note_exchange("the code has changed")
        group.update(0.1)
        watched = session.subscribers.watched("Guard")
        assert (watched is before, [watched.machine]) == (False, list(group))
        assert list(watched.machine.states) == ["Patrol", "Sleep"]


def test_the_past_of_a_machine_goes_on_with_its_successor(game: Any) -> None:
    from fsmkit.inspector.local import LocalInspector

    game.build(GUARD)
    group = game.machines = FsmGroup([game.machines])
    game.frame()
    for machine in group:
        machine.start()
    with LocalInspector(group, watch={"age": lambda _: next(iter(group)).time}) as inspector:
        session: Any = inspector.session
        page = inspector.open()
        for _ in range(4):
            group.update(0.5)
        before = session.subscribers.watched("Guard")
        log = [(each["kind"], each.get("state")) for each in before.log.since(0)]
        began = before.plots.since([(("watch", "age"), -1.0)], session.now())[0]["times"][0]
        seconds = session.journal.past(before.machine).seconds
        frames = [json.loads(page.take() or "{}") for _ in range(3)]
        assert [frame.get("left") for frame in frames if "left" in frame] == [[]]

        game.replace('"Rest"', '"Sleep"')
        inspector.note_exchange("the code has changed")
        group.update(0.5)

        after = session.subscribers.watched("Guard")
        assert (after is before, after.machine) == (False, next(iter(group)))
        now = [(each["kind"], each.get("state")) for each in after.log.since(0)]
        assert now[: len(log)] == log
        assert [text for text in (each.get("text") for each in after.log.since(0)) if text] == [
            "the code has changed"
        ]
        assert after.plots.since([(("watch", "age"), -1.0)], session.now())[0]["times"][0] == began
        assert session.journal.past(after.machine).seconds.keys() >= seconds.keys()
        frame = json.loads(page.take() or "{}")
        assert (frame["reset"], frame["left"], frame["joined"]) == (False, [], [])
        assert frame["exchanges"] == [2.0]
        assert frame["detail"]["machine"] == "Guard"
        assert {"kind": "note", "text": "the code has changed"}.items() <= frame["log"][-1].items()

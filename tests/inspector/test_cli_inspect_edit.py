"""`fsmkit inspect --edit`: the page changes the file, and the machine goes on with it."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fsmkit.cli import main

for package in ("starlette", "uvicorn", "websockets"):
    pytest.importorskip(package)

from websockets.sync.client import connect  # noqa: E402  # it is of the extra

LAMP = """\
from actions import TimedWait
from fsmkit import Fsm


def build():
    lamp = Fsm("Lamp")
    off = lamp.add_state("Off")
    on = lamp.add_state("On")
    on.add_action(TimedWait(1000.0))  # seconds
    off.add_transition("PRESS", on)
    return lamp
"""


@pytest.fixture
def lamp(folder: Path) -> Path:
    (folder / "lamp.py").write_text(LAMP)
    return folder / "lamp.py"


class Line:
    """The connection of a page."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.hello = json.loads(socket.recv(timeout=60))

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        self.socket.send(json.dumps({"id": 1, "do": do, **arguments}))
        return self.until(lambda message: message["type"] == "answer")

    def until(self, is_wanted: Any) -> dict[str, Any]:
        while not is_wanted(message := json.loads(self.socket.recv(timeout=60))):
            pass
        answer: dict[str, Any] = message
        return answer


@contextmanager
def begun(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "fsmkit", "inspect", "lamp.py", "--edit", "--start", "On"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()  # of no effect, unless the test has failed


@pytest.mark.slow
def test_the_machine_goes_on_with_the_code_that_the_page_has_written(lamp: Path) -> None:
    with begun(lamp.parent) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with connect(f"{url.replace('http', 'ws')}socket", proxy=None) as socket:
            page = Line(socket)
            assert page.hello["editing"] == {"file": "lamp.py", "text": False}
            edit = {"kind": "add-transition", "source": "On", "event": "DIM", "target": "Off"}
            assert page.ask("edit", edit=edit, write=True)["written"]
            page.until(lambda message: message.get("exchanges"))
            assert page.ask("ask", machine="Lamp", event="DIM")["why"] == (
                "'DIM' leads from 'On' to 'Off'."
            )
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert "lamp.py has changed: Lamp goes on in 'On'" in errors
    assert lamp.read_text() == LAMP.replace(
        '"PRESS", on)\n', '"PRESS", on)\n    on.add_transition("DIM", off)\n'
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lamp.py", "--read-only"], "--edit is not for a page that is --read-only."),
        (["lamp.py", "--agents", "9"], "--edit is not for crowds. Leave out --agents."),
        (["run.jsonl"], "--edit is for machines that run, not for recordings."),
        (["lamp.py", "--static", "site"], "--static writes files and runs nothing."),
        (["../lamp.py"], "--edit: "),
    ],
    ids=["read-only", "crowd", "recording", "static", "outside"],
)
def test_where_nothing_can_be_edited_it_is_refused(
    lamp: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    if arguments[0] == "../lamp.py":
        inside = lamp.parent / "inside"
        inside.mkdir()
        monkeypatch.chdir(inside)
        message += f"{lamp} is not below the working folder, {inside}."
    assert main(["inspect", *arguments, "--edit"]) == 2
    assert capsys.readouterr().err.startswith(f"fsmkit: {message}")
    assert lamp.read_text() == LAMP

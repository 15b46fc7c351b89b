"""`fsmkit inspect`: the address on a line of its own, errors reported once, a clean exit."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fsmkit.cli import main

for package in ("starlette", "uvicorn", "websockets"):
    pytest.importorskip(package)

from websockets.sync.client import connect  # noqa: E402  # it is of the extra

FAILING = """
from fsmkit import Fsm
from actions import DelegateAction

def build():
    fsm = Fsm("Bad")
    fsm.add_state("Work").add_action(DelegateAction(on_update=lambda state: 1 / 0))
    return fsm
"""

INTERRUPTED_IN_A_CALLBACK = """
import ctypes, signal
from fsmkit import Fsm
from actions import DelegateAction

callback = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))

def build():
    fsm = Fsm("Compiling")
    fsm.add_state("Work").add_action(DelegateAction(on_update=lambda state: callback()))
    return fsm
"""
"""An update as numba's, which drops the KeyboardInterrupt."""


@contextmanager
def begun(*arguments: str, cwd: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "fsmkit", "inspect", *arguments],
        cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()  # of no effect, unless the test has failed


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_the_page_until_it_is_ended(end: signal.Signals) -> None:
    example = Path(__file__).parents[2] / "examples" / "guard.py"
    with begun(str(example)) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(url, timeout=60) as page:
            assert b"fsmkit inspector" in page.read()
        process.send_signal(end)
        rest, errors = process.communicate(timeout=60)
    assert (process.returncode, rest, errors) == (0, "", "\n")


@pytest.mark.slow
def test_an_error_of_the_machine_is_reported_and_the_page_lives_on(folder: Path) -> None:
    (folder / "bad.py").write_text(FAILING, "utf-8")
    with begun("bad.py", cwd=folder) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stdout.readline().strip()
        assert process.stderr.readline() == "ZeroDivisionError: division by zero\n"
        with urllib.request.urlopen(url, timeout=60) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert errors.count("ZeroDivisionError") == 0


@pytest.mark.slow
def test_a_ctrl_c_that_a_callback_drops_ends_it_at_the_next_update(folder: Path) -> None:
    (folder / "compiling.py").write_text(INTERRUPTED_IN_A_CALLBACK, "utf-8")
    with begun("compiling.py", cwd=folder) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors.count("Exception ignored") == 1  # Python says what it dropped


@pytest.mark.slow
def test_recordings_are_served(folder: Path) -> None:
    example = str(Path(__file__).parents[2] / "examples" / "guard.py")
    assert main(["record", example, "-o", "run.jsonl", "--seconds", "1"]) == 0
    with begun("run.jsonl", "run.jsonl", cwd=folder) as process:
        assert process.stdout is not None
        with urllib.request.urlopen(process.stdout.readline().strip(), timeout=60) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "To see actions and values too, give the machine as well" in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.jsonl"], "'no.jsonl' cannot be read: "),
        (["text.jsonl"], "'text.jsonl' is not a recording: "),
        (["a.py", "b.py"], "'a.py' and 'b.py' both name machines: give one of them."),
        (["text.jsonl"] * 3, "Two recordings can be compared, got 3."),
        (["text.jsonl", "--reload"], "--reload is for machines that run, not for recordings."),
        (["text.jsonl", "no.py"], "There is no file 'no.py'."),
    ],
    ids=["missing", "text", "two machines", "three", "reload", "no machine"],
)
def test_what_cannot_be_shown_is_explained(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (folder / "text.jsonl").write_text("hello\n", "utf-8")
    assert main(["inspect", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"fsmkit: {message}")


@pytest.mark.slow
def test_a_crowd_is_served() -> None:
    pytest.importorskip("numba")
    example = Path(__file__).parents[2] / "examples" / "stadium.py"
    with begun(str(example), "--agents", "300", "--start", "Sitting") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with connect(f"{url.replace('http', 'ws')}socket", proxy=None) as page:
            assert json.loads(page.recv())["title"] == "Spectator, 300 agents"
            while not json.loads(page.recv()).get("clock"):
                pass  # it is being compiled, where Python cannot be interrupted
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors.endswith("\n")  # before it Python may say that numba dropped the first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["guard.py"], "--agents: 'guard.py' must return a CrowdFsm, got <Fsm 'Guard'"),
        (["guard.py", "--reload"], "--reload is not for crowds. Leave out --agents."),
        (["run.jsonl"], "--agents is for machines that run, not for recordings."),
        (["guard.py", "--static", "site"], "--static writes files and runs nothing."),
    ],
    ids=["machine", "reload", "recording", "static"],
)
def test_what_no_crowd_can_be_made_of_is_explained(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (folder / "guard.py").write_text(
        "from fsmkit import Fsm\ndef build():\n    return Fsm('Guard')\n", "utf-8"
    )
    assert main(["inspect", *arguments, "--agents", "9"]) == 2
    assert capsys.readouterr().err.startswith(f"fsmkit: {message}")


@pytest.mark.slow
def test_a_taken_port_is_reported() -> None:
    example = Path(__file__).parents[2] / "examples" / "guard.py"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with begun(str(example), "--port", str(port)) as process:
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors.startswith(f"fsmkit: Cannot listen on port {port}: ")
    assert "Choose another --port, or omit it for a free one." in errors


@pytest.mark.slow
def test_it_can_hold_the_machines_at_each_error(folder: Path) -> None:
    from websockets.sync.client import connect

    (folder / "bad.py").write_text(FAILING, "utf-8")
    with begun("bad.py", "--stop-on-error", cwd=folder) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with connect(f"{url.replace('http', 'ws')}socket", proxy=None) as page:
            stop = None
            while stop is None:
                stop = json.loads(page.recv(timeout=60)).get("stop")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert (stop["machine"], stop["text"], stop["place"]) == (
        "Bad", "ZeroDivisionError: division by zero", "actions[0] (DelegateAction), on_update",
    )  # fmt: skip
    assert process.returncode == 0


@pytest.mark.slow
def test_an_unknown_editor_is_refused_with_the_names_of_some(folder: Path) -> None:
    (folder / "bad.py").write_text(FAILING, "utf-8")
    with begun("bad.py", "--editor", "javascript:{path}{line}", cwd=folder) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "argument --editor: editor must be the address of a program, such as" in errors


def test_a_token_of_the_environment_that_is_none_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FSMKIT_INSPECTOR_TOKEN", "guessed")
    assert main(["inspect", "examples/guard.py"]) == 2
    assert "FSMKIT_INSPECTOR_TOKEN must be 16 to 128 letters" in capsys.readouterr().err


WATCHED = """
from types import SimpleNamespace
from fsmkit import Fsm

FULL = 20

def build():
    fsm = Fsm("Guard", context=SimpleNamespace(health=15))
    fsm.add_state("Patrol")
    return fsm
"""


@pytest.mark.slow
def test_expressions_of_the_command_line_are_watched(folder: Path) -> None:
    (folder / "guard.py").write_text(WATCHED, "utf-8")
    options = ("--watch", "health / FULL", "--watch", "fsm.name", "--watch", "helth")
    with begun("guard.py", *options, cwd=folder) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with connect(f"{url.replace('http', 'ws')}socket", proxy=None) as page:
            while not (frame := json.loads(page.recv(timeout=60))).get("detail"):
                pass
        assert frame["detail"]["watched"] == [
            ["health / FULL", "0.75", "f"],
            ["fsm.name", "'Guard'", "s"],
            ["helth", "<NameError: There is no 'helth'. Did you mean 'health'?>", "-"],
        ]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["guard.py", "--watch", "x <"], "argument --watch: 'x <' is not a Python expression"),
        (["run.jsonl", "--watch", "x"], "--watch is for machines that run, not for recordings."),
        (["guard.py", "--static", "site", "--watch", "x"], "Leave out --watch."),
        (["guard.py", "--agents", "3", "--watch", "x"], "--watch is not for crowds."),
    ],
)
def test_a_watch_that_cannot_be_shown_is_refused(
    folder: Path, arguments: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "guard.py").write_text(WATCHED, "utf-8")
    with suppress(SystemExit):  # of the parser
        assert main(["inspect", *arguments]) == 2
    assert fault in capsys.readouterr().err

"""The folder that shows a program without a server, and what plays the program there."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from fsmkit.cli import main
from fsmkit.cli.targets import apart
from fsmkit.inspector.browser.folder import PYODIDE, VIZ, write_folder
from fsmkit.inspector.browser.game import LONGEST_UPDATE, Game, PromiseSignal

GUARD = Path(__file__).parents[2] / "examples" / "guard.py"

CODE = """
from fsmkit import Fsm, FsmAction

class Fuse(FsmAction):
    def on_update(self):
        if self.fsm.time > 0.15: raise RuntimeError("blown")

def build():
    fsm = Fsm("Lamp")
    fsm.add_state("On").add_action(Fuse())
    return fsm
"""


@pytest.fixture(autouse=True)
def _modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget the modules that are made here."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    with apart():
        yield


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """A folder with files of the names of Pyodide's and Graphviz's."""
    folder = tmp_path / "node_modules"
    for name in (*(f"pyodide/{name}" for name in PYODIDE), VIZ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


@pytest.mark.slow
def test_the_folder_holds_all_that_the_page_needs(tmp_path: Path, runtime: Path) -> None:
    page = write_folder(tmp_path / "site", GUARD, "build", runtime)
    files = {path.relative_to(page.parent).as_posix() for path in page.parent.rglob("*.*")}
    assert page == tmp_path / "site" / "guard.html"
    assert files >= {
        "python.zip", "programs/guard.py", "graphviz/viz.js", "page/main.js",
        "page/browser/start.js", *(f"pyodide/{name}" for name in PYODIDE),
    }  # fmt: skip
    text = page.read_text()
    assert '<meta name="fsmkit-program" content="programs/guard.py" data-function="build">' in text
    assert 'src="page/browser/start.js"' in text
    assert "live.js" not in text
    assert "http:" not in text.replace("http://www.w3.org/", "").replace("http-equiv", "")


@pytest.mark.slow
def test_the_archive_is_pure_python_with_licences_and_always_the_same(
    tmp_path: Path, runtime: Path
) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        write_folder(folder, GUARD, "build", runtime)
    one, other = ((folder / "python.zip").read_bytes() for folder in folders)
    assert one == other
    names = ZipFile(folders[0] / "python.zip").namelist()
    assert {"fsmkit/core/fsm.py", "actions/__init__.py", "typing_extensions.py"} <= {*names}
    assert any(name.startswith("attrs-") and name.endswith("LICENSE") for name in names)
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc", ".c"))]


@pytest.mark.slow
def test_several_programs_share_a_folder(tmp_path: Path, runtime: Path) -> None:
    for name in "guard", "door":
        write_folder(tmp_path / "site", GUARD.with_stem(name), "build", runtime)
    assert {page.name for page in (tmp_path / "site").glob("*.html")} == {"guard.html", "door.html"}


@pytest.mark.slow
def test_without_graphviz_the_folder_is_written_all_the_same(tmp_path: Path, runtime: Path) -> None:
    (runtime / VIZ).unlink()
    write_folder(tmp_path / "site", GUARD, "build", runtime)
    assert not (tmp_path / "site" / "graphviz").exists()


def run(*arguments: object) -> int | str:
    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as end:
        return end.code or 0


@pytest.mark.slow
def test_the_command_writes_the_folder(
    tmp_path: Path, runtime: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    assert run("inspect", GUARD, "--static", site, "--runtime", runtime) == 0
    assert capsys.readouterr().out.splitlines() == [
        str(site / "guard.html"),
        f"Serve the folder as it is: python3 -m http.server --directory {site}",
    ]


REFUSED = {
    (GUARD, "--runtime", "nowhere"): "'nowhere' has no 'pyodide.mjs' of Pyodide. Run `npm",
    (GUARD, "--open"): "--static writes files and runs nothing. Leave out --open.",
    (GUARD, "--read-only"): "--static writes files and runs nothing. Leave out --read-only.",
    (GUARD, GUARD): "--static needs one TARGET, a Python file: path.py or path.py:function.",
    ("guard.jsonl",): "--static needs one TARGET, a Python file: path.py or path.py:function.",
    (f"{GUARD}:main_",): "has no function 'main_'",
}


@pytest.mark.parametrize("arguments", REFUSED, ids=lambda each: str(each[-1])[-12:])
def test_what_cannot_be_written_is_refused(
    arguments: tuple[object, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("inspect", *arguments, "--static", tmp_path / "site") != 0
    assert REFUSED[arguments] in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


# What plays it


def replies(game: Game, address: str) -> list[tuple[int, dict[str, str], bytes]]:
    got: list[tuple[int, dict[str, str], bytes]] = []
    game.load(address, lambda status, head, body: got.append((status, json.loads(head), body)))
    return got


def test_a_game_plays_code_until_other_code_takes_its_place() -> None:
    game = Game()
    assert game.open(print) is None
    assert game.play(CODE, "lamp.py", "build") == ""
    page = game.open(lambda: None)
    assert page is not None
    assert json.loads(page.take() or "")["machines"] == [["Lamp", "On"]]
    assert game.play(CODE.replace("Lamp", "Torch"), "lamp.py", "build") == ""
    game.update(0.01)
    assert page.take() is None
    game.stop()
    assert game.open(print) is None
    assert replies(game, "snapshot")[0][::2] == (409, b'{"error": "There is no machine."}')


BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
    "syntax": (lambda code: code + "def", 'File "lamp.py", line 12'),
    "import": (lambda code: "import numpi\n" + code, "No module named 'numpi'"),
    "name": (lambda code: code.replace("build", "bild"), "lamp.py needs a function 'build'"),
    "result": (
        lambda code: code.replace("return fsm", "return 3"),
        "needs an Fsm, an FsmGroup or a Crowd",
    ),
    "exit": (lambda code: code + "raise SystemExit(3)", "SystemExit: 3"),
    "inside": (lambda code: code.replace("return fsm", "return 1 / 0"), "return 1 / 0"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_failing_code_is_reported_and_what_was_played_continues(what: str) -> None:
    game = Game()
    game.play(CODE, "lamp.py", "build")
    breaking, expected = BROKEN[what]
    told = game.play(breaking(CODE), "lamp.py", "build")
    assert expected in told
    assert "game.py" not in told
    game.update(0.01)
    assert game.open(print) is not None
    game.stop()


def test_an_error_of_the_machine_is_printed_and_pauses_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    game = Game()
    game.play(CODE, "lamp.py", "build")
    for _ in range(5):
        game.update(10.0)  # time in a background tab is not made up for
    [(status, _, body)] = ready(game, "snapshot?machine=Lamp")
    assert status == 200
    assert json.loads(body)["machines"][0]["time"] == pytest.approx(2 * LONGEST_UPDATE)
    assert capsys.readouterr().err.count("RuntimeError: blown") == 1
    game.stop()


def test_an_error_in_answer_to_a_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    game = Game()
    game.play(CODE.replace("on_update", "on_exit").replace("0.15", "-1"), "lamp.py", "build")
    page = game.open(lambda: None)
    assert page is not None
    page.send('{"id": 1, "do": "force", "machine": "Lamp", "state": "On"}')
    game.update(0.01)
    told = capsys.readouterr().err
    assert 'File "lamp.py", line 6, in on_exit' in told
    assert "request_queue.py" not in told
    assert "RuntimeError: blown" in told
    game.stop()


def ready(game: Game, address: str) -> list[Any]:
    got = replies(game, address)
    game.update(0.0)
    return got


def test_a_signal_is_awaited_for_some_time_or_until_it_is_given() -> None:
    waits: list[Any] = []

    async def wait() -> None:
        signal = PromiseSignal(lambda waiting: waits.append(asyncio.ensure_future(waiting)))  # type: ignore[arg-type]
        signal.wait(0.0)
        await waits[0]
        signal.wait(60.0)
        await asyncio.sleep(0)
        assert not waits[1].done()
        signal.set()
        await waits[1]
        signal.wait(60.0)  # it has been given
        signal.clear()
        signal.wait(0.0)
        await waits[2]

    asyncio.run(wait())
    assert len(waits) == 3


# Scripts

LAMP = """
from fsmkit import Fsm
lamp = Fsm("Lamp")
lamp.add_state("Off").add_transition("PRESSED", lamp.add_state("On"))
"""

SCRIPTS = {
    "machine": (LAMP, [["Lamp", "Off"]]),
    "started": (LAMP + "lamp.start('On')", [["Lamp", "On"]]),
    "two": (
        LAMP + "desk = Fsm('Desk')\ndesk.add_state('Up')\n",
        [["Lamp", "Off"], ["Desk", "Up"]],
    ),
    "group": (LAMP + "from fsmkit import FsmGroup\nall = FsmGroup([lamp])", [["Lamp", "Off"]]),
    "nested": (
        LAMP + "from actions import RunFsm\ndesk = Fsm('Desk')\n"
        "desk.add_state('Up').add_action(RunFsm(lamp))",
        [["Desk", "Up"]],
    ),
    "owner": (
        LAMP + "class Desk:\n    def __init__(self): self.fsm = lamp\ndesk = Desk()\ndel lamp, Fsm",
        [["Lamp", "Off"]],
    ),
    "exit": (LAMP + "raise SystemExit", [["Lamp", "Off"]]),
    "main": (LAMP + "if __name__ == '__main__': lamp.start('On')", [["Lamp", "On"]]),
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_the_machines_of_a_script_are_played(what: str) -> None:
    game = Game()
    source, machines = SCRIPTS[what]
    assert game.play(source, "lamp.py", "build", True) == ""
    page = game.open(lambda: None)
    assert page is not None
    hello = json.loads(page.take() or "")
    assert hello["machines"][: len(machines)] == machines
    assert not game.is_empty
    game.stop()


@pytest.mark.parametrize("source", ["", "print(1)", "# nothing", "import sys; sys.exit()"])
def test_a_script_may_make_no_machine(source: str) -> None:
    game = Game()
    game.play(CODE, "lamp.py", "build", True)
    assert not game.is_empty
    assert game.play(source, "other.py", "build", True) == ""
    assert game.is_empty
    assert game.open(print) is None


def test_code_with_the_function_is_not_a_script() -> None:
    game = Game()
    assert game.play("build = 3", "lamp.py", "build", True) == (
        "TypeError: lamp.py needs a function 'build' that returns the machine.\n"
    )
    assert 'File "lamp.py", line 2' in game.play("\ndef", "lamp.py", "build", True)
    assert game.play("raise SystemExit('over')", "lamp.py", "", True).endswith("over\n")


def test_a_missing_module_is_reported_without_a_package_index() -> None:
    assert Game().play("import numpi", "lamp.py", "build").splitlines()[-2:] == [
        "ModuleNotFoundError: No module named 'numpi'",
        "Here are fsmkit, actions, attrs and the standard library.",
    ]

"""Edits of the code that a playground plays: the answer is the whole new text."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsmkit.inspector.browser.game import Game

CODE = """\
from actions import TimedWait
from fsmkit import Fsm


def build():
    lamp = Fsm("Lamp")
    off = lamp.add_state("Off")
    on = lamp.add_state("On")
    on.add_action(TimedWait(2.0))  # seconds
    off.add_transition("PRESS", on)
    return lamp
"""

SCRIPT = """\
from fsmkit import Fsm

lamp = Fsm("Lamp")
off = lamp.add_state("Off")
on = lamp.add_state("On")
off.add_transition("PRESS", on)

lamp.start()
lamp.send_event("PRESS")
print("pressed")
"""

ADD = {"kind": "add-transition", "source": "On", "event": "OUT", "target": "Off"}


class Desk:
    """A playground that plays a text, and its page."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def play(self, source: str) -> str:
        error = self.game.play(source, "lamp.py", "build", True)
        self.page = self.game.open(lambda: None)
        return error

    @property
    def hello(self) -> Any:
        assert self.page is not None
        return json.loads(self.page.take() or "")

    def ask(self, do: str, **arguments: Any) -> Any:
        assert self.page is not None
        self.page.send(json.dumps({"id": 1, "do": do, **arguments}))
        self.game.update(0.01)
        while (answer := json.loads(self.page.take() or "{}")).get("type") != "answer":
            pass
        return answer


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    modules = dict(sys.modules)
    game = Game(folder=".")
    yield Desk(game)
    game.stop()
    sys.modules.update(modules)
    for name in {*sys.modules} - {*modules}:
        if name == "lamp":
            del sys.modules[name]


def test_the_answer_is_the_whole_text(desk: Desk, folder: Path) -> None:
    assert desk.play(CODE) == ""
    assert desk.hello["editing"] == {"file": "lamp.py", "text": True}
    answer = desk.ask("edit", edit=ADD, write=False)
    text = CODE.replace('"PRESS", on)\n', '"PRESS", on)\n    on.add_transition("OUT", off)\n')
    assert (answer["proved"], answer["lines"], answer["text"]) == (True, [11, 11], text)
    assert (folder / "lamp.py").read_text() == CODE


def test_the_text_that_was_edited_is_played_and_edited_again(desk: Desk) -> None:
    desk.play(CODE)
    desk.play(desk.ask("edit", edit=ADD, write=False)["text"])
    retarget = {"kind": "retarget", "source": "On", "event": "OUT", "target": "On"}
    assert 'on.add_transition("OUT", on)' in desk.ask("edit", edit=retarget, write=False)["text"]


def test_a_script_is_edited_where_it_makes_its_machines(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.play(SCRIPT) == ""
    capsys.readouterr()
    answer = desk.ask("edit", edit=ADD, write=False)
    text = SCRIPT.replace('"PRESS", on)\n', '"PRESS", on)\non.add_transition("OUT", off)\n')
    assert (answer.get("reason"), answer["text"]) == (None, text)
    assert capsys.readouterr().out == ""


def test_a_refusal_names_the_line_of_the_text(desk: Desk) -> None:
    desk.play(CODE.replace("2.0", "4.0 / 2"))
    edit = {"kind": "set", "state": "On", "index": "0", "parameter": "duration", "value": "3"}
    answer = desk.ask("edit", edit=edit, write=False)
    assert (answer["reason"], answer["place"]["text"]) == ("`duration` is computed", "lamp.py:9")


def test_code_that_fails_is_not_edited_until_it_runs(desk: Desk) -> None:
    desk.play(CODE)
    page = desk.page
    assert "SyntaxError" in desk.play(CODE + "def")
    desk.page = page
    answer = desk.ask("edit", edit=ADD, write=False)
    assert answer["reason"].startswith("the program does not build its machines: SyntaxError")


def test_without_a_folder_nothing_is_edited() -> None:
    desk = Desk(Game())
    desk.play(CODE)
    assert desk.hello["editing"] is None
    assert desk.ask("edit", edit=ADD, write=False)["error"].startswith("The code cannot be edited")
    desk.game.stop()

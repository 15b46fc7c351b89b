"""What a notebook shows of a machine. A console shows what `repr` returns, as before."""

import shutil
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

import pytest

from fsmkit import Fsm, FsmGroup
from fsmkit.recording import History, Recording
from fsmkit.svg.notebook import notebook_picture


def lamp(name: str = "Lamp") -> Fsm[None]:
    fsm = Fsm(name)
    off, on = fsm.add_state("Off"), fsm.add_state("On & hot")
    off.add_transition("PRESSED", on)
    on.add_transition("PRESSED", off)
    return fsm


def shown(thing: Any) -> dict[str, str]:
    bundle: dict[str, str] = thing._repr_mimebundle_(include=None, exclude=None)
    return bundle


def test_a_machine_shows_its_picture_as_it_is_now() -> None:
    fsm = lamp()
    fsm.start("On & hot")
    bundle = shown(fsm)
    assert list(bundle) == ["image/svg+xml"]
    classes = [each.get("class") for each in ElementTree.fromstring(bundle["image/svg+xml"]).iter()]
    assert [kind for kind in classes if kind and " state " in kind] == [
        "node state start", "node state current",
    ]  # fmt: skip


def test_a_group_shows_the_pictures_of_its_machines() -> None:
    assert list(shown(FsmGroup([lamp("Ann"), lamp("Bob")]))) == ["image/svg+xml"]


@pytest.mark.parametrize("machines", [lamp(), FsmGroup([lamp()])], ids=repr)
def test_without_graphviz_it_is_text(machines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    ((kind, text),) = shown(machines).items()
    assert kind == "text/html"
    assert text.startswith("<pre>")
    assert "On &amp; hot" in text


def test_histories_recordings_and_chronicles_show_their_timeline() -> None:
    fsm = lamp()
    with History(fsm) as history, Recording(fsm) as recording:
        fsm.start()
        fsm.update(1.0)
        fsm.send_event("PRESSED")
        fsm.update(1.0)
    for source in (history, recording, history.chronicle()):
        (svg,) = shown(source).values()
        assert ElementTree.fromstring(svg).get("aria-label") == "Timeline"


def test_a_picture_that_fails_leaves_the_text() -> None:
    class Odd:
        _repr_mimebundle_ = notebook_picture("fsmkit.diagram.svg:bundle")

    assert shown(Odd()) == {}
    assert notebook_picture("fsmkit.nowhere:bundle")(Odd()) == {}


def test_what_a_console_shows_is_as_before() -> None:
    fsm = lamp()
    assert (repr(fsm), repr(FsmGroup([fsm]))) == (
        "<Fsm 'Lamp': not running>", "<FsmGroup of 1 machines>",
    )  # fmt: skip
    assert "text/plain" not in shown(fsm)


@pytest.mark.skipif(find_spec("IPython") is None, reason="IPython is not installed")
def test_ipython_shows_the_picture_beside_the_text() -> None:
    from IPython.core.formatters import DisplayFormatter

    data, _ = DisplayFormatter().format(lamp())
    assert sorted(data) == ["image/svg+xml", "text/plain"]
    assert data["text/plain"] == repr(lamp())

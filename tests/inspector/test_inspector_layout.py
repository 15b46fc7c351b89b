"""States are kept where pages have dragged them to: in a file, or for the session."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from actions import RunFsm
from fsmkit import Fsm, FsmGroup
from fsmkit.diagram import to_svg
from fsmkit.inspector import inspect
from fsmkit.inspector.live.requests.page_request import RequestError
from fsmkit.recording import Recording

WAYS = ("server", "inside")


@pytest.fixture(autouse=True)
def _has_graphviz() -> None:
    fsm: Fsm[None] = Fsm("Lamp")
    fsm.add_state("Off")
    try:
        to_svg(fsm)
    except ImportError:
        pytest.skip("there is no Graphviz")


def guard(name: str = "Guard") -> Fsm[None]:
    inner: Fsm[None] = Fsm("Fight")
    inner.add_state("Aim").add_transition("READY", inner.add_state("Fire"))
    fsm: Fsm[None] = Fsm(name)
    patrol, combat = fsm.add_state("Patrol"), fsm.add_state("Combat")
    patrol.add_transition("SEEN", combat)
    combat.add_transition("LOST", patrol)
    combat.add_action(RunFsm(inner))
    fsm.start()
    return fsm


def drawing(page: Any, machine: str = "Guard") -> dict[str, Any]:
    status, _, body = page.get(f"graph?machine={quote(machine)}")
    assert status == 200
    answer: dict[str, Any] = json.loads(body)
    return answer


def test_a_dragged_state_stays_there_and_every_page_is_told(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(guard())
    before = page.frame()["layout"]
    answer = page.ask("keep_place", machine="Guard", state="Patrol", x=300.0, y=42.25)
    assert answer["kept"] == "for this session"
    assert page.frame(lambda frame: frame["layout"] != before)
    answer = drawing(page)
    assert [round(each) for each in answer["places"]["Guard__Patrol"]] == [300, 42]
    assert answer["has_kept"]


def test_a_nested_machine_has_places_of_its_own(inspected: Callable[..., Any]) -> None:
    page = inspected(guard())
    page.ask("keep_place", machine="Guard/Fight", state="Fire", x=200, y=60)
    assert [round(each) for each in drawing(page)["places"]["Guard_2f_Fight__Fire"]] == [200, 60]


def test_the_layout_is_reset_with_the_machines_inside(inspected: Callable[..., Any]) -> None:
    page = inspected(guard())
    free = drawing(page)
    assert not free["has_kept"]
    page.ask("keep_place", machine="Guard", state="Patrol", x=300, y=40)
    page.ask("keep_place", machine="Guard/Fight", state="Fire", x=200, y=60)
    assert drawing(page)["svg"] != free["svg"]
    assert page.ask("free_places", machine="Guard")["ok"]
    assert drawing(page) == free


def test_machines_with_the_same_states_have_the_same_layout(
    inspected: Callable[..., Any],
) -> None:
    page = inspected(FsmGroup([guard("Ada"), guard("Bob")]))
    page.ask("keep_place", machine="Bob", state="Patrol", x=300, y=40)
    for name in ("Ada", "Bob"):
        place = drawing(page, name)["places"][f"{name}__Patrol"]
        assert [round(each) for each in place] == [300, 40]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"state": "Nowhere"}, "'Guard' has no state 'Nowhere'."),
        ({"machine": "Nobody"}, "'Nobody'"),
        ({"x": 1e6}, "x must be a number >= -100000 and <= 100000"),
        ({"y": -1e6}, "y must be a number"),
        ({"x": "1"}, "'keep_place': 'x' must be a finite number"),
        ({"path": "/etc/passwd"}, "'keep_place' has no argument 'path'."),
    ],
)
def test_other_places_are_refused(
    inspected: Callable[..., Any], more: dict[str, Any], reason: str
) -> None:
    page = inspected(guard())
    message = {"machine": "Guard", "state": "Patrol", "x": 1.0, "y": 2.0, **more}
    answer = page.answer_to(json.dumps({"do": "keep_place", **message}))
    assert reason in answer["error"]
    assert not drawing(page)["has_kept"]


def test_a_read_only_page_moves_nothing(inspected: Callable[..., Any]) -> None:
    page = inspected(guard(), read_only=True)
    answer = page.answer_to('{"do": "free_places", "machine": "Guard"}')
    assert "read-only" in answer["error"]


def test_a_neighbourhood_is_laid_out_freely(inspected: Callable[..., Any]) -> None:
    page = inspected(guard())
    page.ask("keep_place", machine="Guard", state="Patrol", x=300, y=40)
    status, _, body = page.get("graph?machine=Guard&radius=1&around=Guard__Patrol")
    assert status == 200
    assert json.loads(body)["places"] == {}


def test_places_are_written_into_the_file_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "guard.positions.json"
    file.write_text('{"Dog": {"Bark": [1, 2]}}', "utf-8")
    fsm = guard()
    with inspect(fsm, positions=file, announce=None) as inspector:
        kept = inspector.session.kept_places
        assert kept.keep_place("Guard", "Patrol", 300.04, 40) == {"kept": "in guard.positions.json"}
    assert json.loads(file.read_text("utf-8")) == {
        "Dog": {"Bark": [1, 2]}, "Guard": {"Patrol": [300.0, 40.0]},
    }  # fmt: skip
    with inspect(fsm, positions=file, announce=None) as inspector:
        kept = inspector.session.kept_places
        kept.free_places("Guard")
    assert json.loads(file.read_text("utf-8")) == {"Dog": {"Bark": [1, 2]}}


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    file = tmp_path / "no" / "a.positions.json"
    with inspect(guard(), positions=file, announce=None) as inspector:
        kept = inspector.session.kept_places
        with pytest.raises(RequestError, match=r"'a\.positions\.json' cannot be written: No such"):
            kept.keep_place("Guard", "Patrol", 1.0, 2.0)


def test_a_file_with_something_else_is_an_error_at_once(tmp_path: Path) -> None:
    file = tmp_path / "guard.positions.json"
    file.write_text("[", "utf-8")
    with pytest.raises(ValueError, match="must be JSON"):
        inspect(guard(), positions=file, announce=None)
    with inspect(guard(), announce=None):  # the machines were left alone
        pass


def test_a_recording_keeps_places_for_its_page(shown: Callable[..., Any]) -> None:
    fsm = guard()
    with Recording(fsm) as recording:
        fsm.update(0.5)
        fsm.send_event("SEEN")
        fsm.update(0.5)
    page = shown(recording)
    assert not drawing(page)["has_kept"]
    page.ask("keep_place", machine="Guard", state="Patrol", x=300, y=40)
    assert [round(each) for each in drawing(page)["places"]["Guard__Patrol"]] == [300, 40]
    answer = page.answer_to(json.dumps({"do": "keep_place", "machine": "Guard", "state": "X",
                                        "x": 1, "y": 1}))  # fmt: skip
    assert "has no state 'X'" in answer["error"]

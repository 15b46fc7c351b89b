"""What an overlay shows, whatever the engine: labels, their places, and the diagram."""

import re
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from sheet import Sheet

from fsmkit import Fsm, FsmGroup
from fsmkit.engines.parts.overlay import FILLS, PLATE_HEIGHT
from fsmkit.engines.parts.trail import AFTERGLOW


def guard(name: str, context: Any) -> Fsm[Any]:
    fsm = Fsm[Any](name, context)
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_transition("SEEN", chase)
    chase.add_transition("LOST", patrol)
    fsm.start()
    return fsm


def at(x: float, y: float) -> SimpleNamespace:
    return SimpleNamespace(position=(x, y))


def texts(sheet: Sheet) -> list[tuple[str, str]]:
    return [(each.plate.text, each.plate.event) for each in sheet.frame().labels]


# Labels


def test_a_label_has_the_state_and_for_a_while_the_event_that_led_there() -> None:
    ada = guard("Ada", at(400.0, 300.0))
    sheet = Sheet(ada, diagram=False)
    seen = [texts(sheet)]
    ada.send_event("SEEN")
    seen.append(texts(sheet))
    ada.update(AFTERGLOW)
    seen.append(texts(sheet))
    assert seen == [[("Ada: Patrol", "")], [("Ada: Chase", "SEEN")], [("Ada: Chase", "")]]


def test_the_state_stays_where_it_is_while_the_event_comes_and_goes() -> None:
    ada = guard("Ada", at(400.0, 300.0))
    sheet = Sheet(ada, diagram=False)
    ada.send_event("SEEN")
    with_event = sheet.frame().labels[0]
    ada.update(AFTERGLOW)
    without = sheet.frame().labels[0]
    assert with_event.x == without.x == 400.0 - (10.0 * len("Ada: Chase") + 16.0) / 2
    assert with_event.plate.width == without.plate.width + 8.0 + 10.0 * len("SEEN")
    assert without.y == 300.0 - 26.0 - PLATE_HEIGHT


def test_states_have_the_colours_that_they_have_in_every_picture() -> None:
    ada = guard("Ada", at(400.0, 300.0))
    door = Fsm[Any]("Door", at(100.0, 300.0))
    door.add_state("Closed")
    door.start()
    sheet = Sheet(FsmGroup([ada, door]), diagram=False)
    colors = [each.plate.color for each in sheet.frame().labels]
    ada.send_event("SEEN")
    assert colors == [FILLS[0], FILLS[2]]
    assert sheet.frame().labels[0].plate.color == FILLS[1]
    door.start(door.add_state("Open"))
    assert sheet.frame().labels[1].plate.color == FILLS[3]


def test_labels_in_one_place_stand_one_above_the_other() -> None:
    group = FsmGroup([guard(name, at(400.0, 300.0)) for name in ("Ada", "Ben", "Cid")])
    tops = [each.y for each in Sheet(group, diagram=False).frame().labels]
    assert tops == [252.0, 228.0, 204.0]


def test_who_is_at_the_edge_has_a_label_on_the_screen_and_who_is_outside_has_none() -> None:
    group = FsmGroup(
        [
            guard("Ada", at(0.0, 10.0)),
            guard("Ben", at(800.0, 300.0)),
            guard("Cid", at(-30.0, 300.0)),
        ]
    )
    labels = Sheet(group, diagram=False).frame().labels
    assert [(each.machine.name, each.x, each.y) for each in labels] == [
        ("Ada", 0.0, 0.0),
        ("Ben", 800.0 - (10.0 * len("Ben: Patrol") + 16.0), 252.0),
    ]


def test_machines_come_and_go_and_those_that_do_not_run_have_none() -> None:
    ada, ben = guard("Ada", at(100.0, 300.0)), guard("Ben", at(400.0, 300.0))
    group = FsmGroup([ada])
    sheet = Sheet(group, diagram=False)
    seen = [[text for text, _ in texts(sheet)]]
    group.add(ben)
    seen.append([text for text, _ in texts(sheet)])
    group.remove(ada)
    seen.append([text for text, _ in texts(sheet)])
    ben.stop()
    seen.append([text for text, _ in texts(sheet)])
    assert seen == [["Ada: Patrol"], ["Ada: Patrol", "Ben: Patrol"], ["Ben: Patrol"], []]


def test_a_name_of_several_lines_is_written_in_one() -> None:
    fsm = Fsm[Any]("Ada", at(400.0, 300.0))
    fsm.add_state("Go\nhome")
    fsm.start()
    assert texts(Sheet(fsm, diagram=False)) == [("Ada: Go home", "")]


# Where things are


@pytest.mark.parametrize("name", ["transform", "body", "sprite", "node", "entity"])
def test_the_thing_may_be_an_attribute_of_the_context(name: str) -> None:
    ada = guard("Ada", SimpleNamespace(**{name: at(400.0, 300.0)}))
    assert texts(Sheet(ada, diagram=False)) == [("Ada: Patrol", "")]


def test_a_machine_without_a_place_has_no_label() -> None:
    group = FsmGroup([guard("Ada", None), guard("Ben", SimpleNamespace(body=None))])
    assert texts(Sheet(group, diagram=False)) == []


def test_a_function_tells_the_thing_and_another_one_its_place_on_the_screen() -> None:
    ada = guard("Ada", None)
    places = {"Ada": at(1400.0, 300.0)}
    sheet = Sheet(
        ada,
        thing=lambda fsm: places.get(fsm.name),
        place=lambda position: (position[0] - 1000.0, position[1]),
        diagram=False,
    )
    assert sheet.frame().labels[0].x == 400.0 - (10.0 * len("Ada: Patrol") + 16.0) / 2
    places.clear()
    assert sheet.frame().labels == []


def test_a_thing_without_a_position_is_refused() -> None:
    sheet = Sheet(guard("Ada", None), thing=lambda fsm: "here", diagram=False)
    with pytest.raises(TypeError, match="the thing of 'Ada' must have a position, got 'here'"):
        sheet.frame()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thing": 3}, "Overlay: thing must be a function, got 3."),
        ({"place": (0, 0)}, "Overlay: place must be a function, got (0, 0)."),
        ({"followed": "Ada"}, "followed must be an Fsm, or a function that returns one, got 'Ada'"),
        ({"corner": "top"}, "Overlay: corner must be 'top right', 'top left', 'bottom right' or"),
        ({"shown": "yes"}, "Overlay: shown must be True or False, got 'yes'."),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        Sheet(guard("Ada", None), diagram=False, **options)


def test_what_is_no_machine_is_refused() -> None:
    with pytest.raises(TypeError, match="Overlay: machines must be an Fsm or an FsmGroup, got 3"):
        Sheet(3, diagram=False)  # type: ignore[arg-type]


# Keys


def test_one_key_hides_it_and_another_one_follows_the_next_machine() -> None:
    group = FsmGroup([guard(name, None) for name in ("Ada", "Ben", "Cid")])
    sheet = Sheet(group, diagram=False)
    group["Ben"].stop()
    seen = []
    for event in ("TOGGLE", "TOGGLE", "NEXT", "NEXT"):
        sheet.keys.send_event(event)
        followed: Any = sheet.followed
        seen.append((sheet.shown, followed.name if followed is not None else None))
    assert seen == [(False, None), (True, None), (True, "Cid"), (True, "Ada")]


# The diagram


def drawn(sheet: Sheet) -> Any:
    """Return the diagram once it has been drawn, and its place."""
    sheet.frame()
    sheet.wait()
    return sheet.frame().diagram


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that Graphviz was given; its pictures have 200 x 100 pixels."""
    pytest.importorskip("fsmkit.engines.parts.live_diagram", exc_type=ImportError)
    drawn: list[str] = []

    def draw(dot: str, _dots_per_inch: float) -> bytes:
        drawn.append(dot)
        return bytes(16) + (200).to_bytes(4, "big") + (100).to_bytes(4, "big")

    monkeypatch.setattr("fsmkit.engines.parts.live_diagram.png_of", draw)
    monkeypatch.setattr("fsmkit.engines.parts.live_diagram.program", lambda: "dot")
    return drawn


def lit(dot: str) -> list[str]:
    """Return the ids of what is lit: the current states, and the arrow that was taken last."""
    lines = [line for line in dot.splitlines() if '"#60a5fa"' in line]
    return [found[1] for line in lines if (found := re.search(r'\bid="([^"]*)"', line))]


def test_in_the_diagram_the_state_and_the_arrow_taken_last_are_lit(pictures: list[str]) -> None:
    ada = guard("Ada", None)
    sheet = Sheet(ada)
    drawn(sheet)
    ada.send_event("SEEN")
    drawn(sheet)
    assert [lit(dot) for dot in pictures] == [
        ["Ada__Patrol"],
        ["Ada__Chase", "Ada__Patrol--Ada__Chase"],
    ]


@pytest.mark.usefixtures("pictures")
def test_the_title_of_the_diagram_is_the_label_of_its_machine() -> None:
    ada = guard("Ada", at(400.0, 300.0))
    sheet = Sheet(ada)
    ada.send_event("SEEN")
    drawn(sheet)
    over_her, title = sheet.frame().labels
    assert over_her.plate == title.plate
    assert (over_her.machine, title.machine) == (ada, None)
    assert (title.x, title.y) == (588.0, 12.0)


def test_each_picture_is_drawn_once_and_none_without_a_change(pictures: list[str]) -> None:
    ada = guard("Ada", None)
    sheet = Sheet(ada)
    ada.send_event("SEEN")
    for event in ("LOST", "SEEN", "LOST", "SEEN"):
        drawn(sheet)
        drawn(sheet)
        ada.send_event(event)
    assert len(pictures) == 2


def test_a_machine_that_is_changed_is_drawn_anew_at_its_next_state(pictures: list[str]) -> None:
    ada = guard("Ada", None)
    sheet = Sheet(ada)
    drawn(sheet)
    ada.states["Chase"].add_transition("TIRED", ada.add_state("Rest"))
    ada.send_event("SEEN")
    drawn(sheet)
    assert "Ada__Rest" in pictures[-1]


def test_until_a_picture_is_drawn_the_one_before_stays(pictures: list[str]) -> None:
    ada = guard("Ada", None)
    sheet = Sheet(ada)
    assert sheet.frame().diagram is None
    before, _ = drawn(sheet)
    ada.send_event("SEEN")
    between: Any = sheet.frame().diagram
    after, _ = drawn(sheet)
    assert between[0] is before is not after


@pytest.mark.usefixtures("pictures")
def test_it_goes_where_nobody_is_and_stays_there() -> None:
    ada, ben = (guard(name, at(400.0, 300.0)) for name in ("Ada", "Ben"))
    sheet = Sheet(FsmGroup([ada, ben]))
    places = [drawn(sheet)[1][:2]]
    for x, y in ((700.0, 80.0), (400.0, 300.0), (100.0, 80.0)):
        ada.context.position = (x, y)
        places.append(drawn(sheet)[1][:2])
    assert places == [(588.0, 34.0), (12.0, 34.0), (12.0, 34.0), (588.0, 34.0)]


@pytest.mark.usefixtures("pictures")
def test_a_corner_may_be_chosen() -> None:
    sheet = Sheet(guard("Ada", at(30.0, 590.0)), corner="bottom left")
    assert drawn(sheet)[1] == (12.0, 488.0, 200.0, 100.0)


def test_it_follows_whom_a_function_names(pictures: list[str]) -> None:
    group = FsmGroup([guard(name, None) for name in ("Ada", "Ben")])
    other = guard("Cid", None)
    names = iter(["Ada", "Ben"])
    sheet = Sheet(group, followed=lambda: group[name] if (name := next(names, "")) else other)
    for _ in range(4):
        sheet.frame()
        sheet.wait()
    assert [re.findall("Ada__Patrol|Ben__Patrol|Cid__Patrol", dot)[0] for dot in pictures] == [
        "Ada__Patrol",
        "Ben__Patrol",
        "Cid__Patrol",
    ]


def test_one_that_has_no_label_is_followed_as_well(pictures: list[str]) -> None:
    other = guard("Cid", None)
    sheet = Sheet(FsmGroup(), followed=other)
    for event in ("SEEN", "LOST"):
        drawn(sheet)
        other.send_event(event)
    title = drawn(sheet) and sheet.frame().labels[0].plate
    assert (title.text, title.event) == ("Cid: Patrol", "LOST")
    assert [lit(dot)[-1] for dot in pictures] == [
        "Cid__Patrol",
        "Cid__Patrol--Cid__Chase",
        "Cid__Chase--Cid__Patrol",
    ]


@pytest.mark.usefixtures("pictures")
def test_one_that_is_followed_and_stops_is_said_to_be_stopped() -> None:
    ada = guard("Ada", None)
    sheet = Sheet(ada, followed=ada)
    ada.stop()
    drawn(sheet)
    assert [each.plate.text for each in sheet.frame().labels] == ["Ada: stopped"]


@pytest.mark.usefixtures("pictures")
def test_what_is_followed_must_be_a_machine() -> None:
    sheet = Sheet(guard("Ada", None), followed=lambda: "Ada")  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match=r"what followed\(\) returns must be an Fsm, got 'Ada'"):
        sheet.frame()


def test_of_a_large_machine_only_the_neighbours_are_drawn(pictures: list[str]) -> None:
    fsm = Fsm[Any]("Wanderer")
    states = [fsm.add_state(f"S{number}") for number in range(40)]
    for here, there in pairwise(states):
        here.add_transition("ON", there)
    fsm.start("S20")
    drawn(Sheet(fsm))
    found = set(re.findall(r'id="Wanderer__(S\d+)"', pictures[0]))
    assert found == {"S19", "S20", "S21"}


def test_without_graphviz_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(ImportError, match=r"pip install 'fsmkit\[diagram\]', or have labels alone"):
        Sheet(guard("Ada", None))
    Sheet(guard("Ada", None), diagram=False)


def test_an_error_in_the_drawing_is_raised_by_the_next_frame(
    pictures: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_dot: str, _dots_per_inch: float) -> bytes:
        raise OSError("no more processes")

    monkeypatch.setattr("fsmkit.engines.parts.live_diagram.png_of", fail)
    sheet = Sheet(guard("Ada", None))
    with pytest.raises(OSError, match="no more processes"):
        drawn(sheet)
    assert pictures == []

"""States are kept where `positions=` says, or a file beside the machine; the rest makes room."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from actions import RunFsm
from fsmkit import Fsm, FsmGroup
from fsmkit.diagram import layout as graphviz
from fsmkit.diagram import to_dot, to_svg
from fsmkit.diagram.geometry import PictureLayout, PicturePoint, layout_in, minus
from fsmkit.diagram.picture_options import PictureLook, View
from fsmkit.diagram.placement import placed
from fsmkit.diagram.positions import positions_file, read_positions, write_positions
from fsmkit.svg.theme import LIGHT


@pytest.fixture(params=[graphviz.PURE, "dot"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name = request.param
    found = graphviz.installed_program() if name == graphviz.PURE else shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} here")
    monkeypatch.setattr(graphviz, "program", lambda: found)
    return str(name)


def guard() -> Fsm[None]:
    inner: Fsm[None] = Fsm("Fight")
    aim, fire = inner.add_state("Aim"), inner.add_state("Fire")
    aim.add_transition("READY", fire)
    fire.add_transition("EMPTY", aim)
    fsm: Fsm[None] = Fsm("Guard")
    patrol, combat, home = (fsm.add_state(name) for name in ("Patrol", "Combat", "Home"))
    patrol.add_transition("SEEN", combat)
    combat.add_transition("LOST", patrol)
    combat.add_transition("HURT", home)
    combat.add_action(RunFsm(inner))
    return fsm


def places(machine: Fsm[Any] | FsmGroup, /, **options: Any) -> dict[str, PicturePoint]:
    """Return where the states are, from the upper left corner of their machines."""
    graph = View(**options).graph(machine)
    return placed(graph, LIGHT, PictureLook(), graphviz.svg_of).places


def layout_of(machine: Fsm[Any] | FsmGroup, **options: Any) -> PictureLayout:
    graph = View(**options).graph(machine)
    return layout_in(placed(graph, LIGHT, PictureLook(), graphviz.svg_of).svg)


def rounded(point: PicturePoint) -> PicturePoint:
    return round(point[0]), round(point[1])


@pytest.mark.usefixtures("program")
def test_a_state_is_where_it_is_kept_and_the_others_stay_where_they_were() -> None:
    free, kept = places(guard()), places(guard(), positions={"Patrol": (300, 60)})
    assert rounded(kept["Guard__Patrol"]) == (300, 60)
    assert {id_ for id_ in free if rounded(free[id_]) != rounded(kept[id_])} == {"Guard__Patrol"}


@pytest.mark.usefixtures("program")
def test_what_is_in_the_way_makes_room() -> None:
    free = places(guard())
    layout = layout_of(guard(), positions={"Patrol": free["Guard__Home"]})
    patrol, home = layout.nodes["Guard__Patrol"], layout.nodes["Guard__Home"]
    assert not patrol.overlaps(home)


@pytest.mark.usefixtures("program")
def test_a_machine_goes_along_with_the_state_that_runs_it() -> None:
    free, kept = layout_of(guard()), layout_of(guard(), positions={"Combat": (500, 200)})
    host, inner, panel = "Guard__Combat", "Guard_2f_Fight__Aim", "cluster_Guard_2f_Fight"
    for layout in (free, kept):
        assert layout.frames[panel].has(layout.nodes[inner].centre)
    ways = [minus(kept.nodes[id_].centre, free.nodes[id_].centre) for id_ in (host, inner)]
    assert rounded(ways[0]) == rounded(ways[1]) != (0, 0)


@pytest.mark.usefixtures("program")
def test_a_state_of_a_nested_machine_is_kept_in_its_panel_which_grows() -> None:
    positions = {"Guard/Fight": {"Fire": (300, 90)}}
    free, kept = layout_of(guard()), layout_of(guard(), positions=positions)
    panel = "cluster_Guard_2f_Fight"
    assert kept.frames[panel].width > free.frames[panel].width + 100
    assert kept.frames[panel].has(kept.nodes["Guard_2f_Fight__Fire"].centre)
    alone = places(guard(), machine="Fight", positions=positions)
    assert rounded(alone["Guard_2f_Fight__Fire"]) == (300, 90)


@pytest.mark.usefixtures("program")
def test_arrows_end_at_kept_states() -> None:
    layout = layout_of(guard(), positions={"Patrol": (300, 60), "Home": (-200, 300)})
    for id_, arrow in layout.arrows.items():
        tail, _, head = id_.partition("--")
        ends = [(tail, arrow.points[0]), (head, arrow.head)]
        for node, point in ends:
            if node in layout.nodes and point is not None:
                assert layout.nodes[node].grown(6.0).has(point), (id_, node)


@pytest.mark.usefixtures("program")
def test_panels_of_a_group_do_not_overlap() -> None:
    other: Fsm[None] = Fsm("Other")
    other.add_state("A").add_transition("GO", other.add_state("B"))
    layout = layout_of(FsmGroup([guard(), other]), positions={"Guard": {"Patrol": (600, 60)}})
    assert not layout.frames["cluster_Guard"].overlaps(layout.frames["cluster_Other"])
    assert not layout.frames["cluster_Guard"].overlaps(layout.nodes["Other__A"])


def test_a_picture_around_a_state_is_laid_out_freely() -> None:
    assert "pos=" not in to_dot(guard(), around="Patrol", positions={"Patrol": (300, 60)})


def test_dot_has_the_places_for_neato() -> None:
    text = to_dot(guard(), positions={"Patrol": (300, 60)})
    assert 'pos="300,-60!"' in text
    assert 'inputscale="72"' in text
    assert "pos=" not in to_dot(guard())


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        ({"Patro": (1, 2)}, ValueError, "positions: there is no state 'Patro'. Did you mean"),
        ({"Guard/X": {"A": (1, 2)}}, ValueError, "positions: there is no machine 'Guard/X'."),
        ({"Patrol": (1,)}, ValueError, "The place of 'Patrol' must be two numbers (x, y), got (1"),
        ({"Patrol": "ab"}, TypeError, "The place of 'Patrol' must be two numbers (x, y), got 'ab"),
        ({"Patrol": (1, float("nan"))}, ValueError, "The place of 'Patrol' must be a number"),
        ({"Patrol": (1, True)}, TypeError, "The place of 'Patrol' must be a number"),
        ({"Patrol": (1, 1e9)}, ValueError, "The place of 'Patrol' must be a number"),
        ([1], TypeError, "positions must be a mapping of states to places"),
    ],
)  # fmt: skip
def test_wrong_positions_are_an_error(positions: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        to_dot(guard(), positions=positions)
    assert str(caught.value).startswith(message)


def test_a_file_of_positions_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = positions_file(tmp_path / "guard.py")
    assert path.name == "guard.positions.json"
    assert read_positions(path) == {}
    written = {"Guard": {"Patrol": (40.0, 30.5)}, "Guard/Fight": {"Aim": (60.0, 90.0)}}
    write_positions(path, written)
    assert path.read_text("utf-8") == (
        '{\n  "Guard": {"Patrol": [40.0, 30.5]},\n  "Guard/Fight": {"Aim": [60.0, 90.0]}\n}\n'
    )
    assert read_positions(path) == written
    assert "pos=" in to_dot(guard(), positions=json.loads(path.read_text("utf-8")))
    write_positions(path, {"Guard": {}})
    assert not path.exists()


@pytest.mark.parametrize("content", [b"[", b"3", b'{"Guard": {"Patrol": [1]}}', b"\xff"])
def test_a_file_with_something_else_is_an_error_with_its_name(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "guard.positions.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"guard\.positions\.json"):
        read_positions(path)


@pytest.mark.usefixtures("graphviz")
def test_the_same_positions_give_the_same_picture() -> None:
    options: dict[str, Any] = {"positions": {"Patrol": (300, 60), "Home": (20, 200)}}
    assert to_svg(guard(), **options) == to_svg(guard(), **options)

"""Hubs are drawn as rings, labels in their panels and free of arrows: by either Graphviz."""

import re
import shutil
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from actions import RunFsm
from fsmkit import BACK, FINISHED, Fsm, FsmGroup
from fsmkit.diagram import layout as graphviz
from fsmkit.diagram import to_png, to_svg
from fsmkit.diagram.geometry import PictureLayout, layout_in
from fsmkit.diagram.graph import Graph
from fsmkit.diagram.picture_options import PictureLook, View
from fsmkit.diagram.svg import drawn
from fsmkit.svg.theme import LIGHT

Build: TypeAlias = Callable[[], Fsm[Any]]


def program_of(name: str) -> str | None:
    return graphviz.installed_program() if name == graphviz.PURE else shutil.which(name)


@pytest.fixture(params=[graphviz.PURE, "dot"], autouse=True)
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Draw with graphviz-pure, and with the system's Graphviz."""
    found = program_of(request.param)
    if found is None:
        pytest.skip(f"there is no {request.param} here")
    monkeypatch.setattr(graphviz, "program", lambda: found)
    return str(request.param)


def layout_of(fsm: Fsm[Any], **options: Any) -> PictureLayout:
    return layout_of_graph(View(**options).arranged(View(**options).graph(fsm)))


def layout_of_graph(graph: Graph) -> PictureLayout:
    return layout_in(drawn(graph, LIGHT, PictureLook()))


def size(svg: str) -> tuple[float, float]:
    found = re.search(r'viewBox="0.00 0.00 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])


def struck(layout: PictureLayout) -> list[tuple[str, str]]:
    """Return each label with what lies on it: an arrow, another label or a state."""
    labels = {id_: box.grown(-1.5) for id_, box in layout.labels().items()}
    return [
        (own, other)
        for own, label in labels.items()
        for other in (
            *(id_ for id_, arrow in layout.arrows.items() if id_ != own and arrow.meets(label)),
            *(id_ for id_, box in labels.items() if id_ != own and box.overlaps(label)),
            *(id_ for id_, box in layout.nodes.items() if box.overlaps(label)),
        )
    ]


def outside(layout: PictureLayout) -> list[str]:
    """Return the labels that lie on the edge of a frame."""
    return [
        id_
        for id_, label in layout.labels().items()
        for frame in layout.frames.values()
        if label.overlaps(frame) and not (frame.left < label.left and label.right < frame.right)
    ]


def menu(screens: int = 9) -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Menu")
    hub = fsm.add_state("Menu")
    for number in range(screens):
        screen = fsm.add_state(f"Screen {number}")
        hub.add_transition(f"OPEN_{number}", screen)
        screen.add_transition("BACK", hub)
    return fsm


def game() -> Fsm[None]:
    """A menu from which a game begins, whose states are in layers."""
    fsm = menu(7)
    play, pause, over = (fsm.add_state(name) for name in ("Play", "Pause", "Over"))
    fsm.states["Menu"].add_transition("PLAY", play)
    play.add_transition("PAUSE", pause)
    pause.add_transition("RESUME", play)
    pause.add_transition("QUIT", fsm.states["Menu"])
    play.add_transition("DIED", over)
    over.add_transition(FINISHED, fsm.states["Menu"])
    return fsm


def guarded() -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Guard")
    patrol, shoot, run, hide = (fsm.add_state(name) for name in ("Patrol", "Shoot", "Run", "Hide"))
    seen = "PLAYER_SEEN_BY_ANY_OF_THE_GUARDS"
    patrol.add_transition(seen, shoot, when=is_close_enough_to_the_player_and_not_blinded)
    patrol.add_transition(seen, run, when=has_more_than_three_arrows_left_in_the_quiver)
    patrol.add_transition(seen, hide)
    for state in (shoot, run, hide):
        state.add_transition("LOST", patrol, when=is_close_enough_to_the_player_and_not_blinded)
    return fsm


def is_close_enough_to_the_player_and_not_blinded(_state: object) -> bool:
    return True


def has_more_than_three_arrows_left_in_the_quiver(_state: object) -> bool:
    return True


def restart_timer(_state: object) -> None: ...


def light() -> Fsm[None]:
    """A light with a sensor of motion: its nested timer is crowded with labels."""
    timer: Fsm[None] = Fsm("On")
    timed, during, stay = (timer.add_state(name) for name in ("Timed", "While motion", "StayOn"))
    out = timer.add_state("Out", final=True)
    timed.add_transition("MOTION", timed, do=restart_timer)
    timed.add_transition("MOTION_ON", during, when=has_sensor_of_duration)
    timed.add_transition(FINISHED, out)
    during.add_transition("MOTION_OFF", timed, when=is_still_on)
    during.add_transition("MOTION", during, do=restart_timer)
    stay.add_transition("MOTION", stay)
    fsm: Fsm[None] = Fsm("Motion light")
    idle, active, blocked, forced = (
        fsm.add_state(name) for name in ("Idle", "Active", "Blocked", "Overridden")
    )
    active.add_action(RunFsm(timer, start="StayOn"))
    idle.add_transition("MOTION", active)
    idle.add_transition("LIGHT_ON", blocked)
    blocked.add_transition("MOTION", blocked, do=restart_timer)
    blocked.add_transition("LIGHT_OFF", idle)
    blocked.add_transition("TIMEOUT", active, when=is_still_on)
    active.add_transition("LIGHT_OFF", idle)
    active.add_transition("MANUAL", blocked, when=has_sensor_of_duration)
    fsm.add_global_transition("OVERRIDE", forced, suspend=True)
    forced.add_transition("OVERRIDE", forced)
    forced.add_transition("RELEASE", BACK)
    return fsm


def has_sensor_of_duration(_state: object) -> bool:
    return True


def is_still_on(_state: object) -> bool:
    return True


def fight() -> Fsm[None]:
    """A nested machine with an arrow back on its right, whose label Graphviz puts outside."""
    inner: Fsm[None] = Fsm("Fight")
    aim, fire, cover = (inner.add_state(name) for name in ("Aim", "Fire", "Cover"))
    aim.add_transition(FINISHED, fire)
    fire.add_transition("AGAIN", aim)
    fire.add_transition("EMPTY", cover)
    cover.add_transition(FINISHED, aim)
    fsm: Fsm[None] = Fsm("Guard")
    patrol, combat, dead = (fsm.add_state(name) for name in ("Patrol", "Combat", "Dead"))
    patrol.add_transition("SEEN", combat)
    combat.add_transition("LOST", patrol)
    combat.add_action(RunFsm(inner))
    fsm.add_global_transition("KILLED", dead)
    return fsm


MACHINES: list[Build] = [menu, game, guarded, light, fight]


@pytest.mark.parametrize("build", MACHINES)
def test_nothing_lies_on_a_label_and_none_leaves_its_panel(build: Build) -> None:
    layout = layout_of(build())
    assert (struck(layout), outside(layout)) == ([], [])


@pytest.mark.slow
def test_the_screens_of_a_menu_stand_around_it() -> None:
    width, height = size(to_svg(menu()))
    assert width / height < 1.5  # in one row: 6
    layout = layout_of(menu())
    x, y = layout.nodes["Menu__Menu"].centre
    screens = [layout.nodes[f"Menu__Screen_20_{number}"].centre for number in range(9)]
    sides = {(one > x, other > y) for one, other in screens}
    assert len(sides) == 4


def test_no_two_arrows_of_a_hub_have_the_same_end() -> None:
    layout = layout_of(menu())
    ends = [arrow.head for arrow in layout.arrows.values()]
    assert len({*ends}) == len(ends)


def test_the_other_states_of_a_hub_are_still_in_layers() -> None:
    layout = layout_of(game())
    tops = {name: layout.nodes[f"Menu__{name}"].top for name in ("Menu", "Play", "Pause", "Over")}
    assert tops["Menu"] < tops["Play"] < tops["Pause"] == tops["Over"]


def test_a_hub_in_a_group_of_machines_is_a_ring_in_its_panel() -> None:
    view = View()
    layout = layout_of_graph(view.graph(FsmGroup([menu(), fight()])))
    panel = layout.frames["cluster_Menu"]
    assert panel.width / panel.height < 1.5
    assert panel.has(layout.nodes["Menu__Screen_20_0"].centre)
    assert (struck(layout), outside(layout)) == ([], [])


def test_a_hub_that_leads_to_few_states_is_in_layers() -> None:
    layout = layout_of(menu(2))
    tops = {layout.nodes[f"Menu__Screen_20_{number}"].top for number in range(2)}
    assert len(tops) == 1


def test_long_guards_do_not_make_a_picture_wide() -> None:
    width, height = size(to_svg(guarded()))
    assert width / height < 2.5  # in one line each: 5


@pytest.mark.slow
def test_a_png_has_the_same_layout() -> None:
    picture = to_png(menu())
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    across, down = size(to_svg(menu()))
    assert abs(width / height - across / down) < 0.02


def test_a_picture_with_nothing_to_mend_is_that_of_graphviz(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    draw = graphviz.drawn_by

    def counted(path: str, *options: str, dot: str) -> bytes:
        calls.append(dot)
        return draw(path, *options, dot=dot)

    monkeypatch.setattr(graphviz, "drawn_by", counted)
    fsm: Fsm[None] = Fsm("Lamp")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESS", on)
    on.add_transition("PRESS", off)
    to_svg(fsm)
    assert len(calls) == 1

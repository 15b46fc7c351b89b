"""DOT, and what Graphviz makes of it."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions import RunFsm, Sequence, TimedWait
from fsmkit import Fsm, FsmError, FsmGroup
from fsmkit.diagram import show, to_dot, to_png, to_svg, to_text
from fsmkit.diagram.graph import any_state_id, edge_id, machine_id, state_id
from fsmkit.diagram.layout import program
from fsmkit.diagram.wording import lines_of

SVG = "{http://www.w3.org/2000/svg}"


needs_graphviz = pytest.mark.usefixtures("graphviz")


def guard() -> Fsm[Any]:
    fsm = Fsm("Guard")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_action(Sequence(TimedWait(1.0), TimedWait(2.0)))
    patrol.add_transition("SEEN", chase)
    patrol.add_transition("HEARD", chase)
    fsm.add_global_transition("KILLED", fsm.add_state("Dead", final=True))
    fsm.start("Chase")
    return fsm


def parts(svg: str) -> dict[str, str]:
    """Id -> class of all that has an id."""
    groups = ElementTree.fromstring(svg).iter(f"{SVG}g")
    return {group.attrib["id"]: group.attrib["class"] for group in groups if "id" in group.attrib}


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def titles(svg: str) -> set[str | None]:
    return {title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")}


def test_dot_needs_no_graphviz_and_is_the_same_every_time() -> None:
    assert to_dot(guard(), actions=True) == to_dot(guard(), actions=True)
    assert to_dot(guard()).startswith("digraph fsm {\n")


def test_light_and_dark_differ_in_colours_only() -> None:
    light, dark = to_dot(guard()), to_dot(guard(), dark=True)
    assert light != dark
    assert [line.split("#")[0] for line in light.splitlines()] == [
        line.split("#")[0] for line in dark.splitlines()
    ]


def test_a_new_state_at_the_end_changes_no_other_line_of_dot() -> None:
    before, fsm = to_dot(guard()), guard()
    fsm.add_state("New").add_transition("BACK", "Patrol")
    after = to_dot(fsm).splitlines()
    assert [line for line in after if line in before.splitlines()] == before.splitlines()


def test_a_note_for_a_state_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ValueError, match="'Petrol'.*The states are: 'Patrol', 'Chase', 'Dead'"):
        to_dot(guard(), notes={"Petrol": "12 %"})


@needs_graphviz
def test_every_part_of_the_svg_has_an_id_and_says_what_it_is() -> None:
    patrol, chase, dead = (state_id("Guard", name) for name in ("Patrol", "Chase", "Dead"))
    found = parts(to_svg(guard()))
    assert {id_: kinds for id_, kinds in found.items() if "beginning" not in kinds} == {
        machine_id("Guard"): "graph machine",
        patrol: "node state start",
        chase: "node state current",
        dead: "node state final",
        any_state_id("Guard"): "node any-state",
        edge_id(patrol, chase): "edge transition",
        edge_id(any_state_id("Guard"), dead): "edge transition global",
    }


@needs_graphviz
def test_the_svg_says_everything() -> None:
    svg = to_svg(guard(), actions=True, notes={"Patrol": "12 % of them"})
    assert {"Guard", "Patrol", "12 % of them", "SEEN", "HEARD", "any state", "KILLED"} <= set(
        texts(svg)
    )
    assert {
        "Guard",
        "Patrol",
        "Patrol → Chase: SEEN, HEARD\nSEEN: sent from outside\nHEARD: sent from outside",
        "any state → Dead: KILLED\nKILLED: sent from outside",
    } <= titles(svg)
    assert "".join(texts(svg)).count("TimedWait") == 2


@needs_graphviz
def test_the_svg_can_be_a_part_of_a_page() -> None:
    svg = to_svg(guard(), dark=True)
    assert svg.startswith('<svg class="fsmkit-diagram dark" role="img" aria-label="Guard"')
    assert "<!--" not in svg


@needs_graphviz
def test_inner_machines_are_clusters() -> None:
    outer = Fsm("Outer")
    inner = guard()
    outer.add_state("Run").add_action(RunFsm(inner))
    outer.add_state("Again").add_action(RunFsm(inner))
    found = parts(to_svg(outer))
    assert found[machine_id("Outer/Guard")] == "cluster machine"
    run = state_id("Outer", "Run")
    assert found[edge_id(run, machine_id("Outer/Guard"))] == "edge runs"
    assert found[edge_id(state_id("Outer", "Again"), machine_id("Outer/Guard"))] == "edge runs"


@needs_graphviz
def test_each_shape_of_a_group_is_a_cluster() -> None:
    svg = to_svg(FsmGroup([guard(), guard(), Fsm("Empty")]))
    assert {"Guard ×2", "2 of 2", "Empty", "no states"} <= set(texts(svg))


@pytest.mark.slow
@needs_graphviz
@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.text(st.characters() | st.sampled_from('"\\<>&|{}[]#;:%NGLETH\n'), min_size=1),
        min_size=1, max_size=6, unique=True,
    )
)  # fmt: skip
def test_every_name_survives(names: list[str]) -> None:
    fsm = Fsm(names[0])
    for name in names:
        fsm.add_state(name).add_transition(name, names[0])
    shown = [" ".join(text.split()) for text in texts(to_svg(fsm, actions=True))]
    for name in names:
        for line in lines_of(name):
            assert " ".join(line.split()) in shown or not line.strip()


@needs_graphviz
def test_show_is_svg_in_a_notebook_and_text_elsewhere() -> None:
    picture = show(guard(), actions=True)
    assert picture._repr_svg_() == picture.svg == to_svg(guard(), actions=True)
    assert repr(picture) == to_text(guard(), actions=True)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Puts a program on a PATH where there is nothing else, written in shell."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))

    def put(name: str, script: str) -> Path:
        file = tmp_path / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    return put


Install = Callable[[str, str], Path]
on_posix = pytest.mark.skipif(os.name != "posix", reason="the programs are written in shell")


@pytest.mark.usefixtures("install")
def test_without_a_graphviz_the_error_names_both_ways() -> None:
    assert shutil.which("dot") is None
    with pytest.raises(ImportError, match=r"pip install 'fsmkit\[diagram\]'.*`dot` on the PATH"):
        to_svg(guard())


@on_posix
def test_graphviz_pure_goes_before_dot(install: Install) -> None:
    dot = install("dot", "exit 0")
    assert program() == str(dot)
    pure = install("graphviz-pure", "exit 0")
    assert program() == str(pure)


@on_posix
def test_a_graphviz_that_fails_is_an_error_with_what_it_said(install: Install) -> None:
    install("dot", "echo no fonts >&2; exit 3")
    with pytest.raises(FsmError, match="failed to lay out the picture: no fonts"):
        to_png(guard())


@on_posix
@pytest.mark.parametrize(("points", "resolution"), [(500, b"192"), (7200, b"40")])
def test_a_png_has_not_too_many_pixels(install: Install, points: int, resolution: bytes) -> None:
    svg = f'<svg width="{points}pt" height="{points}pt">'
    install("dot", f"case $1 in -Tsvg) echo '{svg}';; *) printf %s \"$*\";; esac")
    assert to_png(guard()) == b"-Tpng -Gdpi=" + resolution + b" -q"

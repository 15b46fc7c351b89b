"""Pictures of GOAP data sets: the actions of each, and which extends which."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from every import every

from fsmkit.cli import main
from fsmkit.diagram import datasets_to_dot, datasets_to_png, datasets_to_svg, datasets_to_text
from fsmkit.goap import DataSet, DataSetError, Extension, GoapAction, add, at_least

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[2]


needs_graphviz = pytest.mark.usefixtures("graphviz")

EAT = GoapAction("Eat", 2, {"food": True}, {"hungry": False})
STUDY = GoapAction("Study", lambda: 3.0, {"in_class": True, "tired": False}, {"wise": True})
NEEDS = DataSet("Needs", [EAT])
STUDENT = DataSet("Student", [STUDY], [Extension("Needs", {"in_class": False, "alarm": False})])
IDLE = DataSet("Idle")
SCHOOL = [STUDENT, NEEDS, IDLE]

PICTURES: list[Callable[..., Any]] = [datasets_to_dot, datasets_to_text, datasets_to_svg]


def parts(svg: str) -> dict[str, tuple[str, str]]:
    """Id -> the class and the tooltip of each part."""
    return {
        part.get("id", ""): (part.get("class", ""), part.findtext(f"{SVG}title") or "")
        for part in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if part.get("class") in {"node dataset", "edge extends"}
    }


def test_a_data_set_as_text_has_its_actions_and_what_it_extends() -> None:
    assert datasets_to_text(SCHOOL).splitlines() == [
        "Student",
        "├─ Study …",
        "└─ extends Needs, needs not in_class, not alarm",
        "",
        "Needs",
        "└─ Eat 2",
        "",
        "Idle",
        "└─ no actions of its own",
    ]


def test_with_facts_there_is_what_actions_need_and_make() -> None:
    lines = datasets_to_text(SCHOOL, facts=True).splitlines()
    assert lines[1] == "├─ Study …: in_class, not tired → wise"
    assert lines[5] == "└─ Eat 2: food → not hungry"


def test_counts_are_given_in_words() -> None:
    dig = GoapAction("Dig", 1, {"pick": at_least(1), "cart": 0}, {"ore": add(2), "pick": add(-1)})
    miner = DataSet("Miner", [dig], [Extension("Idle", {"gold": at_least(9)})])
    assert datasets_to_text([miner, IDLE], facts=True).splitlines()[:3] == [
        "Miner",
        "├─ Dig 1: pick at least 1, cart: 0 → ore +2, pick -1",
        "└─ extends Idle, needs gold at least 9",
    ]


def test_every_data_set_is_a_box_and_every_extension_an_arrow() -> None:
    dot = datasets_to_dot(SCHOOL)
    assert re.findall(r'^  "(\w+)" \[', dot, re.MULTILINE) == [
        "cluster_Student", "cluster_Needs", "cluster_Idle",
    ]  # fmt: skip
    (arrow,) = re.findall(r'^  "(\w+)" -> "(\w+)" \[(.*)\]$', dot, re.MULTILINE)
    assert arrow[:2] == ("cluster_Student", "cluster_Needs")
    assert "not in_class" in arrow[2]
    assert "not alarm" in arrow[2]


def test_an_arrow_without_preconditions_has_no_label() -> None:
    (arrow,) = re.findall(
        r"-> .*", datasets_to_dot([DataSet("A", [], [Extension("B")]), DataSet("B")])
    )
    assert "label" not in arrow


@needs_graphviz
def test_tooltips_say_all_that_an_agent_can_do() -> None:
    assert parts(datasets_to_svg(SCHOOL)) == {
        "cluster_Student": (
            "node dataset",
            "\n".join(
                (
                    "data set 'Student'",
                    "Study …: in_class, not tired → wise",
                    "Eat 2: food, not in_class, not alarm → not hungry",
                )
            ),
        ),
        "cluster_Needs": ("node dataset", "data set 'Needs'\nEat 2: food → not hungry"),
        "cluster_Idle": ("node dataset", "data set 'Idle'"),
        "cluster_Student--cluster_Needs": (
            "edge extends",
            "Student extends Needs if not in_class, not alarm",
        ),
    }


@needs_graphviz
@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_can_be_a_part_of_a_page(dark: bool) -> None:
    svg = datasets_to_svg(SCHOOL, dark=dark)
    root = ElementTree.fromstring(svg)
    assert root.get("class") == f"fsmkit-diagram {'dark' if dark else 'light'}"
    assert root.get("aria-label") == "Student, Needs, Idle"
    assert svg.startswith("<svg")


@needs_graphviz
def test_names_may_have_any_letters() -> None:
    name = 'Über "Needs" <b> & \\N 需要\n2'
    datasets = [
        DataSet(name, [GoapAction("<&>", 1, {}, {'"': True})], [Extension("->", {"a<b": True})]),
        DataSet("->"),
    ]
    svg = datasets_to_svg(datasets)
    assert ElementTree.fromstring(svg).get("aria-label") == name.replace("\n", "\\n") + ", ->"
    assert "a<b" in [part.text for part in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@needs_graphviz
def test_as_png_it_is_a_png() -> None:
    assert datasets_to_png(SCHOOL).startswith(b"\x89PNG")


@every("picture", PICTURES)
@every(
    ("datasets", "message"),
    [
        ([STUDENT], "There is no data set 'Needs'"),
        ([DataSet("A", [], [Extension("B")]), DataSet("B", [], [Extension("A")])], "lead back to"),
        ([DataSet("A", [EAT], [Extension("Needs")]), NEEDS], "'Eat' occurs twice"),
        ([NEEDS, NEEDS], "two data sets called 'Needs'"),
        ([DataSet("A", [], [Extension("Needs", {"food": False})]), NEEDS], "could never be used"),
    ],
)
def test_data_sets_that_do_not_fit_together_are_errors(
    picture: Callable[..., Any], datasets: list[DataSet], message: str
) -> None:
    with pytest.raises(DataSetError, match=message):
        picture(datasets)


@pytest.mark.parametrize("picture", PICTURES, ids=lambda each: each.__name__)
def test_what_is_not_a_data_set_is_refused(picture: Callable[..., Any]) -> None:
    for wrong in (NEEDS, "Needs", 3):
        with pytest.raises(TypeError, match="The data sets must be a list of them, got"):
            picture(wrong)
    with pytest.raises(TypeError, match="Each data set must be a DataSet, got 'Needs'"):
        picture(["Needs"])
    with pytest.raises(ValueError, match="There are no data sets to draw"):
        picture([])


def test_a_direction_is_one_of_four() -> None:
    assert 'rankdir="LR"' in datasets_to_dot(SCHOOL, direction="LR")
    with pytest.raises(ValueError, match="direction must be 'TB', .* got 'up'"):
        datasets_to_dot(SCHOOL, direction="up")  # type: ignore[arg-type]


# On the command line

TARGET = f"{ROOT / 'examples' / 'woodcutter.py'}:DATASETS"


@pytest.fixture(autouse=True)
def _own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_draw_takes_a_list_of_data_sets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", TARGET, "--actions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Woodcutter"
    assert "└─ extends Rest, needs not axe" in lines
    assert "├─ MakeFire 1: wood → fire" in lines


def test_draw_writes_data_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sets.dot"
    assert main(["draw", TARGET, "-o", str(file), "--dark", "--direction", "LR"]) == 0
    assert capsys.readouterr().out.startswith("4 data sets, written to ")
    assert file.read_text("utf-8").startswith("digraph")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "sets.mmd"], "data sets are drawn as .svg, .png, .dot, .txt"),
        (["--machine", "A"], "--machine is for machines, not for data sets"),
        (["--findings"], "--findings is for machines, not for data sets"),
        (["--around", "A"], "--around is for machines"),
    ],
)
def test_what_data_sets_do_not_have_is_refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["draw", TARGET, *options]) == 2
    assert message in capsys.readouterr().err


def test_data_sets_that_do_not_fit_are_an_error_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "from fsmkit.goap import DataSet, Extension\n"
        "SETS = (DataSet('A', [], [Extension('B')]),)\nMIXED = [SETS[0], 3]\n"
    )
    assert main(["draw", f"{file}:SETS"]) == 2
    assert "There is no data set 'B'" in capsys.readouterr().err
    assert main(["draw", f"{file}:MIXED"]) == 2
    assert "Each data set must be a DataSet, got 3" in capsys.readouterr().err

"""Data sets: the actions that extensions add, contradictions, and TOML files."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fsmkit.goap import DataSet, DataSetError, Extension, GoapAction, actions_of, load_datasets

ORACLES = Path(os.environ.get("FSMKIT_ORACLES", Path(__file__).parents[3] / "shared" / "oracles"))
SCENARIOS = ORACLES / "goap" / "extensions.json"


def scenarios() -> list[Any]:
    if not SCENARIOS.is_file():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"{SCENARIOS} is not there"))]
    found = json.loads(SCENARIOS.read_text("utf-8"))
    return [pytest.param(scenario, id=scenario["name"]) for scenario in found]


def datasets_in(scenario: dict[str, Any]) -> list[DataSet]:
    return [
        DataSet(
            name,
            [GoapAction(*(action[key] for key in ("name", "cost", "preconditions", "effects")))
             for action in given["actions"]],
            [Extension(each["dataset"], each["preconditions"]) for each in given["extensions"]],
        )
        for name, given in scenario["datasets"].items()
    ]  # fmt: skip


def as_dicts(actions: tuple[GoapAction, ...]) -> list[dict[str, Any]]:
    keys = ("name", "cost", "preconditions", "effects")
    return [{key: getattr(action, key) for key in keys} for action in actions]


@pytest.mark.parametrize("scenario", scenarios())
def test_every_scenario_of_extensions(scenario: dict[str, Any]) -> None:
    datasets = datasets_in(scenario)
    for name, expected in scenario.get("expected_actions", {}).items():
        assert as_dicts(actions_of(name, datasets)) == expected
    if error := scenario.get("expected_error"):
        with pytest.raises(DataSetError) as raised:
            actions_of(error["dataset"], datasets)
        assert all(name in str(raised.value) for name in error["mentions"])


EAT = GoapAction("Eat", 2, {"has_food": True}, {"hungry": False})


@pytest.mark.parametrize(
    ("datasets", "error"),
    [
        ([DataSet("Student", [], [Extension("Needs")])],
         "There is no data set 'Needs', an extension of data set 'Student'. There are: 'Student'."),
        ([DataSet("Student"), DataSet("Student", source="b.toml")],
         ("There are two data sets called 'Student': data set 'Student' and "
         "data set 'Student' (b.toml). Rename one of them.")),
        ([DataSet("Student", [], [Extension("Student")], source="student.toml")],
         ("The extensions of data set 'Student' (student.toml) lead back to itself: "
         "Student -> Student. Remove one of them.")),
        ([DataSet("Student", [], [Extension("A"), Extension("B")]),
          DataSet("A", [EAT], source="a.toml"), DataSet("B", [EAT], source="b.toml")],
         ("The action 'Eat' occurs twice in data set 'Student': in data set 'A' (a.toml) and in "
         "data set 'B' (b.toml). Rename one, or remove it.")),
        ([DataSet("Student", [], [Extension("A"), Extension("B")]),
          DataSet("A", [], [Extension("Needs", {"day": True})]),
          DataSet("B", [], [Extension("Needs", {"day": False})]), DataSet("Needs", [EAT])],
         ("The action 'Eat' of data set 'Needs' is reached from data set 'Student' by two routes: "
         "Student -> A -> Needs and Student -> B -> Needs. Remove one of these extensions.")),
        ([DataSet("Student", [], [Extension("Needs")]), DataSet("Needs", [EAT, EAT])],
         ("The action 'Eat' occurs twice in data set 'Student': in data set 'Needs' and in "
         "data set 'Needs'. Rename one, or remove it.")),
        ([DataSet("Student", [], [Extension("Needs", {"has_food": False})]),
          DataSet("Needs", [EAT])],
         ("data set 'Student': its extension 'Needs' needs 'has_food' to be False, but the action "
         "'Eat' needs it to be True: it could never be used.")),
        ([], "There is no data set 'Student'. There are: none. Check the spelling."),
    ],
)  # fmt: skip
def test_contradictions_are_named(datasets: list[DataSet], error: str) -> None:
    with pytest.raises(DataSetError) as raised:
        actions_of("Student", datasets)
    assert error in str(raised.value)


# Files

STUDENT = """
[[extensions]]
dataset = "Needs"
preconditions = { in_class = false }

[[actions]]
name = "Study"
cost = 4
preconditions = { in_class = true }
effects = { knows_lesson = true }
"""

NEEDS = """
name = "Needs"
[[actions]]
name = "Eat"
preconditions = { has_food = true }
effects = { hungry = false }
"""


def test_data_sets_are_loaded_from_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "Student.toml").write_text(STUDENT, "utf-8")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/needs.toml").write_text(NEEDS, "utf-8")
    datasets = load_datasets(tmp_path / "Student.toml", tmp_path / "shared")
    assert as_dicts(actions_of("Student", datasets)) == [
        {"name": "Study", "cost": 4, "preconditions": {"in_class": True},
         "effects": {"knows_lesson": True}},
        {"name": "Eat", "cost": 1, "preconditions": {"has_food": True, "in_class": False},
         "effects": {"hungry": False}},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("name = ", "this is not valid TOML: Invalid value"),
        ("\udcff", "this is not valid TOML: 'utf-8' codec can't decode"),
        ("nmae = 'A'", "unknown key 'nmae'. It knows name, actions, extensions."),
        ("name = 3", "name must be a non-empty text, got 3."),
        ("actions = 3", "actions must be written as [[actions]], one for each, got 3."),
        ("actions = [3]", "actions[0] must be a table with the keys name, cost, "),
        ("[[actions]]\ncost = 1", "actions[0]: the key 'name' is missing."),
        ("[[actions]]\nname = 'Eat'\ncots = 1", "actions[0]: unknown key 'cots'."),
        ("[[actions]]\nname = 'Eat'\ncost = -1",
         "actions[0] (Eat): The cost of 'Eat' must be a finite number >= 0, got -1."),
        ("[[actions]]\nname = 'Eat'\neffects = { hungry = 0 }",
         "(Eat): The effects of 'Eat' must map facts to True or False, got 'hungry': 0."),
        ("[[extensions]]\npreconditions = {}", "extensions[0]: the key 'dataset' is missing."),
        ("[[extensions]]\ndataset = ''",
         "extensions[0]: The dataset of an Extension must be the name of one, got ''."),
    ],
)  # fmt: skip
def test_every_mistake_is_reported_with_file_and_key(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "student.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataSetError) as raised:
        load_datasets(path)
    assert str(raised.value).startswith(str(path))
    assert error in str(raised.value)

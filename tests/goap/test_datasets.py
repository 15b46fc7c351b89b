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


def test_a_chain_of_extensions_may_be_of_any_length() -> None:
    chain = [
        DataSet(f"D{i}", [GoapAction(f"A{i}")], [Extension(f"D{i + 1}", {f"f{i % 5}": True})])
        for i in range(3000)
    ]
    actions = actions_of("D0", [*chain, DataSet("D3000", [EAT])])
    assert [action.name for action in actions] == [*(f"A{i}" for i in range(3000)), "Eat"]
    assert list(actions[2].preconditions) == ["f1", "f0"]
    assert actions[-1].preconditions == {
        "has_food": True, **{f"f{i}": True for i in (4, 3, 2, 1, 0)},
    }  # fmt: skip


def test_data_sets_without_actions_may_be_reached_by_any_number_of_routes() -> None:
    diamonds = [
        DataSet(f"D{i}", [], [Extension(f"D{i + 1}", {"day": True}), Extension(f"D{i + 1}")])
        for i in range(200)
    ]
    assert actions_of("D0", [*diamonds, DataSet("D200")]) == ()
    with pytest.raises(DataSetError, match="The action 'Eat' of data set 'D200' is reached from"):
        actions_of("D0", [*diamonds, DataSet("D200", [EAT])])


def test_a_long_circle_is_named_from_its_first_data_set_on() -> None:
    circle = [DataSet(f"D{i}", [], [Extension(f"D{(i + 1) % 900}")]) for i in range(900)]
    with pytest.raises(DataSetError) as raised:
        actions_of("Start", [*circle, DataSet("Start", [], [Extension("D3")])])
    assert str(raised.value).startswith(
        "The extensions of data set 'D3' lead back to itself: D3 -> D4 -> "
    )
    assert str(raised.value).endswith(" -> D2 -> D3. Remove one of them.")


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
        ("[[actions]]\nname = 'Eat'\neffects = { hungry = 0.5 }",
         "(Eat): The effects of 'Eat' must map facts to True or False, or counts to "),
        pytest.param(f"cost = {'9' * 5000}", "not valid TOML: Exceeds the limit", id="digits"),
        pytest.param("a = " + "[" * 100_000, "not valid TOML: nested too deeply.", id="deep"),
        pytest.param("a = " + "{b = " * 100_000, "TOML: nested too deeply.", id="deep tables"),
        ("name = 'A'\0", "this is not valid TOML: "),
        ("name = 'A'\n[[actions]]\nname='Eat'\n[actions]", "this is not valid TOML: "),
        pytest.param(f"[[actions]]\nname = 'Eat'\ncost = 1{'0' * 400}",
                     f"(Eat): The cost of 'Eat' must be a finite number >= 0, got 1{'0' * 199}....",
                     id="10 ** 400"),
        ("[[actions]]\nname = 'Eat'\ncost = 1e999", "must be a finite number >= 0, got inf."),
        ("[[actions]]\nname = 'Eat'\ncost = nan", "must be a finite number >= 0, got nan."),
        ("[[actions]]\nname = 'Eat'\ncost = 2026-01-01",
         "must be a finite number >= 0, got datetime.date(2026, 1, 1)."),
        *(
            pytest.param(text.format("0x" + "f" * 5000), "got a value of type int", id=text)
            for text in ("name = {}", "actions = {}", "actions = [{}]", "[[actions]]\nname = {}",
                         "[[actions]]\nname = 'Eat'\ncost = {}", "[[extensions]]\ndataset = {}",
                         "[[actions]]\nname = 'Eat'\npreconditions = {}")
        ),
        ("[[actions]]\nname = 'Eat'\neffects = {needs.food = true}", "got 'needs': {'food': True}"),
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


@pytest.mark.parametrize(
    "written", [b"\xef\xbb\xbf" + NEEDS.encode(), NEEDS.replace("\n", "\r\n").encode()]
)
def test_files_as_editors_on_windows_write_them_are_read(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "a.toml").write_bytes(written)
    (dataset,) = load_datasets(tmp_path)
    assert (dataset.name, [action.name for action in dataset.actions]) == ("Needs", ["Eat"])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_a_file_in_another_encoding_is_reported(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.toml").write_bytes(NEEDS.encode(encoding))
    with pytest.raises(DataSetError, match="this is not valid TOML"):
        load_datasets(tmp_path)


def test_an_empty_file_is_a_data_set_without_actions(tmp_path: Path) -> None:
    (tmp_path / "Idle.toml").write_bytes(b"")
    (dataset,) = load_datasets(tmp_path)
    assert (dataset.name, dataset.actions, dataset.extensions) == ("Idle", [], [])


def test_a_folder_whose_name_looks_like_a_file_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "shared.toml").mkdir()
    (tmp_path / "shared.toml" / "needs.toml").write_text(NEEDS, "utf-8")
    assert load_datasets(tmp_path) == ()
    assert [dataset.name for dataset in load_datasets(tmp_path / "shared.toml")] == ["Needs"]

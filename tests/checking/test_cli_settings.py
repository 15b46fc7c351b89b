"""The settings of `fsmkit check` in pyproject.toml."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fsmkit.cli.settings import CheckSettings, settings_for

Command = Callable[..., tuple[int, list[str], list[str]]]

GUARD = """
from fsmkit import Fsm

def build():
    fsm = Fsm("Guard")
    fsm.add_state("Patrol").add_transition("SEEN", fsm.add_state("Alarm"))
    return fsm
"""

TABLE = "[tool.fsmkit.check]\n"


@pytest.fixture(autouse=True)
def project(folder: Path) -> Path:
    """A folder with a file in a folder of its own."""
    (folder / "game").mkdir()
    (folder / "game" / "guard.py").write_text(GUARD, "utf-8")
    return folder


def write(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, "utf-8")


def test_all_that_can_be_set(project: Path) -> None:
    write(project, TABLE + 'ignore = ["no-way-out:Limbo"]\nstrict = true\ninputs = ["SEEN"]\n')
    assert settings_for(project / "game") == CheckSettings(("no-way-out:Limbo",), True, ("SEEN",))


def test_without_a_table_there_is_nothing_set(project: Path) -> None:
    assert settings_for(project) == CheckSettings()
    write(project, "[tool.other]\nstrict = 3\n")
    assert settings_for(project) == CheckSettings()
    write(project, "[tool.fsmkit]\n")
    assert settings_for(project) == CheckSettings()


def test_the_nearest_file_that_is_about_fsmkit_counts(project: Path) -> None:
    write(project, TABLE + "strict = true\n")
    write(project / "game", "[project]\nname = 'game'\n")
    assert settings_for(project / "game").strict
    write(project / "game", TABLE)
    assert not settings_for(project / "game").strict


def test_findings_are_ignored_by_the_settings_of_their_target(
    project: Path, command: Command
) -> None:
    write(project / "game", TABLE + 'ignore = ["no-way-out:Alarm", "no-way-out:Elsewhere"]\n')
    (project / "guard.py").write_text(GUARD, "utf-8")
    exit_code, lines, errors = command("check", "game/guard.py", "guard.py")
    assert (exit_code, lines[0], lines[-1], errors) == (
        0, "Guard  guard.py", "1 warning in 4 states of 2 machines", [],
    )  # fmt: skip


def test_strict_settings_hold_for_their_target(project: Path, command: Command) -> None:
    write(project, TABLE + "strict = true\n")
    assert command("check", "game/guard.py")[0] == 1
    write(project / "game", TABLE + "strict = false\n")
    assert command("check", "game/guard.py")[0] == 0
    assert command("check", "game/guard.py", "--strict")[0] == 1


def test_a_module_has_the_settings_of_the_working_folder(project: Path, command: Command) -> None:
    write(project, TABLE + 'ignore = ["no-way-out"]\n')
    assert command("check", "game.guard")[1] == ["Nothing to report: 2 states checked."]


WRONG = {
    TABLE + "strikt = true": (
        "pyproject.toml, [tool.fsmkit.check]: there is no key 'strikt'. Did you mean 'strict'? "
        "The keys are: ignore, strict, inputs."
    ),
    "[tool.fsmkit.chek]": (
        "pyproject.toml, [tool.fsmkit]: there is no key 'chek'. Did you mean 'check'? The keys "
        "are: check."
    ),
    "[tool.fsmkit]\ncheck = 3": (
        "pyproject.toml: tool.fsmkit.check must be a table, [tool.fsmkit.check], got 3."
    ),
    "[tool]\nfsmkit = 3": "pyproject.toml: tool.fsmkit must be a table, [tool.fsmkit], got 3.",
    "tool = 3": "pyproject.toml: tool must be a table, [tool], got 3.",
    TABLE + "strict = 'yes'": (
        "pyproject.toml, [tool.fsmkit.check]: strict must be true or false, got 'yes'."
    ),
    TABLE + "ignore = 'no-way-out'": (
        "pyproject.toml, [tool.fsmkit.check]: ignore must be an array of strings, "
        "[\"no-way-out:Limbo\"], got 'no-way-out'."
    ),
    TABLE + "inputs = ['A', 3]": (
        "pyproject.toml, [tool.fsmkit.check]: inputs must be an array of strings, "
        "[\"SPOTTED\"], got ['A', 3]."
    ),
    TABLE + "inputs = ['']": (
        "pyproject.toml, [tool.fsmkit.check]: inputs must be an array of strings, "
        "[\"SPOTTED\"], got ['']."
    ),
    TABLE + "ignore = ['no-wayout']": (
        "pyproject.toml, [tool.fsmkit.check]: ignore: There is no code 'no-wayout'. Did you mean "
        "'no-way-out'? The codes are: no-states, "
    ),
    TABLE + "ignore = ": "'pyproject.toml' is not valid TOML: Invalid value",
    "\udcff": "'pyproject.toml' is not valid TOML: 'utf-8' codec can't decode byte 0xff",
}


@pytest.mark.parametrize("text", WRONG)
def test_settings_that_are_wrong_end_with_2_and_a_clear_line(
    text: str, project: Path, command: Command
) -> None:
    (project / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    exit_code, lines, errors = command("check", "game/guard.py")
    assert (exit_code, lines, len(errors)) == (2, [], 1)
    assert errors[0].startswith(f"fsmkit: {WRONG[text]}")


def test_a_folder_of_that_name_is_not_a_file(project: Path, command: Command) -> None:
    (project / "game" / "pyproject.toml").mkdir()
    assert command("check", "game/guard.py")[0] == 0


def test_a_file_that_cannot_be_read_is_reported(
    project: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, TABLE)

    def refuse(*_: object) -> str:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", refuse)
        assert command("check", "game/guard.py") == (
            2, [], ["fsmkit: 'pyproject.toml' cannot be read: Permission denied."],
        )  # fmt: skip


def findings(lines: list[str]) -> list[str]:
    found = (re.fullmatch(r"  (?:\S+: )?warning ([a-z-]+).*", line) for line in lines)
    return [each[1] for each in found if each is not None]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ([], []),
        (["SEEN"], []),
        (["SEEN", "LOST"], []),
        (["LOST"], ["never-sent"]),
    ],
    ids=str,
)
def test_the_inputs_of_a_project_show_which_events_nobody_sends(
    project: Path, command: Command, named: list[str], found: list[str]
) -> None:
    write(project, TABLE + f'ignore = ["no-way-out"]\ninputs = {named}\n'.replace("'", '"'))
    _, output, _ = command("check", "game/guard.py")
    assert findings(output) == found


def test_inputs_on_the_command_line_replace_those_of_the_project(
    project: Path, command: Command
) -> None:
    write(project, TABLE + 'ignore = ["no-way-out"]\ninputs = ["SEEN"]\n')
    _, output, _ = command("check", "game/guard.py", "--input", "SEN")
    assert findings(output) == ["never-sent", "unknown-input"]


def test_a_walk_sends_only_the_inputs(project: Path, command: Command) -> None:
    _, output, _ = command("check", "game/guard.py", "--explore", "--input", "LOST")
    assert output[-2].startswith("1 moment explored, complete; 0 of 1 transitions taken")

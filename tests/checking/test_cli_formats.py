"""The formats of `fsmkit check` for other programs: JSON, SARIF, commands for GitHub."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from fsmkit import __version__
from fsmkit.checking import CODES

Command = Callable[..., tuple[int, list[str], list[str]]]

GUARD = r"""
from actions import SendEvent
from fsmkit import Fsm

print("hello from the script")

def build():
    print("hello from build")
    fsm = Fsm("Guard")
    patrol, alarm = fsm.add_state("Patrol"), fsm.add_state("Alarm")
    patrol.add_action(SendEvent("SPOTED"))
    patrol.add_transition("SPOTTED", alarm)
    return fsm

def sound():
    fsm = build()
    fsm.states["Patrol"].remove_action(fsm.states["Patrol"].actions[0])
    fsm.states["Alarm"].add_transition("CALM", "Patrol")
    return fsm

def empty():
    return Fsm("Ghost")

def strange():
    fsm = Fsm("100%: a, b\n::error::c")
    fsm.add_state("\r").add_transition("GO", fsm.add_state("巡逻"))
    return fsm

def broken():
    import json
    return json.loads("{")
"""


@pytest.fixture(autouse=True)
def scripts(folder: Path) -> Path:
    """A folder to work in, with the file above."""
    (folder / "guard.py").write_text(GUARD, "utf-8")
    (folder / "odd, name: 100%ä.py").write_text(GUARD, "utf-8")
    return folder


# GitHub


def test_github_shows_findings_beside_the_lines(command: Command) -> None:
    exit_code, lines, errors = command("check", "guard.py", "guard.py:sound", "--format", "github")
    assert (exit_code, errors) == (1, [])
    assert [line for line in lines if not line.startswith("hello")] == [
        (
            "::error file=guard.py,line=11,title=fsmkit%3A dead-end-event::Fsm 'Guard', state "
            "'Patrol', actions[0] (SendEvent): 'SPOTED' may be sent here, but neither the state "
            "nor the machine knows it. Did you mean 'SPOTTED'?"
        ),
        (
            "::warning file=guard.py,line=10,title=fsmkit%3A no-way-out::Fsm 'Guard', state "
            "'Alarm': No transition leads from here to another state, and it is not marked as "
            "final. Add a transition, or mark the end: add_state(..., final=True)."
        ),
        (
            "::warning file=guard.py,line=10,title=fsmkit%3A similar-events::Fsm 'Guard', state "
            "'Patrol': The events 'SPOTTED' ('Patrol') and 'SPOTED' ('Patrol') differ by one "
            "letter. If they are the same event, spell them the same; a constant keeps them so."
        ),
        "1 error, 2 warnings in 4 states of 2 machines",
    ]


def test_what_would_end_a_command_of_github_is_escaped(command: Command) -> None:
    _, lines, _ = command("check", "odd, name: 100%ä.py:strange", "--format", "github")
    (line,) = (line for line in lines if line.startswith("::"))
    assert line.startswith(
        "::warning file=odd%2C name%3A 100%25ä.py,line=26,title=fsmkit%3A no-way-out::"
        r"Fsm '100%25: a, b\n::error::c', state '巡逻': "
    )
    _, lines, _ = command("check", "guard.py:broken", "none.py", "--format", "github")
    broken, missing = (line for line in lines if line.startswith("::"))
    assert broken.startswith(
        "::error file=guard.py,line=31,title=fsmkit::'guard.py:broken' failed before it returned "
        "a machine.%0AJSONDecodeError: "
    )
    assert missing.startswith("::error title=fsmkit::There is no file 'none.py'.")


def test_a_finding_without_a_line_has_that_of_the_function(command: Command) -> None:
    _, lines, _ = command("check", "guard.py:empty", "--format", "github")
    assert "::error file=guard.py,line=21,title=fsmkit%3A no-states::" in lines[1]


# JSON


def test_json_says_of_each_finding_which_target_it_is_about(command: Command) -> None:
    exit_code, lines, errors = command("check", "guard.py", "guard.py:strange", "--json")
    found = json.loads("\n".join(lines))["findings"]
    assert [(each["target"], each["code"], each["place"]["line"]) for each in found] == [
        ("guard.py", "dead-end-event", 11),
        ("guard.py", "no-way-out", 10),
        ("guard.py", "similar-events", 10),
        ("guard.py:strange", "no-way-out", 26),
    ]
    assert exit_code == 1
    assert errors == ["hello from the script", "hello from build", "hello from the script"]


def test_what_scripts_print_does_not_get_among_the_output(command: Command) -> None:
    for name in ("json", "sarif"):
        _, lines, errors = command("check", "guard.py:sound", "--format", name)
        json.loads("\n".join(lines))
        assert errors == ["hello from the script", "hello from build"]


def test_json_has_the_error_of_a_target_that_cannot_be_loaded(command: Command) -> None:
    exit_code, lines, errors = command("check", "none.py", "guard.py:broken", "--json")
    answer = json.loads("\n".join(lines))
    assert (exit_code, answer["findings"]) == (2, [])
    missing, broken = (each["error"] for each in answer["targets"])
    assert missing["message"].startswith("There is no file 'none.py'.")
    assert (missing["details"], missing["file"], missing["line"]) == ([], None, None)
    assert broken["message"] == "'guard.py:broken' failed before it returned a machine."
    assert (broken["file"], broken["line"]) == ("guard.py", 31)
    assert [line[:24] for line in errors if line.startswith("fsmkit")] == [
        "fsmkit: There is no file", "fsmkit: 'guard.py:broken",
    ]  # fmt: skip


# SARIF


def sarif(command: Command, *arguments: str) -> dict[str, Any]:
    """The one run of the log that is printed."""
    _, lines, _ = command("check", *arguments, "--format", "sarif")
    log = json.loads("\n".join(lines))
    assert log.keys() == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    return dict(run)


def test_sarif_names_the_tool_and_its_rules(command: Command) -> None:
    driver = sarif(command, "guard.py")["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("fsmkit", __version__)
    assert [rule["id"] for rule in driver["rules"]] == list(CODES)
    for rule in driver["rules"]:
        assert rule.keys() == {"id", "shortDescription", "help"}
        assert re.fullmatch(r"[A-Z].*\.", rule["shortDescription"]["text"])
        assert f"# fsmkit: ignore[{rule['id']}]" in rule["help"]["text"]


def test_sarif_says_where_each_result_is(command: Command) -> None:
    run = sarif(command, "guard.py", "guard.py:sound")
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    results = run["results"]
    assert [(each["ruleId"], each["level"]) for each in results] == [
        ("dead-end-event", "error"),
        ("no-way-out", "warning"),
        ("similar-events", "warning"),
    ]
    assert all(rules[each["ruleIndex"]] == each["ruleId"] for each in results)
    assert results[0]["message"] == {
        "text": "Fsm 'Guard', state 'Patrol', actions[0] (SendEvent): 'SPOTED' may be sent here, "
        "but neither the state nor the machine knows it. Did you mean 'SPOTTED'?"
    }
    (location,) = results[0]["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "guard.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 11},
    }
    assert location["logicalLocations"] == [
        {"name": "Guard", "fullyQualifiedName": "Guard", "kind": "machine"},
        {"name": "Patrol", "fullyQualifiedName": "Guard/Patrol", "kind": "state"},
        {
            "name": "actions[0] (SendEvent)",
            "fullyQualifiedName": "Guard/Patrol/actions[0] (SendEvent)",
            "kind": "action",
        },
    ]


def test_a_path_in_sarif_is_a_uri(scripts: Path, command: Command) -> None:
    (result,) = sarif(command, "odd, name: 100%ä.py:strange")["results"]
    where = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert re.fullmatch(r"[\w./%-]+", where["uri"], re.ASCII)
    assert unquote(where["uri"]) == "odd, name: 100%ä.py"


def test_a_file_elsewhere_has_its_whole_uri(
    scripts: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scripts / "below").mkdir()
    monkeypatch.chdir("below")
    (result,) = sarif(command, "../guard.py:empty")["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": (scripts / "guard.py").as_uri()},
        "region": {"startLine": 21},
    }


def test_the_fingerprint_of_a_finding_stays_when_its_line_moves(
    scripts: Path, command: Command
) -> None:
    def prints() -> list[dict[str, str]]:
        return [each["partialFingerprints"] for each in sarif(command, "guard.py")["results"]]

    before = prints()
    (scripts / "guard.py").write_text("\n\n\n" + GUARD, "utf-8")
    assert prints() == before
    assert len({tuple(each.items()) for each in before}) == 3


def test_sarif_says_what_could_not_be_checked(command: Command) -> None:
    (invocation,) = sarif(command, "guard.py:sound")["invocations"]
    assert invocation == {"executionSuccessful": True, "toolExecutionNotifications": []}
    run = sarif(command, "guard.py:broken", "none.py", "guard.py:empty")
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    broken, missing = invocation["toolExecutionNotifications"]
    assert broken["message"]["text"].startswith("'guard.py:broken' failed before it returned")
    assert broken["locations"][0]["physicalLocation"]["region"] == {"startLine": 31}
    assert missing.keys() == {"level", "message"}
    assert [result["ruleId"] for result in run["results"]] == ["no-states"]


def test_the_same_findings_give_the_same_text(command: Command) -> None:
    once = command("check", "guard.py", "--format", "sarif")
    assert once == command("check", "guard.py", "--format", "sarif")

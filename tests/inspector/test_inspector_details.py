"""What the page tells of a machine: what it waits for, its lines of code, and its findings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from every import every

from actions import DelegateAction, Move, RunFsm, Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmAction
from fsmkit.inspector import inspect
from fsmkit.inspector.live.requests.machine_requests import Findings
from fsmkit.inspector.reading.chart import StateChart
from fsmkit.inspector.reading.code import Code, checked_editor, code_map
from fsmkit.inspector.reading.details import detail_of, waiting_for
from fsmkit.inspector.reading.page_values import PartReader
from fsmkit.introspection.code_place import CodePlace
from fsmkit.introspection.definition_sites import noting_places
from fsmkit.introspection.nesting import MachineNames
from fsmkit.space import Transform

FILE = Path(__file__)


def line_of(mark: str) -> int:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    [line] = [n for n, text in enumerate(lines, start=1) if text.endswith(f"# {mark}")]
    return line


def door(*actions: FsmAction[Any]) -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    for action in actions:
        closed.add_action(action)
    closed.add_transition(FINISHED, opened)
    opened.add_transition("CLOSE", closed)
    return fsm


def waits(machine: Fsm[Any], *others: Fsm[Any]) -> list[str]:
    naming = MachineNames()
    list(naming.add([machine, *others]))
    told = []
    for waiting in waiting_for(machine, naming.names):
        actions = ", ".join(each["text"] for each in waiting["actions"])
        told.append(f"{actions} -> {', else '.join(waiting['leads'])}")
    return told


# What a state waits for


def test_a_state_waits_for_each_action_that_has_not_finished() -> None:
    move = Move(Transform((0.0, 0.0)), (0.0, 0.0), (8.0, 0.0), duration=4.0)
    steps = Sequence(TimedWait(1.0), TimedWait(3.0))
    fsm = door(move, TimedWait(2.0), DelegateAction(on_update=lambda: None), steps)
    fsm.start()
    fsm.update(1.25)
    assert waits(fsm) == [
        (
            "Move 31 % of 4.0 s, TimedWait 1.2 of 2.0 s, DelegateAction (has no end), "
            "Sequence 2 of 2: TimedWait (0.0 of 3.0 s) -> Open"
        )
    ]


def test_namesakes_are_told_apart_and_what_has_finished_is_not_waited_for() -> None:
    fsm = door(TimedWait(1.0), TimedWait(2.0), TimedWait(3.0))
    fsm.start()
    fsm.update(1.5)
    assert waits(fsm) == [
        "actions[1] TimedWait 1.5 of 2.0 s, actions[2] TimedWait 1.5 of 3.0 s -> Open"
    ]


def test_without_a_transition_for_finished_nothing_is_waited_for() -> None:
    fsm = door(TimedWait(1.0))
    fsm.start("Open")
    assert waits(fsm) == []
    fsm.stop()
    assert waits(fsm) == []


def test_guards_of_finished_are_named_and_not_asked() -> None:
    asked: list[str] = []

    def is_free() -> bool:
        asked.append("is_free")
        return False

    fsm: Fsm[None] = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_action(TimedWait(1.0))
    closed.add_transition(FINISHED, opened, when=is_free)
    fsm.add_global_transition(FINISHED, BACK)
    fsm.start()
    name = "test_guards_of_finished_are_named_and_not_asked.<locals>."
    [told] = waits(fsm)
    assert told.replace(name, "") == (
        "TimedWait 0.0 of 1.0 s -> Open if [is_free], else nothing to go back to"
    )
    assert asked == []


def test_an_error_on_enter_says_that_actions_were_missed() -> None:
    fsm = door(DelegateAction(on_enter=lambda: 1 / 0), TimedWait(1.0))
    with pytest.raises(ZeroDivisionError):
        fsm.start()
    naming = MachineNames()
    list(naming.add([fsm]))
    [waiting] = waiting_for(fsm, naming.names)
    assert (waiting["actions"], waiting["missed"]) == ([], 2)


def test_an_action_that_cannot_say_what_it_waits_for_is_named() -> None:
    class Odd(FsmAction[Any]):
        @property
        def waits_for(self) -> str:
            raise LookupError

    fsm = door(Odd())
    fsm.start()
    assert waits(fsm) == ["Odd -> Open"]


def test_a_page_shows_what_nested_machines_wait_for_and_asks_about_finished(
    inspected: Callable[..., Any],
) -> None:
    outer: Fsm[None] = Fsm("House")
    outer.add_state("Day").add_action(RunFsm(door(TimedWait(1000.0))))
    outer.start()
    page = inspected(outer)
    frame = page.frame(lambda frame: frame["detail"])
    [waiting] = frame["detail"]["waiting"]
    assert (waiting["machine"], waiting["leads"]) == ("House/Door", ["Open"])
    why = page.ask("ask", machine="House/Door", event=FINISHED)["why"]
    assert "Not finished yet: TimedWait" in why


# Lines


def test_the_lines_of_a_machine_are_where_it_was_built() -> None:
    with noting_places() as places:
        fsm: Fsm[None] = Fsm("Door")
        closed = fsm.add_state("Closed")  # state
        closed.add_action(
            DelegateAction(on_update=lambda: None)  # action
        )
        closed.add_transition(
            "PUSH",
            closed,
            when=lambda: True,  # guard
        )
    lines = code_map(fsm, {fsm: "Door"}, Code(places))["Door"]
    assert lines["states"]["Closed"]["text"] == f"{FILE.name}:{line_of('state')}"
    [pushed] = lines["events"]["Closed"]["PUSH"]
    assert [each["what"] for each in pushed] == ["added", "guard"]
    assert pushed[1]["text"] == f"{FILE.name}:{line_of('guard')}"
    actions = lines["actions"]["Closed"]["0"]
    assert [each["what"] for each in actions] == ["added", "on_update"]
    assert actions[1]["text"] == f"{FILE.name}:{line_of('action')}"


def guard() -> Fsm[None]:
    fsm: Fsm[None] = Fsm("Guard")
    patrol, chase, dead = map(fsm.add_state, ("Patrol", "Chase", "Dead"))
    alive = fsm.add_group("Alive", patrol, chase)
    alive.add_transition("SHOT", dead)  # group
    alive.add_transition("ALARM", chase)
    patrol.add_transition("ALARM", chase, when=lambda: True)
    fsm.add_global_transition("ALARM", dead)
    return fsm


def test_the_lines_and_events_of_groups() -> None:
    with noting_places() as places:
        fsm = guard()
    lines = code_map(fsm, {fsm: "Guard"}, Code(places))["Guard"]
    [[line]] = lines["events"]["Alive"]["SHOT"]
    assert line["text"] == f"{FILE.name}:{line_of('group')}"
    reader = PartReader(lambda: "Guard", lambda line: None)
    fsm.start()
    events = detail_of(fsm, {fsm: "Guard"}, reader)["events"]
    assert [(each["name"], each["target"], each["global"]) for each in events] == [
        ("ALARM", "Chase", False), ("SHOT", "Dead", False), ("ALARM", "Chase", False),
    ]  # fmt: skip
    fsm.start("Chase")
    events = detail_of(fsm, {fsm: "Guard"}, reader)["events"]
    assert [each["name"] for each in events] == ["SHOT"]


def test_arrows_of_groups_are_parts_of_the_graph_as_others_are() -> None:
    fsm = guard()
    chart = StateChart(fsm, {fsm: "Guard"})
    version = chart.version
    _, parts = chart.read()
    arrow = "cluster_Guard__Alive--Guard__Dead"
    assert parts["edges"][arrow] == {
        "machine": "Guard", "events": ["SHOT"], "source": "cluster_Guard__Alive",
        "target": "Guard__Dead", "sources": ["Patrol", "Chase"], "group": "Alive",
        "labels": [{"event": "SHOT", "rank": 0, "text": "SHOT", "lines": 1}],
    }  # fmt: skip
    assert chart.transition(fsm, "Chase", "Dead", "SHOT") == arrow
    assert chart.transition(fsm, "Chase", "Dead", "ALARM", is_global=True) == "Guard__--Guard__Dead"
    assert chart.transition(fsm, "Patrol", "Chase", "ALARM") == "Guard__Patrol--Guard__Chase"
    fsm.groups["Alive"].remove("Chase")
    chart.update()
    assert chart.version != version


def test_each_label_of_an_arrow_is_a_transition_of_its_own() -> None:
    fsm = Fsm("Knight")
    guard, stunned = fsm.add_state("Guard"), fsm.add_state("Stunned")
    guard.add_transition("HIT\nHARD", guard, when=lambda: False)
    guard.add_transition("HIT\nHARD", stunned, do=lambda: None)
    guard.add_transition("TRIP", stunned, suspend=True)
    _, parts = StateChart(fsm, {fsm: "Knight"}).read()
    labels = {id_: edge["labels"] for id_, edge in parts["edges"].items()}
    hit = {"event": "HIT\nHARD", "lines": 2}
    assert labels == {
        "Knight__Guard--Knight__Guard": [{**hit, "rank": 0, "text": "1. HIT\\nHARD [False]"}],
        "Knight__Guard--Knight__Stunned": [
            {**hit, "rank": 1, "text": "2. HIT\\nHARD / None"},
            {"event": "TRIP", "rank": 0, "text": "TRIP (suspends)", "lines": 1},
        ],
    }


def test_what_a_bundle_stands_for_is_at_no_other_arrow() -> None:
    fsm = Fsm("Ring")
    names = [f"S{number}" for number in range(40)]
    for name in names:
        fsm.add_state(name)
    for name, after in pairwise(names):
        fsm.states[name].add_transition("NEXT", after)
        fsm.states[name].add_transition("QUIT", names[-1])
    _, parts = StateChart(fsm, {fsm: "Ring"}).read()
    assert [each["event"] for each in parts["edges"]["Ring__S38--Ring__S39"]["labels"]] == ["NEXT"]
    bundle = parts["edges"]["Ring___from_QUIT--Ring__S39--Ring__S39"]
    assert (bundle["sources"], bundle["labels"]) == (
        names[:-1], [{"event": "QUIT", "rank": 0, "text": "QUIT", "lines": 1}],
    )  # fmt: skip


def test_without_noted_places_functions_and_classes_have_lines() -> None:
    fsm = door(DelegateAction(on_update=lambda: None), TimedWait(1.0))
    lines = code_map(fsm, {fsm: "Door"}, Code())["Door"]
    assert lines["states"] == {}
    found = {
        place: [each["what"] for each in own] for place, own in lines["actions"]["Closed"].items()
    }
    assert found == {"0": ["on_update"], "1": ["class"]}


# The editor


def test_a_line_has_a_link_only_if_an_editor_is_named_and_the_page_may_know_the_path() -> None:
    place = CodePlace(str(FILE), 7)
    vscode = checked_editor("vscode")
    assert Code(editor=vscode).line(place)["link"] == f"vscode://file{FILE}:7"
    assert "link" not in Code().line(place)
    assert Code(editor=vscode, is_brief=True).line(place) == {
        "text": f"{FILE.name}:7",
        "path": f"{FILE.name}:7",
    }
    spaced = CodePlace(str(FILE.with_name("a b\"'.py")), 7)
    assert "link" not in Code(editor=vscode).line(spaced)  # there is no such file


def test_the_path_in_a_link_is_encoded(tmp_path: Path) -> None:
    file = tmp_path / 'a b"<é>.py'
    file.write_text("", encoding="utf-8")
    link = Code(editor=checked_editor("x-edit://{line}/{path}")).line(CodePlace(str(file), 3))[
        "link"
    ]
    assert link == f"x-edit://3{tmp_path}/a%20b%22%3C%C3%A9%3E.py"


@every(
    "editor",
    [
        "emacs",
        "",
        "vscode://file/{path}",
        "vscode://file/{line}",
        "vscode://{path}:{line}:{column}",
        "vscode://{path!r}:{line}",
        "vscode://{path.parent}:{line}",
        "vscode://{path}:{line:>9999999}",
        "vscode://{path}:{line",
        "javascript:alert('{path}{line}')",
        "JavaScript:alert('{path}{line}')",
        " javascript:alert('{path}{line}')",
        "java\nscript:alert('{path}{line}')",
        "data:text/html,{path}{line}",
        "file://{path}#{line}",
        "{path}:{line}",
        "//evil/{path}:{line}",
    ],
)
def test_an_unknown_editor_is_refused(editor: str) -> None:
    with pytest.raises(ValueError, match="editor must be"):
        checked_editor(editor)
    with pytest.raises(ValueError, match="editor must be"):
        inspect(door(), editor=editor)


def test_an_editor_that_is_not_a_string_is_refused() -> None:
    with pytest.raises(TypeError, match="editor must be a str or None, got 3"):
        inspect(door(), editor=3)  # type: ignore[arg-type]


# Findings


def told(machine: Fsm[Any], code: Code, *ignore: str) -> dict[str, Any]:
    findings = Findings(machine, 1, code, ignore)
    for _ in range(6000):
        if (answer := findings.to_json())["findings"] is not None:
            return answer
        sleep(0.01)
    raise AssertionError("the check does not end")


def test_findings_name_the_parts_of_the_graph_and_their_lines() -> None:
    with noting_places() as places:
        fsm = door(DelegateAction(on_update=lambda: None))
        fsm.add_state("Limbo", final=True)  # limbo
    found = told(fsm, Code(places))["findings"]
    assert [(each["code"], each["parts"]) for each in found] == [
        ("unreachable-state", ["Door__Limbo"]),
        ("finished-never-fires", ["Door__Closed"]),
    ]
    assert found[0]["place"]["text"] == f"{FILE.name}:{line_of('limbo')}"


def test_ignored_findings_stay_ignored() -> None:
    with noting_places() as places:
        fsm = door(TimedWait(1.0))
        fsm.add_state("Limbo", final=True)  # fsmkit: ignore[unreachable-state]
        fsm.add_state("Nowhere", final=True)
    found = told(fsm, Code(places), "unreachable-state:Nowhere")["findings"]
    assert found == []


def test_a_check_that_fails_says_so() -> None:
    class Odd(FsmAction[Any]):
        @property
        def finishes(self) -> Any:
            raise LookupError("no idea")

    answer = told(door(Odd()), Code())
    assert (answer["findings"], "LookupError: no idea" in answer["failed"]) == ([], True)


def test_a_page_gets_lines_and_findings_of_the_machine_it_names(
    inspected: Callable[..., Any],
) -> None:
    fsm = door(TimedWait(1000.0))
    fsm.start()
    page = inspected(fsm, read_only=True)
    actions = page.ask("lines", machine="Door")["lines"]["Door"]["actions"]
    assert actions["Closed"]["0"][0]["text"].startswith("timed_wait.py:")
    while (answer := page.ask("findings", machine="Door"))["findings"] is None:
        pass
    assert answer["findings"] == []
    for request in ("lines", "findings"):
        assert "is not (or no longer)" in page.ask(request, machine="Nobody")["error"]

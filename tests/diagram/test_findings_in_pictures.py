"""What a check has found, in pictures: at the arrow, the state or the machine it is about."""

from typing import Any
from xml.etree import ElementTree

import pytest

from actions import RunFsm, SendEvent, TimedWait, WaitUntil
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.checking import Finding, Place, check
from fsmkit.diagram import to_dot, to_mermaid, to_svg, to_text
from fsmkit.diagram.graph import Graph
from fsmkit.diagram.picture_options import View
from fsmkit.svg.theme import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"


needs_graphviz = pytest.mark.usefixtures("graphviz")


def guard() -> Fsm[Any]:
    fsm = Fsm("Guard")
    patrol, chase, limbo = map(fsm.add_state, ("Patrol", "Chase", "Limbo"))
    patrol.add_action(TimedWait(2.0))
    patrol.add_action(SendEvent("SHUOT"))
    patrol.add_transition(FINISHED, chase)
    chase.add_action(WaitUntil(lambda: False, finish_event="CAUGHT"))
    chase.add_transition("CAUGHT", patrol)
    chase.add_transition(FINISHED, patrol)
    limbo.add_transition("HELP", patrol)
    return fsm


def finding(code: str, *place: str | None, severity: Any = "warning") -> Finding:
    return Finding(code, severity, Place(*place), "It is wrong.", "Mend it.")  # type: ignore[arg-type]


def found(graph: Graph) -> dict[str, list[str]]:
    """Part -> the codes of its findings."""
    (cluster,) = graph
    parts = {cluster.title: cluster.findings}
    parts |= {node.name: node.findings for node in cluster.nodes}
    for edge in cluster.all_edges:
        parts |= {f"{edge.id}: {label.event}": label.findings for label in edge.labels}
    return {part: [each.code for each in findings] for part, findings in parts.items() if findings}


def test_each_finding_is_at_the_part_that_it_is_about() -> None:
    fsm = guard()
    fsm.add_global_transition("STOP", "Limbo")
    findings = [
        finding("one", "Guard"),
        finding("two", "Guard", "Patrol"),
        finding("three", "Guard", "Patrol", None, FINISHED),
        finding("four", "Guard", "Patrol", None, "NEVER_HEARD_OF"),
        finding("five", "Guard", None, None, "STOP"),
        finding("six", "Guard", None, None, "HELP"),
    ]
    assert found(View(findings=findings).graph(fsm)) == {
        "Guard": ["one", "six"],
        "Patrol": ["two", "four"],
        "Guard__Patrol--Guard__Chase: FINISHED": ["three"],
        "Guard__--Guard__Limbo: STOP": ["five"],
    }


def test_of_several_transitions_for_an_event_the_last_one_has_the_finding() -> None:
    fsm = guard()
    limbo = fsm.states["Limbo"]
    limbo.add_transition("GO", "Chase", when=lambda: True)
    limbo.add_transition("GO", "Patrol", when=lambda: False)
    limbo.add_transition("GO", "Limbo")
    finding_ = finding("shadowed-transition", "Guard", "Limbo", None, "GO")
    assert found(View(findings=[finding_]).graph(fsm)) == {
        "Guard__Limbo--Guard__Limbo: GO": ["shadowed-transition"]
    }


def test_true_means_what_check_finds_now() -> None:
    assert View(findings=True).graph(guard()) == View(findings=check(guard())).graph(guard())
    assert View(findings=False).graph(guard()) == View(findings=[]).graph(guard())


def test_text_says_severity_and_code() -> None:
    assert to_text(guard(), findings=True).splitlines() == [
        "Guard",
        "├─○ Patrol  (start)",
        "│   │ error: dead-end-event",
        "│   └─ FINISHED ─→ Chase",
        "├─○ Chase",
        "│   ├─ CAUGHT ─────────────────────────────────→ Patrol",
        "│   └─ FINISHED warning: finished-never-fires ─→ Patrol",
        "└─○ Limbo",
        "    │ warning: unreachable-state",
        "    └─ HELP ─→ Patrol",
    ]


def test_mermaid_does_so_too() -> None:
    lines = to_mermaid(guard(), findings=True)
    assert "Guard__Limbo : warning#58; unreachable-state" in lines
    assert "FINISHED<br/>warning#58; finished-never-fires" in lines


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_dot_has_the_colour_of_the_severity(theme: Any) -> None:
    findings = [
        finding("no-way-out", "Guard", "Chase", severity=severity)
        for severity in ("error", "warning", "info", "info")
    ]
    dot = to_dot(guard(), findings=findings, dark=theme is DARK)
    for severity, text in (("error", ""), ("warning", ""), ("info", " ×2")):
        assert f'"{theme.severities[severity]}">●</font> no-way-out{text}<' in dot


@needs_graphviz
def test_the_tooltip_says_it_in_full() -> None:
    svg = to_svg(guard(), findings=[finding("endless-chain", "Guard", "Chase", None, "CAUGHT")])
    titles = {title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")}
    assert (
        "Chase → Patrol: CAUGHT, FINISHED\nCAUGHT: sent by WaitUntil\n"
        "warning endless-chain: It is wrong. Mend it."
    ) in titles


def test_findings_of_a_machine_inside_are_there() -> None:
    outer = Fsm("Outer")
    outer.add_state("Run").add_action(RunFsm(guard()))
    (cluster,) = View(findings=[finding("x", "Outer/Guard", "Limbo")]).graph(outer)
    assert found((cluster.nodes[0].runs[0],)) == {"Limbo": ["x"]}  # type: ignore[arg-type]


def test_machines_of_one_shape_have_the_findings_of_all() -> None:
    group = FsmGroup([guard(), guard()])
    assert [*found(View(findings=True).graph(group))] == [
        "Patrol", "Limbo", "Guard__Chase--Guard__Patrol: FINISHED"
    ]  # fmt: skip
    assert found(View(findings=[finding("x", "Guard #2")]).graph(group)) == {"Guard ×2": ["x"]}


@pytest.mark.parametrize(
    ("findings", "message"),
    [
        ("no-way-out", r"findings must be what check\(\) returned, or True, got 'no-way-out'"),
        (7, r"findings must be what check\(\) returned, or True, got 7"),
        (["no-way-out"], r"findings must be .* got 'no-way-out'"),
    ],
)
def test_what_is_not_a_finding_is_refused(findings: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        to_text(guard(), findings=findings)


def test_findings_of_another_machine_are_refused() -> None:
    with pytest.raises(ValueError, match="no machine 'Wolf' in the picture. .* are: 'Guard'"):
        to_text(guard(), findings=[finding("x", "Wolf")])

"""The page says of failed actions what they gave as their reason, and that their state is stuck."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from actions import Sequence, TimedWait
from fsmkit import FAILED, FINISHED, Fsm, FsmAction
from fsmkit.inspector.playback.one_run import OneRun
from fsmkit.inspector.reading.chart import StateChart
from fsmkit.inspector.reading.details import waiting_for
from fsmkit.introspection.nesting import MachineNames
from fsmkit.recording import Recording


class PickUp(FsmAction[Any]):
    def on_update(self) -> None:
        self.fail("slipped")


def robot(*actions: FsmAction[Any]) -> Fsm[Any]:
    """Grab, with the actions, -> Done on FINISHED; Grab -> Lost on GIVE_UP."""
    fsm: Fsm[Any] = Fsm("Robot", on_unhandled="ignore")
    grab = fsm.add_state("Grab")
    for action in actions:
        grab.add_action(action)
    grab.add_transition(FINISHED, fsm.add_state("Done", final=True))
    grab.add_transition("GIVE_UP", fsm.add_state("Lost", final=True, failed=True))
    fsm.start()
    return fsm


def test_a_state_waits_for_nothing_once_an_action_has_failed() -> None:
    fsm = robot(PickUp(), TimedWait(9.0))
    fsm.update(1.0)
    naming = MachineNames()
    list(naming.add([fsm]))
    [waiting] = waiting_for(fsm, naming.names)
    assert waiting["failed"] == ["PickUp failed: 'slipped'"]
    assert [each["text"] for each in waiting["actions"]] == ["TimedWait 1.0 of 9.0 s"]


def test_its_row_and_its_state_are_marked(inspected: Callable[..., Any]) -> None:
    fsm = robot(Sequence(PickUp()), TimedWait(9.0))
    page = inspected(fsm)

    def has_failed(frame: dict[str, Any]) -> bool:
        return bool(frame["detail"] and frame["detail"]["failed"])

    shown = page.frame(has_failed)["detail"]
    assert [row["failed"] for row in shown["actions"]] == ["failed: 'slipped'", "", ""]
    assert shown["actions"][0]["progress"] is None
    assert shown["failed"] == ["Robot__Grab"]
    told = page.ask("ask", machine="Robot", event=FINISHED)["why"]
    assert "Sequence failed: 'slipped', 1 of 1: PickUp. So the state can no longer finish." in told


def test_a_drawing_is_renewed_when_an_end_becomes_a_failed_one() -> None:
    def version(*, failed: bool) -> tuple[object, ...]:
        fsm: Fsm[Any] = Fsm("Fight")
        fsm.add_state("Lost", final=True, failed=failed)
        naming = MachineNames()
        list(naming.add([fsm]))
        graph, _ = StateChart(fsm, naming.names).read()
        return graph[0].nodes[0].marks

    assert version(failed=True) == ("start", "final", "failure")
    assert version(failed=False) == ("start", "final")


def test_a_recording_that_is_played_back_shows_the_same() -> None:
    def build() -> Fsm[Any]:
        return robot(Sequence(TimedWait(0.5), PickUp()), TimedWait(9.0))

    fsm = build()
    with Recording(fsm) as recording:
        for _ in range(4):
            fsm.update(0.5)
    run = OneRun(recording, build=build)
    shown = []
    for time in (2.0, 0.5):
        run.advance(time, inf)
        detail = run.detail("Robot")
        shown.append((detail["failed"], detail["actions"][0]["failed"]))
    assert shown == [(["Robot__Grab"], "failed: 'slipped'"), ([], "")]


@pytest.mark.slow
def test_the_page_in_a_browser(show: Any) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    fsm = robot(PickUp(), TimedWait(1000.0))
    fsm.states["Done"].add_transition(FAILED, "Lost")
    page = show(fsm).page
    expect(page.locator('#actions [data-action="PickUp"]')).to_have_attribute(
        "data-condition", "failed"
    )
    expect(page.locator('#actions [data-action="PickUp"] .error')).to_have_text("failed: 'slipped'")
    expect(page.locator("#state-waiting")).to_have_text(
        "PickUp failed: 'slipped': no FINISHED → Done"
    )
    expect(page.locator('#graph-pane [data-state="Grab"]')).to_have_class(re.compile(r"\bfailed\b"))
    expect(page.locator('#graph-pane [data-state="Lost"]')).to_have_class(
        re.compile(r"\bfailure\b")
    )

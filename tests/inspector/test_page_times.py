"""A moment is written alike everywhere on the page, and in what the program says of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from fsmkit import Fsm
from fsmkit.inspector.reading.page_values import moment_text

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow

MOMENTS = [0.0, 4.25, 59.994, 59.996, 60.0, 366.58, 3599.996, 3602.5, 45296.781]
IN_MINUTES = re.compile(r"^\d+:\d\d\.\d\d$")


def test_a_moment_after_the_first_minute_is_written_alike_in_the_clock_the_log_and_notes(
    show: Callable[..., Any],
) -> None:
    fsm = Fsm[None]("Lamp")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESS", on)
    fsm.start()
    stage = show(fsm, lambda _: fsm.update(2.0))
    page = stage.page
    stage.play(0.6)
    stage.do(lambda: fsm.send_event("PRESS"))
    expect(page.locator("#log-list .row .time").last).to_have_text(IN_MINUTES)
    expect(page.locator("#clock")).to_have_text(IN_MINUTES)
    words = 'import(new URL("page/parts/wording.js", document.baseURI))'
    written = f"(all) => {words}.then(({{ seconds }}) => all.map((each) => seconds(each)))"
    assert page.evaluate(written, MOMENTS) == [moment_text(each) for each in MOMENTS]
    axis = 'import(new URL("page/timeline/time_axis.js", document.baseURI))'
    ticks = page.evaluate(f"() => {axis}.then((each) => each.ticks(60, 61, 4).map((t) => t.text))")
    assert ticks == ["1:00.0", "1:00.5", "1:01.0"]

"""Which agents may read a field in an update is found in the text of the loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import define

from fsmkit import FINISHED
from fsmkit.crowd import CrowdAction, CrowdFsm, CrowdGuard
from fsmkit.crowd.compiler.emitter import Emitter
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.compiler.readers import Readers, readers_of
from fsmkit.crowd.library import TimedWait


@define
class Guest:
    gap: float = 0.0
    wish: float = 0.0
    seat: float = 0.0


def look(guest: Any, _world: Any) -> None:
    guest.seat = guest.gap


def look_and_go(guest: Any, _world: Any) -> str | None:
    return "GO" if guest.gap > 1.0 else None


def go(guest: Any, _world: Any) -> str:
    guest.seat = 1.0
    return "GO"


def is_free(guest: Any, _world: Any) -> bool:
    return bool(guest.gap > 1.0)


def helped(guest: Any, _world: Any) -> None:
    guest.seat = twice(guest.gap)


def twice(x: float) -> float:
    return x + x


def write(guest: Any, _world: Any) -> None:
    guest.gap = 0.0


def nothing(guest: Any, _world: Any) -> None:
    guest.seat = guest.wish


def readers(add: Callable[[Any, Any, Any], None]) -> Readers:
    machine = CrowdFsm("Guest", Guest)
    add(*map(machine.add_state, ("Away", "Waits", "Served")))
    return readers_of(Emitter(Layout(machine)).plan())


def reading(add: Callable[[Any, Any, Any], None], *columns: str) -> set[int] | None:
    found = readers(add).of(columns)
    return None if found is None else set(found)


def of_update(_away: Any, waits: Any, _served: Any) -> None:
    waits.add_action(CrowdAction(on_update=look))


def of_helper(_away: Any, waits: Any, _served: Any) -> None:
    waits.add_action(CrowdAction(on_update=helped))


def of_guard(_away: Any, waits: Any, served: Any) -> None:
    waits.add_action(CrowdAction(on_update=go))
    waits.add_transition("GO", served, when=CrowdGuard(is_free))


def of_exit(_away: Any, waits: Any, served: Any) -> None:
    waits.add_action(CrowdAction(on_update=go, on_exit=look))
    waits.add_transition("GO", served)


def of_global_guard(_away: Any, waits: Any, served: Any) -> None:
    waits.add_action(CrowdAction(on_update=go))
    waits.fsm.add_global_transition("GO", served, when=CrowdGuard(is_free))


@pytest.mark.parametrize("add", [of_update, of_helper, of_guard, of_exit, of_global_guard])
def test_a_state_reads_what_its_functions_and_guards_read(add: Any) -> None:
    assert reading(add, "guest_gap") == {1}


def entered(away: Any, waits: Any, _served: Any) -> None:
    away.add_action(CrowdAction(on_update=go))
    away.add_transition("GO", waits)
    waits.add_action(CrowdAction(on_enter=look))


def entered_on_the_way(away: Any, waits: Any, served: Any) -> None:
    away.add_action(CrowdAction(on_update=go))
    away.add_transition("GO", served)
    served.add_action(CrowdAction(on_enter=go))
    served.add_transition("GO", waits)
    waits.add_action(CrowdAction(on_enter=look))


def left_on_the_way(away: Any, waits: Any, served: Any) -> None:
    away.add_action(CrowdAction(on_update=go))
    away.add_transition("GO", waits)
    waits.add_action(CrowdAction(on_enter=go, on_exit=look))
    waits.add_transition("GO", served)


def finished_on_the_way(away: Any, waits: Any, served: Any) -> None:
    away.add_action(TimedWait(1.0))
    away.add_transition(FINISHED, waits)
    waits.add_transition(FINISHED, served, when=CrowdGuard(is_free))


@pytest.mark.parametrize("add", [entered, entered_on_the_way, left_on_the_way, finished_on_the_way])
def test_so_does_each_state_that_leads_to_a_reader_in_one_step(add: Any) -> None:
    found = reading(add, "guest_gap")
    assert found is not None
    assert 0 in found


def test_a_state_that_only_follows_a_reader_does_not_read() -> None:
    def add(_away: Any, waits: Any, served: Any) -> None:
        waits.add_action(CrowdAction(on_update=look_and_go))
        waits.add_transition("GO", served)
        served.add_action(CrowdAction(on_update=nothing))

    assert reading(add, "guest_gap") == {1}
    assert reading(add, "guest_gap", "guest_wish") == {1, 2}


def test_what_nobody_reads_has_no_readers() -> None:
    assert reading(of_update, "guest_wish") == set()


def test_what_a_function_writes_is_for_all() -> None:
    def add(_away: Any, waits: Any, served: Any) -> None:
        waits.add_action(CrowdAction(on_update=look))
        served.add_action(CrowdAction(on_enter=write))

    assert reading(add, "guest_gap") is None


def test_what_is_read_when_events_are_sent_is_known() -> None:
    assert readers(of_update).in_events == set()
    assert readers(entered).in_events == {"guest_gap"}
    assert readers(of_guard).in_events == {"guest_gap"}

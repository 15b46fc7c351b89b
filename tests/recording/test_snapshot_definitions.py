"""Outlines of machines that are stored once, beside many snapshots."""

import json
from typing import Any

import pytest

from actions import DelegateAction, RunFsm, TimedWait
from fsmkit import Fsm, FsmGroup
from fsmkit.recording import SnapshotError, SnapshotMismatchError, restore, snapshot


def order(*before: Any, name: str = "Open") -> Fsm[Any]:
    inner, fsm = Fsm("Packing"), Fsm("Order")
    inner.add_state("Box").add_action(TimedWait(9.0))
    state = fsm.add_state(name)
    for action in (*before, TimedWait(9.0), RunFsm(inner)):
        state.add_action(action)
    return fsm


def saved(fsm: Any, definitions: dict[str, Any]) -> Any:
    return json.loads(json.dumps(snapshot(fsm, definitions=definitions)))


def running() -> Fsm[Any]:
    fsm = order()
    fsm.start()
    fsm.update(1.5)
    return fsm


def test_an_outline_is_stored_once_by_its_hash() -> None:
    store: dict[str, Any] = {}
    rows = [saved(running(), store) for _ in range(3)]
    assert len(store) == 2  # that of the order, and of the machine inside
    assert all("definitions" not in row for row in rows)
    assert {machine["definition"] for machine in rows[0]["machines"]} == store.keys()
    with_outlines = snapshot(running())
    assert with_outlines["definitions"] == store
    assert len(json.dumps(rows[0])) < len(json.dumps(with_outlines)) - len(json.dumps(store))


def test_a_store_that_has_it_is_not_written_to() -> None:
    store: dict[str, Any] = {}
    snapshot(running(), definitions=store)
    mine = {name: {"mine": True} for name in store}
    snapshot(running(), definitions=mine)
    assert mine == {name: {"mine": True} for name in store}


def test_a_machine_that_is_built_alike_needs_no_outline() -> None:
    fsm = order()
    restore(fsm, saved(running(), {}))
    assert (fsm.time, fsm.states["Open"].actions[0].elapsed) == (1.5, 1.5)


def test_a_machine_of_today_finds_its_places_by_the_outline() -> None:
    store: dict[str, Any] = {}
    row = saved(FsmGroup([running()]), store)
    stored = json.loads(json.dumps(store))
    fsm = order(DelegateAction())
    restore(fsm, row, definitions=stored)
    assert fsm.states["Open"].actions[1].elapsed == 1.5
    with pytest.raises(SnapshotError, match="Give restore.. the definitions="):
        restore(order(DelegateAction()), row)
    with pytest.raises(SnapshotError, match="is missing or invalid"):
        restore(order(DelegateAction()), row, definitions={})


def test_migrate_gets_the_outlines_too() -> None:
    def migrate(data: Any) -> Any:
        assert data["definitions"] == store
        for outline in data["definitions"].values():
            if "Open" in outline["states"]:
                outline["states"]["New"] = outline["states"].pop("Open")
        machine = data["machines"][0]
        machine["state"] = "New"
        machine["actions"]["New"] = machine["actions"].pop("Open")
        return data

    store: dict[str, Any] = {}
    row = saved(running(), store)
    fsm = order(name="New")
    with pytest.raises(SnapshotMismatchError, match="there is no state 'Open'"):
        restore(fsm, row, definitions=store)
    restore(fsm, row, definitions=store, migrate=migrate)
    assert fsm.path == ("New", "Box")
    assert "Open" in store[row["machines"][0]["definition"]]["states"]


def test_the_checksum_covers_what_is_there() -> None:
    row = saved(running(), {})
    row["machines"][0]["time"] = 9.0
    with pytest.raises(SnapshotError, match="checksum does not match"):
        restore(order(), row)


def test_what_a_caller_does_with_an_outline_stays_with_him() -> None:
    snapshot(running())["definitions"].popitem()[1].clear()
    store: dict[str, Any] = {}
    snapshot(running(), definitions=store)
    for outline in store.values():
        outline.clear()
    fsm = order(DelegateAction())
    restore(fsm, snapshot(running()))
    assert fsm.time == 1.5


@pytest.mark.parametrize("definitions", [3, "store", [], ()])
def test_outlines_are_stored_in_a_mapping(definitions: Any) -> None:
    message = "^definitions must be a mapping, such as a dict, got "
    with pytest.raises(TypeError, match=message):
        snapshot(running(), definitions=definitions)
    with pytest.raises(TypeError, match=message):
        restore(running(), snapshot(running()), definitions=definitions)

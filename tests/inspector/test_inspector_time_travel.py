"""The last minutes of a machine: looking at them and going back to them."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, MoveBy, RunFsm, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.inspector.reading.rewind import LARGEST_REWIND, Rewind, capture
from fsmkit.space import Transform

DT = 1 / 64

WAYS = ("server", "inside")


class Guard:
    def __init__(self) -> None:
        self.transform = Transform((0.0, 0.0))
        self.steps = 0


def count_steps(state: Any) -> None:
    state.context.steps += 1


def running(context: Any = None) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Guard", context=context, on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(1000.0))
    rest.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    rest.add_transition(FINISHED, patrol)
    fsm.start()
    return fsm


def go_back(page: Any, time: float) -> dict[str, Any]:
    moment = page.ask("moment", machine="Guard", time=time)["moment"]
    assert page.ask("go_on", machine="Guard", seq=moment["seq"])["ok"]
    return moment  # type: ignore[no-any-return]


def test_going_back_puts_the_machine_and_its_world_where_they_were(
    inspected: Callable[..., Any],
) -> None:
    guard = Guard()
    fsm = running(guard)
    fsm.states["Patrol"].add_action(MoveBy(guard.transform, (16.0, 0.0), duration=16.0))
    fsm.states["Patrol"].add_action(DelegateAction(on_update=count_steps))
    fsm.start("Patrol")
    page = inspected(fsm)
    for _ in range(128):
        page.update()
    page.ask("send", machine="Guard", event="TIRED")
    page.ask("pause")
    moment = go_back(page, 1.0)
    assert fsm.current_state is fsm.states["Patrol"]
    assert fsm.time == moment["detail"]["time"] < 1.1
    assert guard.transform.position == (pytest.approx(fsm.time), 0.0)
    assert guard.steps == round(fsm.time * 64)


def test_the_changes_of_a_machine_and_of_one_nested_in_it_are_found_from_any_time(
    inspected: Callable[..., Any],
) -> None:
    fsm, inner = running(), Fsm("Legs")
    stand, walk = inner.add_state("Stand"), inner.add_state("Walk")
    stand.add_transition("GO", walk)
    fsm.states["Patrol"].add_action(RunFsm(inner))
    fsm.start("Patrol")
    page = inspected(fsm)
    times = []
    for event in ("GO", "TIRED"):
        page.ask("send", machine="Guard", event=event)
        times += [page.frame(lambda frame: "detail" in frame)["log"][-1]["time"]]
        page.update()
    begun, gone, tired = 0.0, *times

    def find(time: float, *, forward: bool) -> float | None:
        found = page.ask("find_change", machine="Guard", time=time, forward=forward)["found"]
        return None if found is None else found[1]

    assert [find(time, forward=False) for time in (99.0, tired, gone, begun)] == [
        tired, gone, begun, None,
    ]  # fmt: skip
    assert [find(time, forward=True) for time in (-1.0, begun, gone, tired)] == [
        begun, gone, tired, None,
    ]  # fmt: skip


def test_the_changes_of_any_machine_are_found_but_not_of_those_that_have_left(
    inspected: Callable[..., Any],
) -> None:
    group = FsmGroup([running(), running(), running()])
    page = inspected(group)
    for fsm in list(group):
        page.update()
        fsm.send_event("TIRED")

    def find(time: float, *, forward: bool) -> Any:
        return page.ask("find_change", time=time, forward=forward)["found"]

    name, last = find(99.0, forward=False)
    assert name == "Guard #3"
    group.remove(list(group)[2])
    page.frame(lambda frame: frame.get("left"))
    before = last - DT
    assert find(99.0, forward=False) == ["Guard #2", before]
    assert find(before, forward=False) == ["Guard", before - DT]
    assert find(before - DT, forward=True) == ["Guard #2", before]
    assert find(before, forward=True) is None


def test_keys_keep_their_types(inspected: Callable[..., Any]) -> None:
    context: dict[Any, Any] = {1: "a", (0, 1): 2.5, "x": {"depth": 0, None: "none"}}
    page = inspected(running(context))
    page.update()
    context.update({1: "changed", (0, 1): 0.0, "new": 1})
    context["x"].update({"depth": 9, None: "changed"})
    go_back(page, 0.0)
    assert context == {1: "a", (0, 1): 2.5, "x": {"depth": 0, None: "none"}, "new": 1}


def test_containers_with_more_than_a_hundred_entries_stay_and_the_log_says_so(
    inspected: Callable[..., Any],
) -> None:
    context: dict[str, Any] = {
        "tiles": {(x, y): 0 for x in range(20) for y in range(20)},
        "few": {"doors": 0},
    }
    page = inspected(running(context))
    page.update()
    context["tiles"][0, 0] = context["few"]["doors"] = 1
    go_back(page, 0.0)
    assert (context["tiles"][0, 0], context["few"]["doors"]) == (1, 0)
    frame = page.frame(lambda frame: any(e["kind"] == "note" for e in frame["log"]))
    assert [entry["text"] for entry in frame["log"] if entry["kind"] == "note"] == [
        "went back to 0.00 s; too large to restore: context.tiles"
    ]


def test_of_a_large_context_the_beginning_is_shown(inspected: Callable[..., Any]) -> None:
    page = inspected(running(dict.fromkeys(range(1000), True)))
    rows = page.frame(lambda frame: frame["detail"])["detail"]["context"]
    assert (len(rows), rows[0], rows[-1]) == (101, ["0", "True"], ["…", "and 900 more"])


def test_unchanged_values_are_kept_once() -> None:
    guard = Guard()
    first = capture(guard)
    second = capture(guard, first)
    assert second.values is first.values
    guard.steps += 1
    third = capture(guard, second)
    assert third.values == {"steps": 1}
    assert third.inner["transform"].values is first.inner["transform"].values
    assert second.added_size(first) == 0
    assert 0 < third.added_size(second) < first.added_size(None)


def test_a_truth_value_is_not_a_number() -> None:
    context: dict[str, object] = {"is_open": 1}
    first = capture(context)
    context["is_open"] = True
    second = capture(context, first)
    context["is_open"] = None
    second.put_back()
    assert context["is_open"] is True


def test_frames_take_no_more_than_their_limit() -> None:
    context: dict[str, object] = {}
    rewind, machine = Rewind(), running(context)
    for time in range(40):
        context["text"] = str(time) * (LARGEST_REWIND // 20)
        rewind.keep(float(time), [machine])
    kept = {frame.seq for time in range(40) if (frame := rewind.at(float(time)))}
    assert min(kept) > 20
    assert max(kept) == 39


@pytest.mark.parametrize("way", ["page", "game"])
def test_the_moment_of_an_event_between_updates_is_after_it(
    way: str, inspected: Callable[..., Any]
) -> None:
    fsm = running()
    page = inspected(fsm)
    for _ in range(20):
        page.update()
    if way == "page":
        page.ask("send", machine="Guard", event="TIRED")
    else:
        fsm.send_event("TIRED")
    page.frame(lambda frame: frame["detail"]["state"] == "Rest")
    entries = [entry for frame in page.frames for entry in frame["log"]]
    [event] = [entry for entry in entries if entry.get("event") == "TIRED" and "outcome" in entry]
    moment = page.ask("moment", machine="Guard", time=event["time"])["moment"]
    assert (moment["time"], moment["detail"]["state"]) == (event["time"], "Rest")

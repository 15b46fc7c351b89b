"""What is walked, what is offered, and what is said when something cannot be known."""

import logging
import threading
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from typing import Any, NamedTuple

import pytest
from every import every
from pasting import run_pasted

from actions import (
    DelegateAction,
    InThread,
    RandomWait,
    RunFsm,
    SendEvent,
    SendEventWhen,
    SendRandomEvent,
    TimedWait,
)
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.exploring import explore
from fsmkit.pathfinding import Grid
from fsmkit.testing import drive, paths

Build = Callable[[], Fsm[Any]]


def lamp() -> Fsm[Any]:
    fsm = Fsm("Lamp")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESSED", on)
    on.add_transition("PRESSED", off)
    return fsm


def with_action(action: Callable[[], FsmAction[Any]], **options: Any) -> Build:
    """Return what builds a machine whose first state has an action and leads on by FINISHED."""

    def build() -> Fsm[Any]:
        fsm = Fsm("Machine", **options)
        work, rest = fsm.add_state("Work"), fsm.add_state("Rest")
        work.add_action(action())
        work.add_transition(FINISHED, rest)
        rest.add_transition("AGAIN", work)
        return fsm

    return build


# Inputs


def test_events_that_the_machine_sends_itself_are_not_offered() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Bomb")
        states = map(fsm.add_state, ("Ticking", "Burst", "Cold", "Lost"))
        ticking, burst, cold, lost = states
        ticking.add_action(TimedWait(1.0, "BURST"))
        ticking.add_action(DelegateAction(lambda state: state.send_event("WIRE")))
        for event, state in (("BURST", burst), ("CUT", cold), ("WIRE", lost)):
            ticking.add_transition(event, state)
        return fsm

    assert {given.event for given in explore(build).walk.inputs} == {"CUT"}


def test_inputs_are_those_that_are_named_with_their_data() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Wall", on_unhandled="ignore")
        whole, broken = fsm.add_state("Whole"), fsm.add_state("Broken", final=True)
        whole.add_transition("HIT", broken, when=lambda _, force: force > 3)
        return fsm

    exploration = explore(build, inputs={"HIT": [1, 5]})
    assert exploration.script_to("Broken") == [("HIT", 5)]
    drive(wall := build(), exploration.script_to("Broken"))
    assert wall.current_state is wall.states["Broken"]


def test_data_of_events_that_are_on_their_way_is_tried() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.send_event_after(3.0, "PRESSED", {"by": "cat"})
        return fsm

    assert [given.data for given in explore(build).walk.inputs] == [{"by": "cat"}]


def test_an_error_for_want_of_data_says_how_to_give_it() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.states["Off"].add_transition("HIT", "On", when=lambda _, force: force > 3)
        return fsm

    (finding,) = explore(build).findings
    assert (finding.code, finding.script) == ("raises", ["HIT"])
    assert finding.advice == (
        "'HIT' was sent without data. If it always has some, say which to try: "
        "inputs={'HIT': [...]}, or --input HIT=... of fsmkit check."
    )
    run_pasted(build, finding)


# Groups


def test_a_group_gets_every_input_together() -> None:
    def build() -> FsmGroup:
        return FsmGroup([lamp(), lamp()])

    exploration = explore(build)
    assert (exploration.moments, str(exploration.coverage)) == (2, "4 of 4 transitions")


def test_what_members_of_a_kind_have_in_common_is_said_once() -> None:
    def build() -> FsmGroup:
        traps = [lamp() for _ in range(3)]
        for trap in traps:
            trap.add_state("Broken")
            trap.add_global_transition("DROPPED", "Broken")
        return FsmGroup(traps)

    (finding,) = explore(build, inputs=["PRESSED", "DROPPED"]).findings
    assert (finding.code, finding.place.machine) == ("never-left", "Lamp")
    run_pasted(build, finding)


# What cannot be known


def test_no_thread_is_started_and_nothing_is_said_about_what_follows() -> None:
    begun: list[str] = []
    exploration = explore(with_action(lambda: InThread(lambda: begun.append("!"))))
    assert begun == []
    assert exploration.cuts == (
        "without work done elsewhere, for which a test can build stand-ins: InThread in 'Work'",
    )
    assert exploration.findings == []


def test_random_outcomes_are_tried_several_times() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Coin")
        toss, heads, tails = map(fsm.add_state, ("Toss", "Heads", "Tails"))
        toss.add_action(SendRandomEvent({"H": 1, "T": 1}, rng=Random(1)))
        for event, state in (("H", heads), ("T", tails)):
            toss.add_transition(event, state)
            state.add_transition("AGAIN", toss)
        return fsm

    exploration = explore(build)
    assert str(exploration.coverage) == "4 of 4 transitions"
    assert exploration.cuts == ("not every random number was tried",)


def test_a_build_that_is_never_the_same_is_named() -> None:
    numbers: Iterator[int] = count()

    def build() -> Fsm[Any]:
        return with_action(lambda: TimedWait(1.0), context={"number": next(numbers)})()

    (finding,) = explore(build, moments=10).findings
    assert finding.code == "not-repeatable"


def test_a_wait_of_unknown_length_without_a_seed_is_named_too() -> None:
    exploration = explore(with_action(lambda: RandomWait(1, 2, rng=Random())), moments=10)
    assert "not-repeatable" in {finding.code for finding in exploration.findings}


def test_a_walk_that_was_cut_calls_nothing_never_entered() -> None:
    exploration = explore(with_action(lambda: TimedWait(100.0)))
    assert exploration.summary == "1 moment explored, up to 60 s; 0 of 2 transitions taken"
    assert exploration.findings == []
    with pytest.raises(LookupError, match="It reached 'Work'"):
        exploration.script_to("Rest")


def test_endless_counting_ends_at_the_bound() -> None:
    action = lambda: DelegateAction(lambda state: state.context.append(1), lambda: None)  # noqa: E731
    exploration = explore(with_action(action, context=[]), inputs=["AGAIN"], moments=20)
    assert exploration.moments <= 20


# What a machine does meanwhile


def test_nothing_is_printed_and_nothing_is_logged(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    explore(with_action(lambda: DelegateAction(lambda: print("!"))))
    logging.getLogger("fsmkit").warning("heard")
    assert capsys.readouterr().out == ""
    assert [record.message for record in caplog.records] == ["heard"]


def test_unhandled_events_of_the_walk_itself_are_not_a_fault() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Strict", on_unhandled="raise")
        one, two = fsm.add_state("One"), fsm.add_state("Two")
        one.add_transition("GO", two)
        two.add_transition("BACK", one)
        return fsm

    assert explore(build)


def test_a_machine_that_stops_itself_is_at_its_end() -> None:
    action = lambda: DelegateAction(lambda state: state.fsm.stop())  # noqa: E731
    exploration = explore(with_action(action))
    assert exploration.is_complete
    assert [finding.code for finding in exploration.findings] == ["never-entered"]


def test_what_exits_the_program_is_found() -> None:
    def leave() -> None:
        raise SystemExit

    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.add_global_transition("QUIT", "Off", do=leave)
        return fsm

    (finding,) = explore(build).findings
    assert (finding.code, finding.script) == ("raises", ["PRESSED", "QUIT"])
    run_pasted(build, finding)


def test_an_error_at_the_start_has_an_empty_script() -> None:
    exploration = explore(with_action(lambda: DelegateAction(lambda: 1 / 0)))
    (finding,) = exploration.findings
    assert (finding.script, finding.place.state, finding.place.action) == (
        [], "Work", "actions[0] (DelegateAction)",
    )  # fmt: skip
    run_pasted(with_action(lambda: DelegateAction(lambda: 1 / 0)), finding)


def test_what_build_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        explore(lambda: 1 / 0)  # type: ignore[arg-type,return-value]


@every(
    ("options", "message"),
    [
        ({"always": 3}, "always must be a function of the machine, got 3"),
        ({"inputs": "GO"}, r"inputs must be a list of events, got 'GO'. Write \['GO'\]."),
        ({"inputs": 3}, "inputs must be a list of events, got 3"),
        ({"inputs": [3]}, "inputs must be a list of events, got 3 in it"),
        ({"inputs": {"GO": 3}}, r"inputs\['GO'\] must be a list of the data to try, got 3"),
        ({"step": 0}, "step must be a finite number of seconds > 0, got 0"),
        ({"moments": 0}, "moments must be an integer >= 1, got 0"),
        ({"moments": True}, "moments must be an integer >= 1, got True"),
        ({"always": lambda: True}, "cannot be called with it alone"),
        (
            {"always": {"fits": isinstance}},
            r"but isinstance \(fits\) cannot be called with it alone",
        ),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        explore(lamp, **options)


def test_build_must_be_a_function_that_returns_a_machine() -> None:
    with pytest.raises(TypeError, match="build must be the function that builds the machines"):
        explore(lamp())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"build\(\) must return an Fsm or an FsmGroup, got 3"):
        explore(lambda: 3)  # type: ignore[arg-type,return-value]


def test_a_build_that_does_not_always_build_the_same_is_not_judged() -> None:
    calls = count(1)

    def build() -> Fsm[Any]:
        fsm = lamp()
        if next(calls) == 1:
            fsm.states["On"].add_transition("BROKEN", "Off")
        return fsm

    exploration = explore(build)
    assert not exploration.is_complete
    assert [finding.code for finding in exploration.findings] == ["not-repeatable"]


# Never entered, never taken


def never_open() -> bool:
    return False


def never(build: Build, **options: Any) -> list[str]:
    return [f"{each.code}: {each.message}" for each in explore(build, **options).findings]


def test_states_behind_one_that_is_never_entered_are_not_named() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        cellar, vault = fsm.add_state("Cellar"), fsm.add_state("Vault", final=True)
        fsm.states["Off"].add_transition("DOWN", cellar, when=never_open)
        cellar.add_transition("IN", vault)
        return fsm

    (text,) = never(build)
    assert text == (
        "never-entered: Nothing leads here. 'DOWN' (if never_open) from 'Off': its event came, "
        "and every guard refused."
    )


def test_data_is_asked_for_where_a_guard_takes_it_and_the_input_has_none() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        cellar = fsm.add_state("Cellar", final=True)
        fsm.states["Off"].add_transition("DOWN", cellar, when=lambda state, key: bool(key))
        return fsm

    (finding,) = explore(build).findings
    assert finding.advice == (
        "'DOWN' was sent without data. If it always has some, say which to try: "
        "inputs={'DOWN': [...]}, or --input DOWN=... of fsmkit check."
    )
    (finding,) = explore(build, inputs={"PRESSED": [None], "DOWN": [0]}).findings
    assert finding.advice == "Check which of them should lead here, or remove the state."


def test_an_event_that_was_not_offered_is_asked_for() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.add_state("Alarm", final=True)
        fsm.states["Off"].add_action(SendEventWhen(lambda: False, "ALARM"))
        fsm.states["On"].add_transition("ALARM", "Alarm")
        return fsm

    (finding,) = explore(build).findings
    assert finding.code == "never-entered"
    assert finding.advice == ("If it also comes from outside, say so: inputs=['PRESSED', 'ALARM'].")


def test_a_transition_that_another_one_hides_is_never_taken() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.add_global_transition("PRESSED", "Off")
        return fsm

    (text,) = never(build)
    assert text == (
        "never-taken: 'PRESSED' from any state to 'Off' is never taken: another transition for the "
        "event was taken each time."
    )


def test_a_state_that_never_finishes_is_the_reason() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.states["On"].add_action(DelegateAction(on_update=lambda: None))
        fsm.states["On"].add_transition(FINISHED, "Off")
        return fsm

    (text,) = never(build)
    assert text == (
        "never-taken: 'FINISHED' from 'On' to 'Off' is never taken: the actions of the state never "
        "finish while it is current."
    )


def test_an_event_that_had_nothing_to_go_back_to_has_come() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.states["On"].add_action(TimedWait(1.0, "BLOWN"))
        fsm.states["On"].add_transition("BLOWN", BACK)
        return fsm

    assert never(build)[-1] == (
        "never-taken: 'BLOWN' from 'On' to BACK is never taken: there was nothing to go back to."
    )


# Paths


def test_few_paths_take_every_transition() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Shop", on_unhandled="ignore")
        browse, pay, done = map(fsm.add_state, ("Browse", "Pay", "Done"))
        browse.add_transition("BUY", pay)
        pay.add_action(TimedWait(1.0))
        pay.add_transition("CANCEL", browse)
        pay.add_transition(FINISHED, done)
        done.add_transition("NEXT", browse)
        done.add_transition("NEVER", browse, when=lambda: False)
        return fsm

    found = paths(build)
    assert found == [["BUY", "CANCEL"], ["BUY", 0.5, 0.5, "NEXT"]]
    assert found.missing == ["Done --NEVER-->"]
    for path in found:
        drive(build(), path)


def test_paths_want_one_machine() -> None:
    with pytest.raises(TypeError, match="one Fsm for paths"):
        paths(lambda: FsmGroup([lamp()]))


# What tells moments apart


def test_the_world_is_a_part_of_a_moment() -> None:
    """The state never changes, only what a closure, an object and a generator hold."""

    class Counter:
        __slots__ = ("count",)

        def __init__(self) -> None:
            self.count = 0

    def build() -> Fsm[Any]:
        counter, seen = Counter(), [0]

        def step(state: FsmState[Any]) -> None:
            counter.count = (counter.count + 1) % 3
            seen[0] = (seen[0] + 1) % 2

        fsm = Fsm("Odd", on_unhandled="ignore")
        only, won = fsm.add_state("Only"), fsm.add_state("Won", final=True)
        only.add_transition("STEP", only, do=step)
        only.add_transition("WIN", won, when=lambda: counter.count == 2 and seen[0] == 1)
        return fsm

    assert explore(build).script_to("Won") == [*["STEP"] * 5, "WIN"]


def test_an_event_that_is_sent_later_is_a_part_of_a_moment() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.states["On"].add_action(SendEvent("PRESSED", delay=2.0))
        return fsm

    exploration = explore(build, inputs=["PRESSED"])
    assert (exploration.is_complete, bool(exploration)) == (True, True)


class Coin:
    """One of many, alike but for its value."""

    def __init__(self, value: int) -> None:
        self.value = value


@pytest.mark.parametrize(
    "world",
    [
        lambda: {Coin(1), Coin(2), Coin(3)},
        lambda: iter([1, 2, 3]),
        lambda: {"lock": threading.Lock(), "log": logging.getLogger("x"), "kind": Coin},
        lambda: (each for each in (1, 2, 3)),
        lambda: deque([Coin(1)], maxlen=3),
        lambda: {frozenset({1, 2}): bytearray(b"x")},
        lambda: array("d", [1.0, 2.0]),
        lambda: Grid(["..#", "..."]),
    ],
)
def test_worlds_of_all_kinds_can_be_compared(world: Callable[[], object]) -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.context = world()
        return fsm

    exploration = explore(build)
    assert (exploration.moments, exploration.cuts) == (2, ())


def test_what_an_iterator_has_left_is_a_part_of_a_moment() -> None:
    def build() -> Fsm[Any]:
        fsm = Fsm("Deck", context=iter("ABC"), on_unhandled="ignore")
        draw, over = fsm.add_state("Draw"), fsm.add_state("Over", final=True)
        draw.add_transition("CARD", over, when=lambda state: next(state.context, None) == "C")
        return fsm

    assert explore(build).script_to("Over") == ["CARD", "CARD", "CARD"]


def test_an_error_in_a_nested_machine_has_its_place() -> None:
    def build() -> Fsm[Any]:
        inner = with_action(lambda: DelegateAction(on_exit=lambda: 1 / 0))()
        fsm = lamp()
        fsm.states["On"].add_action(RunFsm(inner))
        return fsm

    (finding,) = explore(build).findings
    assert str(finding.place) == ("Fsm 'Lamp/Machine', state 'Work', actions[0] (DelegateAction)")
    run_pasted(build, finding)


def test_an_event_that_a_nested_machine_does_not_know_is_shown_there() -> None:
    def build() -> Fsm[Any]:
        inner = with_action(lambda: SendEvent("CALL", delay=1.0))()
        inner.states["Rest"].add_transition("CALL", "Work")
        fsm = lamp()
        fsm.states["On"].add_action(RunFsm(inner))
        return fsm

    finding = next(each for each in explore(build).findings if each.code == "unhandled-event")
    assert (finding.place.machine, finding.place.state) == ("Lamp/Machine", "Work")
    run_pasted(build, finding)


def test_data_without_a_literal_is_named_by_its_place() -> None:
    def build() -> Fsm[Any]:
        fsm = lamp()
        fsm.add_global_transition("HIT", "Off", do=lambda _, coin: 1 / (coin.value - 2))
        return fsm

    inputs = {"PRESSED": [None], "HIT": [Coin(1), Coin(2)]}
    (finding,) = explore(build, inputs=inputs).findings
    assert "drive(fsm, [('HIT', inputs['HIT'][1])])" in finding.test
    run_pasted(build, finding, inputs=inputs)


# Large worlds


class Spot(NamedTuple):
    x: int
    y: int


def board(cell: Callable[[int], object], change: Callable[[Any], object]) -> Build:
    """Return what builds a machine with a large board, which each input may change."""

    def build() -> Fsm[Any]:
        context = {"board": {(at, at): cell(at) for at in range(100)}, "turn": 0}
        fsm = Fsm("Board", context=context, on_unhandled="ignore")
        idle = fsm.add_state("Idle")

        def play(state: FsmState[Any]) -> None:
            change(state.context)

        idle.add_transition("PLAY", idle, do=play)
        return fsm

    return build


def test_a_change_of_type_alone_in_a_large_container_is_a_change() -> None:
    def change(context: Any) -> None:
        context["board"][50, 50] = 1 if context["board"][50, 50] is True else True

    assert explore(board(lambda _: True, change)).moments == 2


def test_a_key_of_a_large_container_that_is_used_elsewhere_is_the_same_object() -> None:
    def use(context: Any) -> None:
        keys = list(context["board"])
        context["turn"] = keys[7] if context["turn"] == 0 else (7, 7)

    assert explore(board(lambda _: None, use)).moments == 3


@pytest.mark.parametrize(
    "cell",
    [
        lambda _: [0],
        lambda _: bytearray([0]),
        lambda _: array("b", [0]),
        lambda at: [0] if at % 2 else "wall",
        lambda at: (at, [0]) if at == 50 else Spot(at, at),
        lambda at: {at: 0, 0: 0} if at == 50 else b"wall",
    ],
)
def test_what_the_items_of_a_large_container_hold_counts(cell: Callable[[int], Any]) -> None:
    def change(context: Any) -> None:
        for item in context["board"].values():
            inside = item[1] if isinstance(item, tuple) and item[0] == 50 else item
            if not isinstance(inside, str | bytes | tuple):
                inside[0] = (inside[0] + 1) % 3

    assert explore(board(cell, change)).moments == 3


@dataclass
class Dot:
    at: tuple[int, int]
    eaten: int = 0


@dataclass(slots=True)
class SmallDot:
    at: tuple[int, int]
    eaten: int = 0


class LuckyDot(Dot):
    """A dot that is more than its attributes."""

    def __getattr__(self, name: str) -> object:
        raise AttributeError(name)


@pytest.mark.parametrize("kind", [Dot, SmallDot, LuckyDot])
def test_what_the_objects_in_a_large_container_hold_counts(kind: type[Dot]) -> None:
    def eat(context: Any) -> None:
        dot = context["board"][50, 50]
        dot.eaten = (dot.eaten + 1) % 3

    assert explore(board(lambda at: kind((at, 0)), eat)).moments == 3


@pytest.mark.parametrize("kind", [Dot, SmallDot, LuckyDot])
def test_an_object_in_a_large_container_that_is_used_elsewhere_is_the_same_object(
    kind: type[Dot],
) -> None:
    def use(context: Any) -> None:
        dot = context["board"][7, 7]
        context["turn"] = dot if context["turn"] == 0 else replace(dot)

    def use_tuple(context: Any) -> None:
        at = context["board"][7, 7].at
        context["turn"] = at if context["turn"] == 0 else (at[0], 0)

    for change in (use, use_tuple):
        assert explore(board(lambda at: kind((at, 0)), change)).moments == 3


def test_a_change_of_class_alone_in_a_large_container_is_a_change() -> None:
    def change(context: Any) -> None:
        kind = SmallDot if type(context["board"][50, 50]) is Dot else Dot
        context["board"][50, 50] = kind((50, 0))

    assert explore(board(lambda at: Dot((at, 0)), change)).moments == 2


@pytest.mark.parametrize(
    "cell",
    [
        lambda at: {"at": [at, 0], "deep": {"path": [[at], {at}, (at, (at, 1))]}},
        lambda at: [{"at": at}, [[[at]]], frozenset({(at, at)})],
    ],
)
def test_a_container_deep_in_a_large_one_is_the_same_object_wherever_it_is_used(
    cell: Callable[[int], Any],
) -> None:
    def inside(context: Any) -> Any:
        outer = context["board"][7, 7]
        return outer["deep"]["path"] if isinstance(outer, dict) else outer[1][0]

    def use(context: Any) -> None:
        path = inside(context)
        context["turn"] = path if context["turn"] == 0 else [*path]

    def use_twice(context: Any) -> None:
        other = context["board"][8, 8]
        path = inside(context)
        if isinstance(other, dict):
            other["deep"] = path if other["deep"] is not path else [*path]
        else:
            other[0] = path if other[0] is not path else [*path]

    def deepen(context: Any) -> None:
        inside(context)[0] = [] if inside(context)[0] else [1]

    found = [explore(board(cell, change)).moments for change in (use, use_twice, deepen)]
    assert found == [3, 3, 3]


def test_the_moments_so_far_are_reported_after_each_of_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exploration = explore(lamp, progress=print)
    assert exploration.moments == 2
    assert capsys.readouterr().out == "1\n2\n"


# Groups of states


def guard_in_groups(*, is_fatal: bool = True) -> Build:
    def build() -> Fsm[Any]:
        fsm = Fsm("Guard")
        patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
        patrol.add_transition("SEEN", chase)
        chase.add_transition("LOST", patrol)
        alive = fsm.add_group("Alive", patrol, chase)
        alive.add_transition("SHOT", fsm.add_state("Dead", final=True), when=lambda: is_fatal)
        alive.add_transition("SHOT", chase)
        return fsm

    return build


def test_the_transitions_of_groups_are_taken() -> None:
    [never] = explore(guard_in_groups()).findings
    assert (never.place.group, never.message) == (
        "Alive",
        (
            "'SHOT' from any state of group 'Alive' to 'Chase' is never taken: another transition "
            "for the event was taken each time."
        ),
    )
    assert paths(guard_in_groups()).missing == ["Alive --SHOT--> #2"]


def test_a_transition_of_a_group_that_is_never_taken() -> None:
    [never] = explore(guard_in_groups(is_fatal=False)).findings
    assert (never.code, never.place.state, never.message) == (
        "never-entered",
        "Dead",
        (
            "Nothing leads here. 'SHOT' (if lambda: is_fatal) from any state of group 'Alive': "
            "another transition for the event was taken each time."
        ),
    )

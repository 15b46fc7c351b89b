"""Snapshots that are damaged, or edited: refused as a whole, or taken as they are."""

import json
import logging
from collections.abc import Callable
from random import Random
from typing import Annotated, Any

import pytest
from attrs import define, field
from damage import BY_THE_BYTE, spoil
from every import every
from random_games import Game, crowded

from actions import (
    AddValue,
    Cooldown,
    DelegateAction,
    FollowField,
    FollowPath,
    FollowWaypoints,
    Move,
    MoveBy,
    MoveConstantly,
    RandomWait,
    Repeat,
    RunFsm,
    Sequence,
    TimedWait,
    WaitFrames,
)
from actions.parts.parameters import LowerBound
from fsmkit import FINISHED, Fsm, FsmAction, FsmError
from fsmkit.pathfinding import Grid
from fsmkit.recording import SnapshotError, SnapshotMismatchError, restore, snapshot
from fsmkit.space import Transform
from fsmkit.testing import drive


def with_action(action: FsmAction) -> Fsm:
    """A running machine with this action, half a second old."""
    fsm = Fsm("M", on_unhandled="ignore")
    fsm.add_state("A").add_action(action)
    fsm.add_state("End")
    fsm.states["A"].add_transition(FINISHED, "End")
    fsm.start()
    fsm.update(0.5)
    return fsm


def saved(fsm: Fsm) -> Any:
    return json.loads(json.dumps(snapshot(fsm)))


def unsealed(fsm: Fsm) -> Any:
    data = saved(fsm)
    del data["checksum"]
    return data


def record_of(data: Any, place: str = "0") -> Any:
    return data["machines"][0]["actions"]["A"].setdefault(place, {})


def refusal(fsm: Fsm, data: Any) -> str:
    """Return the message with which a snapshot is refused; nothing has changed."""
    before = snapshot(fsm)
    with pytest.raises(SnapshotError) as caught:
        restore(fsm, data)
    assert snapshot(fsm) == before
    return str(caught.value)


# The checksum


def small() -> Fsm:
    return with_action(TimedWait(1.0))


def test_no_character_of_a_save_can_be_changed_unnoticed() -> None:
    fsm, other = small(), small()
    text = json.dumps(snapshot(fsm))
    unnoticed = []
    for index, character in enumerate(text):
        damaged = f"{text[:index]}{chr(ord(character) ^ 1)}{text[index + 1 :]}"
        try:
            data = json.loads(damaged)
        except ValueError:
            continue
        try:
            restore(other, data)
        except SnapshotError:
            continue
        assert snapshot(other) == snapshot(fsm)
        unnoticed.append(character)
    assert "".join(unnoticed) == "checksum"  # without which it is an edited one, and sound


def test_damage_that_the_checksum_shows_says_what_to_do_about_an_edit() -> None:
    data = saved(small())
    record_of(data)["remembers"]["elapsed"] = 0.75
    assert refusal(small(), data) == (
        "The snapshot is damaged: its checksum does not match. "
        "If you have edited it on purpose, remove its 'checksum'."
    )
    del data["checksum"]
    fsm = small()
    restore(fsm, data)
    assert fsm.states["A"].actions[0].elapsed == 0.75


def as_javascript_writes_it(value: Any) -> Any:
    """Without floats that are whole, and with the keys that look like numbers first."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (not key.isdigit(), key if key.isdigit() else ""))
        return {key: as_javascript_writes_it(value[key]) for key in keys}
    if isinstance(value, list):
        return [as_javascript_writes_it(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.mark.parametrize(
    "rewritten",
    [
        lambda data: json.loads(json.dumps(data, indent=3, ensure_ascii=False)),
        lambda data: json.loads(json.dumps(data, sort_keys=True)),
        lambda data: json.loads(json.dumps(dict(reversed(data.items())))),
        lambda data: {"when": 3.0, **data, "player": {"gold": 3}},
        as_javascript_writes_it,
    ],
)
def test_json_may_be_rewritten_and_added_to(rewritten: Callable[[Any], Any]) -> None:
    fsm, other = with_action(Move(Transform((0.0, 0.0)), None, (8.0, 1.0), 4.0)), small()
    fsm.update(1.5)
    fsm.send_event_after(2.0, "X", [1.0, {"a": -0.0, "b": 1e21}])
    other = with_action(Move(Transform((0.0, 0.0)), None, (8.0, 1.0), 4.0))
    restore(other, rewritten(saved(fsm)))
    assert drive(other, [1.0, 1.0]) == drive(fsm, [1.0, 1.0])
    assert (other.time, other.time_in_state) == (fsm.time, fsm.time_in_state)


def test_migrate_gets_the_data_without_a_checksum_and_only_if_it_is_sound() -> None:
    data, seen = saved(small()), []

    def migrate(data: Any) -> Any:
        seen.append([*data])
        return {**data, "version": 2}

    restore(small(), {**data, "version": 3}, migrate=migrate)
    assert seen == [["format", "version", "outermost", "machines", "definitions", "randoms"]]
    data["machines"][0]["time"] = 9.0
    with pytest.raises(SnapshotError, match="checksum"):
        restore(small(), data, migrate=migrate)
    assert len(seen) == 1


# What the library's actions declare


def body() -> Transform:
    return Transform((0.0, 0.0))


BUILDERS: dict[str, Callable[[], FsmAction]] = {
    "wait": lambda: TimedWait(2.0),
    "cooldown": lambda: Sequence(Cooldown("X", 1.0), TimedWait(1.0)),
    "frames": lambda: WaitFrames(9),
    "move": lambda: Move(body(), None, (1.0, 0.0), 2.0),
    "move by": lambda: MoveBy(body(), (1.0, 0.0), 2.0),
    "add": lambda: AddValue({"x": 1.0}, "x", 2.0, per_second=True),
    "drift": lambda: MoveConstantly(body(), (1.0, 0.0)),
    "path": lambda: FollowPath(body(), [(3.0, 0.0), (3.0, 4.0)], 1.0),
    "field": lambda: FollowField(body(), Grid(["...."], compiled=False).field([(3, 0)]), 1.0),
    "waypoints": lambda: FollowWaypoints(body(), [(3.0, 0.0), (3.0, 4.0)], 1.0),
    "sequence": lambda: Sequence(TimedWait(1.0), TimedWait(1.0)),
    "repeat": lambda: Repeat(TimedWait(0.3)),
    "machine": lambda: RunFsm(Fsm("N")),
}


@every(
    ("kind", "name", "value", "reason"),
    [
        ("wait", "elapsed", "x", "(TimedWait), elapsed must be a finite number >= 0, got 'x'."),
        ("wait", "elapsed", -1.0, "elapsed must be a finite number >= 0, got -1.0."),
        ("wait", "elapsed", True, "elapsed must be a finite number >= 0, got True."),
        ("wait", "elapsed", None, "elapsed must be a finite number >= 0, got None."),
        ("wait", "elapsed", {"$float": "nan"}, "elapsed must be a finite number >= 0, got nan."),
        ("wait", "length", [1], "length must be a finite number >= 0, got [1]."),
        ("wait", "length", {"$float": "inf"}, "length must be a finite number >= 0, got inf."),
        ("frames", "frames_left", 0, "cannot go on with what it remembers (ValueError: it would"),
        ("frames", "frames_left", 1.5, "frames_left must be an integer >= 0, got 1.5."),
        ("move", "origin", "x", "(Move) cannot go on with what it remembers (TypeError: "),
        ("move", "origin", {"$tuple": [1.0]}, "cannot go on with what it remembers (ValueError: "),
        ("move by", "destination", 3, "(MoveBy) cannot go on with what it remembers ("),
        ("add", "rate", "fast", "(AddValue) cannot go on with what it remembers (TypeError: "),
        ("drift", "course", {"$tuple": [1.0, "x"]}, "course must be tuple[float, ...], got (1.0"),
        ("drift", "course", {"$tuple": [1.0]}, "(MoveConstantly) cannot go on with what it rememb"),
        ("path", "points", [[3.0, 0.0]], "points must be tuple[Any, ...], got [[3.0, 0.0]]."),
        ("path", "points", {"$tuple": [1]}, "(FollowPath) cannot go on with what it remembers"),
        ("path", "next_index", -1, "next_index must be an integer >= 0, got -1."),
        ("field", "leg", {"$tuple": [1]}, "leg must be tuple"),
        ("field", "leg", {"$tuple": [{"$tuple": [0, 0]}]}, "(FollowField) cannot go on with what"),
        ("waypoints", "next_index", 2, "(FollowWaypoints) cannot go on with what it remembers ("),
        ("waypoints", "path", {"$tuple": []}, "cannot go on with what it remembers ("),
        ("waypoints", "direction", 2, "direction must be an integer (1 or -1), got 2."),
        ("sequence", "position", "1", "position must be an integer >= 0, got '1'."),
        ("sequence", "running_callbacks", 1, "running_callbacks must be an integer (0), got 1"),
        ("repeat", "rounds", {"$tuple": []}, "rounds must be an integer >= 0, got ()."),
        ("machine", "left_in", 5, "left_in must be a str or None, got 5."),
        ("machine", "is_suspended", 1, "is_suspended must be True or False, got 1."),
    ],
)
def test_what_an_action_cannot_have_remembered_is_refused(
    kind: str, name: str, value: Any, reason: str
) -> None:
    def build() -> Fsm:
        action = BUILDERS[kind]()
        for machine in action.machines:
            machine.add_state("Inside")
        return with_action(action)

    data = unsealed(build())
    record_of(data).setdefault("remembers", {})[name] = value
    assert reason in refusal(build(), data)
    data["version"] = 1  # as it was before there were checksums
    assert reason in refusal(build(), data)
    fsm = build()
    restore(fsm, unsealed(build()))
    fsm.update(0.1)


def test_a_child_is_under_way_only_inside_an_action_that_is() -> None:
    data = unsealed(with_action(Sequence(TimedWait(1.0))))
    del data["machines"][0]["entered"]
    assert "children[0] (TimedWait) cannot be under way, as the action that runs it was not" in (
        refusal(with_action(Sequence(TimedWait(1.0))), data)
    )


# How many take part, and have finished


def three() -> Fsm:
    """One action is finished, one takes its time, and one is in the background."""
    fsm = with_action(TimedWait(0.25))
    fsm.stop()
    fsm.states["A"].add_action(TimedWait(2.0))
    fsm.states["A"].add_action(DelegateAction(on_update=lambda: None, background=True))
    fsm.start()
    fsm.update(0.5)
    return fsm


@pytest.mark.parametrize(
    "change",
    [
        {"taking_part": 99}, {"taking_part": 1}, {"taking_part": 0}, {"finished": 10**9},
        {"finished": 0}, {"finished": 2}, {"state": None, "entered": []},
    ],
    ids=str,
)  # fmt: skip
def test_numbers_that_no_visit_can_have_are_a_mismatch(change: dict[str, Any]) -> None:
    data = unsealed(three())
    data["machines"][0].update(change)
    message = refusal(three(), data)
    assert "The snapshot does not fit" in message
    if "taking_part" in change:
        of = change["taking_part"]
        assert f"1 of {of} actions cannot have finished, as 1 of 2 have, and 2 of" in message


def test_an_action_that_no_longer_counts_is_a_mismatch_which_migrate_can_fix() -> None:
    def build(background: bool) -> Fsm:
        return with_action(DelegateAction(on_update=lambda: None, background=background))

    with pytest.raises(SnapshotMismatchError, match="0 of 1 actions cannot have finished"):
        restore(build(background=True), saved(build(background=False)))

    def migrate(data: Any) -> Any:
        del data["machines"][0]["taking_part"]
        return data

    fsm = build(background=True)
    restore(fsm, saved(build(background=False)), migrate=migrate)
    assert "taking_part" not in snapshot(fsm)["machines"][0]


def test_a_visit_cut_short_by_an_error_may_lose_the_actions_that_were_never_entered() -> None:
    def build() -> Fsm:
        fsm = Fsm("M", on_unhandled="ignore")
        state = fsm.add_state("A")
        state.add_transition(FINISHED, fsm.add_state("End"))
        state.add_action(TimedWait(1.0))
        state.add_action(DelegateAction(lambda: 1 / 0))
        state.add_action(TimedWait(1.0))
        with pytest.raises(ZeroDivisionError):
            fsm.start()
        for action in state.actions[1:]:
            state.remove_action(action)
        return fsm

    fsm, other = build(), build()
    for data in (saved(fsm), unsealed(fsm)):
        restore(other, data)
        other.update(1.0)
        assert other.current_state is other.states["End"]


# Dice


@pytest.mark.parametrize("reserve", ["0.5", {}, [], True, float("nan"), 10**400], ids=repr)
def test_dice_with_an_odd_reserve_are_refused(reserve: Any) -> None:
    rng = Random(1)
    rng.gauss(0.0, 1.0)
    fsm = with_action(RandomWait(1.0, 2.0, rng=rng))
    data = unsealed(fsm)
    data["randoms"][0][1] = reserve
    assert "in the state of a random generator" in refusal(fsm, data)


# The actions of a game


class Plain(FsmAction):
    """Says nothing about what it remembers."""

    def __init__(self) -> None:
        self.target = None
        self.power = 0


@define(eq=False)
class Fields(FsmAction):
    """Its annotations do not say everything."""

    target: Plain = field(default=None, init=False)  # type: ignore[assignment]
    power: int = field(default=0, init=False)
    name: str = field(default="", init=False)


@every("kind", [Plain, Fields])
@every("value", [None, 0.5, "sword", (1, 2), [1], {"x": 1}, float("inf")])
def test_an_action_of_a_game_may_remember_what_it_has_never_declared(
    kind: Callable[[], Any], value: Any
) -> None:
    fsm, other = with_action(kind()), with_action(kind())
    action, found = fsm.states["A"].actions[0], other.states["A"].actions[0]
    action.target = action.power = value
    for data in (saved(fsm), {**unsealed(fsm), "version": 1}):
        restore(other, data)
        assert (found.target, found.power) == (value, value)
    other.add_state("New")
    found.target = found.power = None
    restore(other, saved(fsm), migrate=lambda data: data)
    assert (found.target, found.power) == (value, value)


@define(eq=False)
class Charge(FsmAction):
    """Declares what it remembers, with a limit, and how that fits together."""

    power: Annotated[float, LowerBound(0)] = field(default=0.0, init=False)
    most: float | None = field(default=None, init=False)

    def check_remembered(self) -> None:
        if self.most is not None and self.power > self.most:
            raise ValueError(f"{self.power} is too much")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"power": "lots"}, "(Charge), power must be a finite number >= 0, got 'lots'."),
        ({"power": -1}, "(Charge), power must be a finite number >= 0, got -1."),
        ({"most": [1]}, "(Charge), most must be a finite number or None, got [1]."),
        ({"power": 3.0, "most": 2.0}, "cannot go on with what it remembers (ValueError: 3.0 is"),
        ({"power": 2, "most": {"$float": "inf"}}, ""),
    ],
)
def test_what_is_edited_is_checked_by_what_a_game_declares(
    values: dict[str, Any], reason: str
) -> None:
    data = unsealed(with_action(Charge()))
    data["machines"][0]["actions"] = {"A": {"0": {"remembers": values}}}
    fsm = with_action(Charge())
    if reason:
        assert reason in refusal(fsm, data)
    else:
        restore(fsm, data)
        assert fsm.states["A"].actions[0].most == float("inf")


# Messages


@pytest.mark.slow
def test_a_long_value_makes_no_long_message() -> None:
    long = "x" * 5_000_000
    fsm = small()
    damages: list[Callable[[Any], Any]] = [
        lambda data: record_of(data)["remembers"].update(elapsed=long),
        lambda data: record_of(data)["remembers"].update(elapsed={"$float": long}),
        lambda data: record_of(data)["remembers"].update({long: 1}),
        lambda data: record_of(data).update(finished=long),
        lambda data: record_of(data).update({long: 1}),
        lambda data: data["machines"][0].update(time=long),
        lambda data: data["machines"][0].update(state=long),
        lambda data: data["machines"][0].update(name=long),
        lambda data: data["machines"][0].update(delayed=[[long]]),
        lambda data: data["machines"][0].update(posted=[[long, {"$int": long}]]),
        lambda data: data["machines"][0]["actions"].update({long: {"0": {"finished": True}}}),
        lambda data: data["machines"][0]["actions"]["A"].update({long: {"finished": True}}),
        lambda data: data["machines"].append(long),
        lambda data: data.update(randoms=long),
        lambda data: data.update(version=long),
        lambda data: data.update(machines=long),
        lambda data: data.update(definitions=long),
        lambda data: data.update(outermost=[long]),
        lambda data: data["definitions"].clear() or data["machines"][0].update(definition=long),
    ]
    for damage in damages:
        data = unsealed(fsm)
        damage(data)
        assert len(refusal(fsm, data)) < 1500
    fsm.post_event("X", [object(), long])
    with pytest.raises(SnapshotError) as caught:
        snapshot(fsm)
    assert len(str(caught.value)) < 1500


def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    data = unsealed(small())
    for damage in ({"event_data": deep}, {"time": deep}, {"entered": deep}, {"posted": deep}):
        spoilt = json.loads(json.dumps(data))
        spoilt["machines"][0].update(damage)
        assert len(refusal(small(), spoilt)) < 1500
        assert len(refusal(small(), {**spoilt, "checksum": ""})) < 1500


# By chance


def errors_of(game: Game, steps: int) -> list[BaseException]:
    """Let a game run, and return what it raises."""
    found: list[BaseException] = []
    for number in range(steps):
        try:
            game.update((0.05, 0.25, 0.6)[number % 3])
        except Exception as error:
            found.append(error)
    return found


def each(errors: list[BaseException]) -> list[BaseException]:
    return [
        one
        for error in errors
        for one in (each([*error.exceptions]) if isinstance(error, BaseExceptionGroup) else [error])
    ]


def is_of_the_game(error: BaseException) -> bool:
    """Whether a rule was broken, or the error was raised by an action of the game's own."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename if trace is not None else ""
    return isinstance(error, FsmError | AssertionError) or "random_games" in file


@pytest.mark.parametrize("seed", range(40))
def test_a_save_damaged_by_chance_is_refused_or_the_machine_goes_on(
    seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    rng, machine, before, after = crowded(seed)
    game = Game(machine)
    for step in [("start", "A"), *before]:
        game.take(step)
    if game.has_running_coroutine or game.has_made_actions:
        return
    sound, world = game.saved(), game.world.saved()
    for _ in range(8):
        data = json.loads(json.dumps(sound))
        if rng.random() < 0.4:
            try:
                data = json.loads(rng.choice(BY_THE_BYTE)(json.dumps(data).encode(), rng))
            except (ValueError, RecursionError):
                continue
        else:
            del data["checksum"]
            spoil(data["machines"] if rng.random() < 0.9 else data, rng)
        other = Game(machine)
        other.world.load(world)
        for step in [("start", "B"), *after[:2]]:
            other.take(step)
        if other.has_running_coroutine or other.has_made_actions:
            continue
        was = other.saved()
        try:
            restore(other.world.group, data, decode=AssertionError)
        except SnapshotError:
            assert other.saved() == was
        else:
            assert "checksum" not in data or other.saved() == sound
            assert [
                error for error in each(errors_of(other, 50)) if not is_of_the_game(error)
            ] == []

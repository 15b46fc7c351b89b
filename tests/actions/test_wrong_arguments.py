"""Every parameter of every action refuses what it can never be, by its name, when it is made."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, nan
from random import Random
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from every import every

import actions
from actions import (
    AddValue,
    Assert,
    Await,
    Broadcast,
    Compare,
    Cooldown,
    Coroutine,
    Defer,
    DelegateAction,
    Flee,
    FollowField,
    FollowPath,
    FollowWaypoints,
    ForEach,
    IgnoreEvents,
    InThread,
    Jump,
    Log,
    LookAt,
    Move,
    MoveBy,
    MoveConstantly,
    MoveTowards,
    OnChange,
    OnEvent,
    Option,
    Parallel,
    Play,
    Race,
    RandomWait,
    Regions,
    Repeat,
    Retry,
    Rotate,
    RotateConstantly,
    RotateTowards,
    RunFsm,
    ScaleByDuration,
    Selector,
    SendEvent,
    SendEventWhen,
    SendRandomEvent,
    Sequence,
    SequenceEvent,
    SetColorByDuration,
    SetValue,
    Shake,
    SmoothFollow,
    Switch,
    TimedWait,
    Timeout,
    Toggle,
    TriggerAnimator,
    Tween,
    Utility,
    WaitFrames,
    WaitUntil,
    Wander,
    When,
)  # fmt: skip
from fsmkit import FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.space import Space, Transform


async def asynchronous(*given: object) -> None: ...


def steps(*given: object) -> Iterator[None]:
    yield


def too_many(a: object, b: object, c: object, d: object) -> None: ...


class Puppet:
    def set_trigger(self, name: str) -> None: ...


THING = Transform((0.0, 0.0))
HERE = (1.0, 0.0)
WAIT = TimedWait(1.0)
ANYTHING: tuple[Any, ...] = ()
FUNCTION = (5, "x", asynchronous, steps, too_many)
PARAMETER = (asynchronous, steps, too_many)
EVENT = (5, "", ["GO"])
FLAG = (None, "no", 2)
SECONDS = ("2", None, -1.0, nan, inf, [])
SPACE = ("WORLD", None, 1)
TIME = (3, "world", 0.5)
SPEED = ("2", None, -1.0, nan, inf)
WITHOUT_POSITION = (None, "here", 5, object(), (0.0, 0.0), lambda: THING)
TARGET = (None, "there", 5, object(), ("a", "b"))
END = ("there", object(), {}, ("a", "b"))
ANY_NUMBER = ("2", None, [], nan, inf)
WRITABLE = (None, "hero", 5, 1.5, (1, 2), [1], MappingProxyType({"x": 1.0}))
NAME = (None, 5, ("x",))
RNG = (7, None, Random, "dice")
ACTION = (None, "x", TimedWait, asynchronous)
OPTIONAL = {None}


@dataclass
class Case:
    """A right call of an action, and wrong values by parameter; `*` is for those without a name."""

    right: tuple[Any, ...]
    wrong: dict[str, tuple[Any, ...]]
    options: dict[str, Any] = field(default_factory=dict)


TIMED: dict[str, tuple[Any, ...]] = {
    "duration": SECONDS, "finish_event": EVENT, "easing": (5, "linear", asynchronous, steps),
    "time": TIME,
}  # fmt: skip
MOVING: dict[str, tuple[Any, ...]] = {
    "transform": WITHOUT_POSITION, "start": END, "end": (None, *END), "space": SPACE, **TIMED,
}  # fmt: skip
TURNING = MOVING | {"transform": (None, "here", object(), SimpleNamespace(position=HERE))}
WRITING = {"target": WRITABLE, "name": NAME, "restore_on_exit": FLAG}
KINDS = (None, "OSError", [OSError], OSError(), int, KeyboardInterrupt)
LISTED = {"*": ACTION, "finish_event": EVENT}

CASES: dict[type[FsmAction[Any]], Case] = {
    AddValue: Case((THING, "x", 1.0), {
        **WRITING, "amount": PARAMETER, "per_second": FLAG, "time": TIME}),
    Assert: Case((bool, "text"), {"predicate": FUNCTION, "message": (5, None, asynchronous),
                                  "every_update": FLAG, "background": FLAG}),
    Await: Case((asynchronous,), {"function": (5, None, steps, too_many), "finish_event": EVENT,
                                  "suspended": (True, "stop", ""), "fails_on": KINDS}),
    Broadcast: Case((FsmGroup(), "GO"), {"group": (None, [Fsm("M")], Fsm("M")), "event": EVENT,
                                         "data": PARAMETER}),
    Compare: Case((1, 2), {"value": PARAMETER, "other": PARAMETER, "equal": EVENT, "less": EVENT,
                           "greater": EVENT, "tolerance": ("2", None, -1.0, nan),
                           "every_update": FLAG, "background": FLAG}, {"less": "GO"}),
    Cooldown: Case(("GO", 1.0), {"event": EVENT, "duration": (*SECONDS, *PARAMETER)}),
    Coroutine: Case((steps,), {"routine": (5, None, asynchronous, too_many),
                               "finish_event": EVENT, "time": TIME, "background": FLAG}),
    Defer: Case(("GO",), {"*": (*EVENT, FINISHED), "until": FUNCTION, "latest": FLAG,
                          "carry": FLAG}),
    DelegateAction: Case((), {
        "on_enter": FUNCTION, "on_update": FUNCTION, "on_exit": FUNCTION, "background": FLAG,
        "on_event": (*FUNCTION, {"GO": 5}, {"GO": too_many}, {5: bool}, {"": bool})}),
    Flee: Case((THING, HERE, 1.0), {
        "transform": WITHOUT_POSITION, "target": TARGET, "speed": (*SPEED, *PARAMETER),
        "distance": ("2", -1.0, nan, inf, *PARAMETER), "finish_event": EVENT, "space": SPACE,
        "time": TIME}),
    FollowField: Case((THING, None, 1.0), {
        "transform": WITHOUT_POSITION, "field": (5, "field", HERE, *PARAMETER),
        "speed": (*SPEED, *PARAMETER), "finish_event": EVENT, "blocked_event": EVENT,
        "space": SPACE, "time": TIME}),
    FollowPath: Case((THING, [HERE], 1.0), {
        "transform": WITHOUT_POSITION, "path": (5, "path", ["ab"], [None], *PARAMETER),
        "speed": (*SPEED, *PARAMETER), "finish_event": EVENT, "blocked_event": EVENT,
        "space": SPACE, "time": TIME}),
    FollowWaypoints: Case((THING, [HERE], 1.0), {
        "transform": WITHOUT_POSITION, "waypoints": (5, None, "path", [], [object()], [5.0]),
        "speed": SPEED, "mode": ("loop", None), "resume": FLAG, "finish_event": EVENT,
        "space": SPACE, "time": TIME}),
    ForEach: Case(([], TimedWait), {
        "items": (5, None, iter("ab"), *PARAMETER), "make": (*FUNCTION, WAIT, lambda: WAIT),
        "finish_event": EVENT}),
    IgnoreEvents: Case(("GO",), {"*": EVENT}),
    InThread: Case((bool,), {"function": FUNCTION, "pool": (5, "pool"), "finish_event": EVENT,
                             "suspended": (True, "begin again", ""), "fails_on": KINDS}),
    Jump: Case((THING, 1.0, 1.0), {
        **TIMED, "transform": WITHOUT_POSITION, "height": ANY_NUMBER, "up": (-1, 3, 1.5, "y", True),
        "space": SPACE}),
    Log: Case(("text",), {"message": (5, None, asynchronous), "logger": (5, ["x"]),
                          "level": ("INFO", None)}),
    LookAt: Case((THING, HERE), {
        "transform": TURNING["transform"], "target": TARGET, "every_update": FLAG,
        "finish_event": EVENT, "space": SPACE}),
    Move: Case((THING, None, HERE, 1.0), {**MOVING, "end": (*MOVING["end"], asynchronous)}),
    MoveBy: Case((THING, HERE, 1.0), {
        **TIMED, "transform": WITHOUT_POSITION, "space": SPACE,
        "offset": (None, "up", 5.0, ("a",), (inf, 0.0))}),
    MoveConstantly: Case((THING, HERE), {
        "transform": WITHOUT_POSITION, "velocity": (None, "up", 5.0, ("a",), (nan, 0.0)),
        "space": SPACE, "time": TIME}),
    MoveTowards: Case((THING, HERE, 1.0), {
        "transform": WITHOUT_POSITION, "target": TARGET, "speed": SPEED,
        "arrival_distance": SPEED, "finish_event": EVENT, "space": SPACE, "time": TIME}),
    OnChange: Case((bool, "GO"), {"value": FUNCTION, "event": EVENT, "background": FLAG}),
    OnEvent: Case(("GO", bool), {"event": EVENT, "handler": FUNCTION}),
    Parallel: Case((WAIT,), {**LISTED, "needed": (0, 2, 1.5, True, "1")}),
    Play: Case((None,), {
        "sound": (5, "step.wav", (), ["step.wav"], *PARAMETER),
        "volume": (*SECONDS, *PARAMETER), "loop": FLAG, "wait": FLAG, "background": FLAG,
        "finish_event": EVENT}),
    Race: Case((WAIT,), LISTED),
    RandomWait: Case((1.0, 2.0), {
        "shortest": SECONDS, "longest": (*SECONDS, 0.5), "rng": RNG, "finish_event": EVENT,
        "time": TIME}, {"rng": Random(1)}),
    Regions: Case((RunFsm(Fsm("Inner")),), {
        "*": ACTION, "needed": (0, 2, 1.5, True, "1"), "finish_event": EVENT}),
    Retry: Case((WAIT, 2), {
        "action": ACTION, "times": (0, 1.5, "2", None, True), "delay": (*SECONDS, *PARAMETER),
        "backoff": ("2", None, -1.0, nan, inf), "finish_event": EVENT, "time": TIME,
        "errors": (*KINDS, ())}),
    Repeat: Case((WAIT, 2), {"action": ACTION, "times": (-1, 1.5, "2"), "finish_event": EVENT}),
    Rotate: Case((THING, None, 90.0, 1.0), {**TURNING, "end": (None, "left", object(), {})}),
    RotateConstantly: Case((THING, 90.0), {
        "transform": (None, 5, object()), "speed": ANY_NUMBER, "space": SPACE, "time": TIME}),
    RotateTowards: Case((THING, HERE), {
        "transform": TURNING["transform"], "target": TARGET, "speed": ("2", -1.0, nan),
        "smoothing": (1.0,), "tolerance": ("2", -1.0, nan), "follow": FLAG, "finish_event": EVENT,
        "space": SPACE, "time": TIME}, {"speed": 90.0}),
    RunFsm: Case((Fsm("Inner"),), {
        "machine": (None, "M", Fsm), "outcomes": (5, ["Won"], {"Won": 5}), "finish_event": EVENT,
        "start": (5, ["A"], *PARAMETER), "resume": FLAG, "background": FLAG, "time": TIME}),
    ScaleByDuration: Case((THING, None, 2.0, 1.0), {
        **MOVING, "transform": (None, "big", object()), "end": (None, "big", object())}),
    SendEvent: Case(("GO",), {
        "event": EVENT, "data": PARAMETER, "delay": (*SECONDS, *PARAMETER), "time": TIME,
        "to": (5, "Outer")}),
    SendEventWhen: Case((bool, "GO"), {"predicate": FUNCTION, "event": EVENT, "data": PARAMETER,
                                       "background": FLAG}),
    SendRandomEvent: Case(({"A": 1.0},), {
        "weights": (["A"], None, {}, {"A": 0}, {"A": -1}, {"A": "1"}, {5: 1}, {"A": nan}),
        "rng": RNG, "no_repeat": FLAG, "delay": SECONDS, "time": TIME}, {"rng": Random(1)}),
    Selector: Case((Option(WAIT),), {
        "*": (*ACTION, WAIT, Option(WAIT, score=1.0)), "suspend": FLAG, "finish_event": EVENT}),
    Sequence: Case((WAIT,), LISTED),
    SequenceEvent: Case(("GO",), {"*": EVENT, "loop": FLAG, "data": PARAMETER,
                                  "delay": (*SECONDS, *PARAMETER), "time": TIME}),
    SetColorByDuration: Case((THING, None, (255, 0, 0), 1.0), {
        **TIMED, "target": WRITABLE, "start": END, "end": (None, "red", 5),
        "attribute": NAME}),
    SetValue: Case((THING, "x", 1.0), {
        **WRITING, "value": PARAMETER, "every_update": FLAG, "background": FLAG}),
    Shake: Case((THING, 1.0, 1.0), {
        **TIMED, "transform": WITHOUT_POSITION, "amplitude": (None, "far", -1.0, nan, *PARAMETER),
        "rng": (7, Random, "dice"), "frequency": (*SECONDS, *PARAMETER), "space": SPACE}),
    SmoothFollow: Case((THING, HERE, 1.0), {
        "transform": WITHOUT_POSITION, "target": TARGET, "smoothing": (*SPEED, *PARAMETER),
        "offset": ("up", 5, (nan, 0.0), *PARAMETER), "space": SPACE, "time": TIME}),
    Switch: Case((1, {1: "GO"}), {
        "value": PARAMETER, "events": (None, ["GO"], {1: 5}, {1: ""}, {}), "default": EVENT,
        "every_update": FLAG, "background": FLAG}),
    TimedWait: Case((1.0,), {"duration": (*SECONDS, *PARAMETER), "finish_event": EVENT,
                             "time": TIME}),
    Timeout: Case((WAIT, 1.0), {"action": ACTION, "duration": SECONDS, "timeout_event": EVENT,
                                "fails": FLAG, "time": TIME}),
    Toggle: Case((THING, "x"), WRITING),
    TriggerAnimator: Case((Puppet(), "jump"), {"animator": (None, "puppet", object()),
                                               "trigger": (None, 5)}),
    Tween: Case((THING, "x", None, 1.0, 1.0), {
        **TIMED, "target": WRITABLE, "attribute": NAME, "start": END, "end": (None, *END),
        "repeat": (0, -1, 1.5, "2", None), "yoyo": FLAG}),
    WaitFrames: Case((2,), {"frames": ("2", None, 1.5, -1, *PARAMETER), "finish_event": EVENT}),
    WaitUntil: Case((bool,), {"predicate": FUNCTION, "finish_event": EVENT}),
    Wander: Case((THING, 1.0, Random(1)), {
        "transform": WITHOUT_POSITION, "speed": (*SPEED, *PARAMETER), "rng": RNG,
        "turning": (*SPEED, *PARAMETER), "around": ("home", 5, HERE, *PARAMETER),
        "radius": ("2", 0.0, -1.0, nan, inf, *PARAMETER), "up": ("y", 3, True), "space": SPACE,
        "time": TIME}),
    Utility: Case((Option(WAIT, score=1.0),), {
        "*": (*ACTION, WAIT, Option(WAIT)), "every": SPEED, "hysteresis": SPEED,
        "finish_event": EVENT}),
    When: Case((bool, WAIT), {"predicate": FUNCTION, "action": ACTION, "finish_event": EVENT}),
}  # fmt: skip


EXPORTED = [
    kind
    for name in actions.__all__
    if isinstance(kind := getattr(actions, name), type)
    and issubclass(kind, FsmAction)
    and kind not in (actions.Composite, actions.TimedAction)
]


def parameters(kind: type[FsmAction[Any]]) -> list[str]:
    return list(inspect.signature(kind.__init__).parameters)[1:]


def make(kind: type[FsmAction[Any]], changed: str | None = None, value: Any = None) -> object:
    """Make an action of the right arguments, but for one that is changed."""
    case = CASES[kind]
    if changed == "*":
        return kind(value)
    others = {} if changed is None else {changed: value}
    if "*" in case.wrong:
        return kind(*case.right, **{**case.options, **others})
    given = dict(zip(parameters(kind), case.right, strict=False))
    return kind(**{**given, **case.options, **others})


def wrong_values(kind: type[FsmAction[Any]]) -> Iterator[tuple[str, Any]]:
    """Yield what each parameter refuses, with its name; some have the name of no parameter."""
    for name, values in CASES[kind].wrong.items():
        if name == "*" or name in parameters(kind):
            yield from ((name, value) for value in values)


@every("kind", [kind for kind in EXPORTED if kind in CASES])
def test_a_wrong_value_is_refused_by_the_name_of_its_parameter(
    kind: type[FsmAction[Any]],
) -> None:
    for name, value in wrong_values(kind):
        case = f"{kind.__name__}({name}={value!r})"
        try:
            made = make(kind, name, value)
        except (TypeError, ValueError) as error:
            text = str(error)
        else:
            pytest.fail(f"{case} is not refused: {made}")
        assert kind.__name__ in text, case
        assert name.lstrip("*").partition("_")[0].rstrip("s") in text, case
        assert " must " in text, case


@every("kind", EXPORTED)
def test_the_table_has_every_parameter_of_every_action(kind: type[FsmAction[Any]]) -> None:
    make(kind)
    missing = {name for name in parameters(kind) if name not in CASES[kind].wrong} - {
        "actions",
        "events",
        "options",
        "run_fsms",
    }
    assert missing == set()


def test_numbers_and_things_of_any_kind_are_accepted() -> None:
    import numpy as np

    body = SimpleNamespace(local_position=(0.0, 0.0), position=np.zeros(2), rotation=0.0)
    Move(body, None, np.ones(2), np.float32(1.0), space=Space.SELF)
    MoveTowards(body, np.ones(2), np.float64(2.0), arrival_distance=np.int64(1))
    RotateConstantly(body, np.float32(90.0))
    MoveConstantly(body, np.ones(2))
    MoveTowards(body, lambda: (0.0, 0.0), lambda state: 1.0)
    Tween({"volume": 1.0}, "volume", None, 0.0, 1.0)
    SetValue(type("Settings", (), {}), "volume", 1.0)
    SendRandomEvent({"A": np.float32(1.0)}, rng=Random(1))


class Later:
    """A body whose position is known only once it has been spawned."""

    __slots__ = ("position",)


class Spawned:
    @property
    def position(self) -> tuple[float, float]:
        raise RuntimeError("not spawned yet")


@pytest.mark.parametrize("body", [Later(), Spawned()])
def test_a_position_may_come_later(body: object) -> None:
    Move(body, None, HERE, 1.0)
    MoveTowards(THING, body, 1.0)

"""Random games: machines of all actions of the library, the world around them, and what happens.

What is the game's own (transforms, values, the pace of time) is copied here, as a game saves it.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from copy import deepcopy
from random import Random
from types import SimpleNamespace
from typing import Any

from attrs import define, field
from hypothesis import strategies as st

import actions as library
from actions.easing import ease_in_out_quad
from fsmkit import BACK, ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmGroup, FsmState, TimeReference
from fsmkit.introspection.walk import paths
from fsmkit.pathfinding import Grid
from fsmkit.recording import snapshot
from fsmkit.space import Transform
from fsmkit.testing import Recorder

NAMES = ("A", "B", "C")
EVENTS = ("X", "Y", "Z")
WAYS = (*NAMES, *NAMES, "BACK", "+A", "+B", "+C", "?A", "?B", "?C")
"""Where a transition leads: `+` suspends its state, `?` has a guard."""
FIELD = Grid([".....", ".###.", "....."], compiled=False).field([(4, 2)])
SECONDS = (0.0, 0.1, 0.25, 0.5, 0.7, 1.0)


class World:
    """The parts of a game beside its machines."""

    def __init__(self) -> None:
        self.body = Transform((0.0, 0.0))
        self.prey = Transform((3.0, 4.0))
        self.values: dict[str, Any] = {"score": 0, "lit": False}
        self.thing = SimpleNamespace(color=(255, 0, 0), volume=1.0)
        self.pace = TimeReference("world")
        self.rng = Random(1)
        self.group = FsmGroup()
        self.triggers: list[str] = []
        self.sees = [
            library.Sees(self.body, self.prey, n, angle=60.0 * n, until=n + 2.0)
            for n, _ in enumerate(SECONDS)
        ]

    def set_trigger(self, name: str) -> None:
        self.triggers.append(name)

    def saved(self) -> Any:
        transforms = [
            (each.local_position, each.local_rotation, each.local_scale)
            for each in (self.body, self.prey)
        ]
        things = self.values, vars(self.thing), self.pace.scale, self.triggers
        return deepcopy((transforms, things))

    def load(self, saved: Any) -> None:
        transforms, things = deepcopy(saved)
        for each, values in zip((self.body, self.prey), transforms, strict=True):
            each.local_position, each.local_rotation, each.local_scale = values
        values, thing, self.pace.scale, self.triggers = things
        self.values.clear()
        self.values.update(values)
        vars(self.thing).update(thing)


@define(eq=False, repr=False, init=False)
class Glow(library.TimedAction):
    """A timed action of a game's own."""

    duration: float
    world: World
    steps: list[float] = field(factory=list, init=False)

    def __init__(self, duration: float, world: World) -> None:
        self.__attrs_init__(duration, world)

    def apply(self, progress: float) -> None:
        self.steps.append(progress)
        self.world.values["glow"] = len(self.steps)


@define(eq=False, repr=False)
class Last(library.Composite):
    """A composite of a game's own: runs all, and finishes with the last one."""

    actions: tuple[FsmAction, ...]

    @property
    def children(self) -> tuple[FsmAction, ...]:
        return self.actions

    def begin(self) -> None:
        for child in self.actions:
            self.begin_child(child)
        self.go_on()

    def go_on(self) -> None:
        if self.present and self.present[-1].finished:
            self.finish()


class Count(FsmAction):
    """A game's own action that is not an attrs class."""

    def __init__(self, world: World, step: int) -> None:
        self.world = world
        self.step = step
        self.count = 0

    def on_update(self) -> None:
        self.count += self.step
        self.world.values["count"] = self.count
        if self.count > 5:
            self.finish()


class Slip(FsmAction):
    """A game's own action that fails after some updates, or finishes."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.count = 0

    def on_enter(self) -> None:
        self.count = 0
        if self.n == 0:
            self.fail()

    def on_update(self) -> None:
        self.count += 1
        if self.count == self.n:
            self.fail(("slipped", self.n)) if self.n % 2 else self.finish()


class Fuse(FsmAction):
    """An action of a game's own that keeps the handle of its delayed event."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.handle: Any = None
        self.handles: list[Any] = []

    def on_enter(self) -> None:
        data = ("fuse", self.n)
        self.handle = self.fsm.send_event_after(
            SECONDS[self.n], EVENTS[self.n % 3], data, keep=self.n % 2 == 0
        )
        self.handles = [*self.handles[-2:], self.handle]

    def on_update(self) -> None:
        if self.n == 4 and self.handle.pending:
            self.fsm.send_event("Z", self.handle)

    def on_exit(self) -> None:
        if self.n > 1:
            self.handle.cancel()


def routine(count: int) -> Callable[[Any], Iterator[float]]:
    def wait(_state: object) -> Iterator[float]:
        for _ in range(count):
            yield 0.1

    return wait


async def asleep() -> None:
    """Never called."""


class Sleep(library.Await):
    """An `Await` whose task never ends, in a loop that never runs."""

    def begin(self, _tell: object) -> asyncio.Future[object]:
        return asyncio.Future(loop=STANDING_LOOP)


STANDING_LOOP = asyncio.new_event_loop()


def walk(world: World, n: int) -> Fsm:
    """A machine to be inside another."""
    fsm = Fsm("Walk", on_unhandled="ignore")
    left, right = fsm.add_state("Left"), fsm.add_state("Right")
    left.add_action(library.TimedWait(0.3))
    if n == 2:
        left.add_action(library.SendEvent("Z", delay=0.2, to=library.HOST))
    right.add_action(library.MoveBy(world.body, (1.0, 0.0), 0.4))
    left.add_transition(FINISHED, right)
    right.add_transition(
        FINISHED, fsm.add_state("End", final=n > 3, failed=n > 3) if n > 2 else left
    )
    right.add_transition("X", left)
    return fsm


def reaches(world: World, n: int) -> Callable[[], bool]:
    """Holds for some time and then not, as the score and the clock go."""
    return lambda: (world.values["score"] + n) % 3 == 0


def worth(world: World, n: int) -> Callable[[Any], float]:
    return lambda state: float((world.values["score"] + n + int(state.fsm.time * 2)) % 4)


class NoAnswer:
    """A pool whose work is never over: a copy, and a restored machine, wait for it as well."""

    def submit(self, *_work: object) -> Future[object]:
        return Future()


Children = list[FsmAction]
Builder = Callable[[World, int, Children], FsmAction]
LEAVES: dict[str, Builder] = {
    "AddValue": lambda w, n, _: library.AddValue(
        w.values, "score", n, per_second=n < 3, restore_on_exit=n % 2 == 0
    ),
    "Assert": lambda w, n, _: library.Assert(
        lambda _: w.values["score"] < 5, "too much", every_update=n < 3
    ),
    "Await": lambda w, n, _: Sleep(asleep),
    "Broadcast": lambda w, n, _: library.Broadcast(w.group, EVENTS[n % 3], n),
    "Compare": lambda w, n, _: library.Compare(
        lambda: w.values["score"], 3, less="X", greater="Y", every_update=n < 3
    ),
    "Cooldown": lambda w, n, _: library.Cooldown(EVENTS[n % 3], SECONDS[n]),
    "Coroutine": lambda w, n, _: library.Coroutine(routine(n % 2)),
    "DelegateAction": lambda w, n, _: library.DelegateAction(
        lambda _: w.set_trigger("in"),
        (lambda _: w.set_trigger("on")) if n < 3 else None,
        lambda _: w.set_trigger("out"),
        on_event={EVENTS[n % 3]: lambda _, data: w.set_trigger(str(data))} if n < 2 else None,
    ),
    "Defer": lambda w, n, _: library.Defer(
        EVENTS[n % 3],
        until=(lambda state: state.fsm.time_in_state > SECONDS[n]) if n < 3 else None,
        latest=n % 2 == 0,
        carry=n % 3 == 0,
    ),
    "Flee": lambda w, n, _: library.Flee(
        w.body, w.prey, float(n), distance=SECONDS[n] * 20.0 if n > 2 else None
    ),
    "FollowField": lambda w, n, _: library.FollowField(
        w.body, [FIELD, lambda: FIELD, None][n % 3], float(n), blocked_event="Z"
    ),
    "FollowPath": lambda w, n, _: library.FollowPath(
        w.body, lambda: [(0.0, 0.0), w.prey.position][: n % 3], float(n), blocked_event="Z"
    ),
    "FollowWaypoints": lambda w, n, _: library.FollowWaypoints(
        w.body, [(0.0, 1.0), w.prey, (2.0, 0.0)], 2.0, mode=[*library.PathMode][n % 3], resume=n > 2
    ),
    "ForEach": lambda w, n, _: library.ForEach(
        range(n % 3), lambda i: library.MoveBy(w.body, (i, 0.5), SECONDS[n]), finish_event="Y"
    ),
    "IgnoreEvents": lambda w, n, _: library.IgnoreEvents(EVENTS[n % 3]),
    "InRange": lambda w, n, _: library.OnChange(
        library.InRange(w.body, w.prey, n / 2, until=n), EVENTS[n % 3]
    ),
    "InThread": lambda w, n, _: library.InThread(print, pool=NoAnswer()),
    "Jump": lambda w, n, _: library.Jump(w.body, 2.0, SECONDS[n]),
    "Log": lambda w, n, _: library.Log("here", level=1),
    "LookAt": lambda w, n, _: library.LookAt(w.body, w.prey, every_update=n < 3),
    "Move": lambda w, n, _: library.Move(
        w.body, None, (n, 5.0), SECONDS[n], easing=ease_in_out_quad, time=w.pace
    ),
    "MoveBy": lambda w, n, _: library.MoveBy(w.body, (1.0, n), SECONDS[n], finish_event="Y"),
    "MoveConstantly": lambda w, n, _: library.MoveConstantly(w.prey, (n, 0.5), time=w.pace),
    "MoveTowards": lambda w, n, _: library.MoveTowards(w.body, w.prey, lambda: n),
    "OnChange": lambda w, n, _: library.OnChange(lambda: w.values["score"], EVENTS[n % 3]),
    "OnEvent": lambda w, n, _: library.OnEvent(
        EVENTS[n % 3], lambda _, data: w.set_trigger(str(data))
    ),
    "Play": lambda _, n, __: library.Play(None, wait=n < 3),
    "RandomWait": lambda w, n, _: library.RandomWait(0.1, 0.1 + SECONDS[n], rng=w.rng),
    "Rotate": lambda w, n, _: library.Rotate(w.body, None, 90.0, SECONDS[n]),
    "RotateConstantly": lambda w, n, _: library.RotateConstantly(w.prey, 10.0 * n),
    "RotateTowards": lambda w, n, _: library.RotateTowards(
        w.body, w.prey, smoothing=2.0 if n < 3 else None, speed=None if n < 3 else 60.0
    ),
    "Regions": lambda w, n, _: library.Regions(
        *(library.RunFsm(walk(w, n + i)) for i in range(2)), needed=n % 2 or None
    ),
    "RunFsm": lambda w, n, _: library.RunFsm(
        walk(w, n),
        {"End": "Y"} if n > 4 else None,
        start="Right" if n == 4 else None,
        finish_event="Z" if n % 2 else None,
        resume=n % 2 == 0,
    ),
    "ScaleByDuration": lambda w, n, _: library.ScaleByDuration(w.body, None, 1.0 + n, SECONDS[n]),
    "Sees": lambda w, n, _: library.SendEventWhen(
        w.sees[n] if n % 2 else lambda state, sees=w.sees[n]: not sees(state), EVENTS[n % 3]
    ),
    "SendEvent": lambda w, n, _: library.SendEvent(EVENTS[n % 3], ("data", n), delay=SECONDS[n]),
    "SendEventWhen": lambda w, n, _: library.SendEventWhen(
        lambda _: w.values["score"] > n, EVENTS[n % 3]
    ),
    "SendRandomEvent": lambda w, n, _: library.SendRandomEvent(
        dict.fromkeys(EVENTS, 1.0), rng=w.rng, no_repeat=n % 2 == 0, delay=SECONDS[n]
    ),
    "SequenceEvent": lambda w, n, _: library.SequenceEvent(
        *EVENTS[: n % 3 + 1], loop=n < 3, delay=SECONDS[n]
    ),
    "SetColorByDuration": lambda w, n, _: library.SetColorByDuration(
        w.thing, None, (0, 50 * n, 0), SECONDS[n]
    ),
    "SetValue": lambda w, n, _: library.SetValue(
        w.values, "score" if n < 3 else "new", n, restore_on_exit=n % 2 == 0
    ),
    "Shake": lambda w, n, _: library.Shake(w.body, 2.0, SECONDS[n], w.rng if n < 3 else None),
    "SmoothFollow": lambda w, n, _: library.SmoothFollow(w.body, w.prey, float(n)),
    "Switch": lambda w, n, _: library.Switch(
        lambda: w.values["score"], {n: "X", 2: "Y"}, every_update=n < 3
    ),
    "TimedAction": lambda w, n, _: Glow(SECONDS[n], w),
    "TimedWait": lambda w, n, _: library.TimedWait(SECONDS[n], time=w.pace),
    "Toggle": lambda w, n, _: library.Toggle(w.values, "lit", restore_on_exit=n < 3),
    "TriggerAnimator": lambda w, n, _: library.TriggerAnimator(w, str(n)),
    "Tween": lambda w, n, _: library.Tween(w.thing, "volume", None, float(n), SECONDS[n]),
    "WaitFrames": lambda w, n, _: library.WaitFrames(n),
    "WaitUntil": lambda w, n, _: library.WaitUntil(lambda _: w.values["score"] > n),
    "Wander": lambda w, n, _: library.Wander(w.prey, float(n), w.rng),
    "a game's own": lambda w, n, _: Count(w, n),
    "a game's fuse": lambda _, n, __: Fuse(n),
    "a game's slip": lambda _, n, __: Slip(n),
}
COMPOSITES: dict[str, Builder] = {
    "Composite": lambda w, n, some: Last(tuple(some)),
    "Parallel": lambda w, n, some: library.Parallel(*some, needed=1 if n > 3 else None),
    "Race": lambda w, n, some: library.Race(*some, finish_event="X" if n > 3 else None),
    "Repeat": lambda w, n, some: library.Repeat(some[0], n or None),
    "Retry": lambda w, n, some: library.Retry(some[0], n + 1, delay=SECONDS[n], backoff=2),
    "Selector": lambda w, n, some: library.Selector(
        *(library.Option(each, when=reaches(w, n + i)) for i, each in enumerate(some)),
        suspend=n % 2 == 0,
    ),
    "Sequence": lambda w, n, some: library.Sequence(*some),
    "Timeout": lambda w, n, some: library.Timeout(some[0], SECONDS[n], "Y"),
    "Utility": lambda w, n, some: library.Utility(
        *(library.Option(each, score=worth(w, i)) for i, each in enumerate(some)),
        every=SECONDS[n],
        hysteresis=n / 4,
    ),
    "When": lambda w, n, some: library.When(lambda _: w.values["score"] < 3, some[0]),
}
BUILDERS = {**LEAVES, **COMPOSITES}

Spec = tuple[str, int, list[Any]]
numbers = st.integers(0, len(SECONDS) - 1)
leaves = st.tuples(st.sampled_from(sorted(LEAVES)), numbers, st.just([]))
specs: st.SearchStrategy[Any] = st.recursive(
    leaves,
    lambda some: st.tuples(
        st.sampled_from(sorted(COMPOSITES)), numbers, st.lists(some, min_size=1, max_size=3)
    ),
    max_leaves=4,
)
states = st.tuples(
    st.dictionaries(st.sampled_from((*EVENTS, FINISHED, FAILED, ERROR)), st.sampled_from(WAYS)),
    st.lists(specs, max_size=4),
)
machines = st.fixed_dictionaries(dict.fromkeys(NAMES, states))

steps = st.one_of(
    st.tuples(st.just("update"), st.sampled_from((0.0, 0.1, 0.25, 0.6))),
    st.tuples(st.just("update"), st.sampled_from((0.05, 0.1, 0.25, 0.6))),
    st.tuples(st.just("send"), st.sampled_from(EVENTS)),
    st.tuples(st.just("delay"), st.sampled_from(EVENTS), st.booleans()),
    st.tuples(st.just("post"), st.sampled_from(EVENTS)),
    st.tuples(st.just("score"), st.integers(0, 5)),
    st.tuples(st.just("finish"), st.integers(0, 3)),
    st.tuples(st.just("fail"), st.integers(0, 3)),
    st.tuples(st.just("disable"), st.integers(0, 3)),
    st.tuples(st.just("start"), st.sampled_from(NAMES)),
    st.tuples(st.just("pace"), st.sampled_from((0.0, 0.5, 2.0))),
    st.tuples(st.just("stop")),
)
scripts = st.lists(steps, max_size=10)


class Game:
    """A machine, another one that hears its broadcasts, and the world around them."""

    def __init__(self, machine: dict[str, Any], world: World | None = None) -> None:
        self.world = world or World()
        carry_time = len(machine["A"][1]) % 2 == 1
        self.fsm = self.world.group.add(
            Fsm("M", on_unhandled="ignore", max_transitions=20, carry_time=carry_time)
        )
        listener = self.world.group.add(Fsm("Listener", on_unhandled="ignore"))
        listener.add_state("Off").add_transition("X", listener.add_state("On"))
        listener.add_global_transition("Y", "Off")
        listener.start()
        for name in machine:
            self.fsm.add_state(name)
        for name, (transitions, actions) in machine.items():
            for event_name, way in transitions.items():
                self.add_transition(self.fsm.states[name], event_name, way)
            for spec in actions:
                self.fsm.states[name].add_action(self.built(spec))
        self.recorders: list[Recorder] = []

    def add_transition(self, state: FsmState, event_name: str, way: str) -> None:
        target, is_self = way.strip("+?"), way.endswith(state.name)
        if way == "BACK":
            state.add_transition(event_name, BACK)
        elif "?" in way:
            state.add_transition(
                event_name, target, when=lambda: self.world.values["score"] < 3, suspend=not is_self
            )
        else:
            state.add_transition(event_name, target, suspend="+" in way and not is_self)

    def built(self, spec: Spec) -> FsmAction:
        name, n, children = spec
        return BUILDERS[name](self.world, n, [self.built(child) for child in children])

    def watch(self) -> None:
        inner = [
            machine
            for state in self.fsm.states.values()
            for action in state.actions
            for machine in action.machines
        ]
        self.recorders = [Recorder(machine) for machine in (*self.world.group, *inner)]

    def take(self, step: tuple[Any, ...]) -> str:
        """Take a step of a script; the answer is the error it led to."""
        what, *arguments = step
        try:
            getattr(self, what)(*arguments)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def update(self, dt: float) -> None:
        self.world.group.update(dt)

    def send(self, name: str) -> None:
        self.fsm.send_event(name, {"by": "hand"})

    def delay(self, name: str, keep: bool) -> None:
        self.fsm.send_event_after(0.3, name, [1, 2], keep=keep)

    def post(self, name: str) -> None:
        self.fsm.post_event(name)

    def score(self, score: int) -> None:
        self.world.values["score"] = score

    def finish(self, index: int) -> None:
        if self.fsm.current_state and index < len(self.fsm.current_state.actions):
            self.fsm.current_state.actions[index].finish()

    def fail(self, index: int) -> None:
        if self.fsm.current_state and index < len(self.fsm.current_state.actions):
            self.fsm.current_state.actions[index].fail(["by hand", index])

    def disable(self, index: int) -> None:
        for state in self.fsm.states.values():
            for action in state.actions[index : index + 1]:
                action.enabled = not action.enabled

    def start(self, name: str) -> None:
        self.fsm.start(name)

    def pace(self, scale: float) -> None:
        self.world.pace.scale = scale

    def stop(self) -> None:
        self.fsm.stop()

    def saved(self) -> Any:
        return json.loads(json.dumps(snapshot(self.world.group, encode=error_to_text)))

    @property
    def has_running_coroutine(self) -> bool:
        return any(
            getattr(action, "generator", None) is not None
            for state in self.fsm.states.values()
            for _, action in paths(state)
        )

    @property
    def has_made_actions(self) -> bool:
        return any(
            isinstance(action, library.ForEach) and action.action is not None
            for state in self.fsm.states.values()
            for _, action in paths(state)
        )

    def seen(self) -> Any:
        """Return everything that is visible from outside."""
        return (
            [recorder.journal for recorder in self.recorders],
            [(m.current_state and m.current_state.name, m.time) for m in self.world.group],
            self.fsm.time_in_state,
            self.fsm.path,
            [state.name for state in self.fsm.suspended],
            self.world.saved(),
        )


def error_to_text(value: Any) -> str:
    if isinstance(value, AssertionError):
        return str(value)
    raise TypeError


def crowded(seed: int) -> tuple[Random, dict[str, Any], list[Any], list[Any]]:
    """Hypothesis shrinks well; these machines are densely packed."""
    rng = Random(seed)

    def spec(depth: int) -> Spec:
        children = [spec(depth - 1) for _ in range(rng.randint(1, 3))] if depth else []
        is_composite = depth and rng.random() < 0.35
        kinds = COMPOSITES if is_composite else LEAVES
        return rng.choice(sorted(kinds)), rng.randrange(len(SECONDS)), children

    def state() -> Any:
        known = [name for name in (*EVENTS, FINISHED, FAILED, ERROR) if rng.random() < 0.4]
        transitions = {name: rng.choice(WAYS) for name in known}
        return transitions, [spec(2) for _ in range(rng.randint(0, 4))]

    def step() -> tuple[Any, ...]:
        kinds: dict[str, Callable[[], tuple[Any, ...]]] = {
            "update": lambda: (rng.choice((0.0, 0.05, 0.1, 0.25, 0.6)),),
            "send": lambda: (rng.choice(EVENTS),),
            "delay": lambda: (rng.choice(EVENTS), rng.random() < 0.5),
            "post": lambda: (rng.choice(EVENTS),),
            "score": lambda: (rng.randrange(6),),
            "finish": lambda: (rng.randrange(4),),
            "fail": lambda: (rng.randrange(4),),
            "disable": lambda: (rng.randrange(4),),
            "start": lambda: (rng.choice(NAMES),),
            "pace": lambda: (rng.choice((0.0, 0.5, 2.0)),),
            "stop": tuple,
        }
        (kind,) = rng.choices([*kinds], (12, 4, 2, 1, 2, 2, 1, 1, 1, 1, 0.3))
        return kind, *kinds[kind]()

    machine = {name: state() for name in NAMES}
    before = [step() for _ in range(rng.randint(0, 15))]
    return rng, machine, before, [step() for _ in range(15)]

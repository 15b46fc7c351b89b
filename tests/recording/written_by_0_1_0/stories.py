"""The machines whose save games and recordings lie beside this file, written by fsmkit 0.1.0.

To write them again, run this file with that version. It uses what every later version has as well.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any

from attrs import define, field

from actions import (
    AddValue,
    Cooldown,
    DelegateAction,
    FollowPath,
    FollowWaypoints,
    Jump,
    LookAt,
    Move,
    MoveBy,
    MoveConstantly,
    MoveTowards,
    OnChange,
    Parallel,
    PathMode,
    Race,
    RandomWait,
    Repeat,
    Rotate,
    RotateConstantly,
    RotateTowards,
    RunFsm,
    ScaleByDuration,
    SendEvent,
    SendEventWhen,
    SendRandomEvent,
    Sequence,
    SetColorByDuration,
    SetValue,
    TimedWait,
    Timeout,
    Tween,
    WaitFrames,
    When,
)
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.goap import Goal, GoapAction, GoapAgent
from fsmkit.recording import Recording, save_snapshot
from fsmkit.space import Transform
from fsmkit.timing import CountdownTimer

FOLDER = Path(__file__).parent

World = dict[str, Any]
"""What the machines act on: transforms and plain values. The game saves it, not fsmkit."""

Machines = Fsm[Any] | FsmGroup


class Story:
    """Machines in a world, and what happens to them before and after the game is saved."""

    def __init__(self) -> None:
        self.world: World = {}
        self.notes: list[str] = []
        """What else is to be the same at the end."""
        self.machines = self.build()

    def build(self) -> Machines:
        raise NotImplementedError

    def before(self) -> None:
        raise NotImplementedError

    def after(self) -> None:
        raise NotImplementedError

    def step(self, *seconds: float) -> None:
        for dt in seconds:
            self.machines.update(dt)

    def saved_world(self) -> World:
        content = {name: saved(value) for name, value in self.world.items()}
        copy: World = json.loads(json.dumps(content))
        return copy

    def load_world(self, content: World) -> None:
        for name, value in content.items():
            here = self.world[name]
            if isinstance(here, Transform):
                here.position, here.rotation, here.scale = map(restored, value)
            elif isinstance(here, dict):
                here.update(restored(value))
            else:
                self.world[name] = restored(value)


class Guard(Story):
    """Every way in which an action contains others, in mid-flight, and events of all kinds."""

    def build(self) -> Fsm[World]:
        world = self.world = {"body": Transform((0.0, 0.0)), "shots": 0, "alert": 0.0}
        body, rng = world["body"], Random(12)
        fsm = Fsm("Guard", context=world, on_unhandled="ignore")
        patrol, fight = fsm.add_state("Patrol"), fsm.add_state("Fight")
        rest, alarm = fsm.add_state("Rest"), fsm.add_state("Alarm")

        there, back = Move(body, None, (8.0, 0.0), 4.0), Move(body, None, (0.0, 6.0), 4.0)
        patrol.add_action(Repeat(Sequence(there, TimedWait(0.5), back), times=2))
        patrol.add_action(TimedWait(1.0))
        patrol.add_action(SendEvent("YAWN", delay=2.5))
        patrol.add_action(DelegateAction(on_enter=lambda state: None))
        patrol.add_action(RandomWait(1.0, 9.0, rng=rng))
        off = patrol.add_action(TimedWait(100.0))
        off.enabled = False
        fight.add_action(RunFsm(self.fight(rng), finish_event="WON"))
        fight.add_action(Cooldown("HIT", 0.75))
        fight.add_action(AddValue(world, "alert", 2.0, per_second=True))
        fight.add_action(SetValue(world, "shots", 0, restore_on_exit=True))
        rest.add_action(Race(TimedWait(3.0), RandomWait(0.0, 6.0, rng=rng)))
        rest.add_action(Timeout(TimedWait(60.0), 5.0, "SLEPT_IN"))
        alarm.add_action(When(lambda state: True, WaitFrames(3, finish_event="CALM")))

        patrol.add_transition("SEEN", fight)
        patrol.add_transition(FINISHED, rest)
        fight.add_transition("WON", patrol)
        fight.add_transition("HIT", rest)
        rest.add_transition(FINISHED, patrol)
        rest.add_transition("SLEPT_IN", alarm)
        alarm.add_transition("CALM", patrol)
        fsm.add_global_transition("BELL", alarm)
        return fsm

    def fight(self, rng: Random) -> Fsm[World]:
        fsm = Fsm("Fight", context=self.world, on_unhandled="ignore")
        aim, fire = fsm.add_state("Aim"), fsm.add_state("Fire")
        won = fsm.add_state("Won", final=True)
        aim.add_action(RunFsm(self.breath(), resume=True))
        aim.add_action(TimedWait(0.4, "AIMED"))
        fire.add_action(AddValue(self.world, "shots", 1))
        shoot = SendRandomEvent({"AGAIN": 3, "HIT_HIM": 1}, rng=rng)
        fire.add_action(Sequence(TimedWait(0.1), shoot))
        aim.add_transition("AIMED", fire)
        fire.add_transition("AGAIN", aim)
        fire.add_transition("HIT_HIM", won)
        return fsm

    def breath(self) -> Fsm[World]:
        fsm = Fsm("Breath", context=self.world)
        breathe_in, breathe_out = fsm.add_state("In"), fsm.add_state("Out")
        breathe_in.add_action(TimedWait(0.25))
        breathe_out.add_action(TimedWait(0.25))
        breathe_in.add_transition(FINISHED, breathe_out)
        breathe_out.add_transition(FINISHED, breathe_in)
        return fsm

    def send(self, event: str, data: object = None) -> None:
        self.machines.send_event(event, data)  # type: ignore[union-attr]

    def before(self) -> None:
        fsm = self.machines
        assert isinstance(fsm, Fsm)
        fsm.start()
        self.step(1.0, 1.0, 0.25)
        fsm.send_event_after(0.5, "SEEN", {"at": [1, 2.5]})
        fsm.send_event_after(1.5, "BELL", ("tower", None), keep=True)
        fsm.post_event("NOISE", b"bang")

    def after(self) -> None:
        self.step(0.25, 0.25, 0.1, 0.1, 0.3)
        self.send("HIT", float("inf"))
        self.step(*[0.25] * 60)
        self.send("SEEN")
        self.step(*[0.1] * 20)
        self.send("BELL")
        self.step(*[0.5] * 12)


class Fighter(Guard):
    """The guard, saved in the middle of the nested machines."""

    def before(self) -> None:
        super().before()
        self.step(0.25, 0.3, 0.1, 0.3)

    def after(self) -> None:
        self.step(*[0.15] * 40)
        self.send("HIT")
        self.step(*[0.25] * 40)


class Crew(Story):
    """Every action that remembers something, in a group with namesakes."""

    def build(self) -> FsmGroup:
        self.world = {
            "a": Transform((0.0, 0.0)), "b": Transform((5.0, 0.0)), "c": Transform((0.0, 3.0)),
            "lamp": {"color": (255, 255, 0), "volume": 1.0},
        }  # fmt: skip
        rng = Random(3)
        return FsmGroup([self.sailor("Sailor", "a", rng), self.sailor("Sailor", "b", rng)])

    def sailor(self, name: str, body: str, rng: Random) -> Fsm[World]:
        me, mate, lamp = self.world[body], self.world["c"], self.world["lamp"]
        fsm = Fsm(name, context=self.world, on_unhandled="ignore")
        work, sleep = fsm.add_state("Work"), fsm.add_state("Sleep")
        corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0)]
        work.add_action(FollowWaypoints(me, corners, 1.5, mode=PathMode.PING_PONG, resume=True))
        work.add_action(
            Parallel(
                FollowPath(mate, lambda: [(0.0, 4.0), (4.0, 4.0)], 1.0),
                RotateTowards(mate, me, speed=30.0, follow=True),
                RotateConstantly(mate, 15.0),
                LookAt(mate, me),
            )
        )
        work.add_action(MoveConstantly(mate, (0.0, 0.5)))
        work.add_action(OnChange(lambda: fsm.time > 1.9, "HURT"))
        work.add_action(Timeout(WaitFrames(9), 4.0, "TIRED"))
        work.add_action(RandomWait(2.0, 4.0, rng=rng))
        sleep.add_action(
            Sequence(
                Jump(me, 2.0, 0.5),
                MoveBy(me, (1.0, 1.0), 0.5),
                Rotate(me, None, 90.0, 0.5),
                ScaleByDuration(me, None, 2.0, 0.5),
                Tween(lamp, "volume", None, 0.0, 0.5),
                SetColorByDuration(lamp, None, (0, 0, 0), 0.5),
                MoveTowards(me, mate, 4.0),
            )
        )
        work.add_transition("TIRED", sleep)
        work.add_transition("HURT", sleep)
        work.add_transition(FINISHED, sleep)
        sleep.add_transition(FINISHED, work)
        return fsm

    def before(self) -> None:
        for machine in self.machines:  # type: ignore[union-attr]
            machine.start()
        self.step(*[0.5] * 3)

    def after(self) -> None:
        self.step(0.5, *[0.3] * 30)


class Sleeper(Crew):
    """The crew, saved while it does the other half."""

    def before(self) -> None:
        super().before()
        self.step(*[0.3] * 8)

    def after(self) -> None:
        self.step(*[0.2] * 30)


class Mood(Enum):
    CALM = 1
    ANGRY = 2


@define(eq=False)
class Diary(FsmAction[Any]):
    """Remembers a value of every kind that a save game knows."""

    mood: Mood = Mood.CALM
    friends: list[Transform] = field(factory=list)
    pages: dict[Any, Any] = field(factory=dict, init=False)
    timer: CountdownTimer | None = field(default=None, init=False)
    now: Mood = field(default=Mood.CALM, init=False)

    def on_enter(self) -> None:
        self.timer = CountdownTimer(2.0)
        self.now = Mood.ANGRY
        self.pages = {
            "plain": [None, True, 7, -0.5, "é\n", b"\x00\xff"],
            "odd": (float("inf"), float("-inf"), 10**700, -0.0),
            ("a", 1): {1, 2, 3},
            "frozen": frozenset({"x"}),
            "nested": {"deep": [(1, [2, {"three": 3}])]},
            "$sign": {"$tuple": 4},
            "machine": self.fsm,
            "context": self.context,
            "state": self.state,
            "action": self,
            "friend": self.friends[1],
            "dice": Random(5),
        }

    def on_update(self) -> None:
        assert self.timer is not None
        self.timer.update(self.delta_time)
        if self.timer.has_elapsed:
            self.finish()

    def summary(self) -> str:
        """What is remembered, in words, so that it can be compared."""
        pages = dict(self.pages)
        if pages:
            assert pages["machine"] is self.fsm
            assert pages["context"] is self.context
            assert pages["state"] is self.state
            assert pages["action"] is self
            assert pages["friend"] is self.friends[1]
            for name in ("machine", "context", "state", "action", "friend"):
                del pages[name]
            pages["dice"] = pages["dice"].random()
        timer = self.timer and (self.timer.duration, self.timer.elapsed)
        return repr((self.now, timer, pages)).replace(str(10**700), "a long number")


class Plain(FsmAction[Any]):
    """An action of a class that knows nothing of attrs."""

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self.way = 0.0
        self._stops: list[float] = []

    def on_update(self) -> None:
        self.way += self.speed * self.delta_time
        self._stops.append(self.way)


class Poet(Story):
    """Values of all kinds, an error on the way, and the events that it has left."""

    def build(self) -> Fsm[World]:
        self.world = {"coughs": 0}
        fsm = Fsm("Poet", context=self.world, on_unhandled="ignore")
        write, ill, well = fsm.add_state("Write"), fsm.add_state("Ill"), fsm.add_state("Well")
        self.diary = write.add_action(Diary(Mood.CALM, [Transform(), Transform((1.0, 2.0))]))
        self.plain = write.add_action(Plain(2.0))
        ill.add_action(SendEvent("LATER", {"page": 3}))
        ill.add_action(DelegateAction(on_enter=self.cough))
        well.add_action(SendEventWhen(lambda state: state.fsm.time > 6.0, "WRITE"))
        write.add_transition("COUGH", ill)
        ill.add_transition("HEALED", well)
        well.add_transition("WRITE", write)
        well.add_transition("LATER", write)
        fsm.add_global_transition(ERROR, well)
        return fsm

    def cough(self, state: object) -> None:
        self.world["coughs"] += 1
        self.machines.send_event("COUGH_AGAIN")  # type: ignore[union-attr]

    def before(self) -> None:
        fsm = self.machines
        assert isinstance(fsm, Fsm)
        fsm.start()
        self.step(0.5, 0.5)

    def after(self) -> None:
        fsm = self.machines
        assert isinstance(fsm, Fsm)
        self.step(0.25)
        self.notes = [self.diary.summary(), f"{self.plain.way} {self.plain._stops}"]
        fsm.send_event("COUGH")
        fsm.send_event("HEALED", "honey")
        self.step(*[0.5] * 12)


class Failing(Story):
    """An action that has raised an error, so that events wait and the visit was cut short."""

    def build(self) -> Fsm[World]:
        self.world = {"attempts": 0}
        fsm = Fsm("Oven", context=self.world, on_unhandled="ignore")
        cold, hot, done = fsm.add_state("Cold"), fsm.add_state("Hot"), fsm.add_state("Done")
        hot.add_action(TimedWait(1.0))
        hot.add_action(DelegateAction(on_enter=self.light))
        hot.add_action(TimedWait(2.0))
        cold.add_action(DelegateAction(on_exit=self.two_events))
        cold.add_transition("ON", hot)
        hot.add_transition("READY", done)
        done.add_transition("OFF", cold)
        return fsm

    def light(self, state: Any) -> None:
        state.send_event("READY", 1)
        state.send_event("OFF", 2)
        self.world["attempts"] += 1
        if self.world["attempts"] == 1:
            raise RuntimeError("no gas")

    def two_events(self, state: Any) -> None:
        state.send_event("CLICK")

    def before(self) -> None:
        fsm = self.machines
        assert isinstance(fsm, Fsm)
        fsm.start()
        with suppress(RuntimeError):
            fsm.send_event("ON")

    def after(self) -> None:
        fsm = self.machines
        assert isinstance(fsm, Fsm)
        self.step(0.5, 0.5)
        fsm.send_event("READY")
        fsm.send_event("OFF")
        fsm.send_event("ON")
        self.step(0.5)


class Woodcutter(Story):
    """An agent that plans, saved on its way to the tree."""

    def build(self) -> Fsm[Any]:
        self.world = {"body": Transform((0.0, 0.0)), "wood": 0}
        body = self.world["body"]

        def chop() -> list[FsmAction[Any]]:
            return [TimedWait(1.0), AddValue(self.world, "wood", 1)]

        return GoapAgent(
            "Woodcutter",
            actions=[
                GoapAction("Chop", 4, {}, {"wood": True}, target=(3.0, 0.0), run=chop),
                GoapAction(
                    "MakeFire", 1, {"wood": True}, {"fire": True, "wood": False},
                    target=(3.0, 4.0), run=lambda: [TimedWait(1.5)],
                ),
                GoapAction("Rest", 1, {"fire": True}, {"rested": True}, run=lambda: [TimedWait(2)]),
                GoapAction("Fly", 1, {"wings": True}, {"in_the_sky": True}),
            ],
            goals=[
                Goal("BeRested", {"rested": True}),
                Goal("BeInTheSky", {"in_the_sky": True}, priority=2.0),
            ],
            travel=lambda target: FollowPath(body, lambda: [target()], speed=1.0),
        )  # fmt: skip

    def before(self) -> None:
        self.machines.start()  # type: ignore[union-attr]
        self.step(*[0.5] * 4)

    def after(self) -> None:
        self.step(*[0.5] * 30)


class Chopper(Woodcutter):
    """The agent, saved in the middle of an action."""

    def before(self) -> None:
        super().before()
        self.step(*[0.5] * 3, 0.25)


STORIES: dict[str, Callable[[], Story]] = {
    story.__name__.lower(): story
    for story in (Guard, Fighter, Crew, Sleeper, Poet, Failing, Woodcutter, Chopper)
}


class Journal:
    """Observes machines, and writes a line for all that happens to them."""

    def __init__(self, story: Story) -> None:
        self.lines: list[str] = []
        for machine in with_inner(story.machines):
            machine.observe(self)

    def state_entered(self, fsm: Fsm[Any], state: Any, event: str | None) -> None:
        self.note(fsm, f"enter {state.name} by {event} with {fsm.event_data!r}")

    def state_exited(self, fsm: Fsm[Any], state: Any) -> None:
        self.note(fsm, f"leave {state.name}")

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        self.note(fsm, f"{event} with {data!r}: {outcome}")

    def action_entered(self, action: FsmAction[Any]) -> None:
        self.note(action.fsm, f"begin {type(action).__name__}")

    def action_finished(self, action: FsmAction[Any]) -> None:
        self.note(action.fsm, f"finish {type(action).__name__}")

    def action_exited(self, action: FsmAction[Any]) -> None:
        self.note(action.fsm, f"end {type(action).__name__}")

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        self.note(fsm, f"error {error!r}")

    def note(self, fsm: Fsm[Any], text: str) -> None:
        self.lines.append(f"{fsm.time:g} {fsm.name}: {text}")


def with_inner(machines: Machines) -> Iterator[Fsm[Any]]:
    """The machines and those that their actions run, however deep."""
    for machine in [machines] if isinstance(machines, Fsm) else machines:
        yield machine
        for state in machine.states.values():
            for action in state.actions:
                for inner in action.machines:
                    yield from with_inner(inner)


def saved(value: Any) -> Any:
    """A value of the world as JSON has it."""
    return [value.position, value.rotation, value.scale] if isinstance(value, Transform) else value


def restored(value: Any) -> Any:
    """The value that was saved so: a list in it was a tuple."""
    if isinstance(value, dict):
        return {name: restored(each) for name, each in value.items()}
    return tuple(value) if isinstance(value, list) else value


def ending(story: Story) -> World:
    """What is compared once `after` is over: the journal, and the world as it is then."""
    journal = Journal(story)
    story.after()
    return {"journal": journal.lines, "notes": story.notes, "world": story.saved_world()}


def write(name: str) -> None:
    story = STORIES[name]()
    story.before()
    save_snapshot(story.machines, FOLDER / f"{name}.save.json")
    beginning = story.saved_world()
    content = json.dumps({"beginning": beginning, **ending(story)}, indent=0, ensure_ascii=False)
    (FOLDER / f"{name}.ending.json").write_text(content + "\n", "utf-8")
    story = STORIES[name]()
    with Recording(story.machines, FOLDER / f"{name}.jsonl"):
        story.before()
        story.after()


if __name__ == "__main__":
    for name in STORIES:
        write(name)

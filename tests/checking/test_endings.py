"""When actions finish by themselves: what the library declares, and what code tells."""

from functools import partial
from random import Random
from types import SimpleNamespace

from attrs import define
from every import every

import actions
from actions import (
    AddValue,
    Assert,
    Broadcast,
    Compare,
    Cooldown,
    Coroutine,
    DelegateAction,
    Flee,
    FollowWaypoints,
    ForEach,
    Jump,
    Log,
    LookAt,
    Move,
    MoveBy,
    MoveConstantly,
    MoveTowards,
    OnChange,
    Option,
    Parallel,
    PathMode,
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
    TimedAction,
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
)
from fsmkit import BACK, Fsm, FsmAction, FsmGroup
from fsmkit.checking.names_in_code import ending
from fsmkit.space import Transform
from fsmkit.testing import Probe

BODY = Transform((0.0, 0.0))
GOAL = (8.0, 0.0)
RNG = Random(1)
PUPPET = SimpleNamespace(set_trigger=print)


@define(eq=False, repr=False)
class Fade(TimedAction):
    """A user's own timed action, which declares nothing itself."""

    duration: float


def truly(_state: object) -> bool:
    return True


def disabled(action: FsmAction) -> FsmAction:
    action.enabled = False
    return action


def with_states(*, final: bool) -> Fsm:
    fsm = Fsm("Inner")
    fsm.add_state("Only", final=final)
    return fsm


WAIT, NOTHING, TURN = (
    partial(TimedWait, 1.0),
    partial(TimedWait, 0.0),
    partial(DelegateAction, on_update=print),
)
UNKNOWN = partial(WaitUntil, truly)

DECLARED: list[tuple[FsmAction, str | None]] = [
    (AddValue({}, "gold", 1), "at once"),
    (AddValue({}, "gold", 1, per_second=True), "never"),
    (Assert(truly, "must be"), "at once"),
    (Assert(truly, "must be", every_update=True), "never"),
    (Broadcast(FsmGroup(), "GO"), "at once"),
    (Compare(1, 2, less="LESS"), "at once"),
    (Compare(1, 2, less="LESS", every_update=True), "never"),
    (Cooldown("FIRE", 2.0), "at once"),
    (Coroutine(lambda state: iter(())), None),
    (DelegateAction(print), "at once"),
    (DelegateAction(on_exit=print), "at once"),
    (DelegateAction(on_update=print), "never"),
    (Flee(BODY, GOAL, 2.0), "never"),
    (Flee(BODY, GOAL, 2.0, distance=20.0), "in time"),
    (Flee(BODY, GOAL, 2.0, distance=0.0), "at once"),
    (Flee(BODY, lambda: GOAL, 2.0, distance=20.0), None),
    (FollowWaypoints(BODY, [GOAL], 2.0), "never"),
    (FollowWaypoints(BODY, [GOAL], 2.0, mode=PathMode.PING_PONG), "never"),
    (FollowWaypoints(BODY, [GOAL], 2.0, mode=PathMode.ONCE), "in time"),
    (FollowWaypoints(BODY, [GOAL], 0.0, mode=PathMode.ONCE), None),
    (ForEach([1.0], TimedWait), None),
    (Jump(BODY, 2.0, 0.8), "in time"),
    (Log("here"), "at once"),
    (LookAt(BODY, GOAL), "never"),
    (LookAt(BODY, GOAL, every_update=False), "at once"),
    (Move(BODY, None, GOAL, 2.0), "in time"),
    (Move(BODY, None, GOAL, 0.0), "at once"),
    (Move(BODY, None, GOAL, lambda: 2.0), "in time"),
    (Move(BODY, GOAL, GOAL, 2.0), "at once"),
    (Move(BODY, GOAL, lambda: GOAL, 2.0), "in time"),
    (MoveBy(BODY, GOAL, 2.0), "in time"),
    (MoveConstantly(BODY, GOAL), "never"),
    (MoveTowards(BODY, GOAL, 2.0), "in time"),
    (MoveTowards(BODY, GOAL, 0.0), None),
    (MoveTowards(BODY, lambda: GOAL, 2.0), None),
    (MoveTowards(BODY, Transform(GOAL), 2.0), None),
    (OnChange(lambda: 1, "CHANGED"), "never"),
    (Parallel(), "at once"),
    (Parallel(NOTHING(), WAIT()), "in time"),
    (Parallel(WAIT(), UNKNOWN()), None),
    (Parallel(UNKNOWN(), TURN()), "never"),
    (Parallel(WAIT(), disabled(TURN())), "in time"),
    (Parallel(WAIT(), TURN(), UNKNOWN(), needed=1), "in time"),
    (Parallel(WAIT(), TURN(), UNKNOWN(), needed=2), None),
    (Parallel(WAIT(), TURN(), UNKNOWN(), needed=3), "never"),
    (Parallel(WAIT(), NOTHING(), TURN(), needed=1), "at once"),
    (Parallel(WAIT(), disabled(TURN()), needed=2), "in time"),
    (Play(None), "at once"),
    (Play(None, wait=True), "at once"),
    (Play(lambda: None, wait=True), "in time"),
    (Play(None, loop=True), "never"),
    (Race(), "at once"),
    (Race(WAIT(), TURN()), "in time"),
    (Race(WAIT(), NOTHING()), "at once"),
    (Race(TURN(), TURN()), "never"),
    (Race(TURN(), UNKNOWN()), None),
    (Race(disabled(NOTHING()), TURN()), "never"),
    (RandomWait(0.0, 2.0, rng=RNG), "in time"),
    (RandomWait(0.0, 0.0, rng=RNG), "at once"),
    (Repeat(WAIT()), "never"),
    (Repeat(WAIT(), times=0), "at once"),
    (Repeat(NOTHING(), times=1), "at once"),
    (Repeat(NOTHING(), times=2), "in time"),
    (Repeat(TURN(), times=2), "never"),
    (Repeat(UNKNOWN(), times=2), None),
    (Repeat(disabled(TURN())), "at once"),
    (Regions(), "at once"),
    (Regions(RunFsm(with_states(final=True)), RunFsm(with_states(final=False))), "never"),
    (Regions(RunFsm(with_states(final=True)), RunFsm(with_states(final=False)), needed=1), None),
    (Retry(WAIT(), 3), "in time"),
    (Retry(TURN(), 3), "never"),
    (Retry(UNKNOWN(), 3), None),
    (Retry(disabled(TURN()), 3), "at once"),
    (Rotate(BODY, None, 90.0, 2.0), "in time"),
    (RotateConstantly(BODY, 90.0), "never"),
    (RotateTowards(BODY, GOAL, speed=90.0), None),
    (RotateTowards(BODY, GOAL, speed=90.0, follow=True), "never"),
    (RunFsm(with_states(final=True)), None),
    (RunFsm(with_states(final=False)), "never"),
    (ScaleByDuration(BODY, None, 2.0, 2.0), "in time"),
    (Selector(Option(WAIT())), "in time"),
    (Selector(Option(TURN(), when=truly), Option(WAIT())), None),
    (Selector(Option(TURN(), when=truly), Option(TURN()), Option(WAIT())), "never"),
    (Selector(Option(WAIT(), when=truly)), None),
    (Selector(Option(disabled(WAIT()))), "at once"),
    (SendEvent("GO"), "at once"),
    (SendEvent("GO", delay=2.0), "in time"),
    (SendEventWhen(truly, "GO"), None),
    (SendRandomEvent({"GO": 1.0}, rng=RNG), "at once"),
    (SendRandomEvent({"GO": 1.0}, rng=RNG, delay=lambda: 2.0), "in time"),
    (Sequence(), "at once"),
    (Sequence(NOTHING(), NOTHING()), "at once"),
    (Sequence(NOTHING(), WAIT()), "in time"),
    (Sequence(WAIT(), TURN()), "never"),
    (SequenceEvent("GO", "STAY"), "at once"),
    (SequenceEvent("GO", "STAY", delay=2.0), "in time"),
    (SetColorByDuration({}, None, (0, 0, 0), 2.0), "in time"),
    (SetValue({}, "gold", 1), "at once"),
    (SetValue({}, "gold", 1, every_update=True), "never"),
    (Shake(BODY, 2.0, 2.0), "in time"),
    (Shake(BODY, 2.0, 0.0), "at once"),
    (SmoothFollow(BODY, GOAL, 2.0), "never"),
    (Switch(1, {1: "ONE"}), "at once"),
    (Switch(1, {1: "ONE"}, every_update=True), "never"),
    (Fade(2.0), "in time"),
    (Fade(0.0), "at once"),
    (TimedWait(2.0), "in time"),
    (TimedWait(0), "at once"),
    (Timeout(TURN(), 2.0), "in time"),
    (Timeout(TURN(), 0.0), "at once"),
    (Timeout(NOTHING(), 2.0), "at once"),
    (Timeout(disabled(TURN()), 2.0), "at once"),
    (Toggle({}, "lit"), "at once"),
    (TriggerAnimator(PUPPET, "run"), "at once"),
    (Tween({}, "volume", None, 1.0, 2.0), "in time"),
    (Tween({}, "volume", 1.0, 1.0, 2.0), "at once"),
    (Tween({}, "volume", None, 1.0, 2.0, repeat=2, yoyo=True), "in time"),
    (Tween({}, "volume", None, 1.0, 0.0, repeat=2, yoyo=True), "at once"),
    (Tween({}, "volume", None, 1.0, 2.0, repeat=True), "never"),
    (Utility(Option(WAIT(), score=1.0)), "never"),
    (Utility(Option(disabled(WAIT()), score=1.0)), "at once"),
    (WaitFrames(2), "in time"),
    (WaitFrames(0), "at once"),
    (WaitUntil(truly), None),
    (Wander(BODY, 2.0, RNG), "never"),
    (When(truly, NOTHING()), "at once"),
    (When(truly, WAIT()), "in time"),
    (When(truly, TURN()), None),
    (When(truly, disabled(TURN())), "at once"),
]  # fmt: skip


@every(("action", "declared"), DECLARED)
def test_a_library_action_declares_when_it_finishes(
    action: FsmAction, declared: str | None
) -> None:
    assert action.finishes == declared
    assert ending(action) == declared


def test_every_library_action_declares_it_but_for_those_that_cannot_know() -> None:
    exported = [getattr(actions, name) for name in actions.__all__]
    kinds = [each for each in exported if isinstance(each, type) and issubclass(each, FsmAction)]
    silent = {kind.__name__ for kind in kinds if kind.finishes is FsmAction.finishes}
    assert silent == {"Await", "Composite", "Coroutine", "ForEach", "InThread", "WaitUntil"}


@every(
    ("action", "declared"),
    [pair for pair in DECLARED if pair[1] == "at once" and not isinstance(pair[0], Broadcast)],
)
def test_what_finishes_at_once_has_finished_when_the_state_is_entered(
    action: FsmAction, declared: str
) -> None:
    if isinstance(action, (AddValue, Toggle, Tween)):
        action.target.update(gold=0, lit=True, volume=1.0)
    fsm = Fsm("M", on_unhandled="ignore")
    fsm.add_state("A").add_action(action)
    fsm.start()
    assert action.finished
    fsm.stop()
    fsm.states["A"].remove_action(action)


def test_sending_an_event_that_leads_away_is_not_finishing() -> None:
    fsm = Fsm("Guard")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    own, shared, home = (SendEventWhen(truly, event) for event in ("SEEN", "ALARM", "HOME"))
    for action in (own, shared, home):
        patrol.add_action(action)
    patrol.add_transition("SEEN", chase)
    fsm.add_global_transition("ALARM", chase)
    fsm.add_global_transition("HOME", patrol)
    assert [action.finishes for action in (own, shared, home)] == ["never", "never", None]


def test_an_event_that_leads_away_sometimes_or_temporarily_may_be_the_end() -> None:
    fsm = Fsm("Guard")
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    events = ("GUARDED", "CERTAIN", "PAUSE", "RESUME")
    actions_ = [patrol.add_action(SendEventWhen(truly, event)) for event in events]
    for event in events[:2]:
        patrol.add_transition(event, chase, when=truly)
    fsm.add_global_transition("CERTAIN", chase)
    patrol.add_transition("PAUSE", chase, suspend=True)
    patrol.add_transition("RESUME", BACK)
    assert [action.finishes for action in actions_] == [None, "never", None, None]


# Classes that declare nothing


class Hum(FsmAction):
    def on_update(self) -> None:
        self.context.hum()


class Knock(FsmAction):
    def on_update(self) -> None:
        self.finish()


class HandsItOn(FsmAction):
    def on_enter(self) -> None:
        self.context.when_done(lambda: [self.finish() for _ in range(1)])


class Waits(FsmAction):
    def __init__(self, bell: list[object]) -> None:
        bell.append(self.finish)


class Described(FsmAction):
    @property
    def finishes(self) -> str:  # type: ignore[override]
        return "one day"


class Hopes(DelegateAction):
    def on_update(self) -> None:
        if self.context.is_done:
            self.finish()


class Chatty(MoveConstantly):
    def describe(self) -> str:
        return "on and on"


def finish_it(probe: Probe) -> None:
    probe.finish()


@every(
    ("action", "known"),
    [
        (FsmAction(), "never"),
        (Hum(), "never"),
        (Knock(), None),
        (HandsItOn(), None),
        (Waits([]), None),
        (Described(), None),
        (Probe("p", []), "never"),
        (Probe("p", [], on_enter="GO"), "never"),
        (Probe("p", [], on_enter=Probe.finish), None),
        (Probe("p", [], on_update=lambda probe: [finish_it(probe)]), None),
        (Probe("p", [], on_update=partial(finish_it)), None),
        (Hopes(on_update=print), None),
        (Chatty(BODY, GOAL), "never"),
    ],
)
def test_an_action_whose_code_never_mentions_finish_never_finishes(
    action: FsmAction, known: str | None
) -> None:
    assert ending(action) == known

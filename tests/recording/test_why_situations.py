"""why() in named situations: all that it says, and what happens when the event is sent."""

from collections.abc import Callable, Generator
from typing import Any

from attrs import frozen
from every import every

from actions import (
    Cooldown,
    Coroutine,
    Defer,
    DelegateAction,
    ForEach,
    IgnoreEvents,
    InThread,
    Move,
    MoveTowards,
    OnEvent,
    Parallel,
    Race,
    Regions,
    Repeat,
    Retry,
    RunFsm,
    Sequence,
    TimedWait,
    Timeout,
    WaitFrames,
    WaitUntil,
    When,
)
from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmState, TimeReference
from fsmkit.recording import why
from fsmkit.space import Transform
from fsmkit.testing import drive

FINISHES = "'FINISHED' leads from 'A' to 'B'."
NO_WAY = "Nothing: 'A' has no transition for {!r}, and the machine has no global one."


@frozen
class Situation:
    """A state A with some actions, from which GO and FINISHED lead to B."""

    says: str
    actions: Callable[[], list[FsmAction[Any]]]
    event: str = FINISHED
    data: tuple[object, ...] = (None,)
    outcome: str = "changed"
    before: tuple[Any, ...] = ()
    """Seconds that pass, and events that are sent, before the question."""
    certain: bool = True

    def built(self) -> Fsm[Any]:
        fsm: Fsm[Any] = Fsm("M", {"lit": False}, on_unhandled="ignore")
        first, second = fsm.add_state("A"), fsm.add_state("B")
        for action in self.actions():
            first.add_action(action)
        first.add_transition("GO", second)
        first.add_transition(FINISHED, second)
        fsm.start()
        drive(fsm, self.before)
        return fsm


def is_lit(state: FsmState[Any]) -> bool:
    return bool(state.context["lit"])


def is_seven(_state: FsmState[Any], data: object) -> bool:
    return data == 7


def work() -> None:
    """Done elsewhere."""


def fail() -> None:
    raise ConnectionError


def lock(*, final: bool = True) -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Lock")
    shut, opened = fsm.add_state("Shut"), fsm.add_state("Open", final=final)
    shut.add_transition("KEY", opened)
    shut.add_transition("PIN", opened, when=is_seven)
    return fsm


def idle() -> Fsm[Any]:
    fsm: Fsm[Any] = Fsm("Idle")
    fsm.add_state("Rest")
    return fsm


def talk(_state: object) -> Generator[Any]:
    yield 0.5
    yield "ANSWER"
    yield is_lit
    yield TimedWait(3.0)


class Own(FsmAction[Any]):
    """Listens, and does not say to what."""

    def on_event(self, event: str, data: object) -> bool:
        return False


class Shield(FsmAction[Any]):
    """Listens, and says to what, and what it needs."""

    takes = ("HIT",)
    hits = 2
    waits_for = "two more hits"

    def _would_take_(self, event: str) -> bool | str | None:
        return f"{self.hits} hits left" if event == "HIT" else False

    def on_event(self, event: str, data: object) -> bool:
        return event == "HIT"


class Dig(FsmAction[Any]):
    """Says nothing about itself."""

    def on_update(self) -> None: ...


def far() -> Transform:
    return Transform((0.0, 0.0))


def disabled(action: FsmAction[Any]) -> FsmAction[Any]:
    action.enabled = False
    return action


def paused() -> TimeReference:
    time = TimeReference("world")
    time.paused = True
    return time


TAKING = {
    "a sequence that hears nothing lets an event pass": Situation(
        "'GO' leads from 'A' to 'B'.",
        lambda: [Sequence(TimedWait(1.0), TimedWait(2.0))],
        "GO",
    ),
    "a child that is entered takes it": Situation(
        "A.actions[0].children[0] (OnEvent) takes it.",
        lambda: [Parallel(OnEvent("GO", work), TimedWait(2.0))],
        "GO",
        outcome="consumed",
    ),
    "a child whose turn has not come takes nothing": Situation(
        f"{NO_WAY.format('HIT')} A.actions[0].children[1].children[0] (OnEvent) takes it, but is "
        "not entered.",
        lambda: [Sequence(TimedWait(1.0), Parallel(OnEvent("HIT", work), TimedWait(2.0)))],
        "HIT",
        outcome="ignored",
    ),
    "an action that is disabled takes nothing": Situation(
        f"{NO_WAY.format('HIT')} A.actions[1] (OnEvent) takes it, but is disabled.",
        lambda: [TimedWait(1.0), disabled(OnEvent("HIT", work))],
        "HIT",
        outcome="ignored",
    ),
    "a cooldown that is ready lets it pass": Situation(
        "'GO' leads from 'A' to 'B'.", lambda: [Cooldown("GO", 1.0), TimedWait(9.0)], "GO"
    ),
    "a cooldown that runs takes it": Situation(
        "A.actions[0] (Cooldown) takes it: 0.4 s to go.",
        lambda: [Cooldown("HIT", 1.0), TimedWait(9.0)],
        "HIT",
        outcome="consumed",
        before=("HIT", 0.6),
    ),
    "a cooldown for another event lets it pass": Situation(
        "'GO' leads from 'A' to 'B'.",
        lambda: [Cooldown("HIT", 1.0), TimedWait(9.0)],
        "GO",
        before=("HIT", 0.6),
    ),
    "events are ignored": Situation(
        "A.actions[0] (IgnoreEvents) takes it.",
        lambda: [IgnoreEvents("GO"), TimedWait(9.0)],
        "GO",
        outcome="consumed",
    ),
    "an event is kept": Situation(
        "A.actions[0] (Defer) takes it: kept until TimedWait and Move have finished.",
        lambda: [Defer("GO"), TimedWait(9.0), Move(far(), None, (4.0, 0.0), 2.0)],
        "GO",
        outcome="consumed",
    ),
    "an event may be kept until own code says otherwise": Situation(
        "A.actions[0] (Defer) is asked first and may take it. Otherwise 'GO' leads from 'A' to "
        "'B'.",
        lambda: [Defer("GO", until=is_lit), TimedWait(9.0)],
        "GO",
        outcome="consumed",
        certain=False,
    ),
    "a delegate with handlers takes what these are for": Situation(
        "A.actions[0] (DelegateAction) takes it.",
        lambda: [DelegateAction(on_event={"GO": work}), TimedWait(9.0)],
        "GO",
        outcome="consumed",
    ),
    "a delegate with a listener may take anything": Situation(
        "A.actions[0] (DelegateAction) is asked first and may take it. Otherwise 'GO' leads from "
        "'A' to 'B'.",
        lambda: [DelegateAction(on_event=lambda: True), TimedWait(9.0)],
        "GO",
        outcome="consumed",
        certain=False,
    ),
    "an action that does not say may take anything": Situation(
        f"A.actions[0] (Own) is asked first and may take it. Otherwise n{NO_WAY[1:].format('GOO')} "
        "Did you mean 'GO'?",
        lambda: [Own()],
        "GOO",
        outcome="ignored",
        certain=False,
    ),
    "an action that says what it would take": Situation(
        "A.actions[0] (Shield) takes it: 2 hits left.",
        lambda: [Shield()],
        "HIT",
        outcome="consumed",
    ),
    "a routine waits for it": Situation(
        "A.actions[0] (Coroutine) takes it.",
        lambda: [Coroutine(talk)],
        "ANSWER",
        outcome="consumed",
        before=(0.5,),
    ),
    "a nested machine takes it": Situation(
        "A.actions[0] (RunFsm) passes it to Fsm 'Lock', which takes it: 'KEY' leads from 'Shut' to "
        "'Open'.",
        lambda: [RunFsm(lock()), TimedWait(9.0)],
        "KEY",
        outcome="consumed",
    ),
    "a nested machine does not know it": Situation(
        "'GO' leads from 'A' to 'B'.", lambda: [RunFsm(lock()), TimedWait(9.0)], "GO"
    ),
    "a nested machine refuses it": Situation(
        f"{NO_WAY.format('PIN')} A.actions[0] (RunFsm) asks Fsm 'Lock' first, which lets it pass: "
        "every guard for 'PIN' refuses. The guard is_seven refuses the way from 'Shut' to 'Open'.",
        lambda: [RunFsm(lock()), TimedWait(9.0)],
        "PIN",
        (8,),
        outcome="refused",
    ),
    "a guard of a nested machine agrees": Situation(
        "A.actions[0] (RunFsm) passes it to Fsm 'Lock', which takes it: 'PIN' leads from 'Shut' to "
        "'Open'.",
        lambda: [RunFsm(lock()), TimedWait(9.0)],
        "PIN",
        (7,),
        outcome="consumed",
    ),
    "a guard of a nested machine is not asked": Situation(
        "A.actions[0] (RunFsm) asks Fsm 'Lock' first, which may take it: 'PIN' leads from 'Shut' "
        "to 'Open'. Only if the guard is_seven agrees: why(machine, event, data) asks it. "
        f"Otherwise n{NO_WAY[1:].format('PIN')} It is known in Fsm 'Lock' nested in 'A'.",
        lambda: [RunFsm(lock()), TimedWait(9.0)],
        "PIN",
        (),
        outcome="refused",
        certain=False,
    ),
    "a nested machine has ended": Situation(
        f"{NO_WAY.format('KEY')} A.actions[0] (RunFsm) has ended, and passes it to no machine. "
        "It is known in Fsm 'Lock' nested in 'A'.",
        lambda: [RunFsm(lock()), TimedWait(9.0)],
        "KEY",
        outcome="ignored",
        before=("KEY",),
    ),
    "one of two regions takes it": Situation(
        "A.actions[0].children[1] (RunFsm) passes it to Fsm 'Lock', which takes it: 'KEY' leads "
        "from 'Shut' to 'Open'.",
        lambda: [Regions(RunFsm(idle()), RunFsm(lock()))],
        "KEY",
        outcome="consumed",
    ),
    "nobody handles an error": Situation(
        f"{NO_WAY.format('ERROR')} An error that is raised goes to the caller.",
        lambda: [TimedWait(9.0)],
        ERROR,
        outcome="ignored",
    ),
}

WAITING = {
    "for time": ("TimedWait, 1.2 of 2.0 s; Move, 40 % of 3.0 s", lambda: [
        TimedWait(2.0), Move(far(), None, (3.0, 0.0), 3.0)], (1.2,)),
    "for two of a kind": (
        "actions[0] (TimedWait), 0.5 of 2.0 s; actions[2] (TimedWait), 0.5 of 3.0 s",
        lambda: [TimedWait(2.0), TimedWait(0.1), TimedWait(3.0)], (0.5,)),
    "for a time that is paused": (
        "TimedWait, 0.0 of 2.0 s, and the time 'world' stands still",
        lambda: [TimedWait(2.0, time=paused())], (0.5,)),
    "for a condition": ("WaitUntil, until is_lit", lambda: [WaitUntil(is_lit)], ()),
    "for updates": ("WaitFrames, 2 more updates", lambda: [WaitFrames(3)], (0.1,)),
    "for a way to go": ("MoveTowards, 3.0 units to go", lambda: [
        MoveTowards(far(), (3.0, 4.0), 2.0)], (1.0,)),
    "for a second": ("Coroutine, 0.3 s to go", lambda: [Coroutine(talk)], (0.2,)),
    "for an event": ("Coroutine, for 'ANSWER'", lambda: [Coroutine(talk)], (0.5,)),
    "for what a routine asks": ("Coroutine, until is_lit", lambda: [Coroutine(talk)],
        (0.5, "ANSWER")),
    "for the work of a thread": ("InThread, for the result of work", lambda: [
        InThread(work)], ()),
    "for the second of three": ("Sequence, 2 of 3: TimedWait (0.5 of 2.0 s)", lambda: [
        Sequence(TimedWait(1.0), TimedWait(2.0), WaitFrames(1))], (1.0, 0.5)),
    "for the second item": ("ForEach, 2 of 2: TimedWait (0.5 of 2.0 s)", lambda: [
        ForEach([1.0, 2.0], TimedWait)], (1.0, 0.5)),
    "for one more of three": (
        "Parallel, 1 of 2 so far, for TimedWait (0.5 of 3.0 s) and WaitUntil (until is_lit)",
        lambda: [Parallel(TimedWait(3.0), WaitUntil(is_lit), TimedWait(0.5), needed=2)], (0.5,)),
    "for the first of two": (
        "Race, for TimedWait (0.5 of 3.0 s) or WaitUntil (until is_lit)",
        lambda: [Race(TimedWait(3.0), WaitUntil(is_lit))], (0.5,)),
    "for a round": ("Repeat, round 2 of 5: TimedWait (0.5 of 1.0 s)", lambda: [
        Repeat(TimedWait(1.0), 5)], (1.0, 0.5)),
    "for another try": ("Retry, try 1 of 3 failed, 1.5 s to go until the next", lambda: [
        Retry(DelegateAction(fail), 3, delay=2.0)], (0.5,)),
    "at most so long": (
        "Timeout, 0.5 of 20.0 s at most: When (for WaitUntil (until is_lit))",
        lambda: [Timeout(When(work_is_there, WaitUntil(is_lit)), 20.0)], (0.5,)),
    "for a nested machine": ("RunFsm, until Fsm 'Lock' ends, which is in 'Shut'", lambda: [
        RunFsm(lock())], ()),
    "for a nested machine without an end": (
        "RunFsm, until Fsm 'Lock' is stopped, as it has no final state",
        lambda: [RunFsm(lock(final=False))], ()),
    "without end": ("DelegateAction, which never finishes by itself", lambda: [
        DelegateAction(on_update=work)], ()),
    "for what an action says": ("Shield, two more hits", lambda: [Shield()], ()),
    "for what does not say": ("Dig", lambda: [Dig(), TimedWait(0.1)], (0.1,)),
}  # fmt: skip


def work_is_there() -> bool:
    return True


@every("name", TAKING)
def test_why_says_who_takes_an_event(name: str) -> None:
    check(TAKING[name])


@every("name", WAITING)
def test_why_says_what_finished_waits(name: str) -> None:
    words, actions, before = WAITING[name]
    check(Situation(f"{FINISHES} Not finished yet: {words}.", actions, before=before))


def check(situation: Situation) -> None:
    fsm = situation.built()
    prospect = why(fsm, situation.event, *situation.data)
    assert str(prospect) == situation.says
    assert prospect.certain == situation.certain
    if situation.certain:
        assert prospect.outcome == situation.outcome
    data = situation.data[0] if situation.data else None
    journal = drive(fsm, [(situation.event, data)])
    outcomes = [line for line in journal if line.startswith(f"event {situation.event}:")]
    assert outcomes[0] == f"event {situation.event}: {situation.outcome}"
    if situation.outcome == "changed":
        assert fsm.path == (prospect.target,)

"""What a check says is true: random machines are walked through, moment by moment.

Every settled moment that inputs and time can reach is gone to, up to a bound, and what happens on
the way is compared with what was said never to happen. `python tests/checking/test_check_truth.py
[MACHINES] [FIRST SEED] [BOUND]` walks through more of them, and tells how many findings it judged.
"""

import copy
import json
import logging
import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from actions import (
    Compare,
    Cooldown,
    Defer,
    DelegateAction,
    IgnoreEvents,
    Log,
    Move,
    MoveConstantly,
    OnEvent,
    Parallel,
    Race,
    RandomWait,
    Repeat,
    Retry,
    RunFsm,
    SendEvent,
    SendEventWhen,
    SendRandomEvent,
    Sequence,
    SequenceEvent,
    SetValue,
    Switch,
    TimedWait,
    Timeout,
    Tween,
    WaitFrames,
    WaitUntil,
    When,
)
from fsmkit import (
    BACK,
    ERROR,
    FINISHED,
    Fsm,
    FsmAction,
    FsmState,
    Transition,
    TransitionLoopError,
    TransitionOnExitError,
)
from fsmkit.checking import Finding, check
from fsmkit.recording import snapshot
from fsmkit.space import Transform

INPUTS = ("GO", "STOP", "HIT")
"""The external events."""
EVENTS = (*INPUTS, "SOON", "LATE", "NEVER")
"""What actions send and transitions are for."""
SECONDS = (0.5, 1.5)


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Let nobody be warned of unhandled events: there are many."""
    caplog.set_level(logging.ERROR, logger="fsmkit")


# Machines


class Send(FsmAction):
    """Sends an event in a given callback, and declares nothing."""

    def __init__(self, event: str, place: str) -> None:
        self.event = event
        self.place = place

    def on_enter(self) -> None:
        self.tell("on_enter")

    def on_update(self) -> None:
        self.tell("on_update")

    def tell(self, place: str) -> None:
        if self.place == place:
            self.fsm.send_event(self.event)


class SendLater(FsmAction):
    def __init__(self, event: str, delay: float, keep: bool) -> None:
        self.event, self.delay, self.keep = event, delay, keep

    def on_enter(self) -> None:
        self.fsm.send_event_after(self.delay, self.event, keep=self.keep)
        self.finish()


class SendOnEnter(FsmAction):
    def __init__(self, event: str) -> None:
        self.event = event

    def on_enter(self) -> None:
        self.fsm.send_event(self.event)
        self.finish()


class SendOnExit(FsmAction):
    def __init__(self, event: str) -> None:
        self.event = event

    def on_exit(self) -> None:
        self.fsm.send_event(self.event)


class Listen(FsmAction):
    def __init__(self, event: str) -> None:
        self.event = event

    def on_event(self, event: str, data: object) -> bool:
        return event == self.event


def is_even_second(state: FsmState[Any]) -> bool:
    return int(state.fsm.time) % 2 == 0


def whole_seconds(state: FsmState[Any]) -> int:
    return int(state.fsm.time) % 4


class Trouble(Exception):
    pass


def fail_at_times(state: FsmState[Any]) -> None:
    if is_even_second(state):
        raise Trouble


def weights(event: str, other: str) -> dict[str, float]:
    return {other: 1, "NOBODY": 0} if event == other else {event: 1, other: 2}


def receiver(random: Random) -> Any:
    """Whom an event goes to: its own machine, said in three ways, or another one."""
    other = Fsm("Other", on_unhandled="ignore")
    other.add_state("Only")
    return random.choice((None, lambda state: state.fsm, lambda state: other, lambda state: state))


def sender(event: str) -> Callable[[FsmState[Any]], object]:
    return lambda state: state.send_event(event)


def sender_at_times(event: str) -> Callable[[FsmState[Any]], object]:
    return lambda state: is_even_second(state) and state.send_event(event)


def poster(event: str) -> Callable[[FsmState[Any]], object]:
    return lambda state: state.fsm.post_event(event)


def twice(first: str, second: str) -> Callable[[FsmState[Any]], object]:
    def send(state: FsmState[Any]) -> None:
        state.send_event(first)
        state.send_event(second)

    return send


def inner(random: Random) -> Fsm[Any]:
    fsm = Fsm("Inner", on_unhandled="ignore")
    one, two = fsm.add_state("One"), fsm.add_state("Two", final=random.random() < 0.5)
    one.add_transition(random.choice(INPUTS), two)
    if random.random() < 0.5:
        one.add_action(SendEvent("SOON", delay=0.5))
        one.add_transition("SOON", two)
    return fsm


def leaf(random: Random) -> FsmAction:
    event, other = random.choice(EVENTS), random.choice(EVENTS)
    seconds = random.choice((0.0, 0.5, 1.0, 2.5))
    maybe = random.choice((None, event))
    return random.choice([
        lambda: TimedWait(seconds, maybe),
        lambda: TimedWait(seconds, event),
        lambda: SendEvent(event, delay=seconds),
        lambda: SendEvent(event),
        lambda: SendEventWhen(is_even_second, event),
        lambda: Cooldown(event, 1.0),
        lambda: SendRandomEvent(weights(event, other), rng=Random(random.random())),
        lambda: SendRandomEvent({event: 1, other: 2}, rng=Random(3), no_repeat=True, delay=seconds),
        lambda: SequenceEvent(event, other, loop=random.random() < 0.5),
        lambda: Compare(whole_seconds, 2, less=event, equal=maybe, greater=other),
        lambda: Compare(1, 2, less=event, greater=maybe, every_update=random.random() < 0.5),
        lambda: Switch(whole_seconds, {0: event, 3: other}, default=maybe),
        lambda: SendEvent(event, to=receiver(random)),
        lambda: WaitUntil(is_even_second, finish_event=maybe),
        lambda: RandomWait(0.0, seconds, rng=Random(5), finish_event=maybe),
        lambda: Retry(DelegateAction(fail_at_times), 3, delay=seconds, errors=Trouble),
        lambda: WaitFrames(random.randrange(3)),
        lambda: Log("here", level=1),
        lambda: SetValue({}, "key", 1),
        lambda: Move(Transform((0.0,)), (0.0,), (1.0,), 1.0, finish_event=maybe),
        lambda: MoveConstantly(Transform((0.0,)), (1.0,)),
        lambda: Tween({"a": 0.0}, "a", None, 1.0, 0.5, finish_event=maybe),
        lambda: RunFsm(inner(random), finish_event=maybe),
        lambda: OnEvent(event, sender(other)),
        lambda: IgnoreEvents(event),
        lambda: Defer(event),
        lambda: DelegateAction(sender(event)),
        lambda: DelegateAction(sender_at_times(event)),
        lambda: DelegateAction(on_update=sender_at_times(event)),
        lambda: DelegateAction(poster(event)),
        lambda: DelegateAction(twice(event, other)),
        lambda: Send(event, random.choice(("on_enter", "on_update"))),
        lambda: SendLater(event, seconds, random.random() < 0.3),
        lambda: SendOnEnter(event),
        lambda: SendOnExit(event) if random.random() < 0.2 else SendOnEnter(event),
        lambda: Listen(event),
    ])()  # fmt: skip


def action(random: Random, depth: int = 2) -> FsmAction:
    if depth == 0 or random.random() < 0.75:
        return leaf(random)
    children = [action(random, depth - 1) for _ in range(random.randrange(1, 4))]
    return random.choice([
        lambda: Sequence(*children),
        lambda: Parallel(*children),
        lambda: Race(*children),
        lambda: Repeat(children[0], random.choice((None, 0, 1, 2))),
        lambda: Timeout(children[0], 1.0, random.choice((None, *EVENTS))),
        lambda: When(is_even_second, children[0]),
    ])()  # fmt: skip


GUARDS: tuple[Callable[..., object], ...] = (is_even_second, lambda: False, lambda state: True)


class Facts:
    """What has been seen in all that a machine can come to."""

    def __init__(self) -> None:
        self.taken: set[object] = set()
        """The transitions."""
        self.entered: set[str] = set()
        self.left_for: set[tuple[str, str]] = set()
        self.outcomes: set[tuple[str, str, str]] = set()
        """State, event and outcome."""
        self.sent: set[tuple[str, str, str, str | None]] = set()
        """State, event, outcome, and the action of the state whose callback sent it."""
        self.exited_quietly: set[str] = set()
        """States that were exited without an error."""
        self.moments = 0
        self.is_complete = True


class Watch:
    """Notes facts about one step of one copy of the machine."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.exited: list[str] = []

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        self.facts.entered.add(state.name)
        if fsm.previous_state is not None and event is not None:
            self.facts.left_for.add((fsm.previous_state.name, state.name))

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self.exited.append(state.name)

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        state, sender = fsm.current_state, fsm.acting
        self.facts.outcomes.add((state.name, event, outcome))
        places = (f"actions[{i}] " for i, a in enumerate(state.actions) if sender in family([a]))
        self.facts.sent.add((state.name, event, outcome, next(places, None)))


def machine(seed: int) -> tuple[Fsm[Any], Facts]:
    random, facts = Random(seed), Facts()
    fsm = Fsm("Outer", on_unhandled=random.choice(("ignore", "warn")), max_transitions=30)
    names = "ABCDE"[: random.randrange(2, 6)]
    for name in names:
        fsm.add_state(name, final=random.random() < 0.15)
    for state in fsm.states.values():
        for event in random.sample([*EVENTS, FINISHED, ERROR], random.randrange(4)):
            add_ways(random, facts, state, event, names)
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            some = state.add_action(action(random))
            some.enabled = random.random() > 0.05
        if random.random() < 0.1:
            compete(random, facts, state, names)
    if random.random() < 0.3:
        add_ways(random, facts, fsm, random.choice([*EVENTS, FINISHED]), names)
    return fsm, facts


def compete(random: Random, facts: Facts, state: FsmState[Any], names: str) -> None:
    """Let two actions of a state end by events of theirs, one perhaps too late."""
    ends = [TimedWait(random.choice((0.5, 1.0)), "SOON"), SendEvent("LATE", delay=2.5)]
    for each in random.sample(ends, 2):
        state.add_action(each)
    for event in ("SOON", "LATE"):
        if event not in state.transitions:
            add_ways(random, facts, state, event, names)


def add_ways(random: Random, facts: Facts, place: Any, event: str, names: str) -> None:
    is_global = isinstance(place, Fsm)
    whose = None if is_global else place.name
    for number in range(random.choice((1, 1, 1, 2))):
        target = BACK if random.random() < 0.08 else random.choice(names)
        suspend = random.random() < 0.12 and target not in (BACK, whose)
        when = random.choice(GUARDS) if random.random() < 0.25 else None
        add = place.add_global_transition if is_global else place.add_transition
        key = (whose, event, number)
        add(event, target, when=when, do=lambda key=key: facts.taken.add(key), suspend=suspend)
        if when is None:
            return


# Walking


def walk(fsm: Fsm[Any], facts: Facts, bound: int) -> None:
    """Go to every settled moment, up to a bound, and note the facts."""
    seen: set[str] = set()
    waiting: deque[Fsm[Any]] = deque()

    def go(before: Fsm[Any], step: float | str | None) -> None:
        fsm = copy.deepcopy(before)
        if take(fsm, facts, step) and (key := moment(fsm)) not in seen:
            seen.add(key)
            waiting.append(fsm)

    go(fsm, None)
    while waiting and facts.moments < bound:
        facts.moments += 1
        here = waiting.popleft()
        for step in (*INPUTS, *SECONDS):
            go(here, step)
    facts.is_complete = not waiting


def take(fsm: Fsm[Any], facts: Facts, step: float | str | None) -> bool:
    """Take one step; False if nobody judges what comes after it, as after an endless chain."""
    watch = Watch(facts)
    fsm.observe(watch)
    try:
        if step is None:
            fsm.start()
        elif isinstance(step, str):
            fsm.send_event(step)
        else:
            fsm.update(step)
    except (TransitionLoopError, RecursionError):
        return False
    except (TransitionOnExitError, Trouble):
        return True
    except ExceptionGroup as errors:
        return errors.subgroup((TransitionOnExitError, Trouble)) is not None
    facts.exited_quietly.update(watch.exited)
    return True


def moment(fsm: Fsm[Any]) -> str:
    """What tells moments apart: all that is remembered, but of the time only what guards ask."""
    saved = json.loads(json.dumps(snapshot(fsm, encode=repr)))
    for one in saved["machines"]:
        time = one.pop("time", 0.0)
        one.pop("delta_time", None)
        one["even"] = int(time) % 2
        if one is saved["machines"][0]:
            one["within"] = time % 1.0
        for delayed in one.get("delayed", []):
            delayed[0] = round(delayed[0] - time, 6)
        text = json.dumps(one.get("actions", {}))
        one["actions"] = re.sub(
            r'"ready_at": ([\d.]+)',
            lambda m, time=time: f'"ready_at": {max(0.0, float(m[1]) - time)}',
            text,
        )
    for name in ("definitions", "checksum"):
        saved.pop(name, None)
    return json.dumps(saved, sort_keys=True)


# Judging


def wrong(fsm: Fsm[Any], facts: Facts, findings: list[Finding]) -> Iterator[str]:
    """The findings that the run contradicts."""
    for finding in findings:
        judge = JUDGES.get(finding.code)
        if judge is not None and finding.place.machine == "Outer" and judge(fsm, facts, finding):
            yield str(finding)


def is_handled(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    """A dead end is wrong if what the action sent was handled there, or anywhere, as it says.

    An action that defers events takes any other one, to send it again.
    """
    place = finding.place
    if "no state of the machine" in finding.message:
        return any(
            event == place.event and outcome in ("changed", "refused")
            for _, event, outcome in facts.outcomes
        )
    defers = any(isinstance(a, Defer) for a in family(fsm.states[str(place.state)].actions))
    handled = ("changed", "refused") if defers else ("changed", "refused", "consumed")
    return any(
        (state, event) == (place.state, place.event)
        and outcome in handled
        and (sender is None or str(place.action).startswith(sender))
        and (sender is not None or outcome != "consumed")
        for state, event, outcome, sender in facts.sent
    )


def may_pass(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    """An endless chain is wrong if the state can be entered and rested in."""
    if finding.severity != "error":
        return False
    fresh = copy.deepcopy(fsm)
    try:
        fresh.start(finding.place.state)
    except (TransitionLoopError, TransitionOnExitError, Trouble, ExceptionGroup):
        return False
    return True


def is_entered(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    return finding.place.state in facts.entered


def is_left(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    here = finding.place.state
    return any(a == here and b != here for a, b in facts.left_for)


def is_taken(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    """A transition was taken that never is, of those to the target that the finding names."""
    place = finding.place
    whose = fsm if place.state is None else fsm.states[place.state]
    table = fsm.global_transitions if whose is fsm else whose.transitions
    targets = re.findall(r"to ('\w+'|BACK)", finding.message.partition(" is never")[0])
    for number, way in enumerate(table[str(place.event)]):
        name = "BACK" if way.target is BACK else repr(way.target.name)
        is_meant = not targets or name in targets
        is_alone = sum(_name(other) == name for other in table[str(place.event)]) == 1
        if finding.code in ("constant-guard", "shadowed-transition") and not is_alone:
            continue
        if finding.code == "nothing-to-resume" and way.target is not BACK:
            continue
        if is_meant and (place.state, place.event, number) in facts.taken:
            return True
    return False


def _name(way: Transition[Any]) -> str:
    return "BACK" if way.target is BACK else repr(way.target.name)


def gets_out(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    """A trap is wrong if the machine got from one of its states to another one."""
    group = set(re.findall(r"'(\w+)'", finding.message.partition(" lead only")[0]))
    return any(a in group and b not in group for a, b in facts.left_for)


def is_sent(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    """An event was sent that nobody sends."""
    return any(event == finding.place.event for _, event, _ in facts.outcomes)


def comes_in_time(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    """An event was delivered that is too late; others than one action may send it, though."""
    place = finding.place
    state = fsm.states[str(place.state)]
    senders = [each for each in family(state.actions) if place.event in words_of(each)]
    if place.event in INPUTS or len(senders) > 1 or keeps(fsm, str(place.event)):
        return False
    return any((s, e) == (place.state, place.event) for s, e, _ in facts.outcomes)


def keeps(fsm: Fsm[Any], event: str) -> bool:
    """Whether an event may come from another state: delayed and kept, posted, or waiting."""
    return any(
        event in words_of(each) and not isinstance(each, (TimedWait, SendEvent, Move, Tween))
        for state in fsm.states.values()
        for each in family(state.actions)
    )


def words_of(action: FsmAction) -> set[str]:
    """The events that an action may send, in whatever way."""
    functions = [value for value in vars(action).values() if callable(value)]
    closed = [
        cell.cell_contents
        for function in functions
        for cell in getattr(getattr(function, "function", function), "__closure__", None) or ()
    ]
    texts = [value for value in (*vars(action).values(), *closed) if isinstance(value, str)]
    return {*action.sends, *texts, *getattr(action, "events", ())}


def family(actions: Any) -> Iterator[FsmAction]:
    for each in actions:
        yield each
        yield from family(each.children)


def is_exited_quietly(fsm: Fsm[Any], facts: Facts, finding: Finding) -> bool:
    """The state was exited without an error, although its action is always entered first.

    One that was suspended is exited while another one is current, which may not know the event.
    """
    state = fsm.states[str(finding.place.state)]
    tables = (*state.transitions.values(), *fsm.global_transitions.values())
    if any(way.suspend for ways in tables for way in ways):
        return False
    is_first = finding.place.action == "actions[0] (SendOnExit)"
    return is_first and state.actions[0].enabled and state.name in facts.exited_quietly


JUDGES: dict[str, Callable[[Fsm[Any], Facts, Finding], bool]] = {
    "dead-end-event": is_handled,
    "endless-chain": may_pass,
    "unreachable-state": is_entered,
    "no-way-out": is_left,
    "finished-never-fires": is_taken,
    "shadowed-transition": is_taken,
    "constant-guard": is_taken,
    "left-at-once": is_taken,
    "nothing-to-resume": is_taken,
    "trap": gets_out,
    "too-late": comes_in_time,
    "never-sent": is_sent,
    "guards-nothing": lambda fsm, facts, finding: (
        (finding.place.state, finding.place.event, "changed") in facts.outcomes
    ),
    "unknown-input": lambda fsm, facts, finding: any(
        event == finding.place.event and outcome in ("changed", "refused")
        for _, event, outcome in facts.outcomes
    ),
    "forbidden-send": is_exited_quietly,
}


def judged(seed: int, bound: int) -> tuple[list[str], Counter[str], Facts]:
    fsm, facts = machine(seed)
    findings = check(fsm, inputs=INPUTS)
    walk(fsm, facts, bound)
    codes = Counter(finding.code for finding in findings if finding.code in JUDGES)
    return list(wrong(fsm, facts, findings)), codes, facts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_nothing_happens_that_was_said_never_to_happen(seed: int) -> None:
    mistakes, _, _ = judged(seed, bound=25)
    assert mistakes == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed",
    [*range(1000, 1020), *(pytest.param(n, marks=pytest.mark.long) for n in range(1020, 1120))],
)
def test_nothing_of_that_happens_in_many_machines(seed: int) -> None:
    mistakes, _, _ = judged(seed, bound=150)
    assert mistakes == []


def main(count: int, first: int, bound: int) -> int:
    codes: Counter[str] = Counter()
    bad = complete = moments = 0
    for seed in range(first, first + count):
        mistakes, found, facts = judged(seed, bound)
        codes += found
        complete += facts.is_complete
        moments += facts.moments
        for mistake in mistakes:
            bad += 1
            print(f"seed {seed}: {mistake}", flush=True)
    print(f"{count} machines, {complete} walked through completely, {moments} moments")
    print(f"{codes.total()} findings judged: {dict(codes.most_common())}")
    print(f"{bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    logging.getLogger("fsmkit").setLevel(logging.ERROR)
    defaults = (500, 0, 120)
    given = [int(each) for each in sys.argv[1:]]
    raise SystemExit(main(*given, *defaults[len(given) :]))

"""Properties of the findings about any machine."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions import (
    Compare,
    Cooldown,
    DelegateAction,
    Log,
    MoveConstantly,
    Parallel,
    Race,
    Repeat,
    RunFsm,
    SendEvent,
    SendEventWhen,
    SendRandomEvent,
    Sequence,
    TimedWait,
    Timeout,
    WaitFrames,
    When,
)
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmState, TransitionLoopError
from fsmkit.checking import Finding, check
from fsmkit.space import Transform
from fsmkit.testing import Recorder, drive

pytestmark = pytest.mark.slow

EVENTS = ("GO", "STOP", "CLOSE", "CLOSED", "SPOTTED", "SPOTED", "Spotted", FINISHED)

events = st.sampled_from(EVENTS)
seconds = st.sampled_from([0.0, 0.5, 1.0])


def truly(state: object) -> bool:
    return True


def inner() -> Fsm:
    fsm = Fsm("Inner", on_unhandled="ignore")
    fsm.add_state("One").add_transition("GO", fsm.add_state("Two"))
    return fsm


class SendsAndEnds(FsmAction):
    def __init__(self, event: str) -> None:
        self.event = event

    def on_enter(self) -> None:
        self.fsm.send_event(self.event)
        self.finish()


leaves: st.SearchStrategy[FsmAction] = st.one_of(
    st.builds(TimedWait, seconds, st.none() | events),
    st.builds(SendEvent, events, delay=seconds),
    st.builds(lambda event: SendEventWhen(truly, event), events),
    st.builds(lambda event: SendRandomEvent({event: 1.0}, rng=Random(1)), events),
    st.builds(lambda event: Compare(1, 2, less=event), events),
    st.builds(Cooldown, events, seconds),
    st.builds(WaitFrames, st.integers(0, 2)),
    st.builds(lambda: Log("here", level=1)),
    st.builds(lambda: MoveConstantly(Transform((0.0,)), (1.0,))),
    st.builds(lambda: RunFsm(inner())),
    st.builds(lambda event: DelegateAction(lambda state: state.send_event(event)), events),
    st.builds(lambda event: DelegateAction(on_exit=lambda: event), events),
    st.builds(SendsAndEnds, events),
)
actions = st.recursive(
    leaves,
    lambda children: st.one_of(
        st.builds(lambda some: Sequence(*some), st.lists(children, max_size=3)),
        st.builds(lambda some: Parallel(*some), st.lists(children, max_size=3)),
        st.builds(lambda some: Race(*some), st.lists(children, max_size=3)),
        st.builds(Repeat, children, st.none() | st.integers(0, 2)),
        st.builds(Timeout, children, seconds, st.none() | events),
        st.builds(lambda child: When(truly, child), children),
    ),
    max_leaves=4,
)


def is_even_second(state: FsmState[Any]) -> bool:
    return int(state.fsm.time) % 2 == 0


class Count:
    """An effect that counts how often its transition is taken."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, state: object, data: object) -> None:
        self.times += 1


guards = st.sampled_from([truly, lambda: False, is_even_second])


def ways(names: str) -> st.SearchStrategy[list[tuple[Any, dict[str, Any]]]]:
    """Any number of guarded transitions for one event, and one that is always taken, or not."""
    targets = st.sampled_from([*names, *names, BACK])
    suspends = st.integers(0, 3).map(lambda number: number == 0)
    guarded = st.tuples(targets, st.fixed_dictionaries({"when": guards, "suspend": suspends}))
    last = st.tuples(targets, st.fixed_dictionaries({"suspend": suspends}))
    return st.builds(
        lambda some, one: [*some, *one], st.lists(guarded, max_size=2), st.lists(last, max_size=1)
    )


@st.composite
def machines(draw: st.DrawFn) -> Fsm[Any]:
    """Up to five states, with any transitions and up to two actions each."""
    fsm = Fsm("Outer", on_unhandled="ignore", max_transitions=20)
    names = "ABCDE"[: draw(st.integers(1, 5))]
    for name in names:
        fsm.add_state(name, final=draw(st.booleans()))
    leads = st.dictionaries(events, ways(names), max_size=3)
    for state in fsm.states.values():
        for event, some in draw(leads).items():
            for target, options in some:
                if not (options.get("suspend") and target in (state.name, BACK)):
                    state.add_transition(event, target, do=Count(), **options)
        for action in draw(st.lists(actions, max_size=2)):
            action.enabled = draw(st.integers(0, 9)) > 0
            state.add_action(action)
    for event, some in draw(st.dictionaries(events, ways(names), max_size=1)).items():
        for target, options in some:
            if not (options.get("suspend") and target is BACK):
                fsm.add_global_transition(event, target, do=Count(), **options)
    return fsm


scripts = st.lists(seconds | events, max_size=12)


def places(findings: list[Finding], code: str) -> list[Finding]:
    return [
        finding for finding in findings if finding.code == code and finding.place.machine == "Outer"
    ]


def run(fsm: Fsm[Any], script: list[float | str]) -> None:
    """Start `fsm` and follow the script, whatever is raised on the way."""
    for step in [fsm.start, *script]:
        try:
            drive(fsm, [step])
        except TransitionLoopError:
            continue


def definition(fsm: Fsm[Any]) -> list[object]:
    return [
        [(s.name, dict(s.transitions), s.actions, repr(s.actions)) for s in fsm.states.values()],
        dict(fsm.global_transitions),
        (fsm.current_state, fsm.previous_state, fsm.time, fsm.last_event),
    ]


@settings(max_examples=50)
@given(machines(), scripts)
def test_checking_always_ends_the_same_way_and_changes_nothing(
    fsm: Fsm[Any], script: list[float | str]
) -> None:
    for _ in range(2):
        before = definition(fsm)
        with Recorder(fsm) as recorder:
            assert check(fsm) == check(fsm)
        assert recorder.journal == []
        assert definition(fsm) == before
        run(fsm, script)


@settings(max_examples=50)
@given(machines(), scripts)
def test_a_state_that_is_called_unreachable_is_never_entered(
    fsm: Fsm[Any], script: list[float | str]
) -> None:
    unreachable = {finding.place.state for finding in places(check(fsm), "unreachable-state")}
    with Recorder(fsm) as recorder:
        run(fsm, script)
    assert unreachable.isdisjoint(recorder.path)


@settings(max_examples=50)
@given(machines(), scripts)
def test_a_state_that_is_said_to_have_no_way_out_is_never_left_for_another(
    fsm: Fsm[Any], script: list[float | str]
) -> None:
    stuck = {finding.place.state for finding in places(check(fsm), "no-way-out")}
    with Recorder(fsm) as recorder:
        run(fsm, script)
    left = {a for a, b in zip(recorder.path, recorder.path[1:], strict=False) if a != b}
    assert stuck.isdisjoint(left)


@settings(max_examples=50)
@given(machines())
def test_what_is_called_an_endless_chain_is_one(fsm: Fsm[Any]) -> None:
    for finding in places(check(fsm), "endless-chain"):
        if finding.severity == "error":
            with pytest.raises(TransitionLoopError):
                fsm.start(finding.place.state)
            fsm.stop()


class Finishes:
    """An observer that notes in which states FINISHED was sent, but for what the script sent."""

    def __init__(self) -> None:
        self.states: set[str] = set()

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        if event == FINISHED and outcome == "changed":
            self.states.add(fsm.current_state.name)


@settings(max_examples=50)
@given(machines(), st.lists(seconds | events.filter(lambda event: event != FINISHED), max_size=12))
def test_a_state_that_is_said_never_to_finish_never_does(
    fsm: Fsm[Any], script: list[float | str]
) -> None:
    findings = places(check(fsm), "finished-never-fires")
    observer = Finishes()
    fsm.observe(observer)
    run(fsm, script)
    assert observer.states.isdisjoint({finding.place.state for finding in findings})


@settings(max_examples=50)
@given(machines(), scripts)
def test_a_global_transition_that_is_called_shadowed_is_never_taken(
    fsm: Fsm[Any], script: list[float | str]
) -> None:
    findings = places(check(fsm), "shadowed-transition")
    shadowed = [
        way
        for ways in fsm.global_transitions.values()
        for way in ways
        for finding in findings
        if f" {way.event!r} to {way.target.name!r} is never taken: every other" in finding.message
    ]
    run(fsm, script)
    assert [way for way in shadowed if way.do.times] == []


@settings(max_examples=50)
@given(machines(), scripts)
def test_what_is_said_to_have_nothing_to_resume_never_resumes(
    fsm: Fsm[Any], script: list[float | str]
) -> None:
    found = [finding.place for finding in places(check(fsm), "nothing-to-resume")]
    tables = {place: fsm.global_transitions for place in found if place.state is None}
    tables |= {place: fsm.states[place.state].transitions for place in found if place.state}
    run(fsm, script)
    for place, table in tables.items():
        ways = [way for way in table[str(place.event)] if way.target is BACK]
        assert [way for way in ways if way.do.times] == []

"""Errors that lead to themselves, fights over a thing, guards, and sending where one may not."""

from typing import Any

import pytest

from actions import (
    Cooldown,
    DelegateAction,
    Move,
    MoveConstantly,
    OnEvent,
    Parallel,
    Race,
    Rotate,
    RunFsm,
    SendEvent,
    Sequence,
    TimedWait,
    Tween,
)
from fsmkit import ERROR, Fsm, FsmAction, FsmError, TransitionLoopError, TransitionOnExitError
from fsmkit.checking import Finding, Place, check
from fsmkit.checking.rules.reachability import constant_answer
from fsmkit.space import Space, Transform


def two_states(*actions: FsmAction) -> Fsm[Any]:
    """A -> B on GO, B -> A on BACK; the actions are those of A."""
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    b.add_transition("BACK", a)
    for action in actions:
        a.add_action(action)
    return fsm


def places(fsm: Fsm[Any], code: str) -> list[str]:
    return [str(finding.place.inside) for finding in check(fsm) if finding.code == code]


# Errors


def fail(state: object) -> None:
    raise ValueError("failed")


def test_an_error_that_leads_to_the_same_state_repeats_or_hides() -> None:
    fsm = two_states()
    fsm.states["A"].add_transition(ERROR, "A")
    assert check(fsm) == [
        Finding(
            "error-loop",
            "warning",
            Place("M", "A", event=ERROR),
            "'ERROR' leads from here to the same state: an error on entering it repeats until a "
            "TransitionLoopError is raised, and any other goes unnoticed.",
            "Lead to a state that deals with errors. To try again, use Retry(action, times), or "
            "give the transition a guard.",
        )
    ]
    fsm.states["A"].add_action(DelegateAction(fail))
    with pytest.raises(TransitionLoopError):
        fsm.start()


def test_a_retry_that_ends_and_one_that_tells_somebody_are_fine() -> None:
    guarded, telling, elsewhere = two_states(), two_states(), two_states()
    guarded.states["A"].add_transition(ERROR, "A", when=lambda state: state.context)
    telling.states["A"].add_transition(ERROR, "A", do=lambda state: state.context.tell())
    elsewhere.states["A"].add_transition(ERROR, "B")
    elsewhere.add_global_transition(ERROR, "A")
    for fsm in (guarded, telling, elsewhere):
        assert places(fsm, "error-loop") == []


# Things that two actions write


def test_two_moves_of_one_thing_at_once_fight() -> None:
    cart = Transform((0.0, 0.0))
    moves = [Move(cart, None, (x, 0.0), 2.0, space=Space.SELF) for x in (1.0, 2.0)]
    found = check(two_states(*moves))
    assert [finding for finding in found if finding.code == "conflicting-actions"] == [
        Finding(
            "conflicting-actions",
            "warning",
            Place("M", "A", "actions[1] (Move)"),
            "It writes the position of the same thing as actions[0] (Move) at the same time: in "
            "every update the last of them wins.",
            "Run them one after another, in a Sequence or in two states, or leave one of them out.",
        )
    ]


def test_what_runs_side_by_side_from_the_beginning_is_compared() -> None:
    cart, sound = Transform((0.0, 0.0)), {"volume": 1.0}

    def move(thing: Transform = cart, seconds: float = 2.0) -> Move:
        return Move(thing, None, (9.0, 0.0), seconds)

    def tween() -> Tween:
        return Tween(sound, "volume", None, 0.0, 2.0)

    fights = {
        "actions[0] (Parallel), children[1] (Move)": [Parallel(move(), move())],
        "actions[1] (Move)": [Sequence(move(), TimedWait(1.0)), move()],
        "actions[0] (Race), children[1] (Tween)": [Race(tween(), tween())],
        "actions[0] (Sequence), children[1] (Parallel), children[1] (Move)": [
            Sequence(TimedWait(1.0), Parallel(move(), move()))
        ],
    }
    for place, actions in fights.items():
        fsm = two_states(*actions)
        assert places(fsm, "conflicting-actions") == [f"state 'A', {place}"]
    fine: list[list[FsmAction]] = [
        [move(), move(Transform((0.0, 0.0)))],
        [Sequence(move(), move())],
        [move(), Rotate(cart, None, 90.0, 2.0)],
        [move(), MoveConstantly(cart, (1.0, 0.0))],
        [move(seconds=0.0), move()],
        [move(), Sequence(TimedWait(3.0), move())],
    ]
    for actions in fine:
        assert places(two_states(*actions), "conflicting-actions") == []
    moves = [move(), move()]
    moves[0].enabled = False
    assert places(two_states(*moves), "conflicting-actions") == []


# Actions that guard events


def test_a_cooldown_for_an_event_that_nothing_handles_guards_nothing() -> None:
    fsm = two_states(Cooldown("GOO", 1.0))
    assert [finding for finding in check(fsm) if finding.code == "guards-nothing"] == [
        Finding(
            "guards-nothing",
            "warning",
            Place("M", "A", "actions[0] (Cooldown)", "GOO"),
            "It lets 'GOO' pass only at times, but nothing in this state handles that event.",
            "Did you mean 'GO'?",
        )
    ]
    assert places(two_states(Cooldown("BACK", 1.0)), "guards-nothing") == [
        "state 'A', actions[0] (Cooldown)"
    ]


def test_a_cooldown_for_what_something_handles_is_fine() -> None:
    assert places(two_states(Cooldown("GO", 1.0)), "guards-nothing") == []
    handler = OnEvent("HIT", lambda: None)
    assert places(two_states(Cooldown("HIT", 1.0), handler), "guards-nothing") == []
    shared = two_states(Cooldown("HIT", 1.0))
    shared.add_global_transition("HIT", "B")
    assert places(shared, "guards-nothing") == []
    outer = Fsm("Outer")
    outer.add_state("Work").add_action(RunFsm(two_states(Cooldown("HIT", 1.0))))
    outer.states["Work"].add_transition("HIT", outer.add_state("Hurt", final=True))
    assert places(outer, "guards-nothing") == []


# Guards of transitions


def test_a_guard_that_always_refuses_makes_its_transition_useless() -> None:
    fsm = two_states()
    fsm.states["A"].add_transition("RUN", "B", when=lambda: False)
    assert check(fsm) == [
        Finding(
            "constant-guard",
            "warning",
            Place("M", "A", event="RUN"),
            "The transition for 'RUN' to 'B' is never taken: its guard, lambda: False, always "
            "refuses.",
            "Correct the guard, or remove it.",
        )
    ]


def test_a_guard_that_always_agrees_hides_those_after_it() -> None:
    fsm = two_states()
    fsm.states["A"].add_transition("RUN", "B", when=lambda state: True)
    assert check(fsm) == []
    fsm.states["A"].add_transition("RUN", "A")
    (finding,) = check(fsm)
    assert finding.message == (
        "The transition for 'RUN' to 'A' is never taken: the one to 'B' is asked first, and its "
        "guard always agrees."
    )


def test_only_a_constant_in_the_code_itself_is_believed() -> None:
    debug = False

    def documented() -> int:
        """Return 0."""
        return 0

    assert [constant_answer(f) for f in (lambda: None, lambda s: "yes", documented)] == [
        False,
        True,
        False,
    ]
    assert [constant_answer(f) for f in (lambda: debug, lambda s: s, print, list)] == [None] * 4


# Where nothing may be sent


def test_an_event_that_is_sent_on_exit_raises_an_error() -> None:
    class Shout(FsmAction):
        def on_exit(self) -> None:
            self.fsm.send_event("GO")

    fsm = two_states(Shout())
    assert check(fsm) == [
        Finding(
            "forbidden-send",
            "error",
            Place("M", "A", "actions[0] (Shout)", "GO"),
            "'GO' is sent in on_exit, where it raises a TransitionOnExitError: the state is being "
            "exited already.",
            "Send it before, or post_event() it for the next update.",
        )
    ]
    fsm.start()
    with pytest.raises(TransitionOnExitError):
        fsm.send_event("GO")


def test_an_event_that_leads_nowhere_may_be_sent_on_exit() -> None:
    posts = DelegateAction(on_exit=lambda state: state.fsm.post_event("GO"))
    sends = DelegateAction(on_exit=lambda state: state.send_event("BACK"))
    assert places(two_states(posts, sends), "forbidden-send") == []


def test_a_guard_and_an_effect_may_not_send() -> None:
    fsm = two_states()
    fsm.states["A"].add_transition("RUN", "B", when=lambda state: state.send_event("GO"))
    fsm.states["A"].add_transition("HOP", "B", do=lambda state: state.send_event("GO"))
    found = [finding for finding in check(fsm) if finding.code == "forbidden-send"]
    assert [finding.message for finding in found] == [
        "The guard of the transition for 'RUN' to 'B' sends 'GO', which raises an FsmError there.",
        (
            "The effect of the transition for 'HOP' to 'B' sends 'GO', which raises a "
            "TransitionOnExitError there."
        ),
    ]
    for event, error in (("RUN", FsmError), ("HOP", TransitionOnExitError)):
        fsm.start("A")
        with pytest.raises(error):
            fsm.send_event(event)


# Inputs


def test_an_event_that_nobody_sends_is_found_if_the_inputs_are_named() -> None:
    fsm = two_states(TimedWait(1.0, finish_event="GO"))
    assert check(fsm) == []
    assert check(fsm, inputs=["BACKK"]) == [
        Finding(
            "never-sent",
            "warning",
            Place("M", "B", event="BACK"),
            "Nothing sends 'BACK': no action does, and it is not among the inputs.",
            "Did you mean 'BACKK'?",
        ),
        Finding(
            "unknown-input",
            "warning",
            Place("M", event="BACKK"),
            "'BACKK' is among the inputs, but no state of any machine knows it.",
            "Did you mean 'BACK'?",
        ),
    ]
    assert check(fsm, inputs={"BACK"}) == []


def test_whatever_may_send_an_event_counts() -> None:
    outer = Fsm("Outer")
    outer.add_state("Work").add_action(RunFsm(two_states(TimedWait(1.0, finish_event="GO"))))
    outer.states["Work"].add_action(SendEvent("BACK", delay=3.0))
    assert check(outer, inputs=[]) == []
    for function in (
        lambda state: state.send_event("GO"),
        lambda state: state.context.tell("GO"),
        lambda state: state.send_event(state.context),
    ):
        assert check(two_states(DelegateAction(function)), inputs=["BACK"]) == []


def test_inputs_are_names_of_events() -> None:
    with pytest.raises(TypeError, match="inputs must be a list of events, got 'G"):
        check(two_states(), inputs="GO")
    with pytest.raises(TypeError, match="inputs must be a list of events, got 3 in it."):
        check(two_states(), inputs=["GO", 3])  # type: ignore[list-item]

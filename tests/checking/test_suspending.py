"""BACK with nothing to go back to, and suspended states that nobody resumes."""

from typing import Any

from fsmkit import BACK, Fsm
from fsmkit.checking import Finding, Place, check


def game() -> Fsm[Any]:
    """Play is suspended for Menu and Menu for Options; both lead back."""
    fsm = Fsm("Game")
    play, menu, options = map(fsm.add_state, ("Play", "Menu", "Options"))
    play.add_transition("PAUSE", menu, suspend=True)
    menu.add_transition("RESUME", BACK)
    menu.add_transition("CHANGE", options, suspend=True)
    options.add_transition("DONE", BACK)
    return fsm


def found(fsm: Fsm[Any], code: str) -> list[tuple[str | None, str | None]]:
    return [
        (finding.place.state, finding.place.event) for finding in check(fsm) if finding.code == code
    ]


def never(fsm: Fsm[Any]) -> list[tuple[str | None, str | None]]:
    return found(fsm, "never-resumed")


def nothing(fsm: Fsm[Any]) -> list[tuple[str | None, str | None]]:
    return found(fsm, "nothing-to-resume")


def truly() -> bool:
    return True


def test_states_that_are_suspended_and_resumed_are_fine() -> None:
    assert check(game()) == []


# Nothing to go back to


def test_back_in_a_state_that_interrupts_no_other_is_an_error() -> None:
    fsm = game()
    fsm.states["Play"].add_transition("RESUME", BACK)
    assert check(fsm) == [
        Finding(
            "nothing-to-resume",
            "error",
            Place("Game", "Play", event="RESUME"),
            "'RESUME' leads BACK, but nothing is suspended then: no transition with suspend=True "
            "leads to this state.",
            "Add suspend=True to the transition that interrupts. One without it exits all "
            "suspended states.",
        )
    ]
    fsm.start()
    assert fsm.send_event("RESUME") is False


def test_a_change_that_suspends_nothing_leaves_nothing_to_resume() -> None:
    fsm = game()
    credits_ = fsm.add_state("Credits")
    fsm.states["Menu"].add_transition("CREDITS", credits_)
    credits_.add_transition("DONE", BACK)
    assert nothing(fsm) == [("Credits", "DONE")]
    fsm.start()
    for event in ("PAUSE", "CREDITS", "DONE"):
        fsm.send_event(event)
    assert fsm.current_state is credits_


def test_a_global_transition_interrupts_every_other_state() -> None:
    fsm = Fsm("Game")
    fsm.add_state("Play")
    menu = fsm.add_state("Menu")
    menu.add_transition("RESUME", BACK)
    fsm.add_global_transition("PAUSE", menu, when=truly, suspend=True)
    assert check(fsm) == []


def test_a_global_back_needs_one_state_that_interrupts_and_follows_it() -> None:
    fsm = game()
    fsm.add_global_transition("ESCAPE", BACK)
    assert nothing(fsm) == []
    for name in ("Menu", "Options"):
        fsm.states[name].add_transition("ESCAPE", "Play")
    assert nothing(fsm) == [(None, "ESCAPE")]


def test_a_global_back_of_a_machine_that_suspends_nothing_is_an_error() -> None:
    fsm = Fsm("Game")
    fsm.add_state("Play").add_transition("PAUSE", fsm.add_state("Menu"))
    fsm.add_global_transition("RESUME", BACK)
    (finding,) = check(fsm)
    assert (finding.code, finding.severity) == ("nothing-to-resume", "error")
    assert finding.message.endswith(
        "no transition with suspend=True leads to a state that it applies to."
    )


# Nobody goes back


def test_a_state_that_is_suspended_for_one_that_never_leads_back_is_reported() -> None:
    fsm = game()
    fsm.states["Menu"].remove_transition("RESUME")
    fsm.states["Menu"].add_transition("QUIT", fsm.add_state("Title", final=True))
    assert check(fsm) == [
        Finding(
            "never-resumed",
            "warning",
            Place("Game", "Play", event="PAUSE"),
            "'PAUSE' suspends the state for 'Menu', from where no transition leads BACK: it is "
            "never resumed.",
            "Add a transition from 'Menu' to BACK, or leave out suspend=True.",
        )
    ]


def test_a_way_back_may_be_guarded_or_global() -> None:
    fsm = game()
    fsm.states["Menu"].remove_transition("RESUME")
    fsm.states["Menu"].add_transition("RESUME", BACK, when=truly)
    assert never(fsm) == []
    fsm.states["Menu"].remove_transition("RESUME")
    fsm.add_global_transition("RESUME", BACK)
    assert never(fsm) == []
    fsm.states["Menu"].add_transition("RESUME", "Play")
    assert never(fsm) == [("Play", "PAUSE")]


def test_a_global_transition_that_suspends_is_looked_at_as_well() -> None:
    fsm = Fsm("Game")
    fsm.add_state("Play").add_transition("OVER", fsm.add_state("End", final=True))
    fsm.add_global_transition("PAUSE", fsm.add_state("Menu"), suspend=True)
    fsm.states["Menu"].add_transition("OVER", "End")
    (finding,) = check(fsm)
    assert (finding.code, finding.place) == ("never-resumed", Place("Game", event="PAUSE"))
    assert finding.message.startswith("'PAUSE' suspends the current state for 'Menu'")


# What other checks make of it


def test_back_is_a_way_out_and_what_is_suspended_is_reached() -> None:
    fsm = game()
    assert found(fsm, "no-way-out") == []
    intro = fsm.add_state("Intro")
    intro.add_transition("PAUSE", "Menu", suspend=True)
    assert found(fsm, "unreachable-state") == [("Intro", None)]
    fsm.start("Intro")
    fsm.send_event("PAUSE")
    assert found(fsm, "unreachable-state") == []

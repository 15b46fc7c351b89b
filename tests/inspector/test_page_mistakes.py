"""Six mistakes as game programmers make them, and what the page tells of each, at which second.

A game makes all of its updates at once and then stands still, so that nothing has to be waited for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from actions import DelegateAction, Move, SendEvent, SendEventWhen, TimedWait
from fsmkit import FINISHED, Fsm, FsmError, FsmGroup, FsmState
from fsmkit.space import Transform, distance

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow

DT = 1 / 64


@dataclass
class Game:
    """Machines, and what the game does to them: second -> call."""

    machines: Fsm[Any] | FsmGroup
    script: dict[float, Callable[[], object]] = field(default_factory=dict)
    time: float = 0.0

    def update(self, dt: float) -> None:
        self.machines.update(dt)
        self.time += dt
        for second in [each for each in self.script if each <= self.time]:
            self.script.pop(second)()

    def stand_still(self, _: float) -> None:
        """Let the page have its say, without any time passing."""
        with suppress(FsmError, AttributeError):
            self.machines.update(0.0)

    def play(self, seconds: float) -> None:
        """Run for that long; the game survives errors, as with a try in its loop."""
        for _ in range(round(seconds / DT)):
            with suppress(FsmError, AttributeError):
                self.update(DT)


@dataclass
class Body:
    """A thing with a place, hit points, and somebody it looks for."""

    place: Transform = field(default_factory=Transform)
    health: int = 100
    sight: float = 8.0
    player: Transform = field(default_factory=lambda: Transform((20.0, 0.0)))

    @property
    def distance_to_player(self) -> float:
        return distance(self.place.position, self.player.position)


def misspelt_event() -> Game:
    """The game sends "SAW_PLAYR", the guard knows "SAW_PLAYER"."""
    fsm = Fsm("Guard", context=Body())
    patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    patrol.add_action(Move(fsm.context.place, None, (30.0, 0.0), duration=60.0))
    chase.add_action(TimedWait(5.0))
    patrol.add_transition("SAW_PLAYER", chase)
    chase.add_transition("LOST_PLAYER", patrol)
    fsm.start()

    def camera_sees() -> None:
        fsm.send_event("SAW_PLAYR")

    return Game(fsm, {2.0: camera_sees})


def finished_never_comes() -> Game:
    """The door has an endless function beside its two timed actions."""
    door = Body()
    fsm = Fsm("Door", context=door)
    shut, opening, is_open = (fsm.add_state(name) for name in ("Shut", "Opening", "Open"))

    def creak(state: FsmState[Body]) -> None:
        state.context.health -= 0

    shut.add_action(TimedWait(1.0))
    opening.add_action(Move(door.place, None, (0.0, 2.0), duration=1.5))
    opening.add_action(TimedWait(1.0))
    opening.add_action(DelegateAction(on_update=creak))
    shut.add_transition(FINISHED, opening)
    opening.add_transition(FINISHED, is_open)
    fsm.start()
    return Game(fsm)


def chain_loop() -> Game:
    """A quest whose reward is checked again at once."""
    fsm = Fsm("Quest", context=Body())
    idle, check, accept, reward = (
        fsm.add_state(name) for name in ("Idle", "Check", "Accept", "Reward")
    )
    check.add_action(SendEvent("GOOD"))
    accept.add_action(SendEvent("DONE"))
    reward.add_action(SendEvent("AGAIN"))
    idle.add_transition("TALK", check)
    check.add_transition("GOOD", accept)
    accept.add_transition("DONE", reward)
    reward.add_transition("AGAIN", check)
    fsm.start()

    def player_talks() -> None:
        fsm.send_event("TALK")

    return Game(fsm, {1.0: player_talks})


def wrong_global_transition() -> Game:
    """Every hit kills: HIT leads to "Dead" from everywhere, whatever the health."""
    fsm = Fsm("Orc", context=Body())
    walk, flinch, dead = (fsm.add_state(name) for name in ("Walk", "Flinch", "Dead"))
    walk.add_action(Move(fsm.context.place, None, (30.0, 0.0), duration=60.0))
    flinch.add_action(TimedWait(0.5))
    flinch.add_transition(FINISHED, walk)
    walk.add_transition("SCARED", flinch)
    fsm.add_global_transition("HIT", dead)
    fsm.start()

    def bullet_hits() -> None:
        fsm.context.health -= 10
        fsm.send_event("HIT", {"damage": 10})

    return Game(fsm, {2.0: bullet_hits})


def error_in_one_of_many() -> Game:
    """One of 200 sheep has lost its target, which nobody looks at."""
    sheep = []
    for number in range(1, 201):
        fsm = Fsm(f"Sheep {number:03}", context=Body())
        graze, follow = fsm.add_state("Graze"), fsm.add_state("Follow")
        graze.add_action(TimedWait(0.5 + number % 7 / 10))

        def come_closer(state: FsmState[Body]) -> None:
            state.context.place.position = state.context.player.position

        follow.add_action(DelegateAction(on_update=come_closer))
        follow.add_action(TimedWait(1.0))
        graze.add_transition(FINISHED, follow)
        follow.add_transition("ALONE", graze)
        fsm.start()
        sheep.append(fsm)
    sheep[136].context.player = None  # type: ignore[assignment]  # the mistake
    return Game(FsmGroup(sheep))


def is_near(state: FsmState[Body]) -> bool:
    return state.context.distance_to_player > state.context.sight


def sees(state: FsmState[Body]) -> bool:
    return state.context.distance_to_player < state.context.sight


def wrong_guard() -> Game:
    """The guard of the transition compares the wrong way round."""
    fsm = Fsm("Guard", context=Body())
    patrol, attack = fsm.add_state("Patrol"), fsm.add_state("Attack")
    patrol.add_action(Move(fsm.context.player, None, (4.0, 0.0), duration=2.0))
    patrol.add_action(SendEventWhen(sees, "SEES_PLAYER"))
    attack.add_action(TimedWait(2.0))
    patrol.add_transition("SEES_PLAYER", attack, when=is_near)
    attack.add_transition(FINISHED, patrol)
    fsm.start()
    return Game(fsm)


MISTAKES: dict[str, tuple[Callable[[], Game], float]] = {
    "misspelt": (misspelt_event, 2.5),
    "unfinished": (finished_never_comes, 4.0),
    "loop": (chain_loop, 1.5),
    "global": (wrong_global_transition, 2.5),
    "one_of_200": (error_in_one_of_many, 3.0),
    "guard": (wrong_guard, 3.0),
}
"""Name -> the program and the second at which the page is looked at."""


@pytest.fixture
def told(show: Any) -> Callable[[str], Any]:
    """Play one of the mistakes and return the page."""

    def play(name: str) -> Any:
        build, seconds = MISTAKES[name]
        game = build()
        stage = show(game.machines, game.stand_still)
        expect(stage.page.locator("#graph-pane .state.lit")).to_have_count(1)
        stage.do(lambda: game.play(seconds))
        return stage.page

    return play


def last_entry(page: Any) -> Any:
    return page.locator("#log-list .row:visible").last


def test_a_misspelt_event_is_counted_in_the_header_and_its_suggestion_comes_first(
    told: Any,
) -> None:
    page = told("misspelt")
    page.get_by_role("button", name="1 unhandled").click()
    row = last_entry(page)
    expect(row.locator(".rest")).to_have_text(
        re.compile("^unhandled  ·  Did you mean 'SAW_PLAYER'?")
    )
    expect(row.locator(".code-line")).to_have_text(
        re.compile(r"^test_page_mistakes\.py:\d+ camera_sees\(\)$")
    )
    expect(row.locator(".time")).to_have_text("2.00 s")


def test_a_state_that_never_finishes_names_the_action_without_an_end(told: Any) -> None:
    page = told("unfinished")
    expect(page.locator("#state-waiting .endless")).to_have_text(
        "Waiting for: DelegateAction (has no end) → FINISHED → Open"
    )
    expect(page.locator("#findings-open")).to_contain_text("finding")
    expect(page.locator('#actions [data-condition="finished"]')).to_have_count(2)


def test_a_chain_without_end_is_shown_with_its_states_and_found_by_the_checks(told: Any) -> None:
    page = told("loop")
    toast = page.locator(".toast p")
    expect(toast).to_have_text(re.compile("^TransitionLoopError: .*Accept -> Reward -> Check"))
    assert toast.evaluate("each => each.scrollHeight <= each.clientHeight")
    expect(page.get_by_role("button", name="show the error in the log")).to_be_visible()
    expect(last_entry(page).locator(".time")).to_have_text("1.00 s")
    page.locator("#findings-open").click()
    expect(page.locator("#findings-list")).to_contain_text("endless-chain")


def test_a_global_transition_is_called_one_beside_the_line_that_sent_the_event(told: Any) -> None:
    page = told("global")
    expect(page.locator("#state-name")).to_have_text("Dead")
    expect(page.locator("#state-how")).to_have_text("HIT, from Walk")
    expect(page.locator("#state-by")).to_have_text(
        re.compile(r"^by a global transition test_page_mistakes\.py:\d+ bullet_hits\(\)$")
    )


def test_an_error_in_one_of_200_machines_is_one_click_away(told: Any) -> None:
    page = told("one_of_200")
    first_error = re.compile("^Error in Sheep 137: AttributeError: ")
    expect(page.locator(".toast p")).to_have_text(first_error)
    expect(page.locator("#status-error")).to_be_hidden()
    page.get_by_role("button", name="1 machine with errors").click()
    expect(page.locator("#graph-pane .state.failed")).to_have_attribute("data-state", "Follow")
    failed = page.locator('#actions [data-condition="failed"]')
    expect(failed.locator(".error")).to_contain_text("AttributeError: 'NoneType' object has no")
    expect(failed.locator(".code-line").first).to_contain_text("test_page_mistakes.py")


def test_a_guard_that_is_wrong_is_named_as_the_one_that_refused(told: Any) -> None:
    page = told("guard")
    row = last_entry(page)
    expect(row.locator(".rest")).to_have_text(
        re.compile(r"^refused by is_near  ·  from Patrol\.actions\[1\] \(SendEventWhen\)$")
    )
    row.click()
    expect(page.locator("#log-entry-places")).to_contain_text("test_page_mistakes.py")


def test_words_stay_in_their_boxes_whatever_font_there_is(told: Any) -> None:
    page = told("guard")
    found = page.evaluate(
        """() => [...document.querySelectorAll("#graph-pane .state")].map((state) => {
            const boxOf = (part) => state.querySelector(part).getBBox();
            const [words, box] = [boxOf("text"), boxOf("path")];
            return Math.abs(words.x + words.width / 2 - box.x - box.width / 2);
        })"""
    )
    assert max(found) < 1.0
    expect(page.locator('#graph-pane [data-edge="SEES_PLAYER"] text')).to_have_count(0)
    labels = page.locator("#graph-pane .label > text", has_text="SEES_PLAYER")
    expect(labels).to_have_text("SEES_PLAYER [is_near]")

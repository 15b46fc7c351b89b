"""Twenty-two mistakes, planted one at a time into a guard that has none: each is named, and where.

The guard is one as games have it: it patrols between two points, rests, hears and sees things,
chases, fights in a machine of its own, is stunned, and falls. `check` alone names all of them: what
only walking through a machine can find, such as a guard that never agrees, is for `explore`.
"""

from collections.abc import Callable
from typing import Any

import pytest

from actions import (
    Cooldown,
    DelegateAction,
    Move,
    MoveTowards,
    OnEvent,
    Parallel,
    RunFsm,
    SendEvent,
    SendEventWhen,
    Sequence,
    SetValue,
    TimedWait,
)
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction
from fsmkit.checking import Finding, check
from fsmkit.space import Transform

OUTSIDE = ("NOISE", "HIT", "KILLED", "PAUSE", "RESUME")
"""What the game sends to the guard."""


class World:
    """What the guard knows of."""

    def __init__(self) -> None:
        self.body = Transform((0.0, 0.0))
        self.player = Transform((9.0, 0.0))
        self.ammunition = 3
        self.alarmed = False

    def sees_player(self) -> bool:
        return self.player.position[0] < 5.0


class Shoot(FsmAction):
    """Shoots if there is something to shoot with."""

    def __init__(self, hit: str = "SHOT", empty: str = "EMPTY") -> None:
        self.hit = hit
        self.empty = empty

    def on_enter(self) -> None:
        if self.context.ammunition > 0:
            self.context.ammunition -= 1
            self.fsm.send_event(self.hit)
        else:
            self.fsm.send_event(self.empty)


class Stagger(FsmAction):
    """Is out of it for a while."""

    def __init__(self, seconds: float, event: str = "RECOVERED") -> None:
        self.seconds = seconds
        self.event = event

    def on_enter(self) -> None:
        self.fsm.send_event_after(self.seconds, self.event)


def fight() -> Fsm[World]:
    """Aim and shoot, until there is nothing left to shoot with."""
    fsm: Fsm[World] = Fsm("Fight")
    aim, shoot = fsm.add_state("Aim"), fsm.add_state("Shoot")
    fled = fsm.add_state("Fled", final=True)
    aim.add_action(TimedWait(0.4))
    aim.add_transition(FINISHED, shoot)
    shoot.add_action(Shoot())
    shoot.add_transition("SHOT", aim)
    shoot.add_transition("EMPTY", fled)
    return fsm


def guard() -> Fsm[World]:
    """The guard without a mistake."""
    world = World()
    fsm = Fsm("Guard", context=world)
    names = ("Patrol", "Rest", "Listen", "Chase", "Fight", "Stunned", "Paused", "Dead")
    patrol, rest, listen, chase, combat, stunned, paused, dead = (
        fsm.add_state(name, final=name == "Dead") for name in names
    )
    there, back = (
        Move(world.body, None, (x, 0.0), 4.0, finish_event="ARRIVED") for x in (8.0, 0.0)
    )
    patrol.add_action(there)
    patrol.add_action(SendEventWhen(lambda state: state.context.sees_player(), "SEEN"))
    patrol.add_transition("ARRIVED", rest)
    patrol.add_transition("SEEN", chase)
    patrol.add_transition("NOISE", listen)
    rest.add_action(Sequence(TimedWait(2.0), back))
    rest.add_transition("ARRIVED", patrol)
    rest.add_transition("NOISE", listen)
    listen.add_action(Cooldown("NOISE", 1.0))
    listen.add_action(TimedWait(3.0, finish_event="CALM"))
    listen.add_transition("CALM", patrol)
    listen.add_transition("NOISE", chase)
    chase.add_action(MoveTowards(world.body, world.player, speed=3.0))
    chase.add_action(SetValue(world, "alarmed", True))
    chase.add_action(OnEvent("NOISE", lambda state: print("what was that?")))
    chase.add_transition(FINISHED, combat)
    combat.add_action(RunFsm(fight(), {"Fled": "FLED"}))
    combat.add_transition("FLED", rest)
    stunned.add_action(Stagger(1.5))
    stunned.add_transition("RECOVERED", patrol)
    for state in (patrol, chase, combat):
        state.add_transition("HIT", stunned)
    for state in (patrol, rest):
        state.add_transition("PAUSE", paused, suspend=True)
    paused.add_transition("RESUME", BACK)
    fsm.add_global_transition("KILLED", dead)
    fsm.add_global_transition(ERROR, rest)
    return fsm


def test_the_guard_without_a_mistake_has_no_finding() -> None:
    assert check(guard()) == []
    assert check(guard(), inputs=OUTSIDE) == []


# The mistakes

Mistake = Callable[[Fsm[World]], object]


def state(fsm: Fsm[World], name: str) -> Any:
    return fsm.states[name]


def redirected(name: str, event: str, target: object, **options: Any) -> Mistake:
    """The transition of a state leads somewhere else."""

    def plant(fsm: Fsm[World]) -> None:
        state(fsm, name).remove_transition(event)
        state(fsm, name).add_transition(event, target, **options)

    return plant


def added(name: str, *actions: FsmAction, **targets: str) -> Mistake:
    """A state has these actions, and a transition for each of the events, too."""

    def plant(fsm: Fsm[World]) -> None:
        for event, target in targets.items():
            state(fsm, name).add_transition(event, target)
        for action in actions:
            state(fsm, name).add_action(action)

    return plant


def replaced(name: str, index: int, *actions: FsmAction) -> Mistake:
    """An action of a state is another one."""

    def plant(fsm: Fsm[World]) -> None:
        state(fsm, name).remove_action(state(fsm, name).actions[index])
        for action in actions:
            state(fsm, name).add_action(action)

    return plant


def stuck_in_stupor(fsm: Fsm[World]) -> None:
    dazed = fsm.add_state("Dazed")
    redirected("Stunned", "RECOVERED", dazed)(fsm)
    dazed.add_action(TimedWait(1.0))
    dazed.add_transition(FINISHED, "Stunned")
    fsm.remove_global_transition("KILLED")
    fsm.remove_global_transition(ERROR)
    fsm.remove_state(fsm.states["Dead"])


def impatient(fsm: Fsm[World]) -> None:
    """It would hear something while it chases, if it did not rush on at once."""
    added("Chase", SendEvent("RUSH"), RUSH="Fight", NOISE="Listen")(fsm)
    for action in state(fsm, "Chase").actions[:3]:
        state(fsm, "Chase").remove_action(action)


def another_move(fsm: Fsm[World]) -> None:
    body = fsm.context.body
    state(fsm, "Patrol").add_action(Move(body, None, (0.0, 5.0), 4.0))


def forgotten(fsm: Fsm[World]) -> None:
    fsm.add_state("Search").add_transition("FOUND", "Chase")


def endless(fsm: Fsm[World]) -> None:
    """Rest and Listen hand over to each other at once."""
    for name, other in (("Rest", "Listen"), ("Listen", "Rest")):
        for action in state(fsm, name).actions:
            state(fsm, name).remove_action(action)
        state(fsm, name).add_action(
            Parallel(DelegateAction(lambda state: state.send_event("OVER")))
        )
        state(fsm, name).add_transition("OVER", other)


def shared_fight(fsm: Fsm[World]) -> None:
    machine = state(fsm, "Fight").actions[0].machines[0]
    state(fsm, "Fight").add_action(RunFsm(machine))


MISTAKES: dict[str, tuple[Mistake, str, str]] = {
    # found by what actions declare and by the graph
    "misspelt finish_event": (
        replaced("Listen", 1, TimedWait(3.0, finish_event="CLAM")),
        "dead-end-event", "state 'Listen', actions[1] (TimedWait)",
    ),
    "a transition that was forgotten": (forgotten, "unreachable-state", "state 'Search'"),
    "a state that nothing leads out of": (
        lambda fsm: (fsm.remove_global_transition("KILLED"), fsm.remove_global_transition(ERROR),
                     state(fsm, "Stunned").remove_transition("RECOVERED")),
        "no-way-out", "state 'Stunned'",
    ),
    "an end that never comes": (
        added("Listen", FINISHED="Rest"),
        "finished-never-fires",
        "state 'Listen', actions[1] (TimedWait)",
    ),
    "a wait that nobody hears of": (
        replaced("Listen", 1, TimedWait(3.0)), "unheard-finish",
        "state 'Listen', actions[1] (TimedWait)",
    ),
    "a guard that is asked twice": (
        lambda fsm: [state(fsm, "Rest").add_transition("SEEN", to, when=sees)
                     for to in ("Chase", "Fight")],
        "shadowed-transition", "state 'Rest'",
    ),
    "BACK with nothing to go back to": (
        redirected("Stunned", "RECOVERED", BACK), "nothing-to-resume", "state 'Stunned'",
    ),
    "a pause from which it starts over": (
        redirected("Paused", "RESUME", "Patrol"), "never-resumed", "state 'Patrol'",
    ),
    "one fight in two places": (
        shared_fight, "runs-twice", "state 'Fight', actions[1] (RunFsm)",
    ),
    "an event in two spellings": (
        added("Stunned", NOIZE="Listen"), "similar-events", "state 'Stunned'",
    ),
    # found by reading code
    "a misspelt event in a lambda": (
        added("Rest", DelegateAction(lambda state: state.send_event("NIOSE"))),
        "dead-end-event", "state 'Rest', actions[1] (DelegateAction)",
    ),
    "a misspelt event of an own action": (
        added("Patrol", Shoot("SEEEN", "ARRIVED")),
        "dead-end-event", "state 'Patrol', actions[2] (Shoot)",
    ),
    "a misspelt event with a delay": (
        replaced("Stunned", 0, Stagger(1.5, "RECOVERD")),
        "dead-end-event", "state 'Stunned', actions[0] (Stagger)",
    ),
    "a trap of two states": (stuck_in_stupor, "trap", "state 'Stunned'"),
    "an error that leads to the same state": (
        lambda fsm: state(fsm, "Chase").add_transition(ERROR, "Chase"),
        "error-loop", "state 'Chase'",
    ),
    "a transition of a state that is left at once": (
        impatient, "left-at-once", "state 'Chase'",
    ),
    "a delayed event that is always dropped": (
        added("Listen", SendEvent("BORED", delay=9.0), BORED="Rest"),
        "too-late", "state 'Listen', actions[2] (SendEvent)",
    ),
    "an event that nobody sends": (
        added("Rest", AMBUSH="Chase"), "never-sent", "state 'Rest'",
    ),
    "two ends at the same time": (
        added("Listen", TimedWait(3.0, finish_event="BORED"), BORED="Rest"),
        "too-late", "state 'Listen', actions[2] (TimedWait)",
    ),
    "a Cooldown of an unknown event": (
        replaced("Listen", 0, Cooldown("NOISES", 1.0)),
        "guards-nothing", "state 'Listen', actions[1] (Cooldown)",
    ),
    "two moves of one thing": (
        another_move, "conflicting-actions", "state 'Patrol', actions[2] (Move)",
    ),
    "an endless chain inside other actions": (endless, "endless-chain", "state 'Rest'"),
}  # fmt: skip
"""The mistake, its code and its place."""


def sees(state: Any) -> bool:
    return bool(state.context.sees_player())


def found_after(plant: Mistake) -> list[Finding]:
    fsm = guard()
    plant(fsm)
    return check(fsm, inputs=[*OUTSIDE, "FOUND", "NOIZE", "SEEN"])


def test_there_are_twenty_two() -> None:
    assert len(MISTAKES) == 22


@pytest.mark.parametrize(("plant", "code", "place"), MISTAKES.values(), ids=MISTAKES)
def test_a_planted_mistake_is_named_with_its_place(plant: Mistake, code: str, place: str) -> None:
    named = [(finding.code, finding.place.inside) for finding in found_after(plant)]
    assert (code, place) in named

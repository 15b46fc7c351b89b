"""The thief: he stands, sneaks or runs as he is steered, and whoever runs is heard."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot

from attrs import define
from events import ARREST, ESCAPE, RUN, SNEAK, STOP
from world import World, tile_at

from actions import DelegateAction, Repeat, Sequence, TimedWait
from fsmkit import Fsm, FsmState
from fsmkit.space import Position, Transform, facing

RUN_SPEED = 3.9
SNEAK_SPEED = 1.8
RADIUS = 0.28
SECONDS_PER_STEP = 0.36

LOUDNESS = {",": 2.5}
"""The distance in tiles at which a step on a carpet is heard."""
LOUD = 5.5
"""And on everything else."""

MakeNoise = Callable[[Position, float], None]


@define(eq=False)
class Thief:
    body: Transform
    world: World
    make_noise: MakeNoise
    direction: Position = (0.0, 0.0)
    jewels: int = 0

    def walk(self, speed: float, seconds: float) -> None:
        dx, dy = self.direction
        length = hypot(dx, dy)
        if length > 0.0:
            reach = speed * seconds / length
            step = (dx * reach, dy * reach)
            self.body.rotation = facing(0.0, step)
            self.body.position = self.world.moved(self.body.position, step, RADIUS)

    def step_loudly(self) -> None:
        place = self.body.position
        self.make_noise(place, LOUDNESS.get(self.world.letter(tile_at(place)), LOUD))


def thief_machine(thief: Thief) -> Fsm[Thief]:
    fsm = Fsm("Thief", context=thief, on_unhandled="ignore")
    still, sneak, run = fsm.add_state("Still"), fsm.add_state("Sneak"), fsm.add_state("Run")
    jailed, away = fsm.add_state("Jailed", final=True), fsm.add_state("Away", final=True)

    sneak.add_action(DelegateAction(on_update=lambda state: walk(state, SNEAK_SPEED)))
    run.add_action(DelegateAction(on_update=lambda state: walk(state, RUN_SPEED)))
    step = DelegateAction[Thief](lambda state: state.context.step_loudly())
    run.add_action(Repeat(Sequence(TimedWait(SECONDS_PER_STEP), step)))

    for state in (still, sneak, run):
        for event, target in ((STOP, still), (SNEAK, sneak), (RUN, run)):
            if target is not state:
                state.add_transition(event, target)
        state.add_transition(ARREST, jailed)
        state.add_transition(ESCAPE, away)
    return fsm


def walk(state: FsmState[Thief], speed: float) -> None:
    state.context.walk(speed, state.delta_time)


def steer(machine: Fsm[Thief], direction: Position, *, sneaking: bool) -> None:
    """Have the thief go in a direction, which need not be of length 1; nowhere is (0, 0)."""
    machine.context.direction = direction
    gait = SNEAK if sneaking else RUN
    machine.offer_event(gait if any(direction) else STOP)

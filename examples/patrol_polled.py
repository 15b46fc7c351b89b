"""An enemy in a platform game walks back and forth, and follows a player who comes too close.

    fsmkit run examples/patrol_polled.py --seconds 16
    python examples/patrol_polled.py

In polled style: a state is what the enemy does, and a transition is when that ends. Both can be
reused for other enemies, with other data. The same enemy, made of actions, is in
patrol_actions.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from fsmkit import Fsm
from fsmkit.polled import PolledFsm, State, Transition
from fsmkit.space import Position, Transform, distance, lerp, shifted
from fsmkit.timing import CountdownTimer

SPEED = 2.0
"""Metres per second."""

STARTS_FOLLOWING, STOPS_FOLLOWING = 4.0, 8.0
"""Metres. With the same distance for both he would not know what to do there."""


@dataclass(frozen=True)
class PatrolData:
    time_stopped: float
    time_walking: float
    first_direction: float


SENTRY = PatrolData(time_stopped=1.0, time_walking=2.0, first_direction=1.0)


def comes_and_goes(time: float) -> Position:
    """Return the place of the target: it comes quite close, waits a little and runs."""
    if time < 7.0:
        return lerp((16.0, 0.0), (5.3, 0.0), max(0.0, time - 2.0) / 5.0)
    return lerp((5.3, 0.0), (40.0, 0.0), max(0.0, time - 9.0) / 7.0)


@dataclass
class Character:
    """A body that walks in its direction: 1.0 is right, -1.0 left, and 0.0 means to stand still."""

    body: Transform = field(default_factory=lambda: Transform((6.0, 0.0)))
    x_input: float = 0.0

    def walk(self, seconds: float) -> None:
        self.body.position = shifted(
            self.body.position, (self.x_input * SPEED * seconds, 0.0)
        )


@dataclass
class Awareness:
    """The knowledge of a character about its target."""

    body: Transform
    target: Callable[[], Position]

    @property
    def distance(self) -> float:
        return distance(self.body.position, self.target())

    @property
    def direction(self) -> float:
        return 1.0 if self.target()[0] > self.body.position[0] else -1.0


class Patrol(State):
    def __init__(self, character: Character, data: PatrolData) -> None:
        self.character = character
        self.data = data

    def on_enter(self) -> None:
        self.direction = self.data.first_direction
        self.timer = CountdownTimer(self.data.time_stopped)

    def execute(self) -> None:
        self.character.walk(self.fsm.delta_time)
        self.timer.update(self.fsm.delta_time)
        if self.timer.has_elapsed and self.character.x_input:
            self.character.x_input = 0.0
            self.direction = -self.direction
            self.timer.reset(self.data.time_stopped)
        elif self.timer.has_elapsed:
            self.character.x_input = self.direction
            self.timer.reset(self.data.time_walking)

    def on_exit(self) -> None:
        self.character.x_input = 0.0


class FollowTarget(State):
    def __init__(self, character: Character, awareness: Awareness) -> None:
        self.character = character
        self.awareness = awareness

    def execute(self) -> None:
        self.character.x_input = self.awareness.direction
        self.character.walk(self.fsm.delta_time)

    def on_exit(self) -> None:
        self.character.x_input = 0.0


class TargetIsClose(Transition):
    def __init__(self, next_state: State, awareness: Awareness) -> None:
        super().__init__(next_state)
        self.awareness = awareness

    def is_valid(self) -> bool:
        return self.awareness.distance < STARTS_FOLLOWING


class TargetIsFar(TargetIsClose):
    def is_valid(self) -> bool:
        return self.awareness.distance > STOPS_FOLLOWING


class Enemy(PolledFsm):
    def __init__(
        self, track: Callable[[float], Position], data: PatrolData
    ) -> None:
        self.character = Character()
        self.awareness = Awareness(
            self.character.body, lambda: track(self.machine.time)
        )
        self.data = data
        super().__init__("Enemy")

    def setup_states(self) -> None:
        patrol = Patrol(self.character, self.data)
        follow = FollowTarget(self.character, self.awareness)
        patrol.set_transitions(TargetIsClose(follow, self.awareness))
        follow.set_transitions(TargetIsFar(patrol, self.awareness))
        self.setup_first_state(patrol)


def build(
    track: Callable[[float], Position] = comes_and_goes,
) -> Fsm[PolledFsm]:
    return Enemy(track, SENTRY).machine


def main() -> None:
    enemy = Enemy(comes_and_goes, SENTRY)
    while enemy.machine.time < 15.75:
        for _ in range(5):
            enemy.update(0.1)
        assert enemy.current_state is not None
        (target, _), (here, _) = (
            enemy.awareness.target(),
            enemy.character.body.position,
        )
        signs = {round(target): "T", round(here): "E"}
        ground = "".join(signs.get(metre, ".") for metre in range(30))
        print(
            f"{enemy.machine.time:4.1f} s  {enemy.current_state.name:12}  {ground}"
        )


if __name__ == "__main__":
    main()

"""Recordings of random games are replayed without a difference: from the start, from the middle."""

from random import Random
from typing import Any

import pytest
from random_games import Game, crowded, error_to_text

from fsmkit import FsmGroup
from fsmkit.recording import Recording, Replay, SnapshotError, replay, restore

CALLS = ("update", "send", "delay", "post", "finish", "fail", "start", "stop")
"""What a recording keeps; it does not keep what happens to the world."""


def decoded(data: Any) -> Any:
    return AssertionError(data) if isinstance(data, str) else data


class Builder:
    """Rebuilds the game, and puts the world back."""

    def __init__(self, machine: dict[str, Any]) -> None:
        self.machine = machine

    def build(self) -> FsmGroup:
        self.game = Game(self.machine)
        return self.game.world.group

    def put_back(self, _machines: FsmGroup, data: Any) -> None:
        self.game.world.load(data)


def played(seed: int, limit: float | None) -> tuple[Recording, Builder]:
    _, machine, before, after = crowded(seed)
    game = Game(machine)
    with Recording(
        game.world.group, encode=error_to_text, limit=limit, world=game.world.saved
    ) as recording:
        for step in [*before, *after] * 3:
            if step[0] in CALLS:
                game.take(step)
    return recording, Builder(machine)


@pytest.mark.parametrize("limit", [None, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(14))
def test_a_random_game_is_replayed_from_its_beginning_and_from_any_moment(
    seed: int, limit: float | None
) -> None:
    recording, builder = played(seed, limit)
    if recording.header.reason:  # it ran a coroutine, for instance, and could not be saved
        return
    options: Any = {"decode": decoded, "world": builder.put_back}
    assert replay(builder.build, recording, **options), replay(builder.build, recording, **options)
    course, rng = Replay(builder.build, recording, **options), Random(seed)
    for _ in range(4):
        course.go_to(rng.randrange(len(recording.steps) + 1))
        assert course.compare(), course.compare()


@pytest.mark.slow
def test_most_random_games_can_be_replayed_from_their_middle() -> None:
    recordings = [played(seed, 0.5)[0] for seed in range(20)]
    assert sum(recording.header.frame is not None for recording in recordings) > 15


@pytest.mark.parametrize("seed", range(30))
def test_at_every_moment_a_game_is_saved_restored_and_continued_while_it_is_recorded(
    seed: int,
) -> None:
    """The saved one continues; the other is restored, at every moment, to where that one is."""
    _, machine, before, after = crowded(seed)
    game, other = Game(machine), Game(machine)
    saved = None
    game.take(("start", "A"))
    with Recording(game.world.group) as first, Recording(other.world.group, limit=1.0) as second:
        for step in [*before, *after]:
            try:
                saved = game.saved()
            except SnapshotError:  # see the tests of snapshots
                game.take(step)
                continue
            other.world.load(game.world.saved())
            restore(other.world.group, saved, decode=AssertionError)
            assert other.take(step) == game.take(step)
            assert other.seen() == game.seen()
    kept = [step.call for step in first.steps]
    assert bool(second.steps) == (saved is not None)
    assert kept.count("restore") == 0

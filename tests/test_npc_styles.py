"""One behaviour in several styles of writing it: the same player leads through the same states."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from runpy import run_path
from typing import Any, TypeAlias

import pytest

from fsmkit import Fsm
from fsmkit.recording import restore, snapshot
from fsmkit.space import Transform, lerp
from fsmkit.testing import Recorder

Place: TypeAlias = tuple[float, float]
Track: TypeAlias = Callable[[float], Place]

EXAMPLES = Path(__file__).parents[1] / "examples"
LEG = 2.5
"""Seconds from one place of a track to the next."""


def through(*places: Place) -> Track:
    """Return a track from place to place; it ends in the last one."""

    def track(time: float) -> Place:
        leg = min(int(time / LEG), len(places) - 2)
        here: Place = lerp(places[leg], places[leg + 1], min(1.0, time / LEG - leg))
        return here

    return track


def at_random(seed: int, xs: Place, ys: Place) -> Track:
    rng = Random(seed)
    return through(*((rng.uniform(*xs), rng.uniform(*ys)) for _ in range(8)))


def build(example: str, track: Track) -> Fsm[Any]:
    fsm: Fsm[Any] = run_path(str(EXAMPLES / f"{example}.py"))["build"](track)
    return fsm


def path_of_states(example: str, track: Track) -> list[str]:
    """Return the states in 20 seconds; FOLLOW_PATH and FollowPath are the same."""
    fsm = build(example, track)
    with Recorder(fsm) as recorder:
        fsm.start()
        for _ in range(20 * 60):
            fsm.update(1 / 60)
    return [name.replace("_", "").lower() for name in recorder.path]


NPCS = ["npc_classic", "npc_actions", "npc_polled"]
FOLLOW, CHASE = "followpath", "chaseplayer"

PLAYERS = {
    "stays far away": (through((0, 80), (80, 80)), [FOLLOW]),
    "sneaks along behind his back": (through((-5, 0), (13.75, 0), (-60, 0)), [FOLLOW]),
    "comes up to him and stands still": (through((40, 0), (20, 0)), [FOLLOW, CHASE]),
    "gets away": (through((40, 0), (20, 0), (100, 0)), [FOLLOW, CHASE, FOLLOW]),
    "comes back": (
        through((40, 0), (20, 0), (100, 0), (0, 90), (-6, 40), (-6, 11), (-6, 11), (-120, 11)),
        [FOLLOW, CHASE, FOLLOW, CHASE, FOLLOW],
    ),
}


@pytest.mark.parametrize("npc", NPCS)
@pytest.mark.parametrize("player", PLAYERS)
def test_the_npc_goes_through_the_states_that_the_player_calls_for(npc: str, player: str) -> None:
    track, states = PLAYERS[player]
    assert path_of_states(npc, track) == states


BODIES: dict[str, Callable[[Any], Transform]] = {
    "npc_classic": lambda system: system.npc,
    "npc_actions": lambda npc: npc.body,
    "npc_polled": lambda npc: npc.context,
}


@pytest.mark.parametrize("npc", NPCS)
def test_an_npc_continues_after_loading_as_if_nothing_had_happened(npc: str) -> None:
    track, _ = PLAYERS["stays far away"]
    fsm, loaded = build(npc, track), build(npc, track)
    fsm.start()
    for _ in range(180):
        fsm.update(1 / 60)
    body, another = BODIES[npc](fsm.context), BODIES[npc](loaded.context)
    restore(loaded, snapshot(fsm))
    another.position, another.rotation = body.position, body.rotation
    for _ in range(300):
        fsm.update(1 / 60)
        loaded.update(1 / 60)
    assert (another.position, another.rotation) == (body.position, body.rotation)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_the_npc_goes_through_the_same_states_in_every_style(seed: int) -> None:
    track = at_random(seed, xs=(-40.0, 60.0), ys=(-40.0, 50.0))
    classic, actions, polled = (path_of_states(npc, track) for npc in NPCS)
    assert classic == actions == polled


@pytest.mark.slow
def test_among_these_players_some_are_never_seen_and_some_often() -> None:
    tracks = [at_random(seed, (-40.0, 60.0), (-40.0, 50.0)) for seed in range(30)]
    seen = {path_of_states("npc_classic", track).count(CHASE) for track in tracks}
    assert {0, 1, 2, 3} <= seen


@pytest.mark.parametrize("seed", range(30))
def test_the_enemy_goes_through_the_same_states_in_both_styles(seed: int) -> None:
    track = at_random(seed, xs=(-10.0, 30.0), ys=(0.0, 0.0))
    polled, actions = (path_of_states(f"patrol_{style}", track) for style in ("polled", "actions"))
    assert polled == actions


@pytest.mark.slow
def test_among_these_targets_some_are_never_close_and_some_often() -> None:
    tracks = [at_random(seed, (-10.0, 30.0), (0.0, 0.0)) for seed in range(30)]
    close = {path_of_states("patrol_polled", track).count("followtarget") for track in tracks}
    assert {1, 2, 3} <= close

"""Night Guard: both museums can be robbed, and how hard that is."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from fsmkit.pathfinding import Grid, line_of_sight
from fsmkit.space import distance
from fsmkit.testing import Recorder

FRAME = 1 / 60

MUSEUMS = ("palace", "cloister")
DIFFICULTIES = ("easy", "normal", "hard")


@pytest.fixture
def begun(module: Callable[[str], Any]) -> Callable[..., Any]:
    """Begins a game in a museum, on a difficulty."""

    def begun(museum: str = "palace", difficulty: str = "normal") -> Any:
        museums, difficulties = module("museums").MUSEUMS, module("difficulty").DIFFICULTIES
        game = module("game").Game(museums[museum], difficulties[difficulty])
        game.start()
        return game

    return begun


def pass_time(game: Any, seconds: float, frame: float = FRAME) -> None:
    for _ in range(round(seconds / frame)):
        game.update(frame)


def states(game: Any) -> list[str]:
    return [machine.current_state.name for machine in game.guards]


# The museums


def test_by_default_it_is_as_it_always_was(begun: Callable[..., Any]) -> None:
    game = begun()
    default = type(game)()
    assert (default.museum.name, default.difficulty.name) == ("palace", "normal")
    assert default.museum is game.museum


@pytest.mark.parametrize("name", MUSEUMS)
def test_a_museum_has_what_a_night_needs(name: str, module: Callable[[str], Any]) -> None:
    museum = module("museums").MUSEUMS[name]
    rows = museum.plan.strip("\n").split("\n")
    assert {len(row) for row in rows} == {30}
    assert len(rows) == 18
    assert [museum.plan.count(letter) for letter in "TEo"] == [1, 1, len(museum.jewels)]
    assert museum.rounds.keys() == museum.sides.keys()
    assert set(museum.plan) <= set("#@+.:,oET\n")
    assert all(row[0] in "#E" and row[-1] in "#E" for row in rows)
    assert {*rows[0], *rows[-1]} == {"#"}


@pytest.mark.parametrize("name", MUSEUMS)
def test_each_round_goes_straight_from_corner_to_corner(
    name: str, module: Callable[[str], Any]
) -> None:
    museum = module("museums").MUSEUMS[name]
    grid = Grid(museum.plan, blocked="#@E", compiled=False)
    for corners in museum.rounds.values():
        for start, end in pairwise([*corners, corners[0]]):
            assert line_of_sight(grid, start, end), (start, end)


@pytest.mark.parametrize("name", MUSEUMS)
def test_the_thief_can_walk_to_all_jewels_and_out(name: str, begun: Callable[..., Any]) -> None:
    world = begun(name).world
    grid = Grid(world.plan, blocked="#@", compiled=False)
    start = next(world.all_of("T"))
    for goal in [*world.all_of("o"), world.gate.tile]:
        assert grid.find_path(start, goal).reachable, goal


@pytest.mark.slow
@pytest.mark.parametrize("name", MUSEUMS)
def test_a_thief_who_stays_where_he_began_is_left_alone_while_all_walk_their_rounds(
    name: str, begun: Callable[..., Any]
) -> None:
    game = begun(name)
    left = [set(machine.context.round) for machine in game.guards]
    journal = [Recorder(machine) for machine in game.guards]
    for _ in range(30 * 60):
        game.update(1 / 30)
        for machine, corners in zip(game.guards, left, strict=True):
            here = machine.context.body.position
            corners -= {corner for corner in corners if distance(corner, here) < 0.1}
    assert left == [set()] * len(left)
    assert [recorder.path for recorder in journal] == [[]] * len(left)


# How good the guards are


@pytest.mark.slow
@pytest.mark.parametrize(("difficulty", "way"), [("easy", 2.8), ("normal", 3.2), ("hard", 3.6)])
def test_how_fast_a_guard_walks(difficulty: str, way: float, begun: Callable[..., Any]) -> None:
    game = begun(difficulty=difficulty)
    pass_time(game, 2.0)
    x, y = game.guards[0].context.body.position
    assert (pytest.approx(x), y) == (2.0 + way, 8.0)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize(("away", "who"), [(4.5, "enh"), (6.0, "nh"), (7.5, "h"), (9.0, "")])
def test_how_far_a_guard_sees(
    difficulty: str, away: float, who: str, begun: Callable[..., Any]
) -> None:
    game = begun(difficulty=difficulty)
    game.thief.body.position = (2.0 + away, 8.0)
    game.update(FRAME)
    assert states(game)[0] == ("Suspect" if difficulty[0] in who else "Patrol")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize(("away", "who"), [(3.5, "enh"), (5.0, "nh"), (7.0, "h"), (8.0, "")])
def test_how_far_a_guard_hears(
    difficulty: str, away: float, who: str, begun: Callable[..., Any]
) -> None:
    game = begun(difficulty=difficulty)
    game.make_noise((2.0 + away, 8.0), 5.5)
    assert states(game)[0] == ("Listen" if difficulty[0] in who else "Patrol")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_nobody_runs_as_fast_as_the_thief(difficulty: str, module: Callable[[str], Any]) -> None:
    guard = module("difficulty").DIFFICULTIES[difficulty].speeds
    assert guard.walk < guard.hurry < guard.run < module("thief").RUN_SPEED


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", ["easy", "normal"])
def test_a_guard_who_is_not_thorough_walks_around_corners(
    difficulty: str, begun: Callable[..., Any]
) -> None:
    game = begun(difficulty=difficulty)
    recorder = Recorder(game.guards[1])
    pass_time(game, 4.0)
    assert recorder.path == []
    assert game.guards[1].context.body.position != pytest.approx((8.0, 6.0))


@pytest.mark.slow
def test_a_thorough_guard_looks_around_at_a_corner_and_continues_exactly_where_he_was(
    begun: Callable[..., Any],
) -> None:
    game = begun(difficulty="hard")
    ben = game.guards[1]
    recorder = Recorder(ben)
    pass_time(game, 1.5)
    assert recorder.path == ["Glance"]
    assert [state.name for state in ben.suspended] == ["Patrol"]
    corner = ben.context.body.position
    pass_time(game, 1.0)
    assert ben.context.body.position == corner
    assert corner == pytest.approx((8.0, 6.0), abs=0.05)
    pass_time(game, 0.5)
    assert recorder.path == ["Glance", "Patrol"]
    pass_time(game, 1.0)
    x, y = ben.context.body.position
    assert x < 7.5
    assert y == 6.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("happens", "state"), [("NOISE", "Listen"), ("SEEN", "Suspect"), ("ALARM", "Investigate")]
)
def test_a_guard_who_looks_around_hears_and_sees(
    happens: str, state: str, begun: Callable[..., Any]
) -> None:
    game = begun(difficulty="hard")
    ben = game.guards[1]
    pass_time(game, 1.6)
    assert ben.current_state.name == "Glance"
    if happens == "NOISE":
        game.make_noise((6.0, 6.0), 4.0)
    elif happens == "SEEN":
        game.thief.body.position = (8.0, 5.5)
    else:
        ben.send_event("ALARM", (3.0, 3.0))
    game.update(FRAME)
    assert ben.current_state.name == state
    assert ben.suspended == ()


# The stories


@pytest.mark.slow
@pytest.mark.parametrize(
    ("museum", "difficulty", "ends"),
    [
        ("palace", "normal", "He is out, with all the jewels"),
        ("cloister", "easy", "He is out, with all the jewels"),
        ("cloister", "normal", "He is out, with all the jewels"),
        ("cloister", "hard", "The night ends at the police station"),
    ],
)
def test_how_the_story_of_a_museum_ends(
    museum: str, difficulty: str, ends: str, module: Callable[[str], Any]
) -> None:
    museums, difficulties = module("museums").MUSEUMS, module("difficulty").DIFFICULTIES
    story = module("story").Story(museum=museums[museum], difficulty=difficulties[difficulty])
    story.run()
    told = [line.partition("s  ")[2] for line in story.chronicle.lines]
    assert told[-1] == ends
    if museum == "cloister" and difficulty == "normal":
        assert [line for line in told if line.startswith("He takes")] == [
            f"He takes the {jewel}" for jewel in museums[museum].jewels
        ]


@pytest.mark.slow
@pytest.mark.parametrize("museum", MUSEUMS)
def test_a_picture_of_a_story_is_of_a_moment_in_it(
    museum: str, module: Callable[[str], Any]
) -> None:
    chosen = module("museums").MUSEUMS[museum]
    story = module("story").Story(museum=chosen)
    story.run(until=chosen.best_moment)
    assert not story.game.is_over
    assert "Chase" in states(story.game)

"""Random games are not changed by being measured, and their traces keep the rules."""

import pytest
from random_games import Game, crowded
from trace_rules import broken_rules

from fsmkit.recording import History, trace_events
from fsmkit.recording.frame_costs import FrameCosts

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(80))
def test_a_measured_game_does_exactly_what_another_one_does(seed: int) -> None:
    _, machine, before, after = crowded(seed)
    game, other = Game(machine), Game(machine)
    game.watch()
    other.watch()
    for one in (game, other):
        one.take(("start", "A"))
    for step in before:
        assert game.take(step) == other.take(step)
    costs = FrameCosts(game.world.group, every=2)
    for step in after:
        assert game.take(step) == other.take(step)
        assert game.seen() == other.seen()
    costs.close()
    assert not costs._stack, "each call has ended"
    for step in before:
        assert game.take(step) == other.take(step)
        assert game.seen() == other.seen()


@pytest.mark.parametrize("seed", range(80))
def test_what_the_actions_of_a_game_did_is_a_sound_trace(seed: int) -> None:
    _, machine, before, after = crowded(seed)
    game = Game(machine)
    history = History(game.world.group, actions=True)
    for step in (("start", "A"), *before, *after):
        game.take(step)
    chronicle = history.chronicle()
    assert broken_rules(trace_events(chronicle)) == []
    assert all(run.end is None or run.start <= run.end for run in chronicle.action_runs)
    lasting = [(run.machine, run.state) for run in chronicle.action_runs if run.end is None]
    visits = [(visit.machine, visit.state) for visit in chronicle.visits]
    assert set(lasting) <= set(visits)

"""What continues, and what does not, when changed code rebuilds a machine."""

from textwrap import dedent
from typing import Any

GUARD = """
    from actions import DelegateAction, TimedWait
    from fsmkit import FINISHED, Fsm

    def build(log):
        fsm = Fsm("Guard")
        patrol, rest, chase = (fsm.add_state(name) for name in ("Patrol", "Rest", "Chase"))
        patrol.add_action(TimedWait(2.0))
        rest.add_action(DelegateAction(lambda: log.append("yawn"), None, lambda: log.append("up")))
        rest.add_action(TimedWait(4.0))
        patrol.add_transition(FINISHED, rest)
        rest.add_transition(FINISHED, patrol)
        fsm.add_global_transition("SEEN", chase)
        chase.add_transition("LOST", patrol)
        return fsm
"""
GOES_ON = "guard.py has changed: Guard goes on in 'Rest', at 1.50 s."


def resting(game: Any, log: list[str]) -> Any:
    """Build the guard, who has been resting for 1.5 seconds."""
    fsm = game.build(GUARD, log)
    fsm.start("Rest")
    fsm.update(1.5)
    log.clear()
    return fsm


def test_without_a_change_it_is_the_same_machine(game: Any) -> None:
    fsm = game.build(GUARD, [])
    assert game.frame() is game.frame() is fsm
    assert game.take() == []


def test_a_machine_continues_where_it_was_and_nothing_is_called(game: Any) -> None:
    log: list[str] = []
    fsm = resting(game, log)
    fsm.send_event_after(2.0, "SEEN", "by Ann")
    new = game.replace("TimedWait(2.0)", "TimedWait(1.0)")
    assert new is not fsm
    assert (new.current_state.name, new.time, new.time_in_state) == ("Rest", 1.5, 1.5)
    assert (game.take(), log) == ([GOES_ON], [])
    new.update(2.0)
    assert (new.path, new.event_data, log) == (("Chase",), "by Ann", ["up"])
    new.send_event("LOST")
    new.update(1.0)  # the changed duration
    assert new.path == ("Rest",)


def test_a_machine_that_does_not_run_is_rebuilt(game: Any) -> None:
    game.build(GUARD, [])
    new = game.replace("4.0", "3.0")
    assert (new.is_running, new.states["Rest"].actions[1].duration) == (False, 3.0)
    assert game.take() == ["guard.py has changed: Guard was rebuilt; it is stopped."]


def test_what_is_under_way_continues_as_it_was_entered(game: Any) -> None:
    resting(game, [])
    new = game.replace("TimedWait(4.0)", "TimedWait(1.0)")
    assert game.take() == [
        GOES_ON,
        (
            "Guard: TimedWait of 'Rest' goes on as it was entered; duration=1.0 (it was 4.0) takes "
            "effect on its next visit."
        ),
    ]
    new.update(2.0)
    assert new.path == ("Rest",)
    new.update(0.5)
    assert new.path == ("Patrol",)


WALK = """
    from actions import MoveTowards
    from fsmkit import FsmAction, Fsm
    from fsmkit.space import Transform

    class Count(FsmAction):
        def __init__(self, first, step):
            self.first, self.step, self.count = first, step, 0

        def on_enter(self):
            self.count = self.first

        def on_update(self):
            self._add()

        def _add(self):
            self.count += self.step

    def build():
        fsm = Fsm("Guard")
        walk = fsm.add_state("Walk")
        walk.add_action(MoveTowards(Transform((0.0, 0.0)), (9.0, 0.0), 1.0, arrival_distance=1.0))
        walk.add_action(Count(10, 1))
        walk.add_transition("AGAIN", walk)
        return fsm
"""


def test_what_is_printed_says_when_each_parameter_takes_effect(game: Any) -> None:
    game.build(WALK).start()
    game.machines.update(1.0)
    game.replace("1.0, arrival_distance=1.0", "2.0, arrival_distance=6.0")
    new = game.replace("Count(10, 1)", "Count(20, 5)")
    walks = "Guard: MoveTowards of 'Walk' goes on as it was entered; "
    speed = "speed=2.0 (it was 1.0) takes effect on its next visit."
    first = "first=20 (it was 10) takes effect on its next visit."
    counts = "Guard: Count of 'Walk' goes on as it was entered; "
    assert [line for line in game.take() if ";" in line] == [
        f"{walks}arrival_distance=6.0 (it was 1.0) takes effect now; {speed}",
        f"{counts}step=5 (it was 1) takes effect now; {first}",
    ]
    move, count = new.current_state.actions
    new.update(1.0)
    assert (move.transform.position, count.count) == ((2.0, 0.0), 16)
    new.update(9.0)
    assert move.transform.position == (3.0, 0.0)  # six before the end
    new.send_event("AGAIN")
    assert count.count == 20


def test_an_action_before_others_moves_them_and_is_entered(game: Any) -> None:
    log: list[str] = []
    resting(game, log)
    wait, snore = "rest.add_action(TimedWait(4.0))", "DelegateAction(lambda: log.append('snore'))"
    new = game.replace(wait, f"rest.add_action({snore}); {wait}")
    assert game.take() == [GOES_ON, "Guard: DelegateAction of 'Rest' is new and is entered."]
    assert (log, new.states["Rest"].actions[2].elapsed) == (["snore"], 1.5)
    new.update(2.5)
    assert (new.path, log) == (("Patrol",), ["snore", "up"])


def test_an_action_that_is_gone_is_exited(game: Any) -> None:
    log: list[str] = []
    resting(game, log)
    new = game.edit("\n".join(line for line in GUARD.splitlines() if "yawn" not in line))
    assert game.take() == [GOES_ON, "Guard: DelegateAction of 'Rest' was removed."]
    assert (log, len(new.states["Rest"].actions)) == (["up"], 1)
    new.update(2.5)
    assert (new.path, log) == (("Patrol",), ["up"])


def test_an_action_of_another_class_is_entered_in_its_place(game: Any) -> None:
    resting(game, [])
    source = GUARD.replace("TimedWait(4.0)", "RandomWait(1.0, 1.0, rng=Random(1))")
    new = game.edit(
        "from random import Random\n" + dedent(source).replace("import D", "import RandomWait, D")
    )
    assert game.take() == [
        GOES_ON,
        "Guard: TimedWait of 'Rest' was removed.",
        "Guard: RandomWait of 'Rest' is new and is entered.",
    ]
    new.update(1.0)
    assert new.path == ("Patrol",)


def test_actions_that_have_changed_places_continue(game: Any) -> None:
    source = """
        from random import Random
        from actions import RandomWait, TimedWait
        from fsmkit import Fsm

        def build():
            fsm = Fsm("Guard")
            rest = fsm.add_state("Rest")
            rest.add_action(TimedWait(9.0))
            rest.add_action(TimedWait(5.0))
            rest.add_action(RandomWait(7.0, 7.0, rng=Random(1)))
            return fsm
    """
    fsm = game.build(source)
    fsm.start()
    fsm.update(1.0)
    fsm.states["Rest"].actions[1].finish()
    a, b, c = (line for line in source.splitlines(keepends=True) if "Wait(" in line)
    new = game.edit(source.replace(a + b + c, c + b + a))
    assert [action.elapsed for action in new.states["Rest"].actions] == [1.0, 1.0, 1.0]
    assert [action.finished for action in new.states["Rest"].actions] == [False, True, False]
    assert game.take() == ["guard.py has changed: Guard goes on in 'Rest', at 1.00 s."]


def test_a_state_with_another_name_continues(game: Any) -> None:
    resting(game, [])
    new = game.replace('"Rest"', '"Sleep"')
    assert game.take() == [
        "guard.py has changed: Guard goes on in 'Sleep', at 1.50 s.",
        "Guard: 'Rest' is now 'Sleep'.",
    ]
    new.update(2.5)
    assert new.path == ("Patrol",)


def test_a_state_that_is_gone_is_reported_and_others_continue(game: Any) -> None:
    resting(game, [])
    source = GUARD.replace(', "Chase")', ")").replace("rest, chase =", "rest =")
    new = game.edit("\n".join(line for line in source.splitlines() if "chase" not in line))
    assert (new.path, game.take()) == (("Rest",), [GOES_ON, "Guard: 'Chase' no longer exists."])


def test_without_its_current_state_a_machine_starts_over(game: Any) -> None:
    log: list[str] = []
    old = resting(game, log)
    old.send_event_after(1.0, "SEEN", keep=True)
    source = GUARD.replace('"Rest", "Chase")', '"Chase")').replace("patrol, rest,", "patrol,")
    source = "\n".join(line for line in source.splitlines() if "rest" not in line)
    new = game.edit(source)
    assert game.take() == [
        "guard.py has changed: Guard was rebuilt.",
        "Guard: its current state 'Rest' no longer exists: starts in 'Patrol'.",
    ]
    assert (log, old.is_running, new.path, new.time) == (["up"], False, ("Patrol",), 1.5)
    new.update(1.0)
    assert new.path == ("Chase",)


def test_a_transition_that_was_missing_is_taken_at_once(game: Any) -> None:
    source = GUARD.replace("rest.add_transition(FINISHED, patrol)", "pass")
    fsm = game.build(source, [])
    fsm.start("Rest")
    fsm.update(9.0)
    assert fsm.path == ("Rest",)
    assert game.edit(GUARD).path == ("Patrol",)


def test_without_its_last_unfinished_action_a_state_has_finished(game: Any) -> None:
    resting(game, [])
    assert game.replace("rest.add_action(TimedWait(4.0))", "pass").path == ("Patrol",)


def test_what_an_error_has_cut_short_is_entered_when_the_code_is_fixed(game: Any) -> None:
    fsm = game.build(GUARD.replace('log.append("yawn")', "1 / 0"), [])
    fsm.start()
    try:
        fsm.update(2.0)
    except ZeroDivisionError:
        assert fsm.path == ("Rest",)
    log = game.arguments[0]
    new = game.edit(GUARD)
    assert (new.path, log) == (("Rest",), ["yawn"])
    new.update(4.0)
    assert (new.path, log) == (("Patrol",), ["yawn", "up"])

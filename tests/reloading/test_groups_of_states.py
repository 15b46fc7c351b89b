"""Groups of states in a program that changes while it runs."""

from typing import Any

GUARD = """
    from fsmkit import Fsm, FsmAction

    class Keeps(FsmAction):
        def on_enter(self):
            self.kept = [*self.fsm.groups.values()]

    def build():
        fsm = Fsm("Guard", on_unhandled="ignore")
        patrol, chase, dead = (fsm.add_state(name) for name in ("Patrol", "Chase", "Dead"))
        patrol.add_action(Keeps())
        alive = fsm.add_group("Alive", patrol, chase)
        alive.add_transition("SHOT", dead)
        return fsm
"""


def kept(fsm: Any) -> list[Any]:
    return list(fsm.states["Patrol"].actions[0].kept)


def test_a_group_that_is_added_or_removed_counts_at_once(game: Any) -> None:
    fsm = game.build(GUARD)
    fsm.start()
    fsm = game.replace(
        "    return fsm",
        '    fsm.add_group("All", dead).add_transition("UP", patrol)\n    return fsm',
    )
    assert list(fsm.groups) == ["Alive", "All"]
    assert fsm.current_state.name == "Patrol"
    assert fsm.send_event("SHOT")
    assert fsm.send_event("UP")
    fsm = game.replace('alive.add_transition("SHOT", dead)', "fsm.remove_group(alive)")
    assert not fsm.send_event("SHOT")
    game.take()


def test_what_remembers_a_group_has_the_new_one(game: Any) -> None:
    fsm = game.build(GUARD)
    fsm.start()
    old = fsm.groups["Alive"]
    fsm = game.replace("patrol, chase)", "patrol, chase, dead)")
    assert kept(fsm) == [fsm.groups["Alive"]] != [old]
    fsm = game.replace('add_group("Alive"', 'add_group("Living"')
    assert kept(fsm) == [fsm.groups["Living"]]


def test_an_action_that_remembers_a_removed_group_starts_again(game: Any) -> None:
    fsm = game.build(GUARD)
    fsm.start()
    game.replace('alive.add_transition("SHOT", dead)', "fsm.remove_group(alive)")
    assert any("belongs to the old machine" in line for line in game.take())


def test_actions_of_the_old_machine_lead_nowhere_while_they_are_exited(game: Any) -> None:
    fsm = game.build(GUARD.replace("def on_enter(self):", "def on_exit(self):"))
    fsm.start()
    game.replace("self.kept = [*self.fsm.groups.values()]", 'self.fsm.send_event("SHOT")')
    fsm = game.replace("    patrol.add_action(Keeps())\n", "")
    assert fsm.current_state.name == "Patrol"
    assert not [line for line in game.take() if "Error" in line]

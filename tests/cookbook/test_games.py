"""What the recipes of examples/cookbook promise: games, characters and input."""

import runpy
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from recipe_runs import COOKBOOK, path_of, recipe

from actions import Coroutine, Log, Move, Sequence, TimedWait
from fsmkit import Fsm, UnknownStateError
from fsmkit.recording import SnapshotError, restore, snapshot, why
from fsmkit.space import Transform
from fsmkit.testing import drive
from fsmkit.timing import FixedStep

RECIPES = (
    "alarm_for_all",
    "animation_layers",
    "boss_phases",
    "button_with_two_meanings",
    "combo",
    "cut_scene",
    "debounce",
    "dialogue",
    "double_click_and_hold",
    "fixed_step_physics",
    "pause_menu",
    "save_slots",
    "spawn_waves",
    "stun_and_return",
    "turn_based_game",
    "undo_by_copies",
)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_prints_at_most_twelve_lines(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(COOKBOOK / f"{name}.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert 1 <= len(lines) <= 12
    assert max(map(len, lines)) <= 80


def test_the_swing_continues_after_the_stun() -> None:
    fsm = recipe("stun_and_return").build()
    script = ["ATTACK", 0.5, ("HIT", 30), 2.0, 0.25]
    assert path_of(fsm, *script) == ["Ready", "Swing", "Stunned", "Swing"]
    assert fsm.context.sword == 90.0


def test_a_second_blow_hurts_and_the_stun_is_no_longer_for_it() -> None:
    fsm = recipe("stun_and_return").build()
    script = [("HIT", 30), 1.5, ("HIT", 20), 0.5]
    assert path_of(fsm, *script) == ["Ready", "Stunned", "Ready"]
    assert fsm.context.health == 50


@pytest.mark.parametrize("blows", [[("HIT", 100)], [("HIT", 30), 1.0, ("HIT", 70), 0.1]])
def test_a_deadly_blow_kills_at_the_end_of_the_stun_and_for_good(blows: list[Any]) -> None:
    fsm = recipe("stun_and_return").build()
    script = ["ATTACK", 0.5, *blows, 2.0, ("HIT", 10), 9.0]
    assert path_of(fsm, *script) == ["Ready", "Swing", "Stunned", "Dead"]


def test_what_the_level_runs_stands_still_while_the_menu_is_open() -> None:
    fsm = recipe("pause_menu").build()
    drive(fsm, ["START", 2.0, "ESC", 60.0, "SETTINGS", 60.0, "ESC", "ESC"])
    assert fsm.path == ("Level", "Sleep")
    drive(fsm, [1.0])
    assert fsm.path == ("Level", "Hunt")


def test_quitting_exits_the_level_below_the_menu() -> None:
    fsm = recipe("pause_menu").build()
    drive(fsm, ["START", "ESC"])
    assert drive(fsm, ["QUIT"])[-4:] == ["leave Menu", "RunFsm left", "leave Level", "enter Title"]


@pytest.mark.parametrize(
    ("script", "meant"),
    [
        (["PRESS", 0.1, "RELEASE", 0.2], []),
        (["PRESS", 0.1, "RELEASE", 0.25], ["click"]),
        (["PRESS", 0.1, "RELEASE", 0.2, "PRESS", 9.0, "RELEASE", 9.0], ["double-click"]),
        (["PRESS", 0.5], ["hold"]),
        (["PRESS", 0.5, "RELEASE", 9.0], ["hold"]),
    ],
)
def test_a_gesture_has_one_meaning(script: list[Any], meant: list[str]) -> None:
    fsm = recipe("double_click_and_hold").build()
    drive(fsm, script)
    assert fsm.context == meant


def test_a_switch_believes_what_has_lasted() -> None:
    fsm = recipe("debounce").build()
    chatter = ["CLOSED", 0.015, "OPENED", 0.015, "CLOSED", 0.015]
    assert path_of(fsm, *chatter)[-1] == "Closing"
    assert path_of(fsm, 0.005) == ["On"]
    assert path_of(fsm, "OPENED", 0.015, "CLOSED", 9.0) == ["Opening", "On"]


def test_a_press_opens_the_chest_only_beside_it() -> None:
    fsm = recipe("button_with_two_meanings").build()
    assert path_of(fsm, "USE", 0.5, 2.0, "USE", 0.5) == ["Walk", "Jump", "Walk", "Jump", "Walk"]
    assert path_of(fsm, 1.0, "USE") == ["Loot"]


def test_an_early_press_counts_when_the_blow_has_landed() -> None:
    fsm = recipe("combo").build()
    assert path_of(fsm, "PUNCH", 0.1, "PUNCH", 0.05) == ["Ready", "Jab"]
    assert path_of(fsm, 0.05) == ["Cross"]
    assert path_of(fsm, 0.1, "KICK", 9.0) == ["Kick"]


def test_a_long_frame_does_not_lose_an_early_press() -> None:
    fsm = recipe("combo").build()
    assert path_of(fsm, "PUNCH", 0.1, "PUNCH", 0.9) == ["Ready", "Jab", "Cross"]


def test_a_combo_is_over_when_the_window_has_passed() -> None:
    fsm = recipe("combo").build()
    assert path_of(fsm, "PUNCH", 0.5, "PUNCH") == ["Ready", "Jab", "Ready", "Jab"]


@pytest.mark.parametrize(("coins", "last"), [(0, "Toll"), (1, "Pass")])
def test_whoever_pays_needs_a_coin(
    coins: int, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fsm = recipe("dialogue").build()
    fsm.context["coins"] = coins
    assert path_of(fsm, "A friend.", "Here is a coin.")[-1] == last
    assert capsys.readouterr().out.splitlines()[:2] == ["Who goes there?", "A coin, please."]


def test_only_what_may_be_said_is_offered() -> None:
    fsm = recipe("dialogue").build()
    drive(fsm, ["A friend."])
    offered = [event for event in fsm.current_state.transitions if why(fsm, event, None).target]
    assert offered == ["I have none."]


def test_a_misspelt_line_is_an_error_when_the_machine_is_built() -> None:
    dialogue = recipe("dialogue")
    dialogue.LINES["Hello"][1]["A friend."] = "Tool"
    with pytest.raises(UnknownStateError, match="Toll"):
        dialogue.build()


def test_a_boss_strikes_faster_in_each_phase() -> None:
    fsm = recipe("boss_phases").build()
    strikes = [0]
    for damage in (0, 50, 35):
        drive(fsm, [("HIT", damage), 0.0, *[0.5] * 8])
        strikes.append(fsm.context["strikes"])
    assert [later - earlier for earlier, later in pairwise(strikes)] == [2, 4, 8]


def test_one_enormous_blow_leads_through_all_phases() -> None:
    fsm = recipe("boss_phases").build()
    assert path_of(fsm, ("HIT", 200), 0.1) == ["Calm", "Angry", "Mad", "Dead"]


def test_an_event_for_both_layers_reaches_both() -> None:
    fsm = recipe("animation_layers").build()
    legs, arms = fsm.context
    for event, expected in (("FIRE", ("Stand", "Fire")), ("DANGER", ("Duck", "Shield"))):
        drive(fsm, [event])
        assert (legs.playing, arms.playing) == expected


def test_a_move_out_of_turn_has_no_effect() -> None:
    fsm = recipe("turn_based_game").build()
    drive(fsm, [("TAKE", 1), 0.5, ("TAKE", 2)])
    assert (fsm.path, fsm.context) == (("Computer",), {"matches": 9})


def test_a_move_against_the_rules_is_refused() -> None:
    fsm = recipe("turn_based_game").build()
    assert drive(fsm, [("TAKE", 4), ("TAKE", 0)])[-2:] == ["event TAKE: refused"] * 2
    assert (fsm.path, fsm.context) == (("You",), {"matches": 10})


@pytest.mark.parametrize("first", [1, 3])
def test_the_computer_wins_after_a_mistake(first: int) -> None:
    fsm = recipe("turn_based_game").build()
    drive(fsm, [("TAKE", first), 1.0])
    while fsm.path == ("You",):
        assert fsm.context["matches"] % 4 == 0
        drive(fsm, [("TAKE", 1), 1.0])
    assert fsm.path == ("Computer won",)


@pytest.mark.parametrize("script", [[3.0, 1.5, 1.0], [1.0, "SKIP"], [3.5, "SKIP"]])
def test_after_a_scene_the_hero_is_at_the_gate(script: list[Any]) -> None:
    cut_scene = recipe("cut_scene")
    fsm = cut_scene.build()
    assert path_of(fsm, *script) == ["Cut scene", "Play"]
    assert fsm.context.position == cut_scene.GATE


def test_in_the_middle_of_a_scene_a_slot_is_left_as_it_was(tmp_path: Path) -> None:
    """The two recipes exclude each other, as both of them say."""
    slots, slot = recipe("save_slots"), tmp_path / "1.json"
    fsm = recipe("cut_scene").build()
    fsm.context = {"gold": 0}
    fsm.states["Cut scene"].remove_action(fsm.states["Cut scene"].actions[0])
    fsm.states["Cut scene"].add_action(Coroutine(lambda: (pause for pause in [1.0])))
    slot.write_text("as it was", "utf-8")
    fsm.start()
    with pytest.raises(SnapshotError, match=r"\(Coroutine\).* cannot be saved"):
        slots.save(fsm, slot)
    assert slot.read_text("utf-8") == "as it was"


def test_a_scene_that_is_a_sequence_is_saved_in_its_middle() -> None:
    def build() -> Fsm[Transform]:
        fsm = Fsm("Game", context=Transform((0.0, 0.0)))
        steps = Move(fsm.context, None, (6.0, 0.0), duration=3.0), TimedWait(1.5), Log("Come in.")
        fsm.add_state("Cut scene").add_action(Sequence(*steps))
        return fsm

    fsm, loaded = build(), build()
    drive(fsm, [3.0, 1.0])
    restore(loaded, snapshot(fsm))
    for machine in (fsm, loaded):
        machine.update(0.25)
        assert not machine.states["Cut scene"].actions[0].finished
        machine.update(0.25)
        assert machine.states["Cut scene"].actions[0].finished


def test_whoever_sees_the_thief_calls_everybody_to_that_place() -> None:
    alarm = recipe("alarm_for_all")
    group = alarm.build()
    group.start()
    alarm.thief.position = (500.0, 3.0)
    group.update(0.0)
    assert {(fsm.path[0], fsm.event_data) for fsm in group} == {("Run", (500.0, 3.0))}


def test_guards_who_find_nobody_watch_again() -> None:
    group = recipe("alarm_for_all").build()
    group.start()
    assert group.broadcast("ALARM", (500.0, 0.0)) == 100
    for _ in range(10):
        group.update(1.0)
    assert {(fsm.path, fsm.context.position) for fsm in group} == {(("Watch",), (500.0, 0.0))}


@pytest.mark.parametrize("frames", [[0.5], [0.1] * 5, [0.03] * 20])
def test_fixed_steps_give_the_same_flight_for_any_frames(frames: list[float]) -> None:
    physics = recipe("fixed_step_physics")
    by_frames, by_steps = physics.build(), physics.build()
    fixed = FixedStep(1 / 100, max_steps=1000)
    drive(by_frames, [step for frame in frames for step in fixed.steps(frame)])
    drive(by_steps, [1 / 100] * round(sum(frames) * 100))
    assert vars(by_frames.context) == vars(by_steps.context)


def test_a_loaded_game_continues_in_the_middle_of_the_dig(tmp_path: Path) -> None:
    slots = recipe("save_slots")
    fsm = slots.build()
    drive(fsm, [3.0, 2.0, lambda: slots.save(fsm, tmp_path / "1.json"), 1.0])
    for _ in range(2):
        loaded = slots.load(tmp_path / "1.json")
        assert (loaded.path, loaded.time, loaded.context) == (("Dig",), 5.0, {"gold": 5})
        loaded.update(1.0)
        assert loaded.context == fsm.context == {"gold": 10}


def test_a_damaged_slot_is_refused(tmp_path: Path) -> None:
    slots, slot = recipe("save_slots"), tmp_path / "1.json"
    fsm = slots.build()
    fsm.start()
    slots.save(fsm, slot)
    slot.write_text(slot.read_text("utf-8").replace('"Dig"', '"Dug"', 1), "utf-8")
    with pytest.raises(SnapshotError):
        slots.load(slot)


def test_the_next_wave_begins_when_the_last_enemy_is_gone() -> None:
    fsm = recipe("spawn_waves").build()
    drive(fsm, [2.0, 0.5, 9.0])
    assert (fsm.path, fsm.context) == (("First",), ["rat", "rat"])
    fsm.context.clear()
    assert path_of(fsm, 0.1) == ["Second"]


def test_undo_restores_the_state_and_the_context() -> None:
    fsm = recipe("undo_by_copies").build()
    fsm.start()
    before = deepcopy(fsm)
    drive(fsm, [("STEP", 3), "GRAB"])
    assert (fsm.path, fsm.context) == (("Loaded",), {"x": 3})
    assert (before.path, before.context) == (("Empty",), {"x": 0})
    drive(before, [("STEP", 1)])
    assert (before.context, fsm.context) == ({"x": 1}, {"x": 3})

"""Pictures made of letters."""

import pytest

from actions import RunFsm, Sequence, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.diagram import to_text
from fsmkit.diagram.picture_options import TextOptions, view_of
from fsmkit.diagram.text import text_of
from fsmkit.terminal.console import width

RAILS = str.maketrans("", "", "─│├└→")


def test_a_machine_as_text() -> None:
    fight = Fsm("Fight")
    aim, fire = fight.add_state("Aim"), fight.add_state("Fire")
    aim.add_action(TimedWait(0.4))
    aim.add_transition(FINISHED, fire)
    fire.add_transition("HIT", fire)
    fire.add_transition("EMPTY", aim)
    fire.add_transition("JAMMED", aim)
    guard = Fsm("Guard")
    patrol, combat = guard.add_state("Patrol"), guard.add_state("Combat")
    patrol.add_action(Sequence(TimedWait(1.0), TimedWait(2.0)))
    combat.add_action(RunFsm(fight))
    patrol.add_transition("SEEN", combat)
    combat.add_transition("LOST", patrol)
    guard.add_global_transition("KILLED", guard.add_state("Dead", final=True))
    guard.start("Combat")
    assert to_text(guard, actions=True).splitlines() == [
        "Guard",
        "├─○ Patrol  (start)",
        "│   │ Sequence",
        "│   │   TimedWait  duration=1.0",
        "│   │   TimedWait  duration=2.0",
        "│   └─ SEEN ─→ Combat",
        "├─● Combat  (current)",
        "│   │ RunFsm  machine=Fight",
        "│   ├─ LOST ─→ Patrol",
        "│   └─ runs Fight",
        "│       ├─● Aim  (start, current)",
        "│       │   │ TimedWait  duration=0.4",
        "│       │   └─ FINISHED ─→ Fire",
        "│       └─○ Fire",
        "│           ├─ HIT ───────────→ Fire",
        "│           └─ EMPTY, JAMMED ─→ Aim",
        "├─○ Dead  (final)",
        "└─ any state",
        "    └─ KILLED ─→ Dead",
    ]


def test_arrows_are_aligned_whatever_the_letters() -> None:
    fsm = Fsm("巡逻机")
    state = fsm.add_state("开始")
    for event in ("发现敌人", "LOST", "😀"):
        state.add_transition(event, fsm.add_state(event))
    arrows = [line for line in to_text(fsm).splitlines() if "→" in line]
    assert len({width(line.partition("→")[0]) for line in arrows}) == 1


def test_odd_names_stay_in_their_line() -> None:
    fsm = Fsm("two\nlines")
    fsm.add_state("a\tb").add_transition(" ", fsm.add_state(" "))
    assert to_text(fsm).splitlines() == [
        r"two\nlines",
        r"├─○ a\tb  (start)",
        "│   └─ ' ' ─→ ' '",
        "└─○ ' '",
    ]


def test_a_machine_without_states() -> None:
    assert to_text(Fsm("Empty")) == "Empty\n└─ no states"


def test_a_machine_that_is_drawn_elsewhere_is_named() -> None:
    outer, inner = Fsm("Outer"), Fsm("Inner")
    for name in ("Run", "Again"):
        outer.add_state(name).add_action(RunFsm(inner))
    assert to_text(outer).splitlines()[-1] == "    └─ runs Inner, see there"


def test_each_shape_of_a_group_is_drawn_once() -> None:
    group = FsmGroup(Fsm("Door") for _ in range(3))
    for number, door in enumerate(group):
        door.add_state("Open")
        if number:
            door.start()
    group.add(Fsm("Empty"))
    assert to_text(group).splitlines() == [
        "Door ×3",
        "└─● Open  (start, current)",
        "      2 of 3",
        "",
        "Empty",
        "└─ no states",
    ]


def wide() -> Fsm:
    """A machine with more to say than eighty columns can hold, nested and in groups."""
    inner, fsm = Fsm("Inner"), Fsm("Menu")
    aim = inner.add_state("Aim")
    main = fsm.add_state("Main")
    for number in range(8):
        aim.add_transition(f"INNER_{number}", aim)
        main.add_transition(f"OPEN_{number}", fsm.add_state(f"Screen {number}"))
        main.add_transition(f"CHOOSE_{number}", fsm.states["Screen 0"])
    fsm.states["Screen 0"].add_action(RunFsm(inner))
    fsm.add_group("Screens", *list(fsm.states)[1:]).add_transition("BACK", main)
    return fsm


def test_a_line_that_does_not_fit_goes_on_below() -> None:
    machine = wide()
    view = view_of("to_text", {}, TextOptions)
    lines = text_of(view.graph(machine), view.look, columns=50).splitlines()
    assert lines[:8] == [
        "Menu",
        "├─○ Main  (start)",
        "│   ├─ OPEN_0, CHOOSE_0, CHOOSE_1, CHOOSE_2,",
        "│   │      CHOOSE_3, CHOOSE_4, CHOOSE_5, CHOOSE_6,",
        "│   │      CHOOSE_7 ─→ Screen 0",
        "│   ├─ OPEN_1 ─→ Screen 1",
        "│   ├─ OPEN_2 ─→ Screen 2",
        "│   ├─ OPEN_3 ─→ Screen 3",
    ]
    assert lines[-4:] == [
        "└─ any of Screens: Screen 0, Screen 1, Screen",
        "    │  2, Screen 3, Screen 4, Screen 5, Screen 6,",
        "    │  Screen 7",
        "    └─ BACK ─→ Main",
    ]
    words = [" ".join(text).translate(RAILS).split() for text in (lines, [to_text(machine)])]
    assert words[0] == words[1]


@pytest.mark.parametrize("columns", [40, 50, 60, 80, 100])
def test_every_line_fits(columns: int) -> None:
    view = view_of("to_text", {"actions": True}, TextOptions)
    lines = text_of(view.graph(wide()), view.look, columns).splitlines()
    assert [line for line in lines if width(line) > columns] == []

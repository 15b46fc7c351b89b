"""Pictures made of letters."""

from actions import RunFsm, Sequence, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.diagram import to_text
from fsmkit.terminal.console import width


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

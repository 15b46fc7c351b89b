"""Each edit is one or two lines of the file, as its author would write them."""

from typing import Any

import pytest
from a_door import DOOR

from fsmkit.editing import (
    AddAction,
    AddState,
    AddToGroup,
    AddTransition,
    AsWritten,
    Edit,
    MoveAction,
    Name,
    RefusedEditError,
    RemoveAction,
    RemoveState,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetParameter,
)

EDITS: list[tuple[Edit, list[str]]] = [
    (AddState("Locked"), ['+    locked = door.add_state("Locked")']),
    (AddState("print"), ['+    print_state = door.add_state("print")']),
    (AddState("1st floor"), ['+    state_1st_floor = door.add_state("1st floor")']),
    (
        RenameState("Open", "Ajar"),
        [
            '-    opened = door.add_state("Open")  # at first',
            '+    opened = door.add_state("Ajar")  # at first',
        ],
    ),
    (AddTransition("Open", "PULL", "Closed"), ['+    opened.add_transition("PULL", closed)']),
    (AddTransition("Open", "PUSH", "Closed"), ["+    opened.add_transition(PUSH, closed)"]),
    (AddTransition(None, "FIRE", "Open"), ['+    door.add_global_transition("FIRE", opened)']),
    (
        AddTransition("Open", "FAILED", "Closed"),
        [
            "-from fsmkit import FINISHED, Fsm",
            "+from fsmkit import FAILED, FINISHED, Fsm",
            "+    opened.add_transition(FAILED, closed)",
        ],
    ),
    (
        Retarget("Closed", "PUSH", "Closed"),
        [
            "-    closed.add_transition(PUSH, opened, when=is_free)",
            "+    closed.add_transition(PUSH, closed, when=is_free)",
        ],
    ),
    (
        RenameEvent("Closed", "PUSH", "KICK"),
        [
            "-    closed.add_transition(PUSH, opened, when=is_free)",
            '+    closed.add_transition("KICK", opened, when=is_free)',
        ],
    ),
    (
        RenameEvent("Open", "FINISHED", "PUSH"),
        [
            "-    opened.add_transition(FINISHED, closed)",
            "+    opened.add_transition(PUSH, closed)",
        ],
    ),
    (RemoveTransition("Open", "FINISHED"), ["-    opened.add_transition(FINISHED, closed)"]),
    (
        SetParameter("Open", "0", "duration", 3),
        [
            "-    opened.add_action(TimedWait(1.0))  # seconds",
            "+    opened.add_action(TimedWait(3.0))  # seconds",
        ],
    ),
    (
        SetParameter("Open", "0", "finish_event", "SHUT"),
        [
            "-    opened.add_action(TimedWait(1.0))  # seconds",
            '+    opened.add_action(TimedWait(1.0, finish_event="SHUT"))  # seconds',
        ],
    ),
    (SetParameter("Open", "1", "duration", 4.0), ["-SLOW = 2.5", "+SLOW = 4.0"]),
    (
        SetParameter("Open", "1", "finish_event", "SOON"),
        ['-            "LATE",', '+            "SOON",'],
    ),
    (
        SetParameter("Closed", "0", "on_enter", Name("is_free")),
        [
            "-    closed.add_action(DelegateAction(print))",
            "+    closed.add_action(DelegateAction(is_free))",
        ],
    ),
    (
        AddAction("Closed", "TimedWait", {"duration": 0.5, "finish_event": "PUSH"}),
        ["+    closed.add_action(TimedWait(0.5, finish_event=PUSH))"],
    ),
    (
        AddAction("Open", "SendEvent", {"event": AsWritten("LATE")}, at=0),
        [
            "-from actions import DelegateAction, TimedWait",
            "+from actions import DelegateAction, SendEvent, TimedWait",
            '+    opened.add_action(SendEvent("LATE"))',
        ],
    ),
    (
        MoveAction("Open", 0, 1),
        [
            "-    opened.add_action(TimedWait(1.0))  # seconds",
            "+    opened.add_action(TimedWait(1.0))  # seconds",
        ],
    ),
    (RemoveAction("Open", 0), ["-    opened.add_action(TimedWait(1.0))  # seconds"]),
    (RemoveAction("Closed", 0), ["-    closed.add_action(DelegateAction(print))"]),
]


@pytest.mark.parametrize(("edit", "lines"), EDITS, ids=lambda each: str(each)[:60])
def test_an_edit_changes_its_line_alone(opened: Any, edit: Edit, lines: list[str]) -> None:
    desk = opened()
    assert desk.diff(edit) == lines
    assert desk.path.read_text() == DOOR, "nothing is written yet"


def test_a_state_goes_with_everything_that_belongs_to_it(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm
        from actions import TimedWait

        def build():
            fsm = Fsm("Door")
            a = fsm.add_state("A")
            b = fsm.add_state("B")
            b.add_action(TimedWait(1.0))
            fsm.add_group("Both", a, b)
            a.add_transition("GO", b)
            b.add_transition("GO", a)
            # what remains:
            fsm.add_global_transition("STOP", a)
            return fsm
        """
    )
    assert desk.diff(RemoveState("B")) == [
        '-    b = fsm.add_state("B")',
        "-    b.add_action(TimedWait(1.0))",
        '-    fsm.add_group("Both", a, b)',
        '-    a.add_transition("GO", b)',
        '-    b.add_transition("GO", a)',
        '+    fsm.add_group("Both", a)',
    ]


def test_a_state_goes_from_a_line_that_takes_its_name_from_a_list(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm

        def build():
            fsm = Fsm("Lamp")
            names = ["Off", "On"]
            off, on = map(fsm.add_state, [*names])
            return fsm
        """
    )
    for gone, left in (("Off", "On"), ("On", "Off")):
        assert desk.diff(RemoveState(gone)) == [
            '-    names = ["Off", "On"]',
            "-    off, on = map(fsm.add_state, [*names])",
            f'+    names = ["{left}"]',
            f"+    ({left.lower()},) = map(fsm.add_state, [*names])",
        ]


MENU = """\
WORDS = ("Eat", "Drink", "Sleep")

def menu(eat, drink):
    return [eat, drink, "Eat", "Drink"]
"""

SHARED_LINES = f"""\
from fsmkit import Fsm
from actions import TimedWait

{MENU}
def build():
    fsm = Fsm("Day")
    work, rest = fsm.add_state("Work"), fsm.add_state("Rest")
    eat, sleep, dream = map(fsm.add_state, ("Eat", "Sleep", "Dream"))
    calm = [rest, eat, sleep]
    for state in (*calm, work):
        state.add_action(TimedWait(1.0))
    for old, on, new in ((work, "NOON", eat), (eat, "ONE", work), (work, "SIX", rest)):
        old.add_transition(on, new)
    sleep.add_transition("REM", dream)
    return fsm
"""


def test_a_state_goes_from_the_lines_that_it_shares_with_others(opened: Any) -> None:
    desk = opened(SHARED_LINES)
    assert desk.diff(RemoveState("Eat")) == [
        '-    eat, sleep, dream = map(fsm.add_state, ("Eat", "Sleep", "Dream"))',
        "-    calm = [rest, eat, sleep]",
        '+    sleep, dream = map(fsm.add_state, ("Sleep", "Dream"))',
        "+    calm = [rest, sleep]",
        '-    for old, on, new in ((work, "NOON", eat), (eat, "ONE", work), (work, "SIX", rest)):',
        '+    for old, on, new in ((work, "SIX", rest),):',
    ]
    assert desk.diff(RemoveState("Rest")) == [
        '-    work, rest = fsm.add_state("Work"), fsm.add_state("Rest")',
        '+    work = fsm.add_state("Work")',
        "-    calm = [rest, eat, sleep]",
        "+    calm = [eat, sleep]",
        '-    for old, on, new in ((work, "NOON", eat), (eat, "ONE", work), (work, "SIX", rest)):',
        '+    for old, on, new in ((work, "NOON", eat), (eat, "ONE", work)):',
    ]
    desk.write(RemoveState("Eat"))
    assert MENU in desk.path.read_text(), "what no machine consists of stays"
    assert desk.diff(RemoveState("Dream")) == [
        '-    sleep, dream = map(fsm.add_state, ("Sleep", "Dream"))',
        '+    sleep = fsm.add_state("Sleep")',
        '-    sleep.add_transition("REM", dream)',
    ]


def test_a_state_joins_a_group(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm

        def build():
            fsm = Fsm("Door")
            a, b = map(fsm.add_state, ("A", "B"))
            fsm.add_group("Calm", a)
            return fsm
        """
    )
    assert desk.diff(AddToGroup("Calm", "B")) == [
        '-    fsm.add_group("Calm", a)',
        '+    fsm.add_group("Calm", a, b)',
    ]


def test_a_renamed_state_is_renamed_where_the_file_names_it(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm

        def build():
            fsm = Fsm("Door")
            for name in ("Open", "Shut"):
                fsm.add_state(name)
            fsm.states["Open"].add_transition("PUSH", "Shut")
            fsm.states["Shut"].add_transition("Open", "Open")
            return fsm
        """
    )
    assert desk.diff(RenameState("Open", "Wide")) == [
        '-    for name in ("Open", "Shut"):',
        '+    for name in ("Wide", "Shut"):',
        '-    fsm.states["Open"].add_transition("PUSH", "Shut")',
        '-    fsm.states["Shut"].add_transition("Open", "Open")',
        '+    fsm.states["Wide"].add_transition("PUSH", "Shut")',
        '+    fsm.states["Shut"].add_transition("Open", "Wide")',
    ]


def test_an_edit_reaches_through_helpers_and_tables(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm
        from actions import TimedWait

        def wait(state, seconds, event):
            state.add_action(TimedWait(seconds))
            state.add_transition("FINISHED", event)

        def build():
            fsm = Fsm("Lights")
            red, green = fsm.add_state("Red"), fsm.add_state("Green")
            wait(red, 3.0, green)
            wait(green, seconds=4.0, event=red)
            for event, target in [("STOP", red), ("GO", green)]:
                fsm.add_global_transition(event, target)
            return fsm
        """
    )
    assert desk.diff(SetParameter("Red", "0", "duration", 5.0)) == [
        "-    wait(red, 3.0, green)",
        "+    wait(red, 5.0, green)",
    ]
    assert desk.diff(Retarget("Green", "FINISHED", "Green")) == [
        "-    wait(green, seconds=4.0, event=red)",
        "+    wait(green, seconds=4.0, event=green)",
    ]
    assert desk.diff(RenameEvent(None, "GO", "RUN")) == [
        '-    for event, target in [("STOP", red), ("GO", green)]:',
        '+    for event, target in [("STOP", red), ("RUN", green)]:',
    ]
    assert desk.diff(Retarget(None, "STOP", "Green")) == [
        '-    for event, target in [("STOP", red), ("GO", green)]:',
        '+    for event, target in [("STOP", green), ("GO", green)]:',
    ]


def test_a_machine_in_a_class_is_edited_by_its_attributes(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm

        class Door:
            def __init__(self):
                self.fsm = Fsm("Door", self)
                self.shut = self.fsm.add_state("Shut")
                self.fsm.add_state("Open")

        def build():
            return Door().fsm
        """
    )
    assert desk.diff(AddTransition("Shut", "PUSH", "Open")) == [
        '+        self.shut.add_transition("PUSH", "Open")'
    ]
    assert desk.diff(AddState("Ajar")) == ['+        ajar = self.fsm.add_state("Ajar")']


def test_a_machine_at_the_top_of_a_module_is_edited_there(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm

        door = Fsm("Door")
        shut = door.add_state("Shut")

        def build():
            return door
        """
    )
    assert desk.diff(AddState("Open")) == ['+open_state = door.add_state("Open")']
    assert desk.diff(AddTransition("Shut", "SLAM", "Shut")) == [
        '+shut.add_transition("SLAM", shut)'
    ]


@pytest.mark.slow
def test_a_crowd_gets_the_actions_of_the_library_for_crowds(opened: Any) -> None:
    pytest.importorskip("numba")
    desk = opened(
        """\
        from attrs import define
        from fsmkit.crowd import CrowdFsm

        @define
        class Fish:
            x: float = 0.0

        def build():
            fish = CrowdFsm("Fish", Fish)
            fish.add_state("Swim")
            return fish
        """
    )
    assert desk.diff(AddAction("Swim", "TimedWait", {"duration": 1.5})) == [
        "+from fsmkit.crowd.library import TimedWait",
        '+    fish.states["Swim"].add_action(TimedWait(1.5))',
    ]
    with pytest.raises(RefusedEditError, match="there is no action 'FollowPath'"):
        desk.editor.proposed(AddAction("Swim", "FollowPath"))


@pytest.mark.slow
def test_the_machines_of_the_edits_are_those_of_the_program(opened: Any) -> None:
    """Ten edits one after the other: each is proved on the text that the one before wrote."""
    desk = opened()
    for edit in (
        AddState("Locked"),
        AddTransition("Closed", "LOCK", "Locked"),
        AddTransition("Locked", "UNLOCK", "Closed"),
        AddAction("Locked", "TimedWait", {"duration": 60.0}),
        SetParameter("Locked", "0", "duration", 30.0),
        RenameState("Locked", "Bolted"),
        RenameEvent("Closed", "LOCK", "BOLT"),
        RemoveTransition("Bolted", "UNLOCK"),
        AddTransition("Bolted", "FINISHED", "Closed"),
        Retarget("Open", "FINISHED", "Bolted"),
    ):
        desk.write(edit)
    fsm = desk.editor.built().machines["Door"]
    arrows = {
        (state.name, event, each.target.name)
        for state in fsm.states.values()
        for event, same in state.transitions.items()
        for each in same
    }
    assert arrows == {
        ("Closed", "PUSH", "Open"), ("Closed", "BOLT", "Bolted"),
        ("Open", "FINISHED", "Bolted"), ("Bolted", "FINISHED", "Closed"),
    }  # fmt: skip
    assert "locked.add_action(TimedWait(30.0))" in desk.path.read_text()

"""An edit that cannot be proved is refused, with the line that stands in the way and the reason."""

from typing import Any

import pytest

from fsmkit import FsmError
from fsmkit.editing import (
    AddAction,
    AddState,
    AddToGroup,
    AddTransition,
    Edit,
    MoveAction,
    Name,
    RefusedEditError,
    RemoveAction,
    RemoveState,
    RemoveTransition,
    RenameState,
    Retarget,
    SetParameter,
    SharedEditError,
)

LOOPS = """\
from fsmkit import Fsm
from actions import TimedWait

SECONDS = 2.0

def build():
    fsm = Fsm("Lights")
    red, green, blue = map(fsm.add_state, ("Red", "Green", "Blue"))
    for state in [*fsm.states.values()][:2]:
        state.add_transition("OFF", blue)
        state.add_action(TimedWait(SECONDS))
    wait = blue.add_action(TimedWait(SECONDS * 2))
    print(wait)
    if True:
        blue.add_transition("ON", red)
    blue.add_transition("UP", red); blue.add_transition("DOWN", green)
    return fsm
"""

WRONG: Any = 3

REFUSALS: list[tuple[Edit, str]] = [
    (AddState("Red"), "Lights has a state or a group 'Red' already."),
    (AddState(""), "a name needs printable letters, got ''."),
    (AddTransition("Rad", "GO", "Blue"), "Lights has no state 'Rad' (did you mean 'Red'?)."),
    (AddTransition("Red", "GO", "Blau"), "Lights has no state 'Blau' (did you mean 'Blue'?)."),
    (Retarget("Red", "OF", "Red"), "Red has no transition for 'OF' (did you mean 'OFF'?)."),
    (Retarget("Red", "OFF", "Red", 1), "Red has no transition for 'OFF' [1]."),
    (
        Retarget("Red", "OFF", "Red"),
        "house.py:10: built by the loop there, which builds 2 transitions.",
    ),
    (
        RemoveTransition("Red", "OFF"),
        "house.py:10: built by the loop there, which builds 2 transitions.",
    ),
    (RemoveAction("Red", 0), "house.py:11: built by the loop there, which builds 2 actions."),
    (RemoveAction("Blue", 0), "house.py:12: what the call returns is used."),
    (RemoveAction("Blue", 1), "'Blue' has no action 1; it has 0."),
    (MoveAction("Blue", 0, 1), "'Blue' has 1 actions, counted from 0."),
    (RemoveTransition("Blue", "ON"), "house.py:15: it is alone in its block."),
    (
        RemoveTransition("Blue", "UP"),
        "house.py:16: it shares its line with another statement.",
    ),
    (RemoveState("Red"), "house.py:8: made by a line that makes 3 states."),
    (SetParameter("Blue", "0", "duration", 3.0), "house.py:12: `duration` is computed."),
    (
        SetParameter("Blue", "0", "seconds", 3.0),
        "TimedWait has no parameter 'seconds'.",
    ),
    (
        SetParameter("Red", "0", "finish_event", object()),
        "is not a finite number, a text, True, False, None or a tuple.",
    ),
    (AddAction("Red", "TimdWait"), "there is no action 'TimdWait' (did you mean 'TimedWait'?)."),
    (AddAction("Red", "TimedWait"), "TimedWait needs 'duration'."),
    (
        AddAction("Red", "TimedWait", {"duration": 1.0, "sec": 1}),
        "TimedWait has no parameter 'sec'.",
    ),
    (
        AddAction("Red", "TimedWait", {"duration": Name("seconds")}),
        "the file has no name 'seconds' (did you mean 'SECONDS'?).",
    ),
    (
        AddAction("Red", "TimedWait", {"duration": -1.0}),
        "ValueError: The duration of TimedWait must be a finite number of seconds >= 0, got -1.0.",
    ),
    (AddToGroup("Calm", "Red"), "Lights has no group 'Calm'; its groups: none."),
    (
        AddState("White", machine="Lamp"),
        "there is no machine 'Lamp'.",
    ),
]


@pytest.mark.parametrize(("edit", "reason"), REFUSALS, ids=lambda each: str(each)[:50])
def test_a_refusal_says_why(opened: Any, edit: Edit, reason: str) -> None:
    desk = opened(LOOPS)
    with pytest.raises(RefusedEditError) as refused:
        desk.editor.proposed(edit)
    assert str(refused.value).endswith(reason)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (AddState(WRONG), "AddState: name must be str, got 3."),
        (Retarget("Red", "OFF", WRONG), "Retarget: target must be str, got 3."),
        (MoveAction("Red", True, 1), "MoveAction: index must be int | str, got True."),
        (AddState("Red", machine=WRONG), "AddState: machine must be str | None, got 3."),
        ("x", "edit must be one of fsmkit.editing, got 'x'."),
    ],
    ids=str,
)
def test_wrong_arguments_are_type_errors(opened: Any, edit: Any, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        opened(LOOPS).editor.proposed(edit)
    assert str(raised.value) == message


def test_wrong_arguments_of_an_editor_are_type_errors(opened: Any) -> None:
    editor = opened(LOOPS).editor
    for call, message in (
        (editor.write, "proposal must be a Proposal, got 3."),
        (editor.argument, "edit must be one of fsmkit.editing, got 3."),
    ):
        with pytest.raises(TypeError) as raised:
            call(3)
        assert str(raised.value) == message


@pytest.mark.parametrize(
    "text", ["__import__('os')", "os.system('ls')", "a b", "1 + x", "self.__class__", "lambda: 1"]
)
def test_only_plain_names_are_written_as_names(text: str) -> None:
    with pytest.raises(FsmError, match="name"):
        Name(text)


@pytest.mark.parametrize("name", ['"', "'; import os #", "a\\", "Wächter", '""" + x + """', "{x}"])
def test_a_name_stays_a_name_whatever_it_is_made_of(opened: Any, name: str) -> None:
    desk = opened()
    desk.write(RenameState("Open", name))
    desk.write(AddTransition("Closed", name, name))
    desk.write(SetParameter(name, "0", "finish_event", name))
    door = desk.editor.built().machines["Door"]
    assert [*door.states] == ["Closed", name]
    assert [*door.states["Closed"].transitions] == ["PUSH", name]
    assert door.states[name].actions[0].finish_event == name


def test_a_line_that_makes_several_machines_is_changed_only_when_asked(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm, FsmGroup

        def guard(name):
            fsm = Fsm(name)
            fsm.add_state("Patrol")
            return fsm

        def build():
            return FsmGroup([guard("Ada"), guard("Bob")])
        """
    )
    with pytest.raises(SharedEditError) as refused:
        desk.editor.proposed(AddState("Rest", machine="Bob"))
    assert refused.value.parts == ("Ada", "Bob")
    assert str(refused.value).endswith(
        "house.py:4: 2 machines are built by this line: Ada, Bob. "
        "To change all of them, pass everywhere=True."
    )
    assert desk.diff(AddState("Rest", machine="Bob"), everywhere=True) == [
        '+    rest = fsm.add_state("Rest")'
    ]


def test_a_shared_constant_is_changed_only_when_asked(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm
        from actions import TimedWait

        SECONDS = 2.0

        def build():
            fsm = Fsm("Lamp")
            on = fsm.add_state("On")
            on.add_action(TimedWait(SECONDS))
            on.add_action(TimedWait(SECONDS, "DIM"))
            return fsm
        """
    )
    with pytest.raises(SharedEditError) as refused:
        desk.editor.proposed(SetParameter("On", "0", "duration", 3.0))
    assert len(refused.value.parts) == 2
    assert desk.diff(SetParameter("On", "0", "duration", 3.0), everywhere=True) == [
        "-SECONDS = 2.0",
        "+SECONDS = 3.0",
    ]


def test_a_constant_that_other_code_uses_is_changed_only_when_asked(opened: Any) -> None:
    """No machine shows that, so the lines are told."""
    desk = opened(
        """\
        from fsmkit import Fsm
        from actions import TimedWait

        SECONDS = 2.0

        def is_late(time):
            return time > SECONDS

        def build():
            fsm = Fsm("Lamp")
            fsm.add_state("On").add_action(TimedWait(SECONDS))
            return fsm
        """
    )
    edit = SetParameter("On", "0", "duration", 3.0)
    with pytest.raises(
        SharedEditError, match="it changes 2 parts at once: .*house.py:7"
    ) as refused:
        desk.editor.proposed(edit)
    assert [part.rpartition(":")[2] for part in refused.value.parts] == ["7", "11"]
    assert desk.diff(edit, everywhere=True) == ["-SECONDS = 2.0", "+SECONDS = 3.0"]


def test_a_number_that_a_function_keeps_is_a_part_of_the_machine(opened: Any) -> None:
    """The loop lends it to an action and to a guard: both would change."""
    desk = opened(
        """\
        from fsmkit import Fsm
        from actions import TimedWait

        def build():
            fsm = Fsm("Lamp")
            for name, seconds in (("On", 2.0), ("Off", 3.0), ("Dim", 4.0)):
                state = fsm.add_state(name)
                state.add_action(TimedWait(seconds))
                state.add_transition("LATE", state, when=lambda s, n=seconds: n < 4.0)
            return fsm
        """
    )
    with pytest.raises(SharedEditError) as refused:
        desk.editor.proposed(SetParameter("Off", "0", "duration", 5.0))
    assert refused.value.parts == (
        "states Off, transitions, LATE, 0, when", "states Off, actions 0, parameters, duration"
    )  # fmt: skip


def test_a_part_that_a_class_makes_is_refused_by_its_name(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit.goap import Goal, GoapAction, GoapAgent

        def build():
            return GoapAgent(
                "Ada", actions=[GoapAction("Eat", 1, {}, {"fed": True})],
                goals=[Goal("Live", {"fed": True})],
            )
        """
    )
    with pytest.raises(
        RefusedEditError, match=r"house.py:4: made by GoapAgent, which makes \d+ parts"
    ):
        desk.editor.proposed(RemoveTransition("NoGoal", "GOAL"))
    with pytest.raises(RefusedEditError, match="the name 'NoGoal' is computed"):
        desk.editor.proposed(RenameState("NoGoal", "Idle"))
    with pytest.raises(RefusedEditError, match="no name stands for 'NoGoal' where it is built"):
        desk.editor.proposed(AddAction("NoGoal", "TimedWait", {"duration": 1.0}))


def test_a_program_that_counts_its_runs_is_refused(opened: Any) -> None:
    """What it builds differs each time, so nothing can be proved."""
    desk = opened(
        """\
        import itertools, sys
        from fsmkit import Fsm
        from actions import TimedWait

        runs = sys.__dict__.setdefault("_runs_of_house", itertools.count())

        def build():
            fsm = Fsm("Lamp")
            fsm.add_state("On").add_action(TimedWait(float(next(runs))))
            return fsm
        """
    )
    with pytest.raises(RefusedEditError, match="would change in more than this"):
        desk.editor.proposed(AddState("Off"))


def test_random_numbers_are_the_same_in_each_run(opened: Any) -> None:
    desk = opened(
        """\
        import random
        from fsmkit import Fsm
        from actions import TimedWait

        def build():
            fsm = Fsm("Lamp")
            fsm.add_state("On").add_action(TimedWait(random.random()))
            return fsm
        """
    )
    assert desk.diff(AddState("Off")) == ['+    off = fsm.add_state("Off")']


LISTED = """\
from fsmkit import Fsm

NAMES = ("Red", "Green", "Blue")


def build():
    fsm = Fsm("Lights")
    for name in NAMES:
        fsm.add_state(name)
    return fsm


def legend():
    return ", ".join(NAMES)
"""


def test_a_state_in_a_list_that_other_code_reads_is_removed_only_when_asked(opened: Any) -> None:
    desk = opened(LISTED)
    with pytest.raises(SharedEditError) as refused:
        desk.editor.proposed(RemoveState("Green"))
    assert refused.value.parts == ("house.py:8", "house.py:14")
    assert 'NAMES = ("Red", "Blue")\n' in desk.write(RemoveState("Green"), everywhere=True)
    alone = opened(LISTED.replace("legend():", "legend(NAMES):"), name="alone.py")
    assert 'NAMES = ("Red", "Blue")\n' in alone.write(RemoveState("Green"))

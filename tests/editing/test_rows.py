"""What a loop over a literal table makes is changed for one row: in the table, or written out."""

from typing import Any

import pytest

from fsmkit.editing import (
    AddState,
    AddTransition,
    Edit,
    RefusedEditError,
    RemoveAction,
    RemoveTransition,
    RenameEvent,
    RenameState,
    Retarget,
    SetParameter,
)

CALM = """\
from fsmkit import Fsm
from actions import TimedWait


def build():
    fsm = Fsm("Guard")
    patrol, rest, sit, run = map(fsm.add_state, ("Patrol", "Rest", "Sit", "Run"))
    at_ease = (patrol, rest)
    for calm in (*at_ease, sit):
        calm.add_action(TimedWait(1.0))
        calm.add_transition("SEEN", run)
    for calm in at_ease:
        calm.add_transition("NAP", rest)  # as long as it is dark
    return fsm
"""

ROWS: list[tuple[Edit, list[str]]] = [
    (
        Retarget("Sit", "SEEN", "Rest"),
        [
            "-    for calm in (*at_ease, sit):",
            "+    for calm in (patrol, rest):",
            "+    sit.add_action(TimedWait(1.0))",
            '+    sit.add_transition("SEEN", rest)',
        ],
    ),
    (
        RemoveTransition("Patrol", "SEEN"),
        [
            "-    for calm in (*at_ease, sit):",
            "+    patrol.add_action(TimedWait(1.0))",
            "+    for calm in (rest, sit):",
        ],
    ),
    (
        RemoveAction("Rest", 0),
        [
            "-    for calm in (*at_ease, sit):",
            "+    for calm in (patrol, sit):",
            '+    rest.add_transition("SEEN", run)',
        ],
    ),
]


@pytest.mark.parametrize(("edit", "lines"), ROWS, ids=lambda each: str(each)[:50])
def test_the_row_of_one_state_is_written_out(opened: Any, edit: Edit, lines: list[str]) -> None:
    assert opened(CALM).diff(edit) == lines


def test_a_comment_in_a_loop_of_two_rows_is_not_lost(opened: Any) -> None:
    """The loop would go, and its comment with it: it stays, and the edit is refused."""
    refusal = "built by the loop there, which builds 2 transitions"
    with pytest.raises(RefusedEditError, match=refusal):
        opened(CALM).editor.proposed(Retarget("Patrol", "NAP", "Sit"))


def test_a_loop_over_two_rows_becomes_their_lines(opened: Any) -> None:
    desk = opened(CALM.replace("  # as long as it is dark", ""))
    assert desk.diff(Retarget("Patrol", "NAP", "Sit")) == [
        "-    for calm in at_ease:",
        '-        calm.add_transition("NAP", rest)',
        '+    patrol.add_transition("NAP", sit)',
        '+    rest.add_transition("NAP", rest)',
    ]


TABLES = """\
from fsmkit import Fsm
from actions import TimedWait

SECONDS = {"Red": 3.0, "Green": 4.0, "Blue": -0.0}
ARROWS = (
    ("Red", "GO", "Green"),  # at last
    ("Green", "STOP", "Red"),
    ("Blue", "STOP", "Red"),
)


def build():
    fsm = Fsm("Light")
    for name, seconds in SECONDS.items():
        fsm.add_state(name).add_action(TimedWait(seconds))
    for source, event, target in ARROWS:
        fsm.states[source].add_transition(event, target)
    return fsm
"""

IN_TABLES: list[tuple[Edit, list[str]]] = [
    (
        SetParameter("Green", "0", "duration", 5.0),
        [
            '-SECONDS = {"Red": 3.0, "Green": 4.0, "Blue": -0.0}',
            '+SECONDS = {"Red": 3.0, "Green": 5.0, "Blue": -0.0}',
        ],
    ),
    (
        SetParameter("Blue", "0", "duration", 1.0),
        [
            '-SECONDS = {"Red": 3.0, "Green": 4.0, "Blue": -0.0}',
            '+SECONDS = {"Red": 3.0, "Green": 4.0, "Blue": 1.0}',
        ],
    ),
    (
        Retarget("Green", "STOP", "Blue"),
        ['-    ("Green", "STOP", "Red"),', '+    ("Green", "STOP", "Blue"),'],
    ),
    (
        RenameEvent("Blue", "STOP", "HALT"),
        ['-    ("Blue", "STOP", "Red"),', '+    ("Blue", "HALT", "Red"),'],
    ),
    (RemoveTransition("Blue", "STOP"), ['-    ("Blue", "STOP", "Red"),']),
]


@pytest.mark.parametrize(("edit", "lines"), IN_TABLES, ids=lambda each: str(each)[:50])
def test_a_table_is_changed_where_it_stands(opened: Any, edit: Edit, lines: list[str]) -> None:
    assert opened(TABLES).diff(edit) == lines


def test_a_table_with_a_type_is_a_table(opened: Any) -> None:
    desk = opened(TABLES.replace("ARROWS =", "ARROWS: tuple[tuple[str, str, str], ...] ="))
    assert desk.diff(RemoveTransition("Blue", "STOP")) == ['-    ("Blue", "STOP", "Red"),']
    assert desk.diff(RenameEvent("Green", "STOP", "HALT"))[-1] == '+    ("Green", "HALT", "Red"),'


def test_a_renamed_state_is_renamed_in_the_tables_that_name_it(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm

        def build():
            fsm = Fsm("Order")
            for name in ("Open", "Paid", "Sent"):
                fsm.add_state(name, final=name in ("Sent",))
            for name, event, after in [("Open", "PAY", "Paid"), ("Paid", "SEND", "Sent")]:
                fsm.states[name].add_transition(event, after)
            return fsm
        """
    )
    assert desk.diff(RenameState("Sent", "Shipped")) == [
        '-    for name in ("Open", "Paid", "Sent"):',
        '-        fsm.add_state(name, final=name in ("Sent",))',
        '-    for name, event, after in [("Open", "PAY", "Paid"), ("Paid", "SEND", "Sent")]:',
        '+    for name in ("Open", "Paid", "Shipped"):',
        '+        fsm.add_state(name, final=name in ("Shipped",))',
        '+    for name, event, after in [("Open", "PAY", "Paid"), ("Paid", "SEND", "Shipped")]:',
    ]


def test_a_line_is_added_below_the_loop_that_makes_what_it_names(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm

        def build():
            fsm = Fsm("Door")
            shut, ajar = fsm.add_state("Shut"), fsm.add_state("Ajar")
            shut.add_transition("PUSH", ajar)
            for name in ("Broken", "Gone"):
                fsm.add_state(name, final=True)
            broken, gone = [*fsm.states.values()][2:]
            return fsm
        """
    )
    assert desk.diff(AddTransition("Shut", "KICK", "Broken"))[0].startswith("+    shut.add_trans")
    added = desk.write(AddTransition("Shut", "KICK", "Gone")).splitlines()
    assert added[-2] == '    shut.add_transition("KICK", gone)'
    late = desk.editor.proposed(AddState("Late"))
    assert late.after.decode().splitlines()[-2] == '    late = fsm.add_state("Late")'


def test_an_arrow_moves_below_the_line_that_makes_its_new_target(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm

        def build():
            fsm = Fsm("Door")
            shut, ajar = fsm.add_state("Shut"), fsm.add_state("Ajar")
            shut.add_transition("PUSH", ajar)  # gently
            ajar.add_transition("PUSH", shut)
            for name in ("Broken", "Gone"):
                fsm.add_state(name, final=True)
            return fsm
        """
    )
    assert desk.diff(Retarget("Shut", "PUSH", "Gone")) == [
        '-    shut.add_transition("PUSH", ajar)  # gently',
        '+    shut.add_transition("PUSH", "Gone")  # gently',
    ]
    assert desk.write(Retarget("Shut", "PUSH", "Gone")).splitlines()[-2] == (
        '    shut.add_transition("PUSH", "Gone")  # gently'
    )


def test_the_order_of_states_stays_since_a_machine_begins_with_the_first(opened: Any) -> None:
    desk = opened(
        """\
        from fsmkit import Fsm
        from actions import TimedWait

        def build():
            fsm = Fsm("Lights")
            for name in ("Red", "Green", "Blue"):
                fsm.add_state(name).add_action(TimedWait(1.0))
            return fsm
        """
    )
    with pytest.raises(RefusedEditError, match="built by the loop there, which builds 3 actions"):
        desk.editor.proposed(RemoveAction("Green", 0))
    assert desk.diff(RemoveAction("Blue", 0)) == [
        '-    for name in ("Red", "Green", "Blue"):',
        '+    for name in ("Red", "Green"):',
        '+    fsm.add_state("Blue")',
    ]

"""Actions inside others: a composite is written with its first action, and more are added to it."""

from typing import Any

import pytest

from fsmkit.editing import AddAction, MoveAction, RefusedEditError, RemoveAction, SetParameter

COOK = """\
from fsmkit import Fsm
from actions import Log, Option, Race, Selector, Sequence, TimedWait

STEPS = [Log("one"), Log("two")]


def build():
    cook = Fsm("Cook")
    boil = cook.add_state("Boil")
    boil.add_action(Sequence(Log("on"), TimedWait(3.0), finish_event="DONE"))
    boil.add_action(
        Race(
            TimedWait(1.0),
            Sequence(
                Log("stir"),
                Log("taste"),  # with care
            ),
        )
    )
    boil.add_action(Sequence(*STEPS))
    boil.add_action(Selector(Option(TimedWait(9.0)), Option(Log("b"), when=bool)))
    boil.add_action(Sequence(finish_event="LATE"))
    return cook
"""

BARE = """\
from fsmkit import Fsm


def build():
    cook = Fsm("Cook")
    boil = cook.add_state("Boil")
    return cook
"""


def waiting(**where: Any) -> AddAction:
    return AddAction("Boil", "TimedWait", {"duration": 2.0}, **where)


def test_a_composite_is_written_with_its_first_action_and_both_are_imported(opened: Any) -> None:
    assert opened(BARE).diff(waiting(within="Sequence")) == [
        "+from actions import Sequence, TimedWait",
        "+    boil.add_action(Sequence(TimedWait(2.0)))",
    ]
    assert opened(BARE, name="other.py").diff(waiting(within="Selector")) == [
        "+from actions import Option, Selector, TimedWait",
        "+    boil.add_action(Selector(Option(TimedWait(2.0))))",
    ]


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (
            waiting(inside="0"),
            'Log("on"), TimedWait(3.0), TimedWait(2.0), finish_event="DONE"',
        ),
        (
            waiting(inside="0", at=0),
            'TimedWait(2.0), Log("on"), TimedWait(3.0), finish_event="DONE"',
        ),
        (
            waiting(inside="0", within="Race", at=1),
            'Log("on"), Race(TimedWait(2.0)), TimedWait(3.0), finish_event="DONE"',
        ),
        (MoveAction("Boil", "0/1", 0), 'TimedWait(3.0), Log("on"), finish_event="DONE"'),
        (RemoveAction("Boil", "0/0"), 'TimedWait(3.0), finish_event="DONE"'),
        (RemoveAction("Boil", "0/1"), 'Log("on"), finish_event="DONE"'),
        (
            SetParameter("Boil", "0", "finish_event", "READY"),
            'Log("on"), TimedWait(3.0), finish_event="READY"',
        ),
    ],
    ids=str,
)
def test_the_actions_of_a_composite_are_edited_in_its_call(
    opened: Any, edit: Any, lines: str
) -> None:
    desk = opened(COOK)
    assert f"    boil.add_action(Sequence({lines}))\n" in desk.write(edit)
    desk.editor.undo()
    assert desk.path.read_text() == COOK


def test_where_each_stands_on_a_line_of_its_own_a_new_one_does_too(opened: Any) -> None:
    assert opened(COOK).diff(waiting(inside="1/1", at=1)) == ["+                TimedWait(2.0),"]
    assert opened(COOK, name="other.py").diff(waiting(inside="1")) == [
        "+            TimedWait(2.0),"
    ]


def test_options_are_added_moved_and_removed_with_their_conditions(opened: Any) -> None:
    desk = opened(COOK)
    assert desk.diff(waiting(inside="3", at=0)) == [
        '-    boil.add_action(Selector(Option(TimedWait(9.0)), Option(Log("b"), when=bool)))',
        (
            "+    boil.add_action(Selector(Option(TimedWait(2.0)), Option(TimedWait(9.0)), "
            'Option(Log("b"), when=bool)))'
        ),
    ]
    assert desk.diff(MoveAction("Boil", "3/0", 1))[1] == (
        '+    boil.add_action(Selector(Option(Log("b"), when=bool), Option(TimedWait(9.0))))'
    )
    assert desk.diff(RemoveAction("Boil", "3/0"))[1] == (
        '+    boil.add_action(Selector(Option(Log("b"), when=bool)))'
    )
    assert desk.diff(SetParameter("Boil", "3/0", "duration", 7.0))[1] == (
        '+    boil.add_action(Selector(Option(TimedWait(7.0)), Option(Log("b"), when=bool)))'
    )


def test_an_empty_composite_gets_its_first_action(opened: Any) -> None:
    assert opened(COOK).diff(waiting(inside="4"))[1] == (
        '+    boil.add_action(Sequence(TimedWait(2.0), finish_event="LATE"))'
    )


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (waiting(inside="2"), "house.py:20: the actions of Sequence are computed."),
        (RemoveAction("Boil", "2/0"), "house.py:20: the actions of Sequence are computed."),
        (waiting(inside="0/1"), "TimedWait does not take any number of actions."),
        (waiting(inside="7"), "'Boil' has no action 7; it has 0, 0/0, 0/1, 1, 1/0, 1/1, 1/1/0, "),
        (waiting(within="Timeout"), "Timeout is not made of actions alone."),
        (waiting(within="Log"), "Log is not made of actions alone."),
        (waiting(within="Sequenz"), "there is no action 'Sequenz' (did you mean 'Sequence'?)."),
        (MoveAction("Boil", "0/0", 5), "house.py:10: Sequence has 2 actions, counted from 0."),
        (MoveAction("Boil", "1/1/0", 1), "house.py:14: a comment stands among the actions."),
        (RemoveAction("Boil", "1/1/1"), "house.py:14: a comment stands among the actions."),
        (RemoveAction("Boil", "0/5"), "'Boil' has no action 0/5; it has"),
    ],
    ids=str,
)
def test_other_edits_of_composites_are_refused(opened: Any, edit: Any, reason: str) -> None:
    with pytest.raises(RefusedEditError) as refused:
        opened(COOK).editor.proposed(edit)
    assert str(refused.value).startswith(reason)
    assert str(refused.value).endswith(reason) or reason.endswith((", ", "has"))


def test_the_last_action_of_a_composite_is_not_removed_alone(opened: Any) -> None:
    desk = opened(BARE)
    desk.write(waiting(within="Sequence"))
    with pytest.raises(RefusedEditError, match="it is the last action of Sequence; remove that"):
        desk.editor.proposed(RemoveAction("Boil", "0/0"))
    desk.write(RemoveAction("Boil", 0))

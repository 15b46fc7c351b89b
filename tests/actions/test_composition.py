"""Sequence, Parallel, Race, Repeat, Timeout, When: order, finishing, mirrored exits."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import Parallel, Race, Repeat, Sequence, TimedWait, Timeout, When
from fsmkit import ERROR, FINISHED, ActionOwnershipError, Fsm, FsmAction
from fsmkit.testing import Probe


class Count(FsmAction):
    """Finishes after a number of updates; 0 on enter, None never."""

    def __init__(self, name: str, updates: int | None, journal: list[str]) -> None:
        self.name = name
        self.updates = updates
        self.journal = journal

    def on_enter(self) -> None:
        self.journal.append(f"enter {self.name}")
        self.left = self.updates
        if self.left == 0:
            self.finish()

    def on_update(self) -> None:
        self.journal.append(f"update {self.name}")
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                self.finish()

    def on_exit(self) -> None:
        self.journal.append(f"exit {self.name}")


class Oops(Exception):
    pass


def fail(_probe: Probe) -> None:
    raise Oops


def run(action: FsmAction, *, updates: int = 0) -> Fsm:
    """A machine that runs `action` in Work and goes to Done when it has finished."""
    fsm = Fsm("M")
    work = fsm.add_state("Work")
    work.add_transition(FINISHED, fsm.add_state("Done"))
    work.add_transition("GO", fsm.add_state("Gone"))
    work.add_action(action)
    fsm.start()
    for _ in range(updates):
        fsm.update(1)
    return fsm


def test_a_sequence_leaves_each_before_it_enters_the_next() -> None:
    journal: list[str] = []
    a, b, c = (Count(name, n, journal) for name, n in (("a", 1), ("b", 0), ("c", 2)))
    fsm = run(Sequence(a, b, c), updates=3)
    assert journal == [
        "enter a", "update a", "exit a", "enter b", "exit b", "enter c",
        "update c", "update c", "exit c",
    ]  # fmt: skip
    assert fsm.current_state.name == "Done"


def test_a_parallel_waits_for_all() -> None:
    journal: list[str] = []
    fsm = run(Parallel(Count("a", 1, journal), Count("b", 2, journal)), updates=2)
    assert journal == [
        "enter a", "enter b", "update a", "update b", "update b", "exit a", "exit b",
    ]  # fmt: skip
    assert fsm.current_state.name == "Done"


def test_a_race_ends_with_the_first_and_leaves_all() -> None:
    journal: list[str] = []
    fsm = run(
        Race(Count("a", None, journal), Count("b", 1, journal), Count("c", None, journal)),
        updates=1,
    )
    assert journal == [
        "enter a", "enter b", "enter c", "update a", "update b", "exit a", "exit b", "exit c",
    ]  # fmt: skip
    assert fsm.current_state.name == "Done"


def test_in_a_race_that_is_won_on_enter_the_others_do_not_start() -> None:
    journal: list[str] = []
    run(Race(Count("a", None, journal), Count("b", 0, journal), Count("c", None, journal)))
    assert journal == ["enter a", "enter b", "exit a", "exit b"]


def test_repeat_makes_one_round_after_the_other() -> None:
    journal: list[str] = []
    fsm = run(Repeat(Count("a", 1, journal), times=2), updates=2)
    assert journal == ["enter a", "update a", "exit a", "enter a", "update a", "exit a"]
    assert fsm.current_state.name == "Done"


@pytest.mark.parametrize(("times", "updates"), [(0, 0), (1, 0), (3, 2)])
def test_rounds_of_an_action_that_finishes_on_enter_follow_by_updates(
    times: int, updates: int
) -> None:
    journal: list[str] = []
    fsm = run(Repeat(Count("a", 0, journal), times=times), updates=updates)
    assert fsm.current_state.name == "Done"
    assert journal == ["enter a", "exit a"] * times


def test_repeat_for_ever_cannot_hang_the_machine() -> None:
    journal: list[str] = []
    fsm = run(Repeat(Count("a", 0, journal)), updates=50)
    assert fsm.current_state.name == "Work"
    assert journal[-3:] == ["enter a", "exit a", "enter a"]


def test_a_timeout_that_runs_out_leaves_the_action_and_sends_its_event() -> None:
    journal: list[str] = []
    fsm = run(Timeout(Count("a", None, journal), 2.0, "GO"), updates=2)
    assert journal == ["enter a", "update a", "update a", "exit a"]
    assert (fsm.current_state.name, fsm.last_event) == ("Gone", "GO")


def test_a_timeout_without_event_just_finishes() -> None:
    assert run(Timeout(TimedWait(9.0), 1.0), updates=1).current_state.name == "Done"


def test_an_action_that_finishes_in_time_ends_its_timeout() -> None:
    fsm = run(Timeout(TimedWait(2.0), 2.0, "GO"), updates=2)
    assert (fsm.current_state.name, fsm.last_event) == ("Done", FINISHED)


def test_a_timeout_of_zero_runs_out_on_enter_unless_the_action_finishes_there() -> None:
    assert run(Timeout(TimedWait(1.0), 0.0, "GO")).current_state.name == "Gone"
    assert run(Timeout(TimedWait(0.0), 0.0, "GO")).current_state.name == "Done"


@pytest.mark.parametrize(("holds", "expected"), [(True, ["enter a"]), (False, [])])
def test_when_runs_its_action_only_if_the_predicate_holds(holds: bool, expected: list[str]) -> None:
    journal: list[str] = []
    fsm = run(When(lambda _state: holds, Count("a", None, journal)))
    assert journal == expected
    assert fsm.current_state.name == ("Work" if holds else "Done")


def test_disabled_children_take_no_part() -> None:
    journal: list[str] = []
    for composite in (Sequence, Parallel, Race):
        children = [Count(name, 0, journal) for name in "ab"]
        children[0].enabled = False
        run(composite(*children))
    assert journal == ["enter b", "exit b"] * 3


@pytest.mark.parametrize("composite", [Sequence, Parallel, Race])
def test_without_children_it_finishes_on_enter(composite: type[Any]) -> None:
    assert run(composite()).current_state.name == "Done"


@pytest.mark.parametrize("composite", [Sequence, Parallel, Race])
def test_the_finish_event_is_sent(composite: type[Any]) -> None:
    fsm = run(composite(Count("a", 1, []), finish_event="GO"), updates=1)
    assert fsm.current_state.name == "Gone"


def test_a_child_that_decides_a_change_on_enter_keeps_the_others_out() -> None:
    journal: list[str] = []
    for composite in (Sequence, Parallel, Race):
        children = (
            Count("a", 0, journal),
            Probe("b", journal, on_enter="GO"),
            Count("c", 0, journal),
        )
        run(composite(*children) if composite is not Race else composite(*children[1:]))
    assert journal == [
        "enter a", "exit a", "enter b", "exit b",
        "enter a", "enter b", "exit a", "exit b",
        "enter b", "exit b",
    ]  # fmt: skip


def test_a_child_that_fails_on_enter_was_not_entered_but_those_before_it_are_exited() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    fsm.add_state("A").add_action(
        Parallel(
            Count("a", None, journal), Probe("b", journal, on_enter=fail), Count("c", 0, journal)
        )
    )
    with pytest.raises(Oops) as raised:
        fsm.start()
    fsm.stop()
    assert journal == ["enter a", "enter b", "exit a"]
    assert raised.value.__notes__ == [
        "Parallel.children[1] (Probe), on_enter",
        "Fsm 'M', state 'A', actions[0] (Parallel), on_enter",
    ]


def test_all_children_are_exited_even_if_one_of_them_fails() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Parallel(*(Probe(name, journal, on_exit=fail) for name in "abc")))
    fsm.start()
    with pytest.raises(ExceptionGroup, match="several children failed") as raised:
        fsm.stop()
    assert journal[3:] == ["exit a", "exit b", "exit c"]
    assert len(raised.value.exceptions) == 3


def test_what_one_child_raises_on_exit_is_raised_itself() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    broken = Probe("b", journal, on_exit=fail)
    fsm.add_state("A").add_action(Parallel(Probe("a", journal), broken, Probe("c", journal)))
    fsm.start()
    with pytest.raises(Oops) as raised:
        fsm.stop()
    assert journal[3:] == ["exit a", "exit b", "exit c"]
    assert raised.value.__notes__ == [
        "Parallel.children[1] (Probe), on_exit",
        "Fsm 'M', state 'A', actions[0] (Parallel), on_exit",
    ]


def test_after_an_enter_that_fails_those_of_the_exits_follow_its_own() -> None:
    journal: list[str] = []
    fsm = Fsm("M")
    together = fsm.add_state("A").add_action(
        Parallel(
            Probe("a", journal, on_exit=fail),
            Probe("b", journal, on_exit=fail),
            Probe("c", journal, on_enter=fail),
        )
    )
    with pytest.raises(ExceptionGroup, match="Parallel: several children failed") as raised:
        fsm.start()
    fsm.stop()
    assert journal == ["enter a", "enter b", "enter c", "exit a", "exit b"]
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["Parallel.children[2] (Probe), on_enter"],
        ["Parallel.children[0] (Probe), on_exit"],
        ["Parallel.children[1] (Probe), on_exit"],
    ]
    assert raised.value.__notes__ == ["Fsm 'M', state 'A', actions[0] (Parallel), on_enter"]
    assert together.entered == []


@pytest.mark.parametrize("exits", [None, fail])
def test_no_error_of_a_child_pretends_to_come_from_another(exits: Any) -> None:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(
        Parallel(Probe("a", [], on_exit=exits), Probe("b", [], on_enter=fail))
    )
    with pytest.raises((Oops, ExceptionGroup)) as raised:
        fsm.start()
    for error in (raised.value, *getattr(raised.value, "exceptions", ())):
        assert (error.__context__, error.__suppress_context__) == (None, False)


def test_while_the_children_are_exited_those_still_to_come_are_present() -> None:
    present: list[list[int]] = []
    fsm = Fsm("M")
    together = Parallel(
        *(Probe(name, [], on_exit=lambda _: present.append([*together.entered])) for name in "abc")
    )
    fsm.add_state("A").add_action(together)
    fsm.start()
    fsm.stop()
    assert present == [[1, 2], [2], []]


def test_an_action_that_exits_its_children_exits_each_that_was_entered_once() -> None:
    class Both(FsmAction):
        def __init__(self, *children: FsmAction) -> None:
            self.some = children

        @property
        def children(self) -> tuple[FsmAction, ...]:
            return self.some

        def on_enter(self) -> None:
            for child in reversed(self.some[:2]):
                self.enter_child(child)

        def on_exit(self) -> None:
            self.exit_children()
            self.exit_children()

    journal: list[str] = []
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Both(*(Probe(name, journal) for name in "abc")))
    fsm.start()
    fsm.stop()
    assert journal == ["enter b", "enter a", "exit a", "exit b"]


def test_an_error_of_a_child_becomes_the_event_error() -> None:
    fsm = Fsm("M")
    work = fsm.add_state("Work")
    work.add_transition(ERROR, fsm.add_state("Broken"))
    work.add_action(Sequence(Probe("a", [], on_update=fail)))
    fsm.start()
    fsm.update(1)
    assert fsm.current_state.name == "Broken"


def test_the_exit_of_a_child_may_not_change_the_state_even_in_an_update() -> None:
    fsm = Fsm("M")
    work = fsm.add_state("Work")
    work.add_transition("GO", fsm.add_state("Gone"))
    work.add_action(Sequence(Probe("a", [], on_update=Probe.finish, on_exit="GO"), TimedWait(1)))
    fsm.start()
    with pytest.raises(Exception, match="from an on_exit"):
        fsm.update(1)
    assert fsm.current_state is work
    fsm.update(1)
    assert work.actions[0].finished


def test_events_reach_the_children_that_are_there() -> None:
    journal: list[str] = []
    a = Probe("a", journal, takes=("HELLO",))
    b = Probe("b", journal, takes=("HELLO",))
    fsm = run(Sequence(a, b))
    journal.clear()
    assert fsm.send_event("HELLO")
    a.finish()
    fsm.update(1)
    assert fsm.send_event("HELLO")
    assert journal == ["a takes HELLO", "exit a", "enter b", "b takes HELLO"]


def test_children_may_not_belong_to_anybody_else() -> None:
    fsm = Fsm("M")
    state = fsm.add_state("A")
    shared = TimedWait(1)
    with pytest.raises(ActionOwnershipError, match="runs the same action twice"):
        state.add_action(Sequence(shared, shared))
    state.add_action(Sequence(shared))
    with pytest.raises(ActionOwnershipError, match="belongs to"):
        state.add_action(shared)
    with pytest.raises(ActionOwnershipError, match="belongs to"):
        state.add_action(Parallel(shared))
    assert len(state.actions) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Sequence([TimedWait(1)]),  # type: ignore[arg-type]
        lambda: Repeat(TimedWait),  # type: ignore[arg-type]
        lambda: Timeout("x", 1.0),  # type: ignore[arg-type]
        lambda: When(lambda _state: True, None),  # type: ignore[arg-type]
    ],
)
def test_only_actions_can_be_composed(make: Callable[[], FsmAction]) -> None:
    with pytest.raises(
        TypeError, match="each action must be an instance of FsmAction, got .*one after another"
    ):
        make()


leaves = st.tuples(st.just("leaf"), st.sampled_from([0, 1, 2, 3, None]))
trees = st.recursive(
    leaves,
    lambda children: st.one_of(
        st.tuples(
            st.sampled_from(["sequence", "parallel", "race"]), st.lists(children, max_size=3)
        ),
        st.tuples(st.just("repeat"), children, st.sampled_from([None, 0, 1, 2])),
        st.tuples(st.just("timeout"), children, st.sampled_from([0.0, 1.0, 2.0])),
        st.tuples(st.just("when"), children, st.booleans()),
    ),
    max_leaves=8,
)


def plant(tree: Any, journal: list[str]) -> FsmAction:
    kind, first, *rest = tree
    if kind == "leaf":
        return Count(str(id(tree)) + str(len(journal)), first, journal)
    if kind in ("sequence", "parallel", "race"):
        children = [plant(child, journal) for child in first]
        return {"sequence": Sequence, "parallel": Parallel, "race": Race}[kind](*children)
    child = plant(first, journal)
    if kind == "repeat":
        return Repeat(child, times=rest[0])
    if kind == "timeout":
        return Timeout(child, rest[0])
    return When(lambda _state: rest[0], child)


def leaves_of(action: FsmAction) -> list[Count]:
    if isinstance(action, Count):
        return [action]
    return [leaf for child in action.children for leaf in leaves_of(child)]


@given(tree=trees, updates=st.integers(0, 6), leave=st.sampled_from(["GO", "stop"]))
def test_every_exit_mirrors_its_enter_in_every_composition(
    tree: Any, updates: int, leave: str
) -> None:
    journal: list[str] = []
    action = plant(tree, journal)
    for number, leaf in enumerate(leaves_of(action)):
        leaf.name = str(number)
    fsm = Fsm("M")
    work, rest = fsm.add_state("Work"), fsm.add_state("Rest")
    work.add_action(action)
    work.add_transition("GO", rest)
    journals = []
    for _visit in range(2):
        fsm.start()
        for _ in range(updates):
            fsm.update(1)
        finished = action.finished
        fsm.send_event("GO") if leave == "GO" else fsm.stop()
        journals.append((list(journal), finished))
        check_mirrored(journal)
        journal.clear()
    assert journals[0] == journals[1], "a second visit is like the first"


def check_mirrored(journal: list[str]) -> None:
    present: set[str] = set()
    for line in journal:
        callback, name = line.split()
        if callback == "enter":
            assert name not in present
            present.add(name)
        else:
            assert name in present
        if callback == "exit":
            present.remove(name)
    assert not present

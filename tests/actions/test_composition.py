"""Sequence, Parallel, Race, Repeat, Timeout, When: order, finishing, mirrored exits."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import Parallel, Race, Repeat, Sequence, TimedWait, Timeout, When
from fsmkit import FINISHED, ActionOwnershipError, Fsm, FsmAction
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


def test_a_parallel_finishes_when_as_many_as_are_needed_have() -> None:
    journal: list[str] = []
    parallel = Parallel(
        *(Count(n, u, journal) for n, u in (("a", 1), ("b", None), ("c", 2))), needed=2
    )
    fsm = run(Sequence(parallel, TimedWait(1)), updates=1)
    assert not parallel.finished
    run_so_far = len(journal)
    fsm.update(1)
    assert journal[run_so_far:] == ["update b", "update c", "exit a", "exit b", "exit c"]


def test_those_that_are_not_needed_stay_entered_until_the_state_is_exited() -> None:
    journal: list[str] = []
    fsm = run(Parallel(Count("a", 1, journal), Count("b", None, journal), needed=1), updates=1)
    assert journal == ["enter a", "enter b", "update a", "exit a", "exit b"]
    assert fsm.current_state.name == "Done"


def test_all_are_entered_even_if_enough_of_them_finish_on_enter() -> None:
    journal: list[str] = []
    parallel = Parallel(Count("a", 0, journal), Count("b", None, journal), needed=1)
    run(parallel)
    assert journal == ["enter a", "enter b", "exit a", "exit b"]


def test_where_fewer_take_part_than_are_needed_all_of_them_are() -> None:
    parallel = Parallel(TimedWait(1), TimedWait(2), TimedWait(3), needed=2)
    parallel.actions[0].enabled = parallel.actions[2].enabled = False
    fsm = run(parallel, updates=1)
    assert fsm.current_state.name == "Work"
    fsm.update(1)
    assert fsm.current_state.name == "Done"


@pytest.mark.parametrize(
    ("needed", "kind"),
    [(0, ValueError), (3, ValueError), (-1, ValueError), (True, TypeError), (1.0, TypeError)],
)
def test_no_parallel_can_need_what_it_does_not_have(needed: Any, kind: type[Exception]) -> None:
    message = f"Parallel: needed must be an integer from 1 to 2, got {needed!r}."
    with pytest.raises(kind, match=message):
        Parallel(TimedWait(1), TimedWait(2), needed=needed)


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


def test_an_event_that_no_child_listens_to_makes_no_round() -> None:
    journal: list[str] = []
    fsm = run(Repeat(Count("a", 0, journal)))
    fsm.on_unhandled = "ignore"
    fsm.send_event("HELLO")
    assert journal == ["enter a"]


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


def names(probes: Iterable[Any]) -> list[str]:
    return [probe.name for probe in probes]


def test_while_the_children_are_exited_those_still_to_come_are_present() -> None:
    present: list[list[str]] = []
    fsm = Fsm("M")
    together = Parallel(
        *(
            Probe(name, [], on_exit=lambda _: present.append(names(together.present)))
            for name in "abc"
        )
    )
    fsm.add_state("A").add_action(together)
    fsm.start()
    fsm.stop()
    assert present == [["b", "c"], ["c"], []]


def test_an_action_that_exits_its_children_exits_each_that_was_entered_once() -> None:
    class Both(FsmAction):
        def __init__(self, *children: FsmAction) -> None:
            self.some = children

        @property
        def children(self) -> tuple[FsmAction, ...]:
            return self.some

        def on_enter(self) -> None:
            for child in reversed(self.some[:2]):
                self.nested.enter(child)

        def on_exit(self) -> None:
            self.nested.exit_all()
            self.nested.exit_all()

    journal: list[str] = []
    fsm = Fsm("M")
    fsm.add_state("A").add_action(Both(*(Probe(name, journal) for name in "abc")))
    fsm.start()
    fsm.stop()
    assert journal == ["enter b", "enter a", "exit a", "exit b"]


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
        TypeError, match="each action must be an instance of FsmAction, got .*as separate arguments"
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


@pytest.mark.slow
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


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_composite_may_update_its_children_in_a_way_of_its_own(count: int) -> None:
    journal: list[str] = []

    class Told(Parallel):
        def update_child(self, child: FsmAction, left: float | None = None) -> None:
            journal.append("to come")
            super().update_child(child, left)

    run(Told(*(Count(str(i), 2, journal) for i in range(count))), updates=1)
    updates = [["to come", f"update {i}"] for i in range(count)]
    assert journal == [f"enter {i}" for i in range(count)] + [
        each for two in updates for each in two
    ]


def test_of_several_those_after_one_that_changes_the_state_are_not_updated() -> None:
    journal: list[str] = []
    parts = Probe("eyes", journal), Probe("mouth", journal, on_update="GO"), Probe("legs", journal)
    fsm = run(Parallel(*parts), updates=1)
    assert journal == [
        *("enter eyes", "enter mouth", "enter legs", "update eyes", "update mouth"),
        *("exit eyes", "exit mouth", "exit legs"),
    ]
    assert fsm.current_state is fsm.states["Gone"]


def test_of_several_the_one_that_fails_is_named_and_the_rest_wait_for_the_next_update() -> None:
    journal: list[str] = []

    def fail(_: Probe) -> None:
        journal.append("fail")
        raise ValueError("a stair too many")

    fsm = run(
        Parallel(Probe("eyes", journal), Probe("feet", [], on_update=fail), Count("c", 1, journal))
    )
    journal.clear()
    with pytest.raises(ValueError, match="a stair too many") as raised:
        fsm.update(1)
    assert raised.value.__notes__[0] == "Parallel.children[1] (Probe), on_update"
    assert journal == ["update eyes", "fail"]


def test_of_several_those_after_one_that_finishes_the_composite_are_not_updated() -> None:
    journal: list[str] = []
    both: Parallel = Parallel(
        Probe("eyes", journal, on_update=lambda _: both.finish()), Probe("legs", journal)
    )
    run(both, updates=1)
    assert journal == ["enter eyes", "enter legs", "update eyes", "exit eyes", "exit legs"]

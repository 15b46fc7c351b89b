"""ForEach: an action for each of several items, one after another."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import partial
from typing import Any

import pytest

from actions import DelegateAction, ForEach, Race, RunFsm, Sequence, TimedWait
from fsmkit import BACK, ERROR, FINISHED, ActionOwnershipError, Fsm, FsmAction, FsmState
from fsmkit.recording import SnapshotError, restore, snapshot
from fsmkit.testing import Probe, drive

Journal = list[str]


class Oops(Exception):
    pass


def fail(_probe: Probe) -> None:
    raise Oops


def machine(action: FsmAction, **options: Any) -> Fsm:
    """Work (with the action) -> Done on FINISHED and GO."""
    fsm = Fsm("M", on_unhandled="ignore", **options)
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    for event in (FINISHED, "GO"):
        work.add_transition(event, done)
    work.add_action(action)
    return fsm


def probes(journal: Journal, **reactions: Any) -> Callable[[str], Probe]:
    """Return what makes a probe for a name; it finishes in its first update."""
    return lambda name: Probe(name, journal, **{"on_update": Probe.finish, **reactions})


# One after another


def test_an_action_is_made_when_its_turn_comes_and_exited_before_the_next_is_made() -> None:
    journal: Journal = []

    def make(name: str) -> Probe:
        journal.append(f"make {name}")
        return Probe(name, journal, on_update=Probe.finish)

    fsm = machine(ForEach("ab", make))
    assert journal == []
    fsm.start()
    for _ in range(2):
        journal.append("-")
        fsm.update(0.1)
    assert journal == [
        "make a", "enter a", "-",
        "update a", "exit a", "make b", "enter b", "-",
        "update b", "exit b",
    ]  # fmt: skip
    assert fsm.current_state is fsm.states["Done"]


def test_actions_that_finish_on_enter_follow_each_other_at_once() -> None:
    journal: Journal = []
    fsm = machine(ForEach("abc", probes(journal, on_enter=Probe.finish)))
    fsm.start()
    assert journal == ["enter a", "exit a", "enter b", "exit b", "enter c", "exit c"]
    assert fsm.current_state is fsm.states["Done"]


def test_without_items_it_finishes_on_enter() -> None:
    each = ForEach((), TimedWait, finish_event="GO")
    fsm = machine(each)
    fsm.start()
    assert (fsm.last_event, each.index, each.item) == ("GO", 0, None)


def test_its_finish_event_is_sent_after_the_last_one() -> None:
    fsm = machine(ForEach([1.0, 1.0], TimedWait, finish_event="GO"))
    fsm.start()
    assert drive(fsm, [1.0, 1.0]) == [
        "update 1",
        "TimedWait finished",
        "TimedWait left",
        "TimedWait entered",
        "update 1",
        "TimedWait finished",
        "TimedWait left",
        "ForEach finished",
        "event GO: changed",
        "ForEach left",
        "leave Work",
        "enter Done",
    ]


def test_the_item_and_its_index_can_be_read() -> None:
    seen: list[object] = []
    each = ForEach(
        ["x", "y"],
        lambda item: DelegateAction(
            lambda: seen.append((each.index, each.item, item)),
            on_exit=lambda: seen.append((each.index, each.item)),
        ),
    )
    fsm = machine(each)
    fsm.start()
    assert seen == [(0, "x", "x"), (0, "x"), (1, "y", "y"), (1, "y")]
    assert (each.index, each.item, each.action) == (2, None, None)


def test_a_disabled_action_is_left_out() -> None:
    journal: Journal = []

    def make(name: str) -> Probe:
        probe = Probe(name, journal, on_enter=Probe.finish)
        probe.enabled = name != "b"
        return probe

    fsm = machine(ForEach("abc", make))
    fsm.start()
    assert journal == ["enter a", "exit a", "enter c", "exit c"]


def test_each_visit_begins_with_the_first_item() -> None:
    journal: Journal = []
    fsm = machine(ForEach("ab", probes(journal)))
    fsm.start()
    fsm.update(0.1)
    fsm.start()
    fsm.stop()
    assert journal == [
        "enter a", "update a", "exit a", "enter b", "exit b", "enter a", "exit a",
    ]  # fmt: skip


@pytest.mark.parametrize("takes_state", [True, False])
def test_a_function_returns_the_items_on_enter(takes_state: bool) -> None:
    journal: Journal = []
    names = ["a"]
    items: Any = (lambda state: iter(state.context)) if takes_state else (lambda: iter(names))
    fsm = machine(ForEach(items, probes(journal, on_enter=Probe.finish)), context=names)
    fsm.start()
    names.append("b")
    fsm.start("Work")
    assert journal == ["enter a", "exit a", "enter a", "exit a", "enter b", "exit b"]


def test_a_list_that_changes_meanwhile_counts_from_the_next_visit_on() -> None:
    names = ["a", "b"]
    journal: Journal = []
    fsm = machine(ForEach(names, probes(journal)))
    fsm.start()
    names[:] = ["c"]
    fsm.update(0.1)
    fsm.update(0.1)
    fsm.start("Work")
    fsm.stop()
    assert [line for line in journal if line.startswith("enter")] == [
        "enter a", "enter b", "enter c",
    ]  # fmt: skip


def test_what_is_left_of_an_update_goes_to_the_next_one_where_time_is_carried_over() -> None:
    times: list[float] = []

    def make(seconds: float) -> FsmAction:
        stamp = DelegateAction(lambda state: times.append(round(state.fsm.time, 9)))
        return Sequence(TimedWait(seconds), stamp)

    fsm = machine(ForEach([0.3, 0.3, 0.3], make), carry_time=True)
    fsm.start()
    fsm.update(1.0)
    assert times == [0.3, 0.6, 0.9]
    assert fsm.time_in_state == pytest.approx(0.1)


def test_the_same_action_may_be_made_again_and_is_free_in_the_end() -> None:
    wait = TimedWait(1.0)
    fsm = machine(ForEach(range(2), lambda _: wait))
    fsm.start()
    assert wait.state is fsm.states["Work"]
    fsm.update(1.0)
    fsm.update(1.0)
    assert fsm.current_state is fsm.states["Done"]
    assert wait.state is None
    fsm.states["Done"].add_action(wait)


# Exit, events, suspension


def test_the_action_is_exited_and_set_free_when_the_state_is_exited() -> None:
    journal: Journal = []
    made: list[Probe] = []

    def make(name: str) -> Probe:
        made.append(Probe(name, journal))
        return made[-1]

    fsm = machine(ForEach("ab", make))
    fsm.start()
    fsm.send_event("GO")
    assert journal == ["enter a", "exit a"]
    assert [probe.state for probe in made] == [None]


def test_an_action_that_changes_the_state_is_the_last_one() -> None:
    journal: Journal = []
    fsm = machine(ForEach("ab", probes(journal, on_enter="GO")))
    fsm.start()
    assert journal == ["enter a", "exit a"]


def test_a_make_that_changes_the_state_makes_nothing_that_is_entered() -> None:
    journal: Journal = []

    def make(name: str) -> Probe:
        journal.append(f"make {name}")
        fsm.send_event("GO")
        return Probe(name, journal)

    fsm = machine(ForEach("ab", make))
    fsm.start()
    assert journal == ["make a"]
    assert fsm.current_state is fsm.states["Done"]


def test_events_are_offered_to_the_action() -> None:
    journal: Journal = []
    fsm = machine(ForEach("ab", probes(journal, takes=["GO"])))
    fsm.start()
    assert fsm.send_event("GO")
    assert journal == ["enter a", "a takes GO"]
    assert fsm.current_state is fsm.states["Work"]


def test_an_action_that_finishes_by_an_event_makes_room_for_the_next() -> None:
    journal: Journal = []

    class Until(Probe):
        def on_event(self, event: str, data: object) -> bool:
            self.finish()
            return super().on_event(event, data)

    fsm = machine(ForEach("ab", lambda name: Until(name, journal, takes=["NEXT"])))
    fsm.start()
    fsm.send_event("NEXT")
    assert journal == ["enter a", "a takes NEXT", "exit a", "enter b"]


def test_the_next_is_not_made_inside_a_callback_of_the_one_before() -> None:
    journal: Journal = []

    class Caller(Probe):
        """Hears in on_update the event that it sends itself, and finishes by it."""

        def on_event(self, event: str, data: object) -> bool:
            self.finish()
            return event == "PING"

    def call(probe: Probe) -> None:
        probe.fsm.send_event("PING")
        journal.append(f"{probe.name} is back")

    fsm = machine(ForEach("ab", lambda name: Caller(name, journal, on_update=call)))
    fsm.start()
    fsm.update(0.1)
    assert journal == ["enter a", "update a", "a is back", "exit a", "enter b"]


def test_the_action_is_suspended_and_resumed() -> None:
    journal: Journal = []
    fsm = machine(ForEach("ab", probes(journal)))
    pause = fsm.add_state("Pause")
    fsm.states["Work"].add_transition("PAUSE", pause, suspend=True)
    pause.add_action(TimedWait(9.0))
    pause.add_transition("RESUME", BACK)
    fsm.start()
    for event in ("PAUSE", "RESUME"):
        fsm.send_event(event)
        fsm.update(0.1)
    assert journal == [
        "enter a", "suspend a", "resume a", "update a", "exit a", "enter b",
    ]  # fmt: skip


def test_it_may_be_made_by_another_one() -> None:
    journal: Journal = []
    fsm = machine(ForEach(["ab", "c"], lambda names: ForEach(names, probes(journal))))
    fsm.start()
    for _ in range(3):
        fsm.update(0.1)
    assert journal == [
        "enter a", "update a", "exit a", "enter b", "update b", "exit b",
        "enter c", "update c", "exit c",
    ]  # fmt: skip
    assert fsm.current_state is fsm.states["Done"]


def test_a_race_that_ends_exits_it_and_its_action() -> None:
    journal: Journal = []
    fsm = machine(Race(TimedWait(0.1), ForEach("ab", lambda name: Probe(name, journal))))
    fsm.start()
    fsm.update(0.1)
    assert journal == ["enter a", "exit a"]


# Errors


def test_an_action_that_fails_on_enter_is_not_exited_and_is_free() -> None:
    journal: Journal = []
    made: list[Probe] = []

    def make(name: str) -> Probe:
        made.append(Probe(name, journal, on_enter=fail))
        return made[-1]

    fsm = machine(ForEach("ab", make))
    with pytest.raises(Oops) as raised:
        fsm.start()
    fsm.stop()
    assert journal == ["enter a"]
    assert [probe.state for probe in made] == [None]
    assert raised.value.__notes__[0] == "ForEach.children[0] (Probe), on_enter"


def test_the_next_is_entered_although_one_fails_on_exit() -> None:
    journal: Journal = []
    fsm = machine(ForEach("ab", probes(journal, on_exit=fail)))
    fsm.start()
    with pytest.raises(Oops):
        fsm.update(0.1)
    assert journal == ["enter a", "update a", "exit a", "enter b"]
    with pytest.raises(Oops):
        fsm.update(0.1)
    fsm.update(0.1)
    assert fsm.current_state is fsm.states["Done"], "it finishes in the next update"


def test_an_error_of_make_leads_where_errors_lead() -> None:
    def make(name: str) -> Probe:
        raise Oops(name)

    fsm = machine(ForEach("ab", make))
    fsm.states["Work"].add_transition(ERROR, "Done")
    fsm.start()
    assert (fsm.current_state.name, str(fsm.event_data)) == ("Done", "a")


def test_what_make_returns_is_named_with_its_item() -> None:
    each = ForEach(["x", "y"], lambda item: TimedWait(0.0) if item == "x" else item)
    with pytest.raises(TypeError) as raised:
        machine(each).start()
    assert str(raised.value) == "ForEach: make must return an action, got 'y' for item 1, 'y'."


def test_an_action_that_belongs_to_a_state_is_refused() -> None:
    fsm = machine(ForEach("a", lambda _: fsm.states["Done"].actions[0]))
    fsm.states["Done"].add_action(TimedWait(1.0))
    with pytest.raises(ActionOwnershipError):
        fsm.start()
    fsm.stop()
    assert fsm.states["Done"].actions[0].state is fsm.states["Done"]


def test_a_function_that_returns_no_iterable_is_refused_on_enter() -> None:
    with pytest.raises(TypeError, match=r"^ForEach: items must return an iterable, got 5\."):
        machine(ForEach(lambda: 5, TimedWait)).start()  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("items", [5, None, iter("ab"), (name for name in "ab"), map(str, "ab")])
def test_items_that_can_be_gone_through_only_once_are_refused(items: Any) -> None:
    with pytest.raises(TypeError, match="^ForEach: items must be an iterable that can be iterated"):
        ForEach(items, TimedWait)


async def later(item: object) -> FsmAction:
    raise AssertionError


def steps(item: object) -> Iterator[FsmAction]:
    yield TimedWait(1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (TimedWait(1.0), "make must be a function, got TimedWait"),
        (later, "make must be a plain function, got <function later"),
        (partial(later), "make must be a plain function, got"),
        (steps, "make must be a plain function, got <function steps"),
        (lambda: TimedWait(1.0), r"make must take an item and nothing else, got .* \(too many"),
        (lambda a, b: TimedWait(a), r"make must take an item .*'b'\). Give the others defaults"),
    ],
)
def test_a_make_that_cannot_be_called_with_an_item_is_refused(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^ForEach: {message}"):
        ForEach("ab", make)


@pytest.mark.parametrize(
    "make",
    [
        TimedWait,
        partial(TimedWait),
        lambda item, more=1: TimedWait(item),
        lambda *items: TimedWait(items[0]),
    ],
)
def test_whatever_takes_an_item_will_do_as_make(make: Any) -> None:
    fsm = machine(ForEach([0.5], make))
    fsm.start()
    fsm.update(0.5)
    assert fsm.current_state is fsm.states["Done"]


# Copies and snapshots


def stamped(name: str) -> FsmAction:
    return Sequence(TimedWait(1.0), DelegateAction(partial(note, name)))


def note(name: str, state: FsmState[Journal]) -> None:
    state.context.append(name)


@pytest.mark.parametrize("copied", [deepcopy, lambda fsm: pickle.loads(pickle.dumps(fsm))])
def test_a_copy_goes_on_in_the_middle(copied: Callable[[Fsm], Fsm]) -> None:
    fsm = machine(ForEach("abc", stamped), context=[])
    fsm.start()
    fsm.update(1.5)
    copy = copied(fsm)
    for each in (fsm, copy):
        each.update(1.0)
        each.update(1.0)
        assert (each.context, each.current_state.name) == (["a", "b", "c"], "Done")


def thing_and_wait(items: Iterable[object]) -> Fsm:
    """A machine that waits on after it has gone through the items."""
    fsm = machine(ForEach(items, lambda _: TimedWait(1.0)))
    fsm.states["Work"].add_action(TimedWait(9.0))
    return fsm


def test_a_snapshot_in_the_middle_is_refused_and_one_afterwards_is_not() -> None:
    fsm, other = (thing_and_wait([object(), object()]) for _ in range(2))
    fsm.start()
    with pytest.raises(SnapshotError) as raised:
        snapshot(fsm, encode=str)
    assert str(raised.value) == (
        "Fsm 'M', state 'Work', actions[0] (ForEach): TimedWait(duration=1.0, length=1.0) was made "
        "while the machine ran, and cannot be saved. Wait until it is over."
    )
    fsm.update(1.0)
    fsm.update(1.0)
    restore(other, snapshot(fsm))
    other.update(7.0)
    assert other.current_state is other.states["Done"]


def nested() -> FsmAction:
    inner = Fsm("Inner")
    inner.add_state("Only")
    return RunFsm(inner)


@pytest.mark.parametrize("inner", [TimedWait(1.0), Sequence(TimedWait(1.0)), nested()])
def test_a_machine_is_restored_in_the_middle_and_what_was_made_is_free(inner: FsmAction) -> None:
    fsm = machine(ForEach("ab", lambda _: inner))
    saved = snapshot(fsm)
    fsm.start()
    restore(fsm, saved)
    assert not fsm.is_running
    assert inner.state is None
    fsm.start()
    assert inner.state is fsm.states["Work"]

"""Rule 12: a Ctrl-C anywhere in the engine, and errors whose class refuses to be handled.

Run as a program, this file prints what interrupts before each line of all scenes leave behind.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

import pytest
from every import every

from actions import Parallel, Race, Retry, RunFsm, Sequence, TimedWait
from fsmkit import BACK, ERROR, FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.core import CORE_KIND
from fsmkit.core import __file__ as core_file
from fsmkit.core.nested import Nested

CORE = f"{Path(core_file).parent}{os.sep}"

Journals: TypeAlias = dict[str, list[str]]
"""By the name of an action, the callbacks that it has completed, a letter each."""
Scene: TypeAlias = Iterator[tuple[Fsm, Journals]]
"""Yields a machine that is ready, then does with it what is to be interrupted."""

ENTERED_AND_EXITED = re.compile("(E(SR)*S?X)*")
"""What an action may have completed once its machine is stopped."""


# A Ctrl-C before a line of the engine


class Counted(FsmAction):
    """Writes into its journal which callbacks it has completed; its `on_enter` sends events."""

    def __init__(self, journal: list[str], events: tuple[str, ...] = ()) -> None:
        self.journal = journal
        self.events = events

    def on_enter(self) -> None:
        for event in self.events:
            self.fsm.send_event(event)
        self.journal.append("E")

    def on_update(self) -> None:
        pass

    def on_exit(self) -> None:
        self.journal.append("X")

    def on_suspend(self) -> None:
        self.journal.append("S")

    def on_resume(self) -> None:
        self.journal.append("R")


def machine(states: str, journals: Journals, **options: Any) -> Fsm:
    """Return a machine whose states have two actions each. If there is an A, GO leads to B."""
    fsm = Fsm(states, on_unhandled="ignore", **options)
    for name in states:
        fsm.add_state(name)
        for place in "12":
            add_counted(fsm, name, place, journals)
    if "A" in states:
        fsm.states["A"].add_transition("GO", "B")
    return fsm


def add_counted(fsm: Fsm, state: str, place: str, journals: Journals, *events: str) -> None:
    action = Counted(journals.setdefault(state + place, []), events)
    action.background = True
    fsm.states[state].add_action(action)


def agree() -> bool:
    return True


def event() -> Scene:
    journals: Journals = {}
    fsm = machine("AB", journals)
    fsm.start()
    yield fsm, journals
    fsm.send_event("GO")


def event_with_guard_and_effect() -> Scene:
    journals: Journals = {}
    fsm = machine("AB", journals)
    fsm.states["A"].add_transition("ON", "B", when=agree, do=agree)
    fsm.start()
    yield fsm, journals
    fsm.send_event("ON")


def events_sent_while_entering() -> Scene:
    journals: Journals = {}
    fsm = machine("ABCDE", journals)
    for state, target in ("AC", "CD", "DE"):
        fsm.states[state].add_transition("ON", target)
    add_counted(fsm, "C", "3", journals, "ON", "ON")
    fsm.start()
    yield fsm, journals
    fsm.send_event("ON")


def suspension() -> Scene:
    journals: Journals = {}
    fsm = machine("AB", journals)
    fsm.states["A"].add_transition("HALT", "B", suspend=True)
    fsm.start()
    fsm.send_event_after(5.0, "GO")
    yield fsm, journals
    fsm.send_event("HALT")


def return_from_a_suspension() -> Scene:
    journals: Journals = {}
    fsm = machine("AB", journals)
    fsm.states["A"].add_transition("HALT", "B", suspend=True)
    fsm.states["B"].add_transition("RETURN", BACK)
    fsm.start()
    fsm.send_event_after(5.0, "GO")
    fsm.send_event("HALT")
    yield fsm, journals
    fsm.send_event("RETURN")


def suspended_states_exited() -> Scene:
    journals: Journals = {}
    fsm = machine("ABC", journals)
    fsm.states["A"].add_transition("HALT", "B", suspend=True)
    fsm.states["B"].add_transition("HALT", "C", suspend=True)
    fsm.states["C"].add_transition("HOME", "A")
    fsm.start()
    fsm.send_event("HALT")
    fsm.send_event("HALT")
    yield fsm, journals
    fsm.send_event("HOME")


def wait(*, carry_time: bool = False) -> Scene:
    journals: Journals = {}
    fsm = machine("ABC", journals, carry_time=carry_time)
    for state, target in ("AB", "BC"):
        fsm.states[state].add_action(TimedWait(1.0))
        fsm.states[state].add_transition(FINISHED, target)
    fsm.start()
    yield fsm, journals
    fsm.update(1.5)


def wait_that_carries_time() -> Scene:
    return wait(carry_time=True)


def start_and_stop() -> Scene:
    journals: Journals = {}
    fsm = machine("AB", journals)
    yield fsm, journals
    fsm.start()
    fsm.stop()


def start_of_a_running_machine() -> Scene:
    journals: Journals = {}
    fsm = machine("AB", journals)
    fsm.start()
    yield fsm, journals
    fsm.start("B")


def nested() -> tuple[Fsm, Journals]:
    """Return a machine in whose A another one runs. IN leads from C to D there, END to F."""
    journals: Journals = {}
    outer, inner = machine("AB", journals), machine("CD", journals)
    inner.add_state("F", final=True)
    add_counted(inner, "F", "1", journals)
    inner.states["C"].add_transition("IN", "D")
    inner.states["C"].add_transition("END", "F")
    outer.states["A"].add_action(RunFsm(inner))
    outer.states["A"].add_transition("OUT", "B")
    outer.states["A"].add_transition(FINISHED, "B")
    outer.states["A"].add_transition("HALT", "B", suspend=True)
    outer.states["B"].add_transition("RETURN", BACK)
    outer.start()
    return outer, journals


def event_of_a_nested_machine() -> Scene:
    outer, journals = nested()
    yield outer, journals
    outer.send_event("IN")


def nested_machine_suspended_with_its_host() -> Scene:
    outer, journals = nested()
    yield outer, journals
    outer.send_event("HALT")
    outer.send_event("RETURN")


def nested_machine_exited_with_its_host() -> Scene:
    outer, journals = nested()
    yield outer, journals
    outer.send_event("OUT")


def end_of_a_nested_machine() -> Scene:
    outer, journals = nested()
    yield outer, journals
    outer.send_event("END")


def story() -> Scene:
    """Everything at once, on top of each other."""
    journals: Journals = {}
    fsm = machine("ABCD", journals)
    a, b, c, d = (fsm.states[name] for name in "ABCD")
    a.add_transition("HALT", b, suspend=True)
    b.add_transition("HALT", c, suspend=True)
    b.add_transition("RETURN", BACK)
    c.add_transition("HALT", a, suspend=True)
    c.add_transition("DONE", d, when=agree, do=agree)
    d.add_action(TimedWait(1.0))
    d.add_transition(FINISHED, a)
    yield fsm, journals
    fsm.start()
    fsm.update(0.25)
    fsm.send_event_after(0.5, "GO")
    for step in ("HALT", "RETURN", "HALT", "HALT", "HALT", 1.0, "HALT", "HALT", "DONE", 1.0, 0.5):
        if isinstance(step, str):
            fsm.send_event(step)
        else:
            fsm.update(step)
    fsm.stop()


def faults_of(scene: Callable[[], Scene]) -> list[str]:
    """Interrupt a scene before each line of the core in turn; return what was wrong then."""
    for _ in scene():
        pass  # once without an interrupt: what is looked up for the first time is known then
    faults, line, place = [], 0, ""
    while line == 0 or place:
        line += 1
        playing = scene()
        fsm, journals = next(playing)
        raised, interrupt, place = interrupted(line, lambda: next(playing, None))  # noqa: B023
        if place and (wrong := [*left_wrong(fsm, journals, raised, interrupt)]):
            faults.append(f"{place}: {'; '.join(wrong)}")
    return faults


def interrupted(
    number: int, call: Callable[[], object]
) -> tuple[BaseException | None, KeyboardInterrupt, str]:
    """Call something with a KeyboardInterrupt before the line of the core that comes then.

    Returns what was raised, the interrupt, and where it came; "" if there were fewer lines.
    """
    interrupt, lines, place = KeyboardInterrupt(), 0, ""

    def trace_lines(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines, place
        if event == "line":
            lines += 1
            if lines == number:
                code = frame.f_code
                place = f"{Path(code.co_filename).name}:{frame.f_lineno} {code.co_name}"
                raise interrupt
        return trace_lines

    def trace_calls(frame: FrameType, _event: str, _: object) -> Any:
        return trace_lines if frame.f_code.co_filename.startswith(CORE) else None

    before = sys.gettrace()
    sys.settrace(trace_calls)
    try:
        raised = raised_by(call)
    finally:
        sys.settrace(before)
    return raised, interrupt, place


def left_wrong(
    fsm: Fsm, journals: Journals, raised: BaseException | None, interrupt: BaseException
) -> Iterator[str]:
    """Say what an interrupt has left that it must not leave."""
    if raised is not interrupt:
        yield f"it came out as {raised!r}"
    if fsm.phase is not None:
        yield f"stuck in {fsm.phase}"
        return
    if error := raised_by(fsm.stop):
        yield f"stop() raises {error!r}"
    if fsm.is_running or fsm.suspended:
        yield f"stop() leaves {fsm!r} with {fsm.suspended!r}"
    yield from unbalanced(journals)
    for journal in journals.values():
        journal.clear()
    if error := raised_by(lambda: works(fsm)):
        yield f"unusable: {error!r}"
    yield from unbalanced(journals)


def unbalanced(journals: Journals) -> Iterator[str]:
    for name, journal in journals.items():
        if not ENTERED_AND_EXITED.fullmatch("".join(journal)):
            yield f"{name} has done {''.join(journal)}"


def works(fsm: Fsm) -> None:
    """Run the machine through: it starts in A, and GO leads to B."""
    fsm.start()
    assert fsm.current_state is fsm.states["A"]
    assert (fsm.suspended, fsm.is_changing, fsm.phase) == ((), False, None)
    assert fsm.send_event("GO")
    assert fsm.current_state is fsm.states["B"]
    fsm.update(0.1)
    fsm.stop()
    assert not fsm.is_running


def raised_by(call: Callable[[], object]) -> BaseException | None:
    """Return what a call raises; `pytest.raises` asks too much of an error."""
    try:
        call()
    except BaseException as error:
        return error
    return None


def name_of(scene: Callable[[], Scene]) -> str:
    return scene.__name__


SHORT = [
    event, event_with_guard_and_effect, suspension, return_from_a_suspension, start_and_stop,
    start_of_a_running_machine,
]  # fmt: skip
LONG = [
    events_sent_while_entering, suspended_states_exited, wait, wait_that_carries_time,
    event_of_a_nested_machine, nested_machine_suspended_with_its_host,
    nested_machine_exited_with_its_host, end_of_a_nested_machine, story,
]  # fmt: skip


@pytest.mark.parametrize("scene", SHORT, ids=name_of)
def test_an_interrupt_before_a_line_of_the_core_leaves_nothing_entered(
    scene: Callable[[], Scene],
) -> None:
    assert faults_of(scene) == []


@pytest.mark.slow
@pytest.mark.parametrize("scene", LONG, ids=name_of)
def test_an_interrupt_before_a_line_of_a_longer_scene_leaves_nothing_entered(
    scene: Callable[[], Scene],
) -> None:
    assert faults_of(scene) == []


@pytest.mark.slow
@pytest.mark.skipif(CORE_KIND != "kernel", reason="the tests above have run with the pure core")
def test_interrupts_leave_nothing_entered_on_the_pure_core_either() -> None:
    done = subprocess.run(
        [sys.executable, __file__],
        env=os.environ | {"FSMKIT_PURE": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.splitlines() == ["on the pure Python core"]


def test_an_interrupt_comes_before_each_line() -> None:
    lines = 0
    place = "the first"
    while place:
        lines += 1
        playing = event_with_guard_and_effect()
        next(playing)
        raised, interrupt, place = interrupted(lines, lambda: next(playing, None))  # noqa: B023
        assert raised is (interrupt if place else None)
    assert lines > 100


# A Ctrl-C in a callback


class Failing(FsmAction):
    """Writes down which callbacks it has completed, and raises in one of them, once."""

    def __init__(self, name: str, journal: list[str], error: BaseException, where: str) -> None:
        self.name = name
        self.journal = journal
        self.error = error
        self.where = where

    def on_enter(self) -> None:
        self.do("enter")

    def on_update(self) -> None:
        self.do("update")

    def on_exit(self) -> None:
        self.do("exit")

    def on_suspend(self) -> None:
        self.do("suspend")

    def on_resume(self) -> None:
        self.do("resume")

    def on_event(self, event: str, data: object) -> bool:
        if event == "HEARD":
            self.do("hear")
        return False

    def when(self) -> bool:
        self.do("guard")
        return True

    def effect(self) -> None:
        self.do("effect")

    def do(self, what: str) -> None:
        if self.where == what:
            self.where = ""
            raise self.error
        self.journal.append(f"{what} {self.name}")


def failing(journal: list[str], error: BaseException, where: str) -> Fsm:
    """Return a machine in whose A, with p, q and r, q raises. HALT suspends A for B, with s."""
    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    p, q, r, s = (Failing(n, journal, error, where if n == "q" else "") for n in "pqrs")
    for action in (p, q, r):
        a.add_action(action)
    b.add_action(s)
    a.add_transition("GO", b)
    a.add_transition("HALT", b, suspend=True)
    a.add_transition("CROSS", b, when=q.when, do=q.effect)
    b.add_transition("RETURN", BACK)
    return fsm


PATHS: dict[str, tuple[str | float, ...]] = {
    "enter": (),
    "update": (0.1,),
    "exit": ("GO",),
    "hear": ("HEARD",),
    "guard": ("CROSS",),
    "effect": ("CROSS",),
    "suspend": ("HALT",),
    "resume": ("HALT", "RETURN"),
}
"""By the callback that raises, what leads there from the start."""


def run_there(fsm: Fsm, where: str) -> None:
    fsm.start()
    for step in PATHS[where]:
        if isinstance(step, str):
            fsm.send_event(step)
        else:
            fsm.update(step)


ENTERED = ["enter p", "enter q", "enter r"]
EXITED = ["exit p", "exit q", "exit r"]


@pytest.mark.parametrize(
    ("where", "done", "state", "on_stop"),
    [
        ("enter", ["enter p"], "A", ["exit p"]),
        ("update", [*ENTERED, "update p"], "A", EXITED),
        ("exit", [*ENTERED, "exit p", "exit r", "enter s"], "B", ["exit s"]),
        ("hear", [*ENTERED, "hear p"], "A", EXITED),
        ("guard", ENTERED, "A", EXITED),
        ("effect", [*ENTERED, "guard q", *EXITED, "enter s"], "B", ["exit s"]),
        (
            "suspend",
            [*ENTERED, "suspend p", "suspend r", "enter s"],
            "B",
            ["exit s", *EXITED],
        ),
        (
            "resume",
            [
                *ENTERED, "suspend p", "suspend q", "suspend r", "enter s",
                "exit s", "resume p", "resume r",
            ],
            "A",
            EXITED,
        ),
    ],
)  # fmt: skip
def test_an_interrupt_in_a_callback_comes_out_as_itself_and_the_exits_are_exact(
    where: str, done: list[str], state: str, on_stop: list[str]
) -> None:
    journal: list[str] = []
    interrupt = KeyboardInterrupt()
    fsm = failing(journal, interrupt, where)
    assert raised_by(lambda: run_there(fsm, where)) is interrupt
    assert journal == done
    assert (fsm.current_state, fsm.phase) == (fsm.states[state], None)
    journal.clear()
    fsm.stop()
    assert journal == on_stop
    works(fsm)


class Interrupts:
    """An observer in whose `action_entered` a Ctrl-C comes, once."""

    is_over = False

    def action_entered(self, action: FsmAction) -> None:
        if not self.is_over:
            self.is_over = True
            raise KeyboardInterrupt


def test_actions_entered_when_an_observer_was_interrupted_are_exited() -> None:
    fsm = Fsm("M")
    journals: list[list[str]] = [[], []]
    state = fsm.add_state("A")
    for journal in journals:
        state.add_action(Counted(journal))
    fsm.observe(Interrupts())
    with pytest.raises(KeyboardInterrupt):
        fsm.start()
    fsm.stop()
    assert journals == [["E", "X"], ["E", "X"]]


@pytest.mark.parametrize("call", ["exit_all", "stop"])
def test_a_host_that_was_interrupted_before_it_ended_what_it_runs_ends_it(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    child, inside = Counted([]), Counted([])
    inner = Fsm("Inner")
    inner.add_state("X").add_action(inside)
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Parallel(child))
    state.add_action(RunFsm(inner))
    fsm.start()
    original = getattr(Nested, call)

    def interrupted(*_: object) -> None:
        monkeypatch.setattr(Nested, call, original)
        raise KeyboardInterrupt

    monkeypatch.setattr(Nested, call, interrupted)
    with pytest.raises(KeyboardInterrupt):
        fsm.stop()
    fsm.stop()
    assert (child.journal, inside.journal, inner.is_running) == (["E", "X"], ["E", "X"], False)


# Errors that refuse to be handled


@dataclass(frozen=True)
class Frozen(Exception):
    channel: int = 3


class WithoutAttributes(Exception):
    def __setattr__(self, name: str, value: object) -> None:
        raise RuntimeError(name)


class WithoutNotes(Exception):
    def add_note(self, note: str) -> None:
        raise RuntimeError(note)


class NotesThatFail(Exception):
    @property
    def __notes__(self) -> list[str]:  # type: ignore[override]
        raise RuntimeError


class WithoutText(Exception):
    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__


class NotToBeCompared(Exception):
    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __bool__(self) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


KINDS: list[type[Exception]] = [
    Frozen, WithoutAttributes, WithoutNotes, NotesThatFail, WithoutText, NotToBeCompared,
]  # fmt: skip
every_kind = every("kind", KINDS)


def succeed(call: Callable[[], object]) -> None:
    """Fail if a call raises: not with what it raises, which pytest could not show."""
    error = raised_by(call)
    if error is not None:
        pytest.fail(f"raised {type(error).__name__}")


def came_out(raised: BaseException | None, *errors: BaseException) -> bool:
    """Whether these errors were raised: one itself, several in groups."""
    found = [*leaves(raised)]
    return len(found) == len(errors) and all(
        any(each is error for each in found) for error in errors
    )


def leaves(error: BaseException | None) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for member in error.exceptions:
            yield from leaves(member)
    elif error is not None:
        yield error


@every_kind
@every("where", PATHS)
def test_an_error_that_refuses_notes_comes_out_and_the_machine_keeps_working(
    where: str, kind: type[Exception]
) -> None:
    error = kind()
    fsm = failing([], error, where)
    assert came_out(raised_by(lambda: run_there(fsm, where)), error)
    assert fsm.phase is None
    succeed(fsm.stop)
    succeed(lambda: works(fsm))


@every_kind
@every("where", PATHS)
def test_an_error_that_refuses_notes_becomes_the_event_error(
    where: str, kind: type[Exception]
) -> None:
    error = kind()
    fsm = failing([], error, where)
    fsm.add_global_transition(ERROR, fsm.add_state("Broken"))
    succeed(lambda: run_there(fsm, where))
    assert fsm.current_state is fsm.states["Broken"]
    assert fsm.event_data is error
    succeed(fsm.stop)
    succeed(lambda: works(fsm))


@every_kind
@every("callback", ["exit", "enter"])
def test_a_stop_that_fails_with_such_an_error_stops(callback: str, kind: type[Exception]) -> None:
    error = kind()
    fsm = failing([], error, callback)
    entering = raised_by(fsm.start)
    stopping = raised_by(fsm.stop)
    assert came_out(stopping if entering is None else entering, error)
    assert not fsm.is_running
    succeed(lambda: works(fsm))


@every_kind
def test_several_such_errors_of_one_change_are_a_group(kind: type[Exception]) -> None:
    errors = [kind(), kind()]
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_transition("GO", b)
    for error in errors:
        a.add_action(Failing("p", [], error, "exit"))
    fsm.start()
    assert came_out(raised_by(lambda: fsm.send_event("GO")), *errors)
    assert fsm.current_state is b
    succeed(fsm.stop)
    succeed(lambda: works(fsm))


@every_kind
@every("where", ["enter", "update", "exit", "hear", "suspend", "resume"])
@every("composite", [Sequence, Parallel, Race])
def test_such_an_error_of_a_child_comes_out(
    composite: Callable[[FsmAction], FsmAction], where: str, kind: type[Exception]
) -> None:
    journal: list[str] = []
    error = kind()
    fsm = Fsm("M", on_unhandled="ignore")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(composite(Failing("p", journal, error, where)))
    a.add_transition("GO", b)
    a.add_transition("HALT", b, suspend=True)
    b.add_transition("RETURN", BACK)
    assert came_out(raised_by(lambda: run_there(fsm, where)), error)
    succeed(fsm.stop)
    assert journal.count("exit p") == (where not in ("enter", "exit"))
    succeed(lambda: works(fsm))
    assert journal[-2:] == ["enter p", "exit p"]


@every_kind
def test_such_an_error_is_the_last_one_of_retry(kind: type[Exception]) -> None:
    class Fails(FsmAction):
        def on_update(self) -> None:
            raise error

    error = kind()
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Retry(Fails(), 2))
    a.add_transition(ERROR, b)
    a.add_transition("GO", b)
    fsm.start()
    for _ in range(4):
        succeed(lambda: fsm.update(0.1))
    assert (fsm.current_state, fsm.event_data is error) == (b, True)
    succeed(fsm.stop)
    succeed(lambda: works(fsm))


def paths(fsm: Fsm, *events: str) -> list[str]:
    """Return where the machine is after its start, and after each of the events."""
    fsm.start()
    found = [" > ".join(fsm.path)]
    for event in events:
        fsm.send_event(event)
        found.append(" > ".join(fsm.path))
    return found


@every_kind
@every("where", PATHS)
def test_such_an_error_of_a_nested_machine_comes_out(where: str, kind: type[Exception]) -> None:
    error = kind()
    inner = failing([], error, where)
    outer = Fsm("Outer", on_unhandled="ignore")
    a, b = outer.add_state("A"), outer.add_state("B")
    a.add_action(RunFsm(inner))
    a.add_transition("OUT", b)
    assert came_out(raised_by(lambda: run_there(outer, where)), error)
    assert (outer.phase, inner.phase) == (None, None)
    succeed(outer.stop)
    assert (outer.is_running, inner.is_running, inner.host) == (False, False, None)
    assert paths(outer, "GO", "OUT") == ["A > A", "A > B", "B"]
    assert not inner.is_running


@every_kind
def test_such_an_error_of_a_nested_machine_that_is_suspended_comes_out(
    kind: type[Exception],
) -> None:
    for where in ("suspend", "resume"):
        error = kind()
        inner = failing([], error, where)
        outer = Fsm("Outer", on_unhandled="ignore")
        a, b = outer.add_state("A"), outer.add_state("B")
        a.add_action(RunFsm(inner))
        a.add_transition("OUT", b, suspend=True)
        b.add_transition("IN", BACK)
        outer.start()
        raised = raised_by(lambda: [outer.send_event(event) for event in ("OUT", "IN")])  # noqa: B023
        assert came_out(raised, error)
        succeed(outer.stop)
        assert (outer.suspended, inner.is_running, inner.phase) == ((), False, None)
        assert paths(outer, "GO") == ["A > A", "A > B"]


@every_kind
def test_such_errors_of_two_machines_of_a_group_come_out_together(kind: type[Exception]) -> None:
    errors = [kind(), kind()]
    machines = [failing([], error, "update") for error in errors]
    group = FsmGroup(machines)
    for each in machines:
        each.start()
    assert came_out(raised_by(lambda: group.update(0.1)), *errors)
    succeed(lambda: group.update(0.1))
    assert group.broadcast("GO") == 2
    for each in machines:
        succeed(each.stop)
        succeed(lambda: works(each))  # noqa: B023  # called at once


@every_kind
@every("hook", ["state_entered", "event_sent", "action_exited", "update_begun"])
def test_such_an_error_of_an_observer_comes_out(hook: str, kind: type[Exception]) -> None:
    class Observer:
        def fail(self, *_: object) -> None:
            if errors:
                raise errors.pop()

    error = kind()
    errors = [error]
    observer = Observer()
    setattr(observer, hook, observer.fail)
    fsm = failing([], error, "")
    fsm.observe(observer)

    def run_through() -> None:
        fsm.start()
        fsm.update(0.1)
        fsm.send_event("GO")

    assert came_out(raised_by(run_through), error)
    assert fsm.phase is None
    succeed(fsm.stop)
    succeed(lambda: works(fsm))


@every_kind
def test_such_errors_of_an_observer_and_an_action_come_out_together(kind: type[Exception]) -> None:
    class Observer:
        def state_entered(self, *_: object) -> None:
            if errors:
                raise errors.pop()

    seen, error = kind(), kind()
    errors = [seen]
    fsm = failing([], error, "enter")
    fsm.observe(Observer())
    assert came_out(raised_by(fsm.start), seen, error)
    succeed(fsm.stop)
    succeed(lambda: works(fsm))


@every_kind
@every("send", ["post_event", "send_event_after"])
@every("where", ["guard", "effect", "hear", "exit"])
def test_such_an_error_after_a_queued_event_comes_out(
    where: str, send: str, kind: type[Exception]
) -> None:
    error = kind()
    fsm = failing([], error, where)
    fsm.start()
    event, *_ = PATHS[where]
    if send == "post_event":
        fsm.post_event(str(event))
    else:
        fsm.send_event_after(0.1, str(event))
    assert came_out(raised_by(lambda: fsm.update(0.1)), error)
    succeed(fsm.stop)
    succeed(lambda: works(fsm))


@every_kind
def test_such_an_error_ends_a_block_in_which_the_machine_runs(kind: type[Exception]) -> None:
    errors = [kind(), kind()]
    fsm = failing([], errors[0], "exit")

    def run() -> None:
        with fsm.running():
            raise errors[1]

    assert came_out(raised_by(run), *errors)
    succeed(lambda: works(fsm))


if __name__ == "__main__":
    print(f"on the {CORE_KIND} core")
    for each in (*SHORT, *LONG):
        for fault in faults_of(each):
            print(f"{each.__name__}: {fault}")

"""The controls of a page: pause, step, run faster, send, force, load a snapshot."""

from collections.abc import Callable
from threading import current_thread
from time import monotonic
from typing import Any

import pytest

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.polled import PolledFsm, State

WAYS = ("server", "inside")


class Guard:
    def __init__(self) -> None:
        self.steps = 0


def build() -> Fsm[Guard]:
    fsm = Fsm("Guard", context=Guard(), on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(DelegateAction(on_update=count_steps))
    rest.add_action(TimedWait(1000.0))
    patrol.add_transition("TIRED", rest)
    rest.add_transition(FINISHED, patrol)
    rest.add_transition("WAKE", patrol)
    return fsm


def count_steps(state: Any) -> None:
    state.context.steps += 1


def running() -> Fsm[Guard]:
    fsm = build()
    fsm.start()
    return fsm


def test_pause_holds_the_machine_and_step_makes_one_update(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("pause")
    before = fsm.context.steps
    for _ in range(20):
        page.update()
    assert fsm.context.steps == before
    page.ask("step")
    for _ in range(20):
        page.update()
    assert fsm.context.steps == before + 1
    page.ask("resume")
    assert fsm.context.steps > before + 1


def test_speed_scales_the_time_in_updates_that_are_no_longer(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("speed", factor=2.5)
    time, steps = fsm.time, fsm.context.steps
    page.update()
    assert (fsm.time - time, fsm.context.steps - steps) == (pytest.approx(2.5 / 64), 3)
    page.ask("speed", factor=0.5)
    time = fsm.time
    page.update()
    assert fsm.time - time == pytest.approx(0.5 / 64)


def test_a_speed_that_is_off_by_rounding_makes_one_update(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    page.ask("speed", factor=1.0 / 10**0.1 * 10**0.1 + 2e-16)
    steps = fsm.context.steps
    page.update()
    assert fsm.context.steps - steps == 1


def test_an_event_is_sent_by_the_loop_and_the_answer_says_what_it_does(
    inspected: Callable[..., Any],
) -> None:
    fsm = running()
    page = inspected(fsm)
    assert page.ask("ask", machine="Guard", event="TIRED")["why"] == (
        "'TIRED' leads from 'Patrol' to 'Rest'."
    )
    answer = page.ask("send", machine="Guard", event="TIRED", data={"by": 3})
    assert answer["outcome"] == "'TIRED' leads from 'Patrol' to 'Rest'."
    assert (fsm.current_state.name, fsm.event_data) == ("Rest", {"by": 3})
    answer = page.ask("send", machine="Guard", event="TIERD")
    assert answer["ok"]
    assert answer["outcome"].startswith("Nothing: 'Rest' has no transition for 'TIERD'")


def test_no_callback_runs_in_the_thread_of_the_server(inspected: Callable[..., Any]) -> None:
    threads = set()
    fsm: Fsm[Any] = Fsm("Guard", on_unhandled="ignore")
    for name in ("A", "B"):
        fsm.add_state(name).add_action(
            DelegateAction(on_enter=lambda _: threads.add(current_thread()))
        )
    fsm.states["A"].add_transition("GO", "B")
    fsm.start()
    page = inspected(fsm)
    page.ask("send", machine="Guard", event="GO")
    page.ask("force", machine="Guard", state="A")
    assert threads == {current_thread()}


def test_force_starts_the_machine_in_a_state(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    assert page.ask("force", machine="Guard", state="Rest")["ok"]
    assert fsm.current_state.name == "Rest"
    assert page.ask("force", machine="Guard", state="Nowhere")["error"] == (
        "'Guard' has no state 'Nowhere'."
    )


def test_a_snapshot_is_saved_and_loaded(inspected: Callable[..., Any]) -> None:
    fsm = running()
    page = inspected(fsm)
    session = page.inspector.session
    from fsmkit.inspector.live.requests.page_request import PageRequest

    saved: list[Any] = []
    session.ask(PageRequest("snapshot", {"machine": None}, reply=saved.append))
    page.update()
    page.ask("send", machine="Guard", event="TIRED")
    session.ask(PageRequest("restore", {"machine": None, "data": saved[0]["snapshot"]}))
    page.update()
    assert fsm.current_state.name == "Patrol"
    session.ask(PageRequest("restore", {"machine": None, "data": {"no": 1}}, reply=saved.append))
    page.update()
    assert "error" in saved[1]
    assert fsm.current_state.name == "Patrol"


def test_an_error_of_the_machine_reaches_its_caller_and_is_reported(
    inspected: Callable[..., Any],
) -> None:
    fsm: Fsm[Any] = Fsm("Guard", context=1)
    fsm.add_state("Work").add_action(DelegateAction(on_update=lambda state: 1 / state.context))
    fsm.start()
    page = inspected(fsm)
    fsm.context = 0
    with pytest.raises(ZeroDivisionError):
        page.update()
    fsm.context = 1
    frame = page.frame(lambda frame: frame["log"] and frame["log"][-1]["kind"] == "error")
    assert frame["log"][-1]["text"].startswith("ZeroDivisionError: division by zero\nFsm 'Guard'")


def test_a_machine_is_as_before_once_it_is_detached(inspected: Callable[..., Any]) -> None:
    class ObservedFsm(Fsm[None]):
        def observe(self, observer: object) -> Callable[[], None]:
            attached.append(observer)
            detach = super().observe(observer)
            return lambda: (attached.remove(observer), detach())[1]

    attached: list[object] = []
    fsm = ObservedFsm("Guard")
    fsm.add_state("Patrol")
    fsm.start()
    group = FsmGroup([fsm])
    page, other = inspected(fsm), inspected(group)
    assert attached
    page.inspector.close()
    other.inspector.close()
    assert (type(fsm), type(group), attached) == (ObservedFsm, FsmGroup, [])


@pytest.mark.parametrize("machines", [running(), FsmGroup([running()])], ids=["one", "group"])
def test_machines_are_inspected_once_at_a_time(
    machines: Any, inspected: Callable[..., Any]
) -> None:
    from fsmkit.inspector import inspect

    page = inspected(machines)
    with pytest.raises(ValueError, match="is already inspected. Close that inspector first"):
        inspect(machines)
    page.inspector.close()
    inspect(machines, announce=None).close()


@pytest.mark.parametrize("port", [-1, 65_536, "8000", 0.5])
def test_an_invalid_port_is_refused(port: Any) -> None:
    from fsmkit.inspector import inspect

    fsm = running()
    with pytest.raises(ValueError, match="port must be an integer from 0 to 65535"):
        inspect(fsm, port=port)
    assert type(fsm) is Fsm


def test_of_a_polled_machine_the_machine_inside_is_asked_for() -> None:
    from fsmkit.inspector import inspect

    class Dog(PolledFsm):
        def setup_states(self) -> None:
            self.setup_first_state(State())

    dog: Any = Dog("Dog")
    with pytest.raises(TypeError, match="Pass the machine inside it, which is its .machine"):
        inspect(dog)


PATIENCE = "fsmkit.inspector.live.subscribers.PATIENCE"


@pytest.mark.parametrize("control", ["pause", "step"])
def test_a_game_paused_by_a_page_continues_after_the_last_page_was_closed(
    inspected: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    control: str,
) -> None:
    monkeypatch.setattr(PATIENCE, 0.0)
    fsm = Fsm[None]("Lamp")
    fsm.add_state("Off")
    fsm.start()
    page = inspected(fsm)
    page.ask(control)
    page.frame(lambda frame: frame["paused"])
    page.update()
    before = fsm.time
    page.update()
    assert fsm.time == before
    page.socket.close()
    end = monotonic() + 60.0
    while fsm.time == before and monotonic() < end:
        page.update()
    assert fsm.time > before
    goes_on = [record.getMessage() for record in caplog.records if "goes on" in record.getMessage()]
    assert goes_on == [
        "The inspector: the game goes on: the last page was closed while it was paused."
    ]
    later = page.another()
    notes = [e.get("text") for e in later.frame(lambda frame: frame["reset"])["log"]]
    assert "goes on: the last page was closed while it was paused" in notes
    later.socket.close()


def test_a_game_paused_by_the_program_stays_paused_without_a_page(
    inspected: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PATIENCE, 0.0)
    fsm = Fsm[None]("Lamp")
    fsm.add_state("Off")
    fsm.start()
    page = inspected(fsm)
    page.inspector.pause()
    page.ask("pause")  # changes nothing
    page.socket.close()
    while not page.inspector.session.subscribers.are_gone:
        page.update()
    before = fsm.time
    for _ in range(10):
        page.update()
    assert fsm.time == before

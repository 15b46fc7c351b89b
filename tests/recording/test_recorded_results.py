"""Results of work elsewhere: recorded where they entered, replayed without any work."""

import asyncio
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from actions import Await, Coroutine, InThread, Retry
from fsmkit import ERROR, FINISHED, Fsm, FsmState
from fsmkit.recording import Recording, RecordingError, replay, restore, snapshot


class Pool:
    """A pool that answers on demand."""

    def __init__(self) -> None:
        self.futures: list[Future[object]] = []

    def submit(self, *_work: object) -> Future[object]:
        self.futures.append(Future())
        return self.futures[-1]


class ServerError(Exception):
    pass


def build(pool: Any = None) -> Fsm[Any]:
    """Ask -> Show on FINISHED, -> Wait on ERROR and back after a second."""
    fsm: Fsm[Any] = Fsm("Client", on_unhandled="raise")
    ask, show, wait = map(fsm.add_state, ("Ask", "Show", "Wait"))
    ask.add_transition(FINISHED, show)
    ask.add_transition(ERROR, wait)
    wait.add_transition("AGAIN", ask)
    ask.add_action(Retry(InThread(print, pool=pool), 2))
    return fsm


def refuse(*_anything: object) -> Any:
    raise AssertionError("a replay begins no work")


class NoPool:
    submit = refuse


@pytest.fixture
def recorded() -> Recording:
    pool = Pool()
    fsm = build(pool)
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(0.1)
        pool.futures[0].set_exception(ServerError("busy: 503"))
        fsm.update(0.1)
        pool.futures[1].set_exception(KeyError("page"))
        fsm.update(0.1)
        fsm.send_event("AGAIN")
        fsm.update(0.1)
        pool.futures[2].set_result({"page": [1, 2]})
        fsm.update(0.1)
    return recording


def test_a_result_is_a_step_of_its_own_before_the_update(recorded: Recording) -> None:
    assert [str(step).partition("  ")[2] for step in recorded.steps] == [
        "Client.start()",
        "Client.update(0.1)",
        "Client.post_result(['Ask', 0, 0], 1, 'ServerError: busy: 503')",
        "Client.update(0.1)",
        """Client.post_result(['Ask', 0, 0], 2, "KeyError: 'page'")""",
        "Client.update(0.1)",
        "Client.send_event('AGAIN')",
        "Client.update(0.1)",
        "Client.post_result(['Ask', 0, 0], 3, {'page': [1, 2]})",
        "Client.update(0.1)",
    ]
    assert recorded.steps[-1].told() == [
        'event FINISHED {"page": [1, 2]}: changed', "leave Ask", "enter Show"
    ]  # fmt: skip


def test_a_replay_starts_no_work_and_ends_alike(recorded: Recording, tmp_path: Path) -> None:
    made: list[Fsm[Any]] = []

    def again() -> Fsm[Any]:
        made.append(build(NoPool()))
        return made[-1]

    recorded.save(tmp_path / "client.fsmrec")
    for recording in (recorded, tmp_path / "client.fsmrec"):
        assert replay(again, recording)
        assert (made[-1].current_state.name, made[-1].event_data) == ("Show", {"page": [1, 2]})


class AtOnce:
    """A pool that has done the work before it returns, as a quick thread may."""

    def submit(self, *_work: object) -> Future[object]:
        future: Future[object] = Future()
        future.set_result("done")
        return future


def test_work_that_is_done_within_the_call_is_a_step_of_its_own_as_well() -> None:
    fsm = build(AtOnce())
    with Recording(fsm) as recording:
        fsm.start()
        fsm.update(0.1)
        fsm.update(0.1)
    assert [str(step).partition("  ")[2] for step in recording.steps] == [
        "Client.start()",
        "Client.post_result(['Ask', 0, 0], 1, 'done')",
        "Client.update(0.1)",
        "Client.update(0.1)",
    ]
    assert fsm.current_state is fsm.states["Show"]
    assert replay(lambda: build(NoPool()), recording)


def test_what_cannot_be_saved_asks_for_an_encoder(tmp_path: Path) -> None:
    pool = Pool()
    fsm = build(pool)
    with Recording(fsm) as recording:
        fsm.start()
        pool.futures[0].set_result(object())
        fsm.update(0.1)
    recording.save(tmp_path / "client.fsmrec")
    with pytest.raises(RecordingError, match="was not saved, because JSON cannot hold it"):
        replay(lambda: build(NoPool()), tmp_path / "client.fsmrec")


def test_tasks_are_replayed_without_asyncio() -> None:
    async def ask(state: FsmState[Any]) -> int:
        await asyncio.sleep(0)
        return len(state.name)

    def routine(state: FsmState[Any]) -> Any:
        first = yield Await(ask)
        second = yield Await(ask)
        state.send_event("SUM", first + second)

    def make() -> Fsm[Any]:
        fsm: Fsm[Any] = Fsm("Client", on_unhandled="raise")
        fsm.add_state("Ask").add_transition("SUM", fsm.add_state("Show"))
        fsm.states["Ask"].add_action(Coroutine(routine))
        return fsm

    async def main() -> None:
        fsm = make()
        with Recording(fsm) as recording:
            fsm.start()
            for _ in range(5):
                for _ in range(3):
                    await asyncio.sleep(0)
                fsm.update(0.1)
        assert (fsm.current_state.name, fsm.event_data) == ("Show", 6)
        recordings.append(recording)

    recordings: list[Recording] = []
    asyncio.run(main())
    assert replay(make, recordings[0])


@pytest.mark.parametrize("is_under_way", [True, False])
def test_a_restored_machine_restarts_work_that_was_under_way(is_under_way: bool) -> None:
    pools = Pool(), Pool()
    fsm, other = map(build, pools)
    fsm.start()
    if not is_under_way:
        pools[0].futures[0].set_result(1)
        fsm.update(0.1)
    restore(other, snapshot(fsm))
    assert pools[1].futures == []
    other.update(0.1)
    other.update(0.1)
    assert len(pools[1].futures) == is_under_way
    for future in pools[1].futures:
        future.set_result(1)
    other.update(0.1)
    assert (other.current_state.name, other.event_data) == ("Show", 1)


def test_restored_into_the_same_machine_older_work_is_dropped() -> None:
    pool = Pool()
    fsm = build(pool)
    fsm.start()
    saved = snapshot(fsm)
    pool.futures[0].set_exception(OSError())
    fsm.update(0.1)
    pool.futures[1].set_running_or_notify_cancel()  # the second try is under way
    restore(fsm, saved)
    fsm.update(0.1)
    pool.futures[1].set_result("old")
    fsm.update(0.1)
    assert fsm.current_state.name == "Ask"
    pool.futures[2].set_result("new")
    fsm.update(0.1)
    assert fsm.current_state.name == "Show"

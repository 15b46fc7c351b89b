"""Rows: adding and removing agents in free rows and spare room, none of which can be seen.

The model of a crowd is a list of agents: what a crowd with free rows shows must always be that.
"""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define
from hypothesis import given, settings
from hypothesis import strategies as st

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, UnknownAgentError
from fsmkit.crowd.census import Census

FIRST = 40
"""So many that one or two that are removed stay as free rows."""


@define
class Npc:
    x: float = 0.5
    n: int = 3


def walk(npc: Npc, world: Any) -> str | None:
    npc.x += 1.0
    npc.n = npc.n * 5 % 17
    return "TURN" if npc.n == 4 else None


def build() -> CrowdFsm:
    machine = CrowdFsm("Npc", Npc)
    go, back, rest = (machine.add_state(name) for name in ("Go", "Back", "Rest"))
    for state, other in ((go, back), (back, go)):
        state.add_action(CrowdAction(on_update=walk))
        state.add_transition("TURN", other)
    machine.add_global_transition("REST", rest)
    return machine


@define
class Agent:
    """One of the model."""

    number: int
    state: str | None
    x: float = 0.5
    n: int = 3

    def update(self) -> None:
        if self.state in ("Go", "Back"):
            self.x, self.n = self.x + 1.0, self.n * 5 % 17
            if self.n == 4:
                self.state = "Back" if self.state == "Go" else "Go"


class Model:
    """A list of agents that does what a crowd does."""

    def __init__(self) -> None:
        self.agents = [Agent(number, "Go") for number in range(FIRST)]
        self.next = FIRST

    def add(self, count: int, start: str | None, n: int) -> None:
        self.agents += [Agent(self.next + i, start, n=n) for i in range(count)]
        self.next += count

    def remove(self, chosen: list[int]) -> None:
        self.agents = [each for i, each in enumerate(self.agents) if i not in chosen]

    def send(self, chosen: list[int]) -> int:
        moved = [self.agents[i] for i in chosen if self.agents[i].state not in (None, "Rest")]
        for each in moved:
            each.state = "Rest"
        return len(moved)

    def told(self) -> list[Any]:
        return [(each.number, each.state, each.x, each.n) for each in self.agents]


def told(crowd: Crowd) -> list[Any]:
    names = [*crowd.machine.states, None]
    states = [names[number] for number in crowd.states.tolist()]
    return list(
        zip(crowd.ids.tolist(), states, crowd["x"].tolist(), crowd["n"].tolist(), strict=True)
    )


steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 30), st.sampled_from([None, "Back"])),
        st.tuples(st.just("remove"), st.lists(st.integers(0, 99), max_size=4)),
        st.tuples(st.just("remove mask"), st.lists(st.integers(0, 99), max_size=4)),
        st.tuples(st.just("send"), st.lists(st.integers(0, 99), max_size=4)),
        st.tuples(st.just("send mask"), st.lists(st.integers(0, 99), max_size=4)),
        st.tuples(st.just("update")),
        st.tuples(st.just("one"), st.integers(0, 99)),
        st.tuples(st.just("look")),
        st.tuples(st.just("count")),
    ),
    max_size=20,
)


def make(crowd: Crowd, model: Model, step: tuple[Any, ...]) -> None:
    """Do one step with both, and compare what it shows without closing up the rows."""
    kind, *rest = step
    size = len(model.agents)
    assert len(crowd) == size
    if kind == "add":
        first = crowd.add(rest[0], start=rest[1], n=7)
        assert first == range(size, size + rest[0])
        model.add(rest[0], rest[1], 7)
    elif kind in ("remove", "remove mask", "send", "send mask"):
        chosen = sorted({i % size for i in rest[0]}) if size else []
        where = np.isin(np.arange(size), chosen) if "mask" in kind else [i - size for i in chosen]
        if "remove" in kind:
            assert crowd.remove(where) == len(chosen)
            model.remove(chosen)
        else:
            assert crowd.send_event("REST", where=where) == model.send(chosen)
    elif kind == "update":
        crowd.update(1.0)
        for each in model.agents:
            each.update()
    elif kind == "one" and size:
        index = rest[0] % size
        agent, fsm = crowd[index], crowd.fsm(index)
        assert (agent.x, agent.n) == (model.agents[index].x, model.agents[index].n)
        assert repr(agent).startswith(f"<Npc {index}: ")
        assert fsm.context.number == model.agents[index].number
        fsm.context.agent.x = agent.x = 9.0
        crowd.put(index, fsm)
        model.agents[index].x = 9.0
    elif kind == "count":
        states = [each.state for each in model.agents]
        assert crowd.count() == {name: states.count(name) for name in crowd.machine.states}
        assert crowd.where("Rest").tolist() == [state == "Rest" for state in states]
        assert len(crowd.time_in_state) == size
    else:
        assert told(crowd) == model.told()


@pytest.mark.parametrize("engine", ["python", pytest.param("compiled", marks=pytest.mark.slow)])
@settings(max_examples=80, deadline=None)
@given(course=steps)
def test_a_crowd_is_a_list_of_agents(engine: Any, course: list[tuple[Any, ...]]) -> None:
    crowd, model = Crowd(build(), FIRST, start="Go", engine=engine), Model()
    for step in course:
        make(crowd, model, step)
    assert told(crowd) == model.told()


@pytest.mark.slow
def test_free_rows_are_passed_by() -> None:
    crowd = Crowd(build(), FIRST, start="Go")
    crowd.remove([0, 7, 20])
    census = Census(crowd)
    census.take()
    assert len(crowd._store.rows) == FIRST  # they are still there
    assert census.counts == {"Go": [FIRST - 3], "Back": [0], "Rest": [0]}
    crowd.update(1.0)
    assert crowd.send_event("REST") == FIRST - 3
    crowd.start("Back")
    assert len(crowd._store.rows) == FIRST
    assert crowd.count() == {"Go": 0, "Back": FIRST - 3, "Rest": 0}
    assert crowd["x"].tolist() == [1.5] * (FIRST - 3)
    assert len(crowd._store.rows) == FIRST - 3


def fail(npc: Npc, world: Any) -> None:
    npc.x = math.sqrt(npc.x)


@pytest.mark.usefixtures("not_compiled")
@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_an_error_names_the_agent_by_its_index(engine: Any) -> None:
    machine = CrowdFsm("Npc", Npc)
    machine.add_state("Work").add_action(CrowdAction(on_update=fail))
    crowd = Crowd(machine, FIRST, start="Work", engine=engine)
    crowd["x"][30] = -1.0
    crowd.remove([2, 11])
    with pytest.raises(ValueError, match="math domain error") as caught:
        crowd.update(1.0)
    assert "agent 28, state 'Work'" in caught.value.__notes__[0]
    assert crowd["x"][28] == -1.0


def test_an_agent_in_hand_stays_the_same_one() -> None:
    crowd = Crowd(build(), FIRST, start="Go", engine="python")
    crowd["x"] = np.arange(FIRST)
    agent, other = crowd[9], crowd[3]
    crowd.remove([0, 3])
    assert (agent.x, crowd[7].x, repr(agent)) == (9.0, 9.0, "<Npc 7: x=9.0, n=3>")
    crowd["x"][7] = 4.5
    assert agent.x == 4.5
    with pytest.raises(UnknownAgentError, match="the agent with the id 3 has been removed"):
        other.x = 1.0


def test_everybody_may_go_and_others_come() -> None:
    crowd = Crowd(build(), FIRST, start="Go", engine="python")
    assert crowd.remove(None) == FIRST
    crowd.update(1.0)
    assert (len(crowd), crowd["x"].tolist(), crowd.add(2, start="Go")) == (0, [], range(2))
    assert crowd.ids.tolist() == [FIRST, FIRST + 1]


def test_unknown_indices_are_refused_and_nobody_goes() -> None:
    crowd = Crowd(build(), FIRST, engine="python")
    crowd.remove([1, 2])
    for where in ([FIRST - 2], [-FIRST + 1], [0, 99]):
        with pytest.raises(UnknownAgentError, match="It has 38, from 0 to 37"):
            crowd.remove(where)
        with pytest.raises(UnknownAgentError):
            crowd.send_event("REST", where=where)
    assert len(crowd) == 38


def peak(call: Callable[[], object]) -> int:
    """Return how much more memory was in use at the worst moment of a call, in bytes."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@pytest.mark.slow
def test_coming_and_going_needs_no_copy_of_the_columns(folder: Path) -> None:
    size = 200_000
    crowd = Crowd(build(), size, start="Go", engine="python")
    crowd.remove([0])
    bytes_of_all = 33 * size
    assert peak(lambda: crowd.add(1)) < 100_000
    assert peak(lambda: crowd.add(100, start="Rest", x=2.0)) < 200_000
    assert peak(lambda: crowd.remove([5])) < 100_000
    assert peak(lambda: crowd["x"]) < 0.1 * bytes_of_all  # which closes up the rows
    assert peak(lambda: crowd.add(size // 5)) < 1.6 * bytes_of_all  # room, one column at a time


def test_a_file_needs_no_second_copy_of_the_columns(folder: Path) -> None:
    size = 400_000
    crowd = Crowd(build(), size, engine="python")
    assert peak(lambda: crowd.save(folder / "crowd.npz")) < 1.4 * 33 * size
    load = peak(lambda: Crowd.load(build(), folder / "crowd.npz", engine="python"))
    assert load < 1.3 * 33 * size  # its columns, with an eighth of spare room


def test_free_rows_are_not_saved(folder: Path) -> None:
    crowd = Crowd(build(), FIRST, start="Go", engine="python")
    crowd.remove([0, 9])
    crowd.save(folder / "crowd.npz")
    with np.load(folder / "crowd.npz") as file:
        assert len(file["state"]) == FIRST - 2
        assert file["state"].min() == 0
    loaded = Crowd.load(build(), folder / "crowd.npz", engine="python")
    assert told(loaded) == told(crowd)
    assert loaded.add(1, start="Go") == range(FIRST - 2, FIRST - 1)
    assert loaded.ids[-1] == FIRST

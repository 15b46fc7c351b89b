"""What is refused: at once, by name, and before anything has changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attrs import define, evolve
from every import every

from fsmkit import UnknownStateError
from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, SubsetError, UnknownAgentError
from fsmkit.crowd.census import Census
from fsmkit.crowd.cuda.exactness import INEXACT_MATH
from fsmkit.crowd.pictures import share_svg
from fsmkit.crowd.shards import (
    InProcessShards,
    ProcessShards,
    ShardedCrowd,
    ShardMismatchError,
)
from fsmkit.crowd.shards.workers import called_functions, check_alike, describe

TWO = InProcessShards(2)


@define
class Npc:
    x: float = 0.0
    n: int = 0


@define
class World:
    wind: float = 0.5


def blow(npc: Any, world: Any) -> None:
    npc.x += world.wind * world.dt


def listed(npc: Any, _world: Any) -> None:
    npc.x = len([npc.x])


def build(action: Any = blow) -> CrowdFsm:
    machine = CrowdFsm("Npc", Npc, World)
    machine.add_state("Rest").add_action(CrowdAction(on_update=action))
    machine.add_state("Go")
    machine.add_global_transition("GO", machine.states["Go"])
    return machine


@every("count", [0, True, -1, 2.0, "2"])
@every("kind", [ProcessShards, InProcessShards])
def test_a_count_of_shards(kind: Any, count: Any) -> None:
    told = f"The number of shards must be an integer >= 1, got {count!r}."
    with pytest.raises(CrowdError, match=re.escape(told)):
        kind(count)


def test_more_shards_than_processors_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmkit.crowd.shards.workers.processors", lambda: 2)
    told = r"8 shards, 2 free CPUs\. Take fewer, or let them share: ProcessShards\(8, share_cpus=T"
    with pytest.raises(CrowdError, match=told):
        ShardedCrowd(build(), 100, shards=ProcessShards(8))


@every(
    ("options", "told"),
    [
        ({"shards": 2}, "shards must be ProcessShards(4), RayShards(4) or DaskShards(4), got 2."),
        ({"shards": ProcessShards}, "shards must be ProcessShards(4), RayShards(4) or"),
        ({"shards": InProcessShards(11)}, "got 11 shards and 10 agents. Take fewer shards."),
        ({"seed": -1}, "seed must be an integer >= 0, got -1."),
        ({"dtype": "int"}, "dtype must be 'float64' or 'float32', got 'int'."),
        ({"every": 0}, "every must be an integer >= 1, got 0."),
        ({"deadline": 0}, "deadline must be a finite number of seconds > 0, got 0."),
        ({"deadline": float("inf")}, "deadline must be a finite number of seconds > 0, got inf."),
        ({"checkpoints": 3}, "checkpoints must be a folder or None, got 3."),
        ({"checkpoints": __file__}, f"a folder or None, got the file {__file__!r}."),
        ({"exact": 1}, "exact must be True or False, got 1."),
    ],
)
def test_an_argument_of_the_crowd(options: dict[str, Any], told: str) -> None:
    with pytest.raises(CrowdError, match=re.escape(told)):
        ShardedCrowd(build(), 10, **{"shards": TWO, **options})


def test_a_machine_is_checked_before_a_worker_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_(_shards: object) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(InProcessShards, "open", open_)
    with pytest.raises(SubsetError, match=r"lists cannot be compiled|list"):
        ShardedCrowd(build(listed), 10, shards=TWO)
    with pytest.raises(UnknownStateError, match="has no state 'Rset'"):
        ShardedCrowd(build(), 10, shards=TWO, start="Rset")
    with pytest.raises(CrowdError, match="The machine of a ShardedCrowd must be a CrowdFsm, got 3"):
        ShardedCrowd(3, 10, shards=TWO)  # type: ignore[arg-type]


@pytest.fixture
def crowd() -> Any:
    with ShardedCrowd(build(), 10, shards=TWO, start="Rest") as made:
        yield made


@pytest.mark.parametrize(
    ("call", "kind", "told"),
    [
        (lambda c: c["x"], CrowdError, "Columns are on other machines. Take read() and write()."),
        (lambda c: c[3], CrowdError, "Agents are on other machines. Take fsm() and put(), or"),
        (lambda c: c.__setitem__("x", 1), CrowdError, "Columns are on other machines. Take re"),
        (lambda c: setattr(c, "x", 1), CrowdError, "'x' is a column. Write crowd.write('x', ...)"),
        (lambda c: c.x, AttributeError, "'x' is a column. Take crowd.read('x')."),
        (lambda c: c.read("y"), CrowdError, "Npc has no field 'y'. Its fields: x, n."),
        (lambda c: c.write("y", 1), CrowdError, "Npc has no field 'y'. Its fields: x, n."),
        (lambda c: c.write("n", 1.5), CrowdError, "The column 'n' must be int64, got float64."),
        (lambda c: c.write("x", [1.0]), CrowdError, "'x' must be one value, or 10 of them"),
        (lambda c: c.write("x", [1.0], [1, 2]), CrowdError, "'x' must be one value, or 2 of them"),
        (lambda c: c.read("x", [10]), UnknownAgentError, "there is no agent 10. It has 10, from"),
        (lambda c: c.read("x", 1.5), CrowdError, "agents must be a mask of 10 booleans, a list of"),
        (lambda c: c.fsm(-11), UnknownAgentError, "there is no agent -11."),
        (lambda c: c.fsm("a"), CrowdError, "The index of an agent must be an integer, got 'a'."),
        (lambda c: c.fsm(True), CrowdError, "The index of an agent must be an integer, got True."),
        (
            lambda c: c.put(0, 3),
            CrowdError,
            "3 was not made from an agent of a crowd of 'Npc'. Put",
        ),
        (lambda c: c.send_event("G"), CrowdError, "no state knows 'G'. Known events: 'GO'."),
        (lambda c: c.send_event("GO", [True]), CrowdError, "where must be a mask of 10 booleans"),
        (lambda c: c.send_event("GO", "Gone"), UnknownStateError, "has no state 'Gone'."),
        (lambda c: c.start("Gone"), UnknownStateError, "has no state 'Gone'."),
        (lambda c: c.where(3), CrowdError, "A state must be an FsmState or the name of one"),
        (lambda c: c.is_where("y", "<", 1), CrowdError, "Npc has no field 'y'."),
        (lambda c: c.is_where("x", "=", 1), CrowdError, "The comparison must be one of < <= > >="),
        (lambda c: c.is_where("x", "<", "1"), CrowdError, "'x' must be compared with a number"),
        (lambda c: bool(c.where("Go")), TypeError, "Write & for `and`, | for `or`, ~ for `not`"),
        (lambda c: c.where("Go") & True, TypeError, "unsupported operand"),
        (lambda c: c.add(-1), CrowdError, "The number of agents to add must be an integer >= 0"),
        (lambda c: c.add(1, y=1), CrowdError, "Npc has no field 'y'."),
        (lambda c: c.add(1, start="Gone"), UnknownStateError, "has no state 'Gone'."),
        (lambda c: c.remove([10]), UnknownAgentError, "there is no agent 10."),
        (lambda c: c.update(-1.0), ValueError, "dt must be"),
        (lambda c: c.update(0.1, steps=1.5), CrowdError, "steps must be an integer >= 0, got 1.5."),
    ],
)
def test_a_mistake_changes_nothing(
    crowd: Any, call: Callable[[Any], Any], kind: type[Exception], told: str
) -> None:
    with pytest.raises(kind, match=re.escape(told)):
        call(crowd)
    assert (crowd.calls, len(crowd), crowd.time) == (1, 10, 0.0)


def test_a_value_of_the_world_of_another_kind(crowd: Any) -> None:
    crowd.world.wind = "strong"
    with pytest.raises(CrowdError, match="wind must be float, got 'strong'"):
        crowd.update(0.1)
    with pytest.raises(CrowdError, match="wind must be float, got 'strong'"):
        crowd.add(1, start="Go")
    assert (crowd.calls, len(crowd), crowd.time) == (1, 10, 0.0)


def test_a_closed_crowd_does_nothing(crowd: Any) -> None:
    crowd.close()
    crowd.close()
    calls: list[Callable[[], Any]] = [
        lambda: crowd.update(0.1), crowd.count, lambda: len(crowd), lambda: crowd.time,
        lambda: crowd.read("x"), crowd.checkpoint, crowd.__enter__,
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(CrowdError, match="Crowd of 'Npc' in shards: It is closed"):
            call()
    assert repr(crowd) == "<Crowd of 10 agents of 'Npc' in 2 shards>"


def test_a_worker_with_another_version_is_refused_by_name() -> None:
    own = describe()
    other = evolve(own, host="node-7", versions={**own.versions, "numba": "0.1"})
    told = rf"must have numba {own.versions['numba']}, as the driver on .* the worker on 'node-7' h"
    with pytest.raises(ShardMismatchError, match=told):
        check_alike(own, other, [])


def test_a_worker_with_other_arithmetic_is_refused_if_the_machine_needs_it() -> None:
    own = describe()
    other = evolve(own, host="node-7", arithmetic={**own.arithmetic, "sin": "0"})
    check_alike(own, other, ["cos"])
    told = r"calls math\.sin, and the worker on 'node-7' gives other results than the driver on"
    with pytest.raises(ShardMismatchError, match=told):
        check_alike(own, other, ["cos", "sin"])


def test_all_functions_that_processors_round_differently_are_compared() -> None:
    assert set(describe().arithmetic) == INEXACT_MATH
    for name in INEXACT_MATH:
        arguments = "0.5, 0.5" if name == "atan2" else "0.5"
        assert called_functions(f"x = math.{name}({arguments})") == [name]


@pytest.mark.parametrize("agents", [3, -1, np.int32(3), [3], slice(3, 4), np.arange(10) == 3])
def test_agents_to_read_are_given_as_to_a_crowd_in_one_process(crowd: Any, agents: Any) -> None:
    one = Crowd(build(), 10, start="Rest")
    one["x"] = np.arange(10.0)
    crowd.write("x", np.arange(10.0))
    for many, column in [
        (crowd.read("x", agents), one.read("x")),
        (crowd.states(agents), one.states),
        (crowd.ids(agents), one.ids),
        (crowd.time_in_state(agents), one.time_in_state),
    ]:
        assert (type(many), np.shape(many)) == (type(column[agents]), np.shape(column[agents]))
        assert np.array_equal(many, column[agents])


def test_a_census_and_the_picture_of_shares(crowd: Any) -> None:
    census = Census(crowd)
    crowd.send_event("GO", where=np.arange(10) < 3)
    crowd.update(0.5)
    census.take()
    assert (census.times, census.counts) == ([0.5], {"Rest": [7], "Go": [3]})
    assert "70.0 %" in share_svg(crowd)

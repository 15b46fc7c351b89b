"""The arguments of a crowd: the accepted ones, and the messages about the others."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np
import pytest
from attrs import define, field, frozen, setters
from every import every

from fsmkit import UnknownStateError
from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, UnknownAgentError


@define
class Npc:
    x: float = 0.0
    hits: int = 0
    alive: bool = True


@define
class World:
    wind: float = 0.5
    round: int = 3


@define
class Storm:
    wind: float = 9.0


@frozen
class Statue:
    x: float = 0.0


@define
class Half:
    x: float = 0.0
    weight: float = field(default=1.0, on_setattr=setters.frozen)


@define
class Huge:
    hits: int = 2**70


def walk(npc: Npc, world: World) -> None:
    npc.x += world.wind * world.dt


def build() -> CrowdFsm:
    machine = CrowdFsm("Npc", Npc, World)
    rest, go = machine.add_state("Rest"), machine.add_state("Go")
    rest.add_action(CrowdAction(on_update=walk))
    rest.add_transition("GO", go)
    return machine


def crowd(size: Any = 3, **options: Any) -> Crowd:
    return Crowd(build(), size, **{"start": "Rest", "engine": "python", **options})


# Accepted arguments


@pytest.mark.parametrize(
    "nobody", [[], (), range(0), np.array([]), np.array([], int), np.zeros(3, bool)]
)
def test_no_indices_mean_nobody(nobody: Any) -> None:
    made = crowd()
    assert (made.send_event("GO", where=nobody), made.remove(nobody)) == (0, 0)
    made.start("Go", where=nobody)
    assert made.count() == {"Rest": 3, "Go": 0}


@pytest.mark.parametrize(
    "one", [1, -2, np.int8(1), np.uint64(1), [1], (1, 1), np.array([False, True, False])]
)
def test_agents_are_given_by_index_or_mask(one: Any) -> None:
    made = crowd()
    assert made.send_event("GO", where=one) == 1
    assert made.states.tolist() == [0, 1, 0]


@pytest.mark.parametrize("by_name", [True, False])
def test_agents_are_given_by_the_state_that_they_are_in(by_name: bool) -> None:
    made = crowd(4)
    made.send_event("GO", where=[1, 2])
    gone = "Go" if by_name else made.machine.states["Go"]
    made.write("x", [3.0, 4.0], agents=gone)
    assert made["x"].tolist() == [0.0, 3.0, 4.0, 0.0]
    assert made.read("x", agents=gone).tolist() == [3.0, 4.0]
    made.start("Rest", where=gone)
    assert made.count() == {"Rest": 4, "Go": 0}
    assert made.send_event("GO", where="Rest") == 4
    assert made.remove(gone) == 4
    with pytest.raises(UnknownStateError, match="has no state 'Gone'. Its states: 'Rest', 'Go'"):
        made.remove("Gone")


def test_the_name_of_a_field_is_not_an_attribute() -> None:
    made: Any = crowd()
    with pytest.raises(AttributeError, match=r"'x' is a column\. Take crowd\['x'\]\."):
        made.x  # noqa: B018
    with pytest.raises(AttributeError, match="'Crowd' object has no attribute 'z'"):
        made.z  # noqa: B018
    assert (hasattr(made, "x"), getattr(made, "hits", None)) == (False, None)


def test_numbers_of_numpy_are_numbers() -> None:
    made = crowd(np.int32(3), seed=np.uint8(7), parallel=np.int64(2))
    made.update(np.float32(0.5), steps=np.int64(2))
    assert (len(made), made.seed, made.time, type(made.time)) == (3, 7, 1.0, float)
    assert (made[np.int64(1)].x, made.add(np.int64(2))) == (0.5, range(3, 5))


def test_the_clock_keeps_64_bits() -> None:
    made = crowd()
    for _ in range(1000):
        made.update(np.float32(1 / 60))
    assert made.time == pytest.approx(1000 * float(np.float32(1 / 60)), abs=1e-11)


def test_a_crowd_of_nobody_takes_empty_columns() -> None:
    made = crowd(0)
    made["hits"] = []
    assert made.add(0, alive=[]) == range(0)
    assert made.count() == {"Rest": 0, "Go": 0}


def test_a_column_takes_numbers_that_stay_what_they_are() -> None:
    made = crowd()
    made["alive"], made["hits"], made["x"] = [0, 1, 0], np.array([1, 2, 3], np.uint64), 7
    assert made["alive"].tolist() == [False, True, False]
    assert (made["hits"].tolist(), made["x"].tolist()) == ([1, 2, 3], [7.0] * 3)


def test_attributes_that_are_not_columns_can_be_set() -> None:
    made: Any = crowd()
    made.world, made.title = World(2.0), "Fish"
    made.update(0.5)
    assert (made[0].x, made.title) == (1.0, "Fish")


# Refused arguments


def set_column(made: Crowd) -> None:
    made.x = 3.0  # type: ignore[attr-defined]


def with_world(world: Any) -> Crowd:
    made = crowd()
    made.world = world
    return made


NOBODY_5 = "Crowd of 'Npc': there is no agent 5. It has 3, from 0 to 2."
REFUSED: dict[str, tuple[type[Exception], Callable[[], object], str]] = {
    "half a size": (
        CrowdError,
        lambda: crowd(0.5),
        "The size of a crowd must be an integer >= 0, got 0.5.",
    ),
    "a size that is a bool": (
        CrowdError,
        lambda: crowd(True),
        "The size of a crowd must be an integer >= 0, got True.",
    ),
    "a size beyond memory": (
        CrowdError,
        lambda: crowd(2**62),
        ("Crowd of 'Npc': not enough memory for 4,611,686,018,427,387,904 agents. Use fewer."),
    ),
    "more than there is room for": (
        CrowdError,
        lambda: crowd().add(10**14),
        "Crowd of 'Npc': not enough memory for 100,000,000,000,000 agents. Use fewer.",
    ),
    "a number to add below 0": (
        CrowdError,
        lambda: crowd().add(-1),
        "The number of agents to add must be an integer >= 0, got -1.",
    ),
    "a fractional seed": (
        CrowdError,
        lambda: crowd(seed=1.5),
        "seed must be an integer >= 0, got 1.5.",
    ),
    "no seed": (
        CrowdError,
        lambda: crowd(seed=None),
        "seed must be an integer >= 0, got None.",
    ),
    "a seed of text": (
        CrowdError,
        lambda: crowd(seed="a"),
        "seed must be an integer >= 0, got 'a'.",
    ),
    "a seed too large": (
        CrowdError,
        lambda: crowd(seed=2**63),
        "seed must be an integer >= 0 and < 2**63, got 9223372036854775808.",
    ),
    **{
        f"{threads!r} threads": (
            CrowdError,
            lambda threads=threads: crowd(parallel=threads),  # type: ignore[misc]
            f"parallel must be an integer >= 1, True or False, got {threads!r}.",
        )
        for threads in (-2, 0, 2.7, "yes", None)
    },
    "steps below 0": (
        CrowdError,
        lambda: crowd().update(1.0, steps=-1),
        "steps must be an integer >= 0, got -1.",
    ),
    "a time below 0": (
        ValueError,
        lambda: crowd().update(-1.0),
        "Crowd of 'Npc': dt must be a finite number of seconds >= 0, got -1.0.",
    ),
    "a time that is not a number": (
        ValueError,
        lambda: crowd().update(nan),
        "Crowd of 'Npc': dt must be a finite number of seconds >= 0, got nan.",
    ),
    "a time of text": (
        TypeError,
        lambda: crowd().update("0.1"),  # type: ignore[arg-type]
        "Crowd of 'Npc': dt must be a number of seconds, got '0.1'.",
    ),
    "no class of agents": (
        CrowdError,
        lambda: CrowdFsm("Npc", None),  # type: ignore[arg-type]
        (
            "The agents of a crowd must be described by an attrs class, got None. Write `@define` "
            "above a class with lines such as `x: float = 0.0`."
        ),
    ),
    "a frozen class of agents": (
        CrowdError,
        lambda: CrowdFsm("Npc", Statue),
        (
            "Statue.x is frozen, but the fields of agents are written to. Write `@define` above "
            "the class, and freeze no field."
        ),
    ),
    "a frozen field of agents": (
        CrowdError,
        lambda: CrowdFsm("Npc", Half),
        (
            "Half.weight is frozen, but the fields of agents are written to. Write `@define` above "
            "the class, and freeze no field."
        ),
    ),
    "a default too large": (
        CrowdError,
        lambda: CrowdFsm("Npc", Huge),
        f"Huge.hits must be a 64-bit integer, got {2**70}.",
    ),
    "a state by number": (
        CrowdError,
        lambda: crowd(start=0),
        "A state must be an FsmState or the name of one, got 0.",
    ),
    "no state": (
        CrowdError,
        lambda: crowd().where(None),  # type: ignore[arg-type]
        "A state must be an FsmState or the name of one, got None.",
    ),
    "an unknown state": (
        UnknownStateError,
        lambda: crowd().where("Sleep"),
        "Crowd of 'Npc' has no state 'Sleep'. Its states: 'Rest', 'Go'.",
    ),
    "an unknown agent": (UnknownAgentError, lambda: crowd()[5], NOBODY_5),
    "a machine of an unknown agent": (UnknownAgentError, lambda: crowd().fsm(5), NOBODY_5),
    "an unknown agent to put back": (
        UnknownAgentError,
        lambda: crowd().put(5, crowd().fsm(0)),
        NOBODY_5,
    ),
    "an event for an unknown agent": (
        UnknownAgentError,
        lambda: crowd().send_event("GO", where=[0, 5, 9]),
        NOBODY_5,
    ),
    "an agent too far from the end": (
        UnknownAgentError,
        lambda: crowd().remove(-4),
        "Crowd of 'Npc': there is no agent -4. It has 3, from 0 to 2.",
    ),
    "an agent in an empty crowd": (
        UnknownAgentError,
        lambda: crowd(0)[0],
        "Crowd of 'Npc': there is no agent 0. It has none.",
    ),
    "a slice of agents": (
        CrowdError,
        lambda: crowd()[0:2],  # type: ignore[index]
        (
            "The index of an agent must be an integer, got slice(0, 2, None). For several "
            'agents use a column: crowd["x"][...].'
        ),
    ),
    "a fraction of an agent": (
        CrowdError,
        lambda: crowd().fsm(1.5),  # type: ignore[arg-type]
        (
            "The index of an agent must be an integer, got 1.5. For several agents use a "
            'column: crowd["x"][...].'
        ),
    ),
    "agents in lists": (
        CrowdError,
        lambda: crowd().remove([[1], [1, 2]]),
        "where must be a sequence of numbers, got [[1], [1, 2]].",
    ),
    "values in lists": (
        CrowdError,
        lambda: crowd().__setitem__("x", [1.0, [2.0], 3.0]),
        "'x' must be a sequence of numbers, got [1.0, [2.0], 3.0].",
    ),
    "a number for a bool": (
        CrowdError,
        lambda: crowd().__setitem__("alive", 2),
        "The column 'alive' must be bool, got 2.",
    ),
    "a number too large": (
        CrowdError,
        lambda: crowd().__setitem__("hits", np.array([1, 2, 2**63], np.uint64)),
        f"The column 'hits' must be int64, got {2**63}.",
    ),
    "a cell too small": (
        OverflowError,
        lambda: setattr(crowd()[0], "hits", 2**63),
        f"'hits' must be a 64-bit integer, got {2**63}.",
    ),
    "a column as an attribute": (
        CrowdError,
        lambda: set_column(crowd()),
        "'x' is a column. Write crowd['x'] = ...",
    ),
    "no world": (
        CrowdError,
        lambda: with_world(None).update(1.0),
        "crowd.world must be an instance of World, got None.",
    ),
    "another world": (
        CrowdError,
        lambda: with_world(Storm()).update(1.0),
        "crowd.world must be an instance of World, got Storm(wind=9.0).",
    ),
    "a world out of bounds": (
        CrowdError,
        lambda: with_world(World(round=2**63)).update(1.0),
        f"crowd.world.round must be a 64-bit integer, got {2**63}.",
    ),
}


@every("what", REFUSED)
def test_what_it_does_not_take_is_reported(what: str) -> None:
    kind, call, message = REFUSED[what]
    with pytest.raises(kind) as caught:
        call()
    assert (type(caught.value), str(caught.value)) == (kind, message)


def test_own_names_are_distinct_plain_and_of_64_bits() -> None:
    with pytest.raises(CrowdError, match="CrowdAction: 'k' is used twice"):
        CrowdAction(on_update=walk, parameters={"k": 1.0}, memory={"k": 0.0})
    with pytest.raises(
        CrowdError, match="the memory 'k' must fit into 64 bits, got 1180591620717411303424"
    ):
        CrowdAction(on_update=walk, memory={"k": 2**70})
    assert (
        type(CrowdAction(on_update=walk, memory={"k": np.float64(2.0)}).definition.memory["k"])
        is float
    )


def test_only_machines_are_put_back() -> None:
    crowd = Crowd(build(), 1)
    with pytest.raises(CrowdError, match=r"Put back what crowd\.fsm\(\) has made"):
        crowd.put(0, None)  # type: ignore[arg-type]


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_world_that_does_not_fit_changes_nothing(engine: Any) -> None:
    crowd = Crowd(build(), 2, start="Rest", engine=engine)
    crowd.update(0.5)
    before = condition(crowd)
    calls: list[Callable[[], object]] = [
        lambda: crowd.update(0.5, steps=3),
        lambda: crowd.send_event("GO"),
        lambda: crowd.start("Go"),
        lambda: crowd.add(3, start="Go"),
    ]
    crowd.world.wind = "strong"
    for call in calls:
        with pytest.raises(CrowdError, match=r"^crowd\.world\.wind must be float, got 'strong'\.$"):
            call()
        assert condition(crowd) == before
    crowd.world.wind = 0.5
    crowd.update(0.5)
    assert (crowd.time, crowd["x"].tolist()) == (1.0, [0.5, 0.5])


def condition(crowd: Crowd) -> tuple[Any, ...]:
    return crowd.time, crowd.count(), crowd["x"].tolist(), crowd.time_in_state.tolist()

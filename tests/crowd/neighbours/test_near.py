"""What agents know of those near them: the same by brute force, by both engines, in any order."""

from __future__ import annotations

import math
import pickle
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
import pytest
from any_crowd import near_python
from attrs import define, evolve
from hypothesis import given
from hypothesis import strategies as st

from fsmkit.crowd import Cells, Crowd, CrowdFsm, Places
from fsmkit.crowd.neighbours.declaration import AtPlaces, Declaration
from fsmkit.crowd.neighbours.evaluation import answers
from fsmkit.crowd.neighbours.place_kernel import PlaceTable, at_places, table_of
from fsmkit.crowd.neighbours.query import Agents, Magnitudes, NeighbourQuery

STATES = ["Well", "Ill", "Immune"]


@define
class Person:
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    n: int = 0
    place: int = 0
    v: float = 0.0
    worn: bool = False
    near: int = 0
    near_ill: float = 0.0
    near_worn: int = 0
    close: int = 0
    total: float = 0.0
    total_n: int = 0
    mean: float = 0.0
    mean_n: float = 0.0
    share: float = 0.0
    least: float = 0.0
    most: int = 0
    to_x: float = 0.0
    to_y: float = 0.0
    to_z: float = 0.0
    gap: float = 0.0
    who: int = 0
    their_v: float = 0.0
    their_n: float = 0.0
    ill_gap: float = 0.0
    ill_who: int = 0


WRITTEN = [name for name in Person.__slots__ if not name.startswith("_")][7:]


def build() -> CrowdFsm:
    machine = CrowdFsm("Person", Person)
    for name in STATES:
        machine.add_state(name)
    return machine


MACHINE = build()

COORDINATES = st.one_of(
    st.integers(-20, 20).map(lambda n: n / 4),  # so that many are exactly at the distance
    st.floats(-6.0, 6.0),
    st.sampled_from([0.0, -0.0, 1e-300, 5.0, math.nextafter(5.0, 0.0), -1e-20, 1e6, -1e9, 1e300]),
)
VALUES = st.integers(-40, 40).map(lambda n: n / 8)  # whose sums are exact


@st.composite
def crowds(draw: Any, coordinate: Any = COORDINATES) -> dict[str, list[Any]]:
    size = draw(st.integers(0, 14))
    fields = {
        "x": coordinate, "y": coordinate, "z": coordinate, "v": VALUES, "n": st.integers(-9, 9),
        "place": st.integers(-2, 3), "worn": st.booleans(), "state": st.integers(0, 2),
    }  # fmt: skip
    return {n: draw(st.lists(each, min_size=size, max_size=size)) for n, each in fields.items()}


def crowd_of(fields: dict[str, list[Any]], engine: Any = "python", **options: Any) -> Crowd:
    crowd = Crowd(MACHINE, len(fields["x"]), engine=engine, **options)
    for name, values in fields.items():
        if name != "state":
            crowd[name] = np.array(values, crowd[name].dtype)
    for number, state in enumerate(STATES):
        crowd.start(state, where=np.array(fields["state"], int) == number)
    return crowd


def declare_cells(crowd: Crowd, names: str, size: float, around: Any) -> Cells:
    cells = Cells(crowd, *names, size=size, around=around)
    cells.count(into="near")
    cells.count(into="near_ill", where="Ill")
    cells.count(into="near_worn", where="worn")
    cells.count(into="close", where=["Ill", "Immune"], within=size / 2)
    cells.sum("v", into="total", where="Ill")
    cells.sum("n", into="total_n")
    cells.mean("v", into="mean", otherwise=-1.0)
    cells.mean("n", into="mean_n", where="worn")
    cells.share("Ill", into="share", where=["Well", "Ill"], otherwise=0.5)
    cells.least("v", into="least")
    cells.most("n", into="most", otherwise=-99)
    cells.offset(into=["to_x", "to_y", "to_z"][: len(names)])
    cells.nearest(distance="gap", id="who", values={"v": "their_v", "n": "their_n"}, otherwise=-7)
    cells.nearest(distance="ill_gap", id="ill_who", where="Ill", within=size / 2)
    return cells


def read(crowd: Crowd) -> dict[str, list[Any]]:
    return {name: crowd[name].tolist() for name in WRITTEN}


# By brute force


def way(own: float, other: float, around: float) -> float:
    if around == math.inf:
        return other - own
    own, other = own % around, other % around
    own, other = own * (own < around), other * (other < around)
    there = other - own
    return (
        there - around if there > around / 2 else there + around if there < -around / 2 else there
    )


def by_brute_force(
    fields: dict[str, list[Any]], names: str, size: float, around: Any
) -> dict[str, list[Any]]:
    lengths = [around or math.inf] * len(names)
    found: dict[str, list[Any]] = {name: [] for name in WRITTEN}
    everybody = range(len(fields["x"]))
    for me in everybody:
        ways = {
            other: [
                way(fields[n][me], fields[n][other], a) for n, a in zip(names, lengths, strict=True)
            ]
            for other in everybody
            if other != me
        }
        # Not by sum(), which compensates for rounding from Python 3.12 on.
        squares = {other: reduce(add, (w * w for w in each)) for other, each in ways.items()}
        near = [other for other in ways if squares[other] <= size * size]
        close = [other for other in near if squares[other] <= size * size / 4]
        ill = [other for other in near if fields["state"][other] == 1]
        worn = [other for other in near if fields["worn"][other]]
        some = [other for other in near if fields["state"][other] < 2]
        v, n = fields["v"], fields["n"]
        nearest = min(near, key=lambda o: (squares[o], o), default=-1)
        near_ill = min(set(ill) & set(close), key=lambda o: (squares[o], o), default=-1)
        row = {
            "near": len(near),
            "near_ill": len(ill),
            "near_worn": len(worn),
            "close": sum(fields["state"][other] > 0 for other in close),
            "total": sum(v[o] for o in ill),
            "total_n": sum(n[o] for o in near),
            "mean": sum(v[o] for o in near) / len(near) if near else -1.0,
            "mean_n": sum(n[o] for o in worn) / len(worn) if worn else 0.0,
            "share": len(ill) / len(some) if some else 0.5,
            "least": min((v[o] for o in near), default=math.inf),
            "most": max((n[o] for o in near), default=-99),
            "gap": math.sqrt(squares[nearest]) if near else math.inf,
            "who": nearest,
            "their_v": v[nearest] if near else -7.0,
            "their_n": float(n[nearest]) if near else -7.0,
            "ill_gap": math.sqrt(squares[near_ill]) if near_ill >= 0 else math.inf,
            "ill_who": near_ill,
        }
        for axis, name in enumerate(["to_x", "to_y", "to_z"]):
            known = near and axis < len(names)
            row[name] = sum(ways[o][axis] for o in near) / len(near) if known else 0.0
        for name, value in row.items():
            found[name].append(value)
    return found


OFFSETS = ("to_x", "to_y", "to_z")


@pytest.mark.slow
@pytest.mark.parametrize("names", ["x", "xy", "xyz"])
@pytest.mark.parametrize("engine", ["python", "compiled"])
@given(
    fields=crowds(),
    size=st.sampled_from([0.25, 1.0, 1.25, 3.0, 50.0]),
    around=st.sampled_from([None, 5.0, 3.1, 0.7]),
)
def test_what_is_near_is_found(
    engine: str, names: str, fields: dict[str, list[Any]], size: float, around: float | None
) -> None:
    crowd = crowd_of(fields, engine)
    declare_cells(crowd, names, size, around)
    found, expected = read(crowd), by_brute_force(fields, names, size, around)
    for name in OFFSETS:
        assert found.pop(name) == pytest.approx(expected.pop(name), abs=1e-12)
    assert found == expected


# Along a line


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["python", "compiled"])
@given(
    fields=crowds(),
    size=st.sampled_from([0.25, 3.0, 5.0, 50.0]),
    around=st.sampled_from([None, 5.0, 3.1]),
)
def test_the_next_one_on_a_line_is_found(
    engine: str, fields: dict[str, list[Any]], size: float, around: float | None
) -> None:
    crowd = crowd_of(fields, engine)
    cells = Cells(crowd, "x", size=size, around=around)
    cells.nearest(distance="gap", id="who", values={"v": "their_v"}, ahead=True)
    cells.nearest(distance="ill_gap", id="ill_who", where="Ill", behind=True)
    expected = [next_by_brute_force(fields, me, 1, around, size=size) for me in range(len(crowd))]
    assert list(zip(crowd["gap"].tolist(), crowd["who"].tolist(), strict=True)) == expected
    assert crowd["their_v"].tolist() == [
        fields["v"][who] if who >= 0 else 0.0 for _, who in expected
    ]
    assert list(zip(crowd["ill_gap"].tolist(), crowd["ill_who"].tolist(), strict=True)) == [
        next_by_brute_force(fields, me, -1, around, size=size, ill=True) for me in range(len(crowd))
    ]


def next_by_brute_force(
    fields: dict[str, list[Any]],
    me: int,
    side: int,
    around: float | None,
    *,
    size: float,
    ill: bool = False,
) -> tuple[float, int]:
    def place(agent: int) -> float:
        at = float(fields["x"][agent])
        if around is None:
            return at
        at %= around
        return at if at < around else 0.0

    others = [
        o for o in range(len(fields["x"])) if o != me and (not ill or fields["state"][o] == 1)
    ]
    nexts = [o for o in others if (place(o) * side, o * side) > (place(me) * side, me * side)]
    if nexts:
        who = min(nexts, key=lambda o: (place(o) * side, o * side))
        gap = (place(who) - place(me)) * side
    elif others and around is not None:
        who = min(others, key=lambda o: (place(o) * side, o * side))
        gap = (place(who) - place(me)) * side + around
    else:
        return math.inf, -1
    return (gap, who) if gap <= size else (math.inf, -1)


# At places


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["python", "compiled"])
@given(fields=crowds(), spread=st.sampled_from([1, 10**6, 2**61]))
def test_who_is_at_the_same_place_is_found(
    engine: str, fields: dict[str, list[Any]], spread: int
) -> None:
    fields["place"] = [place * spread for place in fields["place"]]
    crowd = crowd_of(fields, engine)
    places = Places(crowd, "place")
    places.count(into="near")
    places.count(into="near_ill", where="Ill")
    places.sum("v", into="total", where="worn")
    places.sum("n", into="total_n")
    places.mean("v", into="mean", otherwise=-1.0)
    places.share("Ill", into="share", where=["Well", "Ill"], otherwise=0.5)
    everybody = range(len(crowd))
    others = [
        [o for o in everybody if o != me and fields["place"][o] == fields["place"][me]]
        for me in everybody
    ]
    state, v, n = fields["state"], fields["v"], fields["n"]
    some = [[o for o in each if state[o] < 2] for each in others]
    assert crowd["near"].tolist() == [len(each) for each in others]
    assert crowd["near_ill"].tolist() == [sum(state[o] == 1 for o in each) for each in others]
    assert crowd["total"].tolist() == [
        sum(v[o] for o in each if fields["worn"][o]) for each in others
    ]
    assert crowd["total_n"].tolist() == [sum(n[o] for o in each) for each in others]
    assert crowd["mean"].tolist() == [
        sum(v[o] for o in each) / len(each) if each else -1.0 for each in others
    ]
    assert crowd["share"].tolist() == [
        sum(state[o] == 1 for o in each) / len(each) if each else 0.5 for each in some
    ]


# Whatever the order


def known(declaration: Declaration, crowd: Crowd) -> Agents:
    columns = {name: crowd[name].copy() for name in declaration.read}
    return Agents(np.arange(len(crowd)), crowd.states.copy(), columns)


def big_crowd(engine: Any, **options: Any) -> Crowd:
    """Five hundred agents with values whose sums depend on the order if they are not exact."""
    random = np.random.default_rng(3)
    fields: dict[str, Any] = {name: random.uniform(-9.0, 9.0, 500) for name in "xyz"}
    fields["v"] = random.normal(size=500) * 10.0 ** random.integers(-8, 8, 500)
    fields["n"] = random.integers(-(10**9), 10**9, 500)
    fields["place"] = random.integers(0, 40, 500)
    fields["worn"] = random.uniform(size=500) < 0.4
    fields["state"] = random.integers(0, 3, 500)
    return crowd_of(fields, engine, **options)


def declarations(crowd: Crowd) -> list[Declaration]:
    places = Places(crowd, "place")
    places.sum("v", into="total")
    places.mean("v", into="mean", where="Ill")
    places.close()
    cells = declare_cells(crowd, "xy", 2.0, (18.0, None))
    cells.close()
    line = Cells(crowd, "x", size=1.0, around=18.0)
    line.nearest(distance="gap", id="who", where="Ill", ahead=True)
    line.nearest(distance="ill_gap", id="ill_who", behind=True)
    return [places.declaration, cells.declaration, line.declaration]


def as_bytes(found: dict[str, Any]) -> dict[str, bytes]:
    return {name: values.tobytes() for name, values in found.items()}


@pytest.mark.slow
def test_plain_python_and_threads_agree_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmkit.crowd.neighbours.evaluation.MIN_AGENTS_PER_THREAD", 1)
    crowd = big_crowd("python")
    for each in declarations(crowd):
        agents = known(each, crowd)
        with monkeypatch.context() as patch:
            patch.setattr("fsmkit.crowd.neighbours.evaluation.near", near_python.near)
            python = as_bytes(answers(each, agents))
        assert as_bytes(answers(each, agents)) == python
        assert as_bytes(answers(each, agents, threads=3)) == python
        assert as_bytes(answers(each, agents, threads=7)) == python


@pytest.mark.slow
def test_the_order_of_agents_and_parts_change_no_bit() -> None:
    crowd = big_crowd("python")
    for each in map(pickle.loads, map(pickle.dumps, declarations(crowd))):
        agents = known(each, crowd)
        expected = answers(each, agents)
        mixed = np.random.default_rng(5).permutation(len(crowd))
        shuffled = Agents(
            agents.ids[mixed],
            agents.state[mixed],
            {name: column[mixed] for name, column in agents.columns.items()},
        )
        found = answers(each, shuffled)
        assert as_bytes(found) == as_bytes({n: v[mixed] for n, v in expected.items()})
        for first, last in pairwise([0, 100, 101, 320, 500]):
            part = answers(each, agents, slice(first, last))
            assert as_bytes(part) == as_bytes({n: v[first:last] for n, v in expected.items()})


def joined_magnitudes(parts: list[Magnitudes]) -> Magnitudes:
    return Magnitudes(
        sum(each.agents for each in parts),
        {name: max(each.greatest[name] for each in parts) for name in parts[0].greatest},
    )


def joined_tables(parts: list[PlaceTable]) -> PlaceTable:
    places = np.unique(np.concatenate([each.places for each in parts]))
    shape = len(parts[0].counts), places.size
    counts, totals = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for each in parts:
        columns = np.searchsorted(places, each.places)
        counts[:, columns] += each.counts
        totals[:, columns] += each.totals
    return PlaceTable(places, counts, totals)


@pytest.mark.slow
def test_tables_of_parts_add_up() -> None:
    crowd = big_crowd("python")
    declaration = declarations(crowd)[0]
    assert isinstance(declaration, AtPlaces)
    agents = known(declaration, crowd)
    parts = [agents.part(slice(*each)) for each in pairwise([0, 30, 31, 400, 500])]
    magnitudes = joined_magnitudes([Magnitudes.of(declaration, each) for each in parts])
    asked = [NeighbourQuery(declaration, each, magnitudes) for each in parts]
    table = joined_tables([table_of(each) for each in asked])
    found = [at_places(each, table) for each in asked]
    whole = answers(declaration, agents)
    assert {name: b"".join(each[name].tobytes() for each in found) for name in whole} == as_bytes(
        whole
    )


@pytest.mark.slow
def test_means_of_many_values_are_close_to_the_exact_ones() -> None:
    crowd = big_crowd("python")
    Places(crowd, "place").mean("v", into="mean")
    v, place = crowd["v"], crowd["place"]
    expected = [
        math.fsum(v[(place == place[i]) & (np.arange(500) != i)]) / ((place == place[i]).sum() - 1)
        for i in range(500)
    ]
    assert crowd["mean"].tolist() == pytest.approx(expected, rel=0, abs=1e-13 * abs(v).max())


@pytest.mark.slow
def test_a_new_declaration_has_the_earlier_quantities() -> None:
    crowd = big_crowd("python")
    cells = Cells(crowd, "x", size=1.0)
    cells.count(into="near")
    cells.count(into="close", within=0.5)
    [declared] = crowd.neighbours.declarations
    assert declared == cells.declaration
    assert declared.written == ("near", "close")
    assert evolve(declared, quantities=()).read == ("x",)

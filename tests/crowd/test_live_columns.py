"""Live columns: arrays that refuse what does not fit, and that end when agents come or go."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attrs import define
from every import every

from fsmkit.crowd import Crowd, CrowdError, CrowdFsm


@define
class Npc:
    x: float = 0.0
    n: int = 0
    alive: bool = True


def crowd_of(size: int = 40, **options: Any) -> Crowd:
    machine = CrowdFsm("Npc", Npc)
    machine.add_state("Be")
    return Crowd(machine, size, start="Be", engine="python", **options)


def write_one(column: Any, value: Any) -> None:
    column[0] = value


def write_slice(column: Any, value: Any) -> None:
    column[2:5] = value


def write_slice_of_slice(column: Any, value: Any) -> None:
    column[2:9][1:3][0] = value


def write_masked(column: Any, value: Any) -> None:
    column[np.arange(len(column)) < 3] = value


def write_list(column: Any, value: Any) -> None:
    column[[1, 2]] = [0, value]


def fill(column: Any, value: Any) -> None:
    column.fill(value)


def put(column: Any, value: Any) -> None:
    column.put([0], value)


def np_put(column: Any, value: Any) -> None:
    np.put(column, [0], value)


def place(column: Any, value: Any) -> None:
    np.place(column, np.ones(len(column), bool), [value])


def putmask(column: Any, value: Any) -> None:
    np.putmask(column, np.ones(len(column), bool), value)


def reshaped(column: Any, value: Any) -> None:
    column.reshape(2, -1)[1, 1] = value


def copyto(column: Any, value: Any) -> None:
    np.copyto(column, value, casting="unsafe")


WRITING = [
    write_one, write_slice, write_slice_of_slice, write_masked, write_list, fill, put, np_put,
    place, putmask, reshaped, copyto,
]  # fmt: skip


@every("write", WRITING)
@every(
    ("name", "value"),
    [("n", 1.9), ("n", 2.0), ("n", np.nan), ("n", "3"), ("alive", 2), ("alive", 0.5), ("x", 1j)],
)
def test_what_does_not_fit_is_refused(
    write: Callable[[Any, Any], None], name: str, value: Any
) -> None:
    crowd = crowd_of()
    before = crowd[name].tolist()
    with pytest.raises(CrowdError, match=f"^The column '{name}' must be (int64|bool|float64), got"):
        write(crowd[name], value)
    assert crowd[name].tolist() == before


@every("write", WRITING)
@every(("name", "value"), [("n", 7), ("n", True), ("x", 3), ("alive", 0)])
def test_what_fits_is_written(write: Callable[[Any, Any], None], name: str, value: Any) -> None:
    crowd = crowd_of()
    before = crowd[name].tolist()
    write(crowd[name], value)
    assert crowd[name].tolist() != before


def test_what_does_not_fit_is_refused_as_the_result_of_a_function_too() -> None:
    crowd = crowd_of(4)
    calls: list[Callable[[], object]] = [
        lambda: np.cumsum([0.5] * 4, out=crowd["n"]),
        lambda: np.sum([0.5], keepdims=True, out=crowd["n"][:1]),
        lambda: np.take([0.5], [0] * 4, out=crowd["n"], mode="clip"),
        lambda: np.cumsum([1, 2, 3, 4], out=crowd["alive"]),
    ]
    for call in calls:
        with pytest.raises(CrowdError, match="must be (int64|bool), got"):
            call()
    assert crowd["n"].tolist() == [0] * 4
    assert crowd["alive"].tolist() == [True] * 4


def test_the_result_of_a_function_may_be_a_column() -> None:
    crowd = crowd_of(4)
    n, x = crowd["n"], crowd["x"]
    assert np.cumsum([1, 2, 3, 4], out=n) is n
    np.cumsum(n, out=n)
    np.mean([[1.0, 2.0]] * 4, axis=1, out=x)
    assert (n.tolist(), x.tolist()) == ([1, 4, 10, 20], [1.5] * 4)


def test_whole_numbers_may_come_in_any_size() -> None:
    crowd = crowd_of(3)
    crowd["n"][:] = np.array([1, 2, 3], np.uint8)
    with pytest.raises(CrowdError, match="must be int64, got 18446744073709551615"):
        crowd["n"][0] = 2**64 - 1
    assert crowd["n"].tolist() == [1, 2, 3]


def test_operators_work_in_place() -> None:
    crowd = crowd_of(4)
    crowd["x"] += 1.5
    crowd["x"][1:3] *= 2
    crowd["n"] += 3
    crowd["n"] //= 2
    crowd["alive"] &= [True, False, True, False]
    np.add(crowd["x"], 1.0, out=crowd["x"])
    np.add.at(crowd["n"], [0, 0], 1)
    assert crowd["x"].tolist() == [2.5, 4.0, 4.0, 2.5]
    assert crowd["n"].tolist() == [3, 1, 1, 1]
    assert crowd["alive"].tolist() == [True, False, True, False]
    for name in ("n", "alive"):
        with pytest.raises(TypeError, match="Cannot cast ufunc"):
            crowd[name] += 0.5


def test_what_is_computed_is_an_ordinary_array() -> None:
    crowd = crowd_of(4)
    x = crowd["x"]
    for each in (x + 1, x < 2, np.sqrt(x), np.where(x < 1, x, 0.0), np.asarray(x)):
        assert type(each) is np.ndarray
    assert [type(each) for each in (x.sum(), x[0], np.mean(x))] == [np.float64] * 3
    for other in (x.copy(), x[[0, 1]], x[x < 9], np.sort(x), copy.deepcopy(x)):
        crowd.remove([])
        other[0] = 5.0
    assert x.tolist() == [0.0] * 4
    again = pickle.loads(pickle.dumps(crowd["n"]))
    assert (type(again), again.tolist()) == (np.ndarray, [0] * 4)


COMING_AND_GOING: dict[str, Callable[[Crowd], object]] = {
    "one is added": lambda crowd: crowd.add(1),
    "many are added": lambda crowd: crowd.add(500),
    "one is removed": lambda crowd: crowd.remove([3]),
    "many are removed": lambda crowd: crowd.remove(range(30)),
}


@every("happens", COMING_AND_GOING)
@every("write", WRITING)
def test_an_outdated_column_cannot_be_written(
    write: Callable[[Any, Any], None], happens: str
) -> None:
    crowd = crowd_of()
    column, part = crowd["x"], crowd["x"][:20]
    COMING_AND_GOING[happens](crowd)
    for each in (column, part, part[2:], column[:20]):
        with pytest.raises(ValueError, match="column 'x' is read-only: agents were added or"):
            write(each, 1.0)
    assert not crowd["x"].any()


@pytest.mark.parametrize("happens", COMING_AND_GOING)
def test_operators_refuse_an_old_column_too(happens: str) -> None:
    crowd = crowd_of()
    column, part = crowd["x"], crowd["x"][2:4]
    COMING_AND_GOING[happens](crowd)
    with pytest.raises(CrowdError, match="Read it again: crowd\\['x'\\]"):
        column += 1.0
    with pytest.raises(CrowdError, match="read-only"):
        part *= 2.0
    with pytest.raises(CrowdError, match="read-only"):
        np.add.at(column, [0], 1.0)
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(column)[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        column.sort()
    assert not crowd["x"].any()


def test_a_column_got_again_is_live() -> None:
    crowd = crowd_of()
    crowd.remove([0])
    column = crowd["x"]
    crowd.remove([])
    column[0] = 2.0
    crowd.add(0)
    assert crowd[0].x == 2.0

"""Tables in the world of a crowd: read by row and column, in both engines, within their bounds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define, field

from fsmkit.crowd import Crowd, CrowdAction, CrowdError, CrowdFsm, CrowdGuard, SubsetError, Table

ENGINES = ("compiled", "python")


@define
class Walker:
    x: int = 0
    y: int = 0
    height: float = 0.0
    wet: bool = False


@define
class World:
    scale: float = 2.0
    heights: Table[float] = field(factory=Table)
    dx: Table[int] = field(factory=Table)
    wet: Table[bool] = field(factory=Table)


def look(walker, world):
    walker.height = world.heights[walker.y, walker.x] * world.scale
    walker.wet = world.wet[walker.y, walker.x]
    walker.x += world.dx[walker.y, walker.x]


def machine_of(function: Any) -> CrowdFsm:
    machine = CrowdFsm("Walker", Walker, World)
    machine.add_state("Walk").add_action(CrowdAction(on_update=function))
    return machine


def crowd_of(function: Any, engine: str, size: int = 4) -> Crowd:
    crowd = Crowd(machine_of(function), size, start="Walk", engine=engine)
    crowd.world.heights = np.array([[1.0, 2.5, -1.0, 0.0], [8.0, 16.0, 32.0, 64.0]])
    crowd.world.dx = np.array([[1, 1, 0, -1], [0, 0, 0, 0]], np.int8)
    crowd.world.wet = crowd.world.heights < 0
    return crowd


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_agents_read_their_own_cells(engine: str) -> None:
    crowd = crowd_of(look, engine)
    crowd["x"][:] = [0, 1, 2, 3]
    crowd["y"][3] = 1
    crowd.update(1.0)
    assert crowd["height"].tolist() == [2.0, 5.0, -2.0, 128.0]
    assert crowd["wet"].tolist() == [False, False, True, False]
    assert crowd["x"].tolist() == [1, 2, 2, 3]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_change_within_the_array_is_seen_in_the_next_update(engine: str) -> None:
    crowd = crowd_of(look, engine)
    crowd.update(1.0)
    crowd.world.heights[0, 1] = 100.0
    crowd.update(1.0)
    assert crowd["height"].tolist() == [200.0] * 4


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("place", [(-1, 0), (4, 0), (0, -1), (0, 2), (2**62, 0)])
def test_outside_the_table_the_agent_raises_and_the_others_continue(
    engine: str, place: tuple[int, int]
) -> None:
    crowd = crowd_of(look, engine)
    crowd["x"][1], crowd["y"][1] = place
    with pytest.raises(IndexError, match="the row or the column is outside the table") as caught:
        crowd.update(1.0)
    assert "agent 1" in str(caught.value.__notes__)
    assert crowd["height"].tolist() == [2.0, 0.0, 2.0, 2.0]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_that_was_not_given_has_no_rows(engine: str) -> None:
    crowd = Crowd(machine_of(look), 1, start="Walk", engine=engine)
    with pytest.raises(IndexError, match="outside the table"):
        crowd.update(1.0)


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("engine", ENGINES)
def test_whole_numbers_of_any_size_count_with_64_bits(engine: str, dtype: Any) -> None:
    def grow(walker, world):
        walker.x = world.dx[0, 0] * 1_000_000

    crowd = crowd_of(grow, engine)
    crowd.world.dx = np.array([[100]], dtype)
    crowd.update(1.0)
    assert crowd["x"].tolist() == [100_000_000] * 4


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_tables_of_any_layout_are_read(engine: str) -> None:
    crowd = crowd_of(look, engine)
    whole = np.arange(60.0).reshape(6, 10)
    for array in (whole[1:-1, 1:-1], whole.T, whole[::2, ::3], whole.astype(np.float32)):
        array.flags.writeable = False
        crowd.world.heights = array
        crowd["x"][:] = 2
        crowd["y"][:] = 1
        crowd.update(1.0)
        assert crowd["height"].tolist() == [2.0 * array[1, 2]] * 4


def height_at(world, x, y):
    return world.heights[y, x]


def is_high(walker, world):
    return world.heights[walker.y, walker.x] > 2.0


def climb(walker, world, own):
    walker.height = height_at(world, walker.x, 0) + own.table[0, walker.x]


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_functions_guards_and_parameters_read_tables(engine: str) -> None:
    machine = CrowdFsm("Walker", Walker, World)
    walk, top = machine.add_state("Walk"), machine.add_state("Top")
    walk.add_action(CrowdAction(on_update=climb, parameters={"table": "world.heights"}))
    walk.add_transition("UP", top, when=CrowdGuard(is_high))
    crowd = Crowd(machine, 3, start="Walk", engine=engine)
    crowd.world.heights = np.array([[1.0, 2.5, 4.0]])
    crowd["x"][:] = [0, 1, 2]
    crowd.update(1.0)
    crowd.send_event("UP")
    assert crowd["height"].tolist() == [2.0, 5.0, 8.0]
    assert crowd.count() == {"Walk": 1, "Top": 2}


@pytest.mark.parametrize("engine", ENGINES)
def test_one_agent_by_itself_reads_the_same_tables(engine: str) -> None:
    crowd = crowd_of(look, engine)
    fsm = crowd.fsm(0)
    fsm.update(1.0)
    assert (fsm.context.agent.height, fsm.context.agent.x) == (2.0, 1)


@pytest.mark.slow
def test_random_walks_are_the_same_in_both_engines() -> None:
    rng = np.random.default_rng(5)
    crowds = [crowd_of(look, engine, 200) for engine in ENGINES]
    for _ in range(5):
        dx = rng.integers(-1, 2, (6, 6))
        dx[:, 0], dx[:, -1] = 1, -1
        heights = rng.normal(size=(6, 6))
        for crowd in crowds:
            crowd.world.dx, crowd.world.heights, crowd.world.wet = dx, heights, heights > 0
            crowd.update(0.1)
        for name in ("x", "y", "height", "wet"):
            assert crowds[0][name].tolist() == crowds[1][name].tolist()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("heights", None, "heights must be an array with two dimensions, got None"),
        ("heights", [[1.0], [1.0, 2.0]], "heights must be an array with two dimensions"),
        ("heights", (1.0, 2.0), "heights must be an array with two dimensions"),
        ("heights", [["a"]], "heights must be an array of float, got one of <U1"),
        ("dx", [[1.0]], "dx must be an array of int, got one of float64"),
        ("dx", [[2**63]], "dx must be an array of int, got one of uint64"),
        ("wet", [[1]], "wet must be an array of bool, got one of int64"),
        ("heights", np.zeros(4), "heights must be an array with two dimensions"),
        ("heights", np.zeros((2, 2, 2)), "heights must be an array with two dimensions"),
        ("heights", np.zeros((2, 2), int), "heights must be an array of float, got one of int64"),
        ("dx", np.zeros((2, 2)), "dx must be an array of int, got one of float64"),
        ("dx", np.zeros((2, 2), np.uint64), "dx must be an array of int, got one of uint64"),
        ("wet", np.zeros((2, 2), int), "wet must be an array of bool, got one of int64"),
        ("heights", 3.0, "heights must be an array with two dimensions"),
        (
            "heights",
            np.ones((2, 2), np.float16),
            r"heights must be an array .* one of float16. Write .astype\(.float64.\).",
        ),
        (
            "heights",
            np.ones((2, 2), np.longdouble),
            "heights must be an array that compiled code can read, got one of",
        ),
        ("heights", np.ones((2, 2), ">f8"), "heights must be .* can read, got one of >f8"),
        ("dx", np.ones((2, 2), ">i2"), r"dx must be .* got one of >i2. Write .astype\(\"int64\"\)"),
        (
            "heights",
            np.ma.array([[1.0]], mask=[[True]]),
            r"heights must be an array without a mask. Write .filled\(...\).",
        ),
    ],
)
def test_what_is_not_a_table_is_refused(engine: str, name: str, value: Any, reason: str) -> None:
    crowd = crowd_of(look, engine)
    setattr(crowd.world, name, value)
    with pytest.raises(CrowdError, match=f"crowd.world.{reason}"):
        crowd.update(1.0)
    assert crowd["height"].tolist() == [0.0] * 4


def whole_table(walker, world):
    walker.height = world.heights


def called(walker, world):
    walker.height = world.heights(walker.x, walker.y)


def one_index_then_two(walker, world):
    walker.height = world.heights[walker.x] + world.heights[walker.x, 0]


def row_then_column(walker, world):
    walker.height = world.heights[walker.x][0]


def three_indices(walker, world):
    walker.height = world.heights[walker.x, 0, 0]


def fraction(walker, world):
    walker.height = world.heights[walker.height, 0]


def not_a_table(walker, world):
    walker.height = world.scale[0, 0]


def writes(walker, world):
    world.heights[0, 0] = 1.0


def replaces(walker, world):
    world.heights = 1.0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (whole_table, r"world.heights is a table\. Write world.heights\[row, column\]"),
        (one_index_then_two, "world.heights is read by one number in one place, and by row and"),
        (row_then_column, r"read by row and column\. Write world.heights\[row, column\]"),
        (three_indices, r"read by row and column\. Write world.heights\[row, column\]"),
        (fraction, "walker.height is a float and cannot be a row or column\\. Write int"),
        (not_a_table, "an index cannot be compiled"),
        (called, "world.heights is not a function\\. Write world.heights\\[\\.\\.\\.\\]"),
        (writes, "cannot be assigned to"),
        (replaces, "cannot be written here"),
    ],
)
def test_what_cannot_be_done_with_a_table_is_refused(function: Any, message: str) -> None:
    with pytest.raises(SubsetError, match=message):
        Crowd(machine_of(function), 1)


def one_index(walker, world):
    walker.height = world.heights[walker.x]


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("values", [np.array([1.0, 2.5, -1.0]), (1.0, 2.5, -1), [1.0, 2.5, -1.0]])
def test_a_table_may_have_one_dimension_and_be_a_tuple(engine: str, values: Any) -> None:
    crowd = Crowd(machine_of(one_index), 5, start="Walk", engine=engine)
    crowd.world.heights = values
    crowd["x"] = [2, 0, 1, -1, 3]
    with pytest.raises(ExceptionGroup) as caught:
        crowd.update(1.0)
    assert [type(each) for each in caught.value.exceptions] == [IndexError, IndexError]
    assert crowd["height"].tolist() == [-1.0, 1.0, 2.5, 0.0, 0.0]


def test_a_table_of_a_tuple_is_read_and_shown_outside_a_crowd_too() -> None:
    row, rows = Table((1, 2, 4)), Table([(0.5, 1.5)])
    assert [row[2], rows[0, 1]] == [4, 1.5]
    assert [repr(row), repr(rows)] == ["<Table of 3 numbers>", "<Table of 1 rows and 2 columns>"]
    with pytest.raises(IndexError, match="outside the table"):
        row[3]


@pytest.mark.usefixtures("compiled_in_the_slow_run")
@pytest.mark.parametrize("engine", ENGINES)
def test_whole_numbers_in_a_tuple_are_a_table_of_fractions_too(engine: str) -> None:
    crowd = Crowd(machine_of(one_index), 3, start="Walk", engine=engine)
    crowd.world.heights = Table((1, 2, 4))
    crowd["x"] = [2, 0, 1]
    crowd.update(1.0)
    assert crowd["height"].tolist() == [4.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (3.0, "is made of an array, a tuple or a list, got 3.0"),
        (("a", "b"), r"holds numbers, got \('a', 'b'\)"),
        ("12", "is made of an array, a tuple or a list, got '12'"),
        ([[1], [2, 3]], r"rows of a table have one length, got \[\[1\], \[2, 3\]\]"),
        ([[[1.0]]], r"has one or two dimensions, got \[\[\[1.0\]\]\]"),
        (np.array(3.0), r"has one or two dimensions, got array\(3\.\)"),
    ],
)
def test_a_table_of_anything_else_is_refused_when_it_is_made(numbers: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Table(numbers)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_that_is_read_by_one_number_must_have_one_dimension(engine: str) -> None:
    crowd = Crowd(machine_of(one_index), 1, start="Walk", engine=engine)
    with pytest.raises(IndexError, match="outside the table"):
        crowd.update(1.0)
    crowd.world.heights = np.zeros((2, 2))
    with pytest.raises(CrowdError, match="must be an array with one dimension, got"):
        crowd.update(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_live_column_is_not_a_table_as_agents_would_read_what_others_write(engine: str) -> None:
    crowd = Crowd(machine_of(one_index), 4, start="Walk", engine=engine)
    for column in (crowd["height"], crowd["height"][::2]):
        crowd.world.heights = column
        with pytest.raises(CrowdError, match=r"heights must not be a column .* copy: .copy\(\)"):
            crowd.update(1.0)
    crowd.world.heights = crowd["height"].copy()
    crowd.update(1.0)


def test_a_tuple_as_default_is_checked_at_once() -> None:
    @define
    class Odd:
        shares: Table[int] = (1, 2.5)  # type: ignore[assignment]

    with pytest.raises(CrowdError, match="The default of Odd.shares must be an array of int"):
        CrowdFsm("Odd", Walker, Odd)


def test_a_table_must_have_a_default() -> None:
    @define
    class Odd:
        table: Table[float]

    with pytest.raises(CrowdError, match=r"`table: Table\[float\] = field\(factory=Table\)`"):
        CrowdFsm("Odd", Walker, Odd)


def test_the_seconds_of_a_step_are_not_a_table() -> None:
    @define
    class Odd:
        dt: Table[float] = (1.0, 2.0)

    with pytest.raises(CrowdError, match=r"Odd.dt must not be a table: .* another name\."):
        CrowdFsm("Walker", Walker, Odd)


def test_agents_have_no_tables() -> None:
    @define
    class Odd:
        table: Table[float] = field(factory=Table)

    with pytest.raises(CrowdError, match="Odd.table must be annotated with float, int or bool"):
        CrowdFsm("Odd", Odd)


@pytest.mark.slow
def test_a_saved_crowd_is_loaded_without_its_tables(tmp_path: Path) -> None:
    crowd = crowd_of(look, "compiled")
    crowd.world.scale = 3.0
    crowd.update(1.0)
    crowd.save(tmp_path / "crowd.npz")
    again = Crowd.load(machine_of(look), tmp_path / "crowd.npz")
    assert again["height"].tolist() == crowd["height"].tolist()
    assert (again.world.scale, again.world.heights.array.shape) == (3.0, (0, 0))

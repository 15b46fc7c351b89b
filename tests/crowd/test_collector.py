"""Statistics of columns over time."""

import math
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from attrs import define
from hypothesis import given
from hypothesis import strategies as st

from fsmkit import FINISHED
from fsmkit.crowd import Crowd, CrowdError, CrowdFsm
from fsmkit.crowd.collector import Collector
from fsmkit.crowd.library import TimedWait
from fsmkit.crowd.shards import InProcessShards, ShardedCrowd

NAN = math.nan
SVG = "{http://www.w3.org/2000/svg}"


@define
class Guest:
    patience: float = 1.0
    drinks: int = 0
    is_dancing: bool = False


def party(size: int = 4, dtype: Any = "float64") -> Crowd:
    """Make guests who leave after a second, two, three, and so on."""
    machine = CrowdFsm("Guest", Guest)
    waits, leaves = machine.add_state("Waits"), machine.add_state("Leaves")
    waits.add_action(TimedWait("patience"))
    waits.add_transition(FINISHED, leaves)
    crowd = Crowd(machine, size, engine="python", dtype=dtype)
    crowd["patience"] = [1.0 + number for number in range(size)]
    crowd["drinks"] = list(range(size))
    crowd.start()
    return crowd


def lists(collector: Collector) -> dict[str, list[float]]:
    return {name: column.tolist() for name, column in collector.columns.items()}


def same(one: object, other: object) -> bool:
    """Compare values of which some are NaN."""
    return repr(one) == repr(other)


def taken(crowd: Crowd, name: str, *p: float, by_state: bool = False) -> dict[str, float]:
    """Collect one statistic of `patience` once; return its values by name."""
    collector = Collector(crowd)
    getattr(collector, name)("patience", *p, by_state=by_state)
    collector.take()
    return {key: values[0] for key, values in lists(collector).items() if key != "time"}


# What is collected


def test_every_statistic_has_a_column_with_a_value_for_each_time() -> None:
    crowd = party()
    collector = Collector(crowd)
    collector.count()
    collector.sum("drinks")
    collector.mean("patience", "drinks")
    collector.std("drinks")
    collector.min("patience")
    collector.max("patience")
    collector.quantile("patience", 0.5, 1.0)
    collector.take()
    crowd["drinks"] = [2, 2, 4, 4]
    crowd.update(0.5)
    collector.take()
    assert lists(collector) == {
        "time": [0.0, 0.5],
        "count()": [4, 4],
        "sum(drinks)": [6.0, 12.0],
        "mean(patience)": [2.5, 2.5],
        "mean(drinks)": [1.5, 3.0],
        "std(drinks)": [math.sqrt(1.25), 1.0],
        "min(patience)": [1.0, 1.0],
        "max(patience)": [4.0, 4.0],
        "quantile(patience, 0.5)": [2.5, 2.5],
        "quantile(patience, 1.0)": [4.0, 4.0],
    }
    assert {name: column.dtype.kind for name, column in collector.columns.items()} == {
        name: "i" if name == "count()" else "f" for name in lists(collector)
    }


def test_by_state_there_is_a_column_for_each_also_for_one_that_nobody_was_in_before() -> None:
    crowd = party()
    collector = Collector(crowd)
    collector.mean("patience", by_state=True)
    collector.count(by_state=True)
    for _ in range(5):
        collector.take()
        crowd.update(1.0)
    assert same(
        lists(collector),
        {
            "time": [0.0, 1.0, 2.0, 3.0, 4.0],
            "mean(patience, Waits)": [2.5, 3.0, 3.5, 4.0, NAN],
            "mean(patience, Leaves)": [NAN, 1.0, 1.5, 2.0, 2.5],
            "count(Waits)": [4, 3, 2, 1, 0],
            "count(Leaves)": [0, 1, 2, 3, 4],
        },
    )


@pytest.mark.parametrize(
    ("name", "p", "empty"),
    [("sum", [], 0.0), *((name, [], NAN) for name in ("mean", "std", "min", "max")),
     ("quantile", [0.5], NAN)],
)  # fmt: skip
def test_without_any_values_a_sum_is_zero_and_all_else_is_not_a_number(
    name: str, p: list[float], empty: float
) -> None:
    nobody = party(size=0)
    assert same(list(taken(nobody, name, *p).values()), [empty])
    assert same(list(taken(nobody, name, *p, by_state=True).values()), [empty, empty])
    unknown = party(size=3)
    unknown["patience"] = NAN
    assert same(list(taken(unknown, name, *p).values()), [empty])


def test_nan_is_left_out_in_total_and_by_state() -> None:
    crowd = party()
    crowd["patience"] = [1.0, NAN, 5.0, 7.0]
    crowd.start("Leaves", where=[2, 3])
    assert taken(crowd, "mean", by_state=True) == {
        "mean(patience, Waits)": 1.0,
        "mean(patience, Leaves)": 6.0,
    }
    assert taken(crowd, "quantile", 0.5) == {"quantile(patience, 0.5)": 5.0}
    assert taken(crowd, "sum") == {"sum(patience)": 13.0}


def test_infinite_values_count_as_such() -> None:
    crowd = party()
    crowd["patience"] = [1.0, math.inf, 2.0, 3.0]
    assert taken(crowd, "max") == {"max(patience)": math.inf}
    assert taken(crowd, "mean") == {"mean(patience)": math.inf}
    assert same(taken(crowd, "std"), {"std(patience)": NAN})


def test_booleans_are_zero_and_one() -> None:
    crowd = party()
    crowd["is_dancing"] = [True, False, False, False]
    collector = Collector(crowd)
    collector.mean("is_dancing")
    collector.sum("is_dancing")
    collector.max("is_dancing")
    collector.take()
    assert list(lists(collector).values()) == [[0.0], [0.25], [1.0], [1.0]]


def test_columns_of_32_bits_are_computed_in_64() -> None:
    crowd = party(size=3, dtype="float32")
    crowd["patience"] = [2.0**24, 1.0, 1.0]
    assert taken(crowd, "sum") == {"sum(patience)": 2.0**24 + 2.0}


def test_agents_that_come_and_go_are_those_of_the_moment() -> None:
    crowd = party()
    collector = Collector(crowd)
    collector.count()
    collector.mean("drinks", by_state=True)
    collector.take()
    crowd.add(2, start="Leaves", drinks=10)
    collector.take()
    crowd.remove([0, 4, 5])
    collector.take()
    assert same(
        lists(collector),
        {
            "time": [0.0, 0.0, 0.0],
            "count()": [4, 6, 3],
            "mean(drinks, Waits)": [1.5, 1.5, 2.0],
            "mean(drinks, Leaves)": [NAN, 10.0, NAN],
        },
    )


def test_agents_that_do_not_run_count_in_total_and_in_no_state() -> None:
    crowd = party()
    crowd.add(1, drinks=100)
    collector = Collector(crowd)
    collector.count()
    collector.count(by_state=True)
    collector.max("drinks")
    collector.max("drinks", by_state=True)
    collector.take()
    assert same(
        [values[0] for values in lists(collector).values()], [0.0, 5, 4, 0, 100.0, 3.0, NAN]
    )


values = st.floats(-1e6, 1e6) | st.just(NAN)


@pytest.mark.slow
@given(st.lists(st.tuples(values, st.integers(-1, 1)), max_size=30), st.floats(0.0, 1.0))
def test_statistics_are_those_of_numpy(agents: list[tuple[float, int]], p: float) -> None:
    crowd = party(size=len(agents))
    crowd["patience"] = [value for value, _ in agents]
    for i, (_, state) in enumerate(agents):
        if state == 1:
            crowd.start("Leaves", where=[i])
    collector = Collector(crowd)
    collector.quantile("patience", p, by_state=True)
    collector.quantile("patience", p)
    collector.std("patience", by_state=True)
    collector.take()
    column = np.array([value for value, _ in agents], float)
    is_there = np.array([state == 1 for _, state in agents], bool)
    chosen = [column[mask & ~np.isnan(column)] for mask in (~is_there, is_there, True)]
    expected = [
        *(np.quantile(each, p).item() if each.size else NAN for each in chosen),
        *(each.std().item() if each.size else NAN for each in chosen[:2]),
    ]
    assert same([column[0] for column in lists(collector).values()][1:], expected)


# When


def test_within_the_interval_nothing_is_collected() -> None:
    crowd = party()
    collector = Collector(crowd, interval=0.3)
    collector.count()
    results = [collector.take()]
    for _ in range(6):
        crowd.update(0.1)
        results.append(collector.take())
    assert results == [True, False, False, True, False, False, True]
    assert collector.times == pytest.approx([0.0, 0.3, 0.6])


# Crowds whose columns are elsewhere


class Remote:
    """A crowd whose columns are got by calls."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self.machine, self.time, self.count = crowd.machine, crowd.time, crowd.count
        self.asked: list[str] = []

    def __len__(self) -> int:
        return len(self._crowd)

    def __getitem__(self, name: str) -> Any:
        raise CrowdError("The columns are elsewhere. Take read().")

    def read(self, name: str) -> Any:
        self.asked.append(name)
        return self._crowd[name].copy()

    def states(self) -> Any:
        self.asked.append("states")
        return self._crowd.states.copy()


def test_a_crowd_elsewhere_is_asked_once_for_each_column() -> None:
    crowd = party()
    crowd.update(2.0)
    remote = Remote(crowd)
    here, there = Collector(crowd), Collector(remote)
    for collector in (here, there):
        collector.mean("patience", by_state=True)
        collector.mean("drinks", "patience")
        collector.quantile("patience", 0.1, 0.9, by_state=True)
        collector.take()
    assert lists(here) == lists(there)
    assert remote.asked == ["patience", "states", "drinks"]


@pytest.mark.slow
def test_a_crowd_in_shards_has_the_statistics_of_one_process() -> None:
    whole = party()
    machine = whole.machine
    with ShardedCrowd(machine, 5, shards=InProcessShards(2), start="Waits") as sharded:
        together = Crowd(machine, 5, start="Waits", engine="python")
        found = []
        for crowd in (together, sharded):
            crowd.write("patience", [1.0, 2.0, NAN, 4.0, 0.25])
            collector = Collector(crowd)
            collector.count()
            collector.mean("patience", by_state=True)
            collector.quantile("patience", 0.3)
            for _ in range(3):
                collector.take()
                crowd.update(1.0)
            found.append(lists(collector))
        assert repr(found[0]) == repr(found[1])


# Mistakes


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda c: c.mean("thirst"), "no field 'thirst'. Fields: patience, drinks, is_dancing."),
        (lambda c: c.mean(), "mean() must have at least one field."),
        (lambda c: c.quantile("drinks"), "quantile('drinks') must have at least one p"),
        (lambda c: c.quantile("drinks", 50), "must be a number from 0 to 1, got 50."),
        (lambda c: c.quantile("drinks", NAN), "must be a number from 0 to 1, got nan."),
        (lambda c: c.quantile("drinks", "half"), "must be a number from 0 to 1, got 'half'."),
        (lambda c: c.take(), "There is nothing to collect. Declare"),
        (lambda c: c["mean(drinks)"], "no column 'mean(drinks)'. The columns: 'time'."),
        (lambda c: c.to_svg("drinks"), "'drinks' was not collected. Fields: none."),
    ],
)
def test_mistakes_are_named(mistake: Any, message: str) -> None:
    with pytest.raises(CrowdError) as caught:
        mistake(Collector(party()))
    assert message in str(caught.value)


def test_what_is_collected_is_said_before_the_first_time() -> None:
    collector = Collector(party())
    collector.count()
    collector.take()
    with pytest.raises(CrowdError, match="before the first take"):
        collector.mean("drinks")
    assert lists(collector) == {"time": [0.0], "count()": [4]}


def test_a_negative_interval_is_refused() -> None:
    with pytest.raises(ValueError, match="interval must be a finite number of seconds >= 0"):
        Collector(party(), interval=-1.0)


# The picture


def words(svg: str) -> list[str]:
    return [part.text or "" for part in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def kinds(svg: str) -> list[str]:
    """Return the classes of lines and bands, the lowest first."""
    every = [part.get("class", "") for part in ElementTree.fromstring(svg).iter(f"{SVG}path")]
    return [name for name in every if "colour" in name]


def collected(*, by_state: bool = False) -> Collector:
    crowd = party()
    collector = Collector(crowd)
    for name in ("mean", "min", "max"):
        getattr(collector, name)("patience", by_state=by_state)
    collector.quantile("patience", 0.1, 0.9, 0.3, by_state=by_state)
    collector.count(by_state=by_state)
    for _ in range(4):
        collector.take()
        crowd.update(1.0)
    return collector


def test_a_field_is_a_line_with_bands() -> None:
    svg = collected().to_svg("patience")
    assert kinds(svg) == ["band colour-0", "band colour-0", "line colour-0"]
    assert words(svg)[:2] == ["patience: mean; bands: min to max, 10 % to 90 %", "time"]


def test_by_state_each_has_its_line_and_a_name() -> None:
    svg = collected(by_state=True).to_svg()
    assert [kind for kind in kinds(svg) if "line" in kind] == ["line colour-0", "line colour-1"]
    assert words(svg)[1:3] == ["Waits", "Leaves"]


def test_a_picture_may_show_some_states_only_or_what_is_of_all() -> None:
    collector = Collector(party())
    collector.mean("patience", by_state=True)
    collector.quantile("patience", 0.1, 0.5, 0.9)
    collector.take()
    collector.crowd.update(1.0)  # type: ignore[attr-defined]
    collector.take()
    assert kinds(collector.to_svg(states=["Waits"])) == ["line colour-0"]
    assert kinds(collector.to_svg(states=())) == ["band colour-0", "line colour-0"]


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (["Wait"], "Nothing was collected for the state 'Wait'. States: Waits, Leaves."),
        ((), "Nothing was collected of all agents. Leave out by_state, or name states."),
    ],
)
def test_states_of_which_nothing_was_collected_are_refused(states: Any, message: str) -> None:
    with pytest.raises(CrowdError) as caught:
        collected(by_state=True).to_svg(states=states)
    assert str(caught.value) == message


def test_the_number_of_agents_has_a_picture_too() -> None:
    collector = Collector(party())
    collector.count(by_state=True)
    collector.take()
    svg = collector.to_svg()
    assert words(svg)[:3] == ["agents", "Waits", "Leaves"]


def test_a_dark_picture_differs_in_its_colours_only() -> None:
    light, dark = (collected().to_svg(dark=night) for night in (False, True))
    assert light != dark
    assert words(light) == words(dark)


def test_before_the_first_time_the_picture_is_empty() -> None:
    collector = Collector(party())
    collector.mean("patience")
    assert kinds(collector.to_svg()) == []
    assert kinds(Collector(party()).to_svg()) == []

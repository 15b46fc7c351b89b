"""The counts of a crowd over time, and the picture of them."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

import pytest
from attrs import define
from hypothesis import given
from hypothesis import strategies as st

from fsmkit import FINISHED
from fsmkit.crowd import Crowd, CrowdFsm
from fsmkit.crowd.census import Census
from fsmkit.crowd.charts import StackedChart
from fsmkit.crowd.library import TimedWait

SVG = "{http://www.w3.org/2000/svg}"


@define
class Guest:
    patience: float = 1.0


def party() -> Crowd:
    """Make four guests, who leave after a second, two, three, and four."""
    machine = CrowdFsm("Guest", Guest)
    waits, leaves = machine.add_state("Waits"), machine.add_state("Leaves")
    waits.add_action(TimedWait("patience"))
    waits.add_transition(FINISHED, leaves)
    crowd = Crowd(machine, 4, engine="python")
    crowd["patience"] = [1.0, 2.0, 3.0, 4.0]
    crowd.start()
    return crowd


# Counting


def test_a_census_has_the_number_in_each_state_at_each_time() -> None:
    crowd = party()
    census = Census(crowd)
    census.take()
    for _ in range(4):
        crowd.update(1.0)
        census.take()
    assert census.times == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert census.counts == {"Waits": [4, 3, 2, 1, 0], "Leaves": [0, 1, 2, 3, 4]}


def test_within_the_interval_nothing_is_counted() -> None:
    crowd = party()
    census = Census(crowd, interval=0.3)
    taken = [census.take()]
    for _ in range(6):
        crowd.update(0.1)
        taken.append(census.take())
    assert taken == [True, False, False, True, False, False, True]


def test_agents_that_come_and_go_are_counted_from_then_on() -> None:
    crowd = party()
    census = Census(crowd)
    census.take()
    crowd.add(3, start="Leaves")
    census.take()
    crowd.remove([0, 1])
    census.take()
    assert census.counts == {"Waits": [4, 4, 2], "Leaves": [0, 3, 3]}


# The picture


def parts(svg: str, tag: str, marked: str) -> list[ElementTree.Element]:
    every = ElementTree.fromstring(svg).iter(f"{SVG}{tag}")
    return [part for part in every if marked in part.get("class", "").split()]


def corners(path: ElementTree.Element) -> list[list[tuple[float, float]]]:
    """Return the outlines of an area."""
    return [
        [(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", outline)]
        for outline in path.get("d", "").split("Z")[:-1]
    ]


def size(outline: list[tuple[float, float]]) -> float:
    pairs = zip(outline, [*outline[1:], outline[0]], strict=True)
    return abs(sum(x * v - u * y for (x, y), (u, v) in pairs)) / 2


def names(svg: str) -> tuple[list[str | None], list[str | None]]:
    """Return the names inside their areas, and those in the legend."""
    inside = [part.text for part in parts(svg, "text", "name")]
    every = [part.text for part in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    marked = {part.text for kind in ("tick", "left") for part in parts(svg, "text", kind)}
    return inside, [text for text in every if text not in inside and text not in marked]


def test_areas_are_as_large_as_their_counts() -> None:
    svg = StackedChart([0.0, 1.0], {"A": [10, 10], "B": [0, 30], "C": [30, 0]}).to_svg()
    first, second, third = (sum(map(size, corners(area))) for area in parts(svg, "path", "area"))
    assert second / first == pytest.approx(1.5, rel=0.01)
    assert third / first == pytest.approx(1.5, rel=0.01)


def test_areas_are_stacked_without_a_gap() -> None:
    svg = StackedChart([0.0, 1.0, 2.0], {"A": [1, 3, 2], "B": [3, 1, 2]}).to_svg()
    (lower,), (upper,) = map(corners, parts(svg, "path", "area"))
    assert lower[:3] == upper[:-4:-1]


def test_a_state_that_was_left_and_entered_again_has_an_area_each_time() -> None:
    svg = StackedChart(
        [0, 1, 2, 3, 4, 5], {"A": [0, 5, 0, 0, 5, 0], "B": [5, 0, 5, 5, 0, 5]}
    ).to_svg()
    assert [len(corners(area)) for area in parts(svg, "path", "area")] == [2, 3]


def test_an_empty_state_has_no_area_but_is_in_the_legend() -> None:
    svg = StackedChart([0.0, 1.0], {"Sitting": [5, 5], "Standing": [0, 0]}).to_svg()
    assert len(parts(svg, "path", "area")) == 1
    assert names(svg) == (["Sitting"], ["Standing"])


def test_a_name_that_finds_no_room_in_its_area_is_in_the_legend() -> None:
    times = [float(second) for second in range(101)]
    peak = [90 if second == 50 else 0 for second in range(101)]
    rest = [100 - count for count in peak]
    svg = StackedChart(times, {"Peak": peak, "Rest": rest, "Trace": [1] * 101}).to_svg()
    assert names(svg) == (["Rest"], ["Peak", "Trace"])


def test_without_a_legend_the_areas_take_its_room() -> None:
    alone = StackedChart([0.0, 1.0], {"A": [5, 5]}).to_svg()
    with_legend = StackedChart([0.0, 1.0], {"A": [5, 5], "B": [0, 0]}).to_svg()
    tops = [
        min(y for _, y in corners(parts(svg, "path", "area")[0])[0]) for svg in (alone, with_legend)
    ]
    assert tops[0] < tops[1]


def test_a_legend_of_many_names_has_several_rows() -> None:
    svg = StackedChart(
        [0.0, 1.0], {f"State number {n}": [0, 0] for n in range(30)}, width=600
    ).to_svg()
    keys = re.findall(r'translate\(([\d.]+) ([\d.]+)\)"', svg)
    assert len(keys) == 30
    assert all(float(x) < 600 - 100 for x, _ in keys)
    assert len({y for _, y in keys}) == 10


def test_each_area_says_how_many_there_are_at_the_end() -> None:
    svg = StackedChart([0.0, 1.0], {"A<B": [0, 1234], "C": [5, 0]}).to_svg()
    titles = [title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert titles == ["A<B: 1,234 in the end", "C: 0 in the end"]


def test_the_scale_is_that_of_the_largest_number() -> None:
    svg = StackedChart([0.0, 1.0], {"A": [500, 2000]}).to_svg()
    assert [part.text for part in parts(svg, "text", "left")] == ["0", "1,000", "2,000"]


def test_ten_thousand_counts_make_no_larger_picture_than_there_are_pixels() -> None:
    times = [step / 100 for step in range(10_000)]
    svg = StackedChart(times, {"A": [step % 7 for step in range(10_000)]}, width=500).to_svg()
    (area,) = parts(svg, "path", "area")
    assert sum(map(len, corners(area))) < 2 * 500


@pytest.mark.parametrize("counts", [{}, {"A": []}, {"A": [0]}, {"A": [3], "B": [4]}])
def test_few_counts_make_a_picture_too(counts: Mapping[str, list[int]]) -> None:
    times = [0.0] * max(map(len, counts.values()), default=0)
    for dark in (False, True):
        assert (
            ElementTree.fromstring(StackedChart(times, counts).to_svg(dark=dark)).tag == f"{SVG}svg"
        )


@pytest.mark.slow
@given(
    st.lists(st.lists(st.integers(0, 10**6), min_size=4, max_size=4), min_size=1, max_size=12),
    st.integers(100, 2000),
    st.integers(50, 1000),
)
def test_whatever_the_counts_nothing_is_outside_or_in_the_legend(
    columns: list[list[int]], width: int, height: int
) -> None:
    counts = {f"S{number}": column for number, column in enumerate(columns)}
    svg = StackedChart([0.0, 0.5, 2.0, 2.5], counts, width=width, height=height).to_svg()
    root = ElementTree.fromstring(svg)
    right, bottom = float(root.get("width", 0)), float(root.get("height", 0))
    end_of_legend = max(
        (float(y) + 12 for y in re.findall(r"translate\([\d.]+ ([\d.]+)", svg)), default=0
    )
    for area in parts(svg, "path", "area"):
        for x, y in (corner for outline in corners(area) for corner in outline):
            assert 0.0 <= x <= right
            assert end_of_legend < y <= bottom
    inside, legend = names(svg)
    assert sorted(map(str, [*inside, *legend])) == sorted(counts)


def test_a_dark_picture_differs_in_its_colours_only() -> None:
    light, dark = (
        StackedChart([0.0, 1.0], {"A": [1, 2]}).to_svg(dark=night) for night in (False, True)
    )
    assert light != dark
    shapes = [[part.get("d") for part in parts(svg, "path", "area")] for svg in (light, dark)]
    assert shapes[0] == shapes[1]

"""Samples of values for plots: what is kept, and what a page is sent of it."""

from collections.abc import Callable
from enum import Enum
from random import Random
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.inspector.reading.plots import LIMIT, MOST, MOST_SENT, MOST_TEXTS, Plots, Series
from fsmkit.inspector.reading.watches import ABSENT


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class Guard:
    def __init__(self) -> None:
        self.health = 3
        self.place = (0.0, 1.0)
        self.armed = False

    @property
    def distance(self) -> float:
        return 10.0 - self.health


def machine() -> Fsm[Guard]:
    fsm = Fsm("Guard", context=Guard(), on_unhandled="ignore")
    patrol, rest = fsm.add_state("Patrol"), fsm.add_state("Rest")
    patrol.add_action(TimedWait(1000.0))
    patrol.add_transition(FINISHED, rest)
    patrol.add_transition("TIRED", rest)
    fsm.start()
    return fsm


def of(values: list[Any]) -> dict[str, Any]:
    series = Series(values[0])
    for time, value in enumerate(values):
        series.add(float(time), value)
    return series.since(-1.0)


def test_a_value_that_stays_the_same_takes_two_samples() -> None:
    assert of([1, 1, 1, 1, 2, 2, 2]) == {
        "times": [0.0, 3.0, 4.0, 6.0],
        "lines": [[1.0, 1.0, 2.0, 2.0]],
        "texts": None,
    }


def test_the_numbers_of_a_vector_are_a_line_each() -> None:
    assert of([(1, 2.0), (1, 3.0)]) == {
        "times": [0.0, 1.0], "lines": [[1.0, 1.0], [2.0, 3.0]], "texts": None,
    }  # fmt: skip


def test_texts_flags_and_members_are_steps() -> None:
    assert of([False, True, True, False])["texts"] == ["False", "True"]
    assert of([Mood.CALM, Mood.ANGRY, Mood.CALM]) == {
        "times": [0.0, 1.0, 2.0], "lines": [[0.0, 1.0, 0.0]], "texts": ["CALM", "ANGRY"],
    }  # fmt: skip


def test_what_is_no_number_among_numbers_is_a_gap() -> None:
    values = [1.0, None, float("nan"), float("inf"), 10**400, 2.0]
    assert of(values)["lines"] == [[1.0, None, None, None, None, 2.0]]
    assert of([(1, 2), 3.0])["lines"] == [[1.0, None], [2.0, None]]


def test_different_texts_are_bounded() -> None:
    sent = of([f"text {number}" for number in range(3 * MOST_TEXTS)])
    assert len(sent["texts"]) == MOST_TEXTS
    assert max(sent["lines"][0]) == MOST_TEXTS - 1


@pytest.mark.slow
def test_a_series_is_bounded_and_what_is_sent_of_it_keeps_the_extremes() -> None:
    random, series = Random(1), Series(0.0)
    for time in range(3 * LIMIT):
        series.add(float(time), random.random())
    assert LIMIT <= len(series) <= LIMIT * 1.1
    spike = 3 * LIMIT + 5.0
    series.add(spike, 100.0)
    for time in range(3 * LIMIT + 6, 4 * LIMIT):
        series.add(float(time), random.random())
    sent = series.since(0.0)
    assert len(sent["times"]) <= MOST_SENT
    assert sent["times"] == sorted(sent["times"])
    assert sent["times"][-1] == 4 * LIMIT - 1
    assert max(sent["lines"][0]) == 100.0
    assert series.since(4 * LIMIT - 3.0)["times"] == [4 * LIMIT - 2.0, 4 * LIMIT - 1.0]


def test_values_are_sampled_at_most_thirty_times_a_second() -> None:
    reads: list[float] = []
    plots = Plots(lambda _path: reads.append(1.0), lambda _path: (), [("watch", "x")])
    for update in range(121):
        plots.sample(update / 120)
    assert len(reads) == 31


def test_the_series_asked_for_least_recently_makes_room() -> None:
    plots = Plots(lambda path: float(len(path)), lambda _path: (), [("watch", "x")])
    plots.sample(0.0)
    for number in range(2 * MOST):
        plots.since([(("context", str(number)), -1.0)], 0.0)
    kept = plots.since([(("watch", "x"), -1.0), (("context", str(2 * MOST - 1)), -1.0)], 1.0)
    assert [each["times"] for each in kept] == [[0.0], [0.0]]


def test_a_value_that_is_absent_or_cannot_be_read_has_no_samples() -> None:
    def read(_path: tuple[str, ...]) -> object:
        raise KeyError("x")

    assert Plots(read, lambda _path: ()).since([(("context", "x"), -1.0)], 0.0) == []


def test_watched_values_are_kept_from_the_beginning_others_since_they_are_asked_for(
    inspected: Callable[..., Any],
) -> None:
    fsm = machine()
    page = inspected(fsm, watch={"distance": lambda guard: guard.distance, "no": lambda _: ABSENT})
    for _ in range(64):
        page.update()
    fsm.context.health = 5
    for _ in range(64):
        page.update()
    wanted = [
        [["watch", "distance"], -1],
        [["watch", "no"], -1],
        [["context", "health"], -1],
        [["context", "place"], -1],
        [["context", "armed"], -1],
        [["context", "nothing"], -1],
        [["action", "Guard", "Patrol", "0", "elapsed"], -1],
    ]
    answer = page.ask("samples", machine="Guard", wanted=wanted)["samples"]
    samples = {each["path"][-1]: each for each in answer}
    assert list(samples) == ["distance", "health", "place", "armed", "elapsed"]
    assert samples["distance"]["lines"] == [[7.0, 7.0, 5.0, 5.0]]
    assert samples["health"]["lines"][0][0] == 3.0  # the past is known from the moments kept
    assert samples["health"]["lines"][0][-1] == 5.0
    assert samples["place"]["lines"] == [[0.0, 0.0], [1.0, 1.0]]
    assert samples["armed"]["texts"] == ["False"]
    last = samples["distance"]["times"][-1]
    for _ in range(64):
        page.update()
    [news] = page.ask("samples", machine="Guard", wanted=[[["watch", "distance"], last]])["samples"]
    assert news["lines"] == [[5.0]]
    assert news["times"][0] > last


def test_a_plot_of_an_action_has_a_gap_while_the_action_is_not_current(
    inspected: Callable[..., Any],
) -> None:
    fsm = machine()
    page = inspected(fsm)
    path = ["action", "Guard", "Nowhere", "0", "elapsed"]
    assert page.ask("samples", machine="Guard", wanted=[[path, -1]])["samples"] == []


WRONG: list[tuple[Any, str]] = [
    ("x", "'samples': 'wanted' must be a list, got 'x'."),
    ([1], "Each value wanted must be a path and a time, got 1."),
    ([["a", 1]], "Each value wanted must be a path and a time, got ['a', 1]."),
    ([[["a"], "1"]], "Each value wanted must be a path and a time, got [['a'], '1']."),
    ([[["a"], True]], "Each value wanted must be a path and a time, got [['a'], True]."),
    ([[["a"], float("nan")]], "Each value wanted must be a path and a time, got [['a'], nan]."),
    ([[["a"], 1, 2]], "Each value wanted must be a path and a time, got [['a'], 1, 2]."),
    ([[[], 1]], "A path must have 1 to 5 names, got 0."),
    ([[[3], 1]], "A path must consist of strings, got 3."),
    ([[["a"], 1]] * 65, "At most 64 values can be plotted, got 65."),
]


@pytest.mark.parametrize(("wanted", "message"), WRONG, ids=lambda each: str(each)[:30])
def test_a_malformed_wish_is_refused(
    wanted: Any, message: str, inspected: Callable[..., Any]
) -> None:
    page = inspected(machine())
    assert page.ask("samples", machine="Guard", wanted=wanted)["error"] == message
    strange = [[[name], 0] for name in ("watch", "context", "__class__", "action")]
    assert page.ask("samples", machine="Guard", wanted=strange)["samples"] == []

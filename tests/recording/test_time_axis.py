"""Round times for an axis."""

from itertools import pairwise

from every import every
from hypothesis import given
from hypothesis import strategies as st

from fsmkit.svg.axis import ticks

times = st.floats(0.0, 1e7)
spans = st.floats(1e-6, 1e7)


@every(
    ("end", "texts"),
    [
        (0.0, ["0.00 s"]),
        (0.000_05, ["0 µs", "50 µs"]),
        (0.25, ["0 ms", "200 ms"]),
        (1.0, ["0.0 s", "0.5 s", "1.0 s"]),
        (20.0, ["0 s", "10 s", "20 s"]),
        (59.0, ["0 s", "30 s"]),
        (90.0, ["0:00", "1:00"]),
        (600.0, ["0:00", "5:00", "10:00"]),
        (10_800.0, ["0:00", "2:00:00"]),
        (1_000_000.0, ["0:00", "240:00:00"]),
    ],
)
def test_steps_are_round_in_seconds_minutes_and_hours(end: float, texts: list[str]) -> None:
    assert [text for _, text in ticks(0.0, end, most=3)] == texts


def test_a_part_far_from_the_beginning_has_ticks_fine_enough() -> None:
    texts = [text for _, text in ticks(3725.0, 3725.5, most=3)]
    assert texts == ["1:02:05.0", "1:02:05.5"]


def test_times_too_near_to_each_other_to_be_told_apart_have_one_tick() -> None:
    assert len(ticks(1e15, 1e15 + 0.125, most=8)) == 1


def test_a_span_of_less_than_a_picosecond_has_one_tick() -> None:
    assert ticks(1.5e-28, 2.3e-28, most=5) == [(1.5e-28, "0.00 s")]


@given(times, spans, st.integers(2, 20))
def test_ticks_are_in_order_inside_and_not_too_many(start: float, span: float, most: int) -> None:
    end = start + span
    found = [time for time, _ in ticks(start, end, most)]
    step = min((b - a for a, b in pairwise(found)), default=1.0)
    assert step > 0.0
    assert all(start - step * 1e-6 <= time <= end + step * 1e-6 for time in found)
    assert len(found) <= most


@given(times, spans)
def test_no_two_ticks_have_the_same_text(start: float, span: float) -> None:
    texts = [text for _, text in ticks(start, start + span, most=8)]
    assert len(set(texts)) == len(texts)

"""The line on the terminal that shows the progress of what takes long."""

import io
import sys
from collections.abc import Iterator
from threading import Event

import pytest

from fsmkit.terminal.progress import Overdue, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time that passes between two looks at the clock."""
    seconds = [1.0]
    now = [0.0]

    def monotonic() -> float:
        now[0] += seconds[0]
        return now[0]

    monkeypatch.setattr("fsmkit.terminal.progress.monotonic", monotonic)
    monkeypatch.setenv("COLUMNS", "60")
    return seconds


def shown(stream: io.StringIO, title: str = "walking") -> str:
    with Progress(title, 4, stream) as progress:
        for done in range(5):
            progress.show(done)
    return stream.getvalue()


def test_a_terminal_shows_a_bar_which_is_gone_at_the_end() -> None:
    parts = shown(Terminal()).split("\r")
    assert parts == ["", *(f"walking  [{'#' * n:30}] {p:4.0%}" for n, p in BARS), "\033[K"]


BARS = [(0, 0.0), (8, 0.25), (15, 0.5), (22, 0.75), (30, 1.0)]


def test_what_takes_less_than_a_second_shows_nothing(clock: list[float]) -> None:
    clock[0] = 0.1
    assert shown(Terminal()) == ""


def test_what_is_no_terminal_shows_nothing() -> None:
    assert shown(io.StringIO()) == ""


def test_a_program_without_a_console_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with Progress("walking", 4) as progress:
        progress.show(2)


def test_a_long_title_is_cut_so_that_the_line_can_be_removed() -> None:
    lines = shown(Terminal(), "exploring " * 9).split("\r")[1:-1]
    assert [len(line) for line in lines] == [59] * 5


def test_without_a_total_the_title_is_shown_alone() -> None:
    stream = Terminal()
    with Progress("compiling", stream=stream) as progress:
        progress.show()
    assert stream.getvalue() == "\rcompiling\r\033[K"


def test_what_is_overdue_is_noticed_until_the_notice_is_content(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fsmkit.terminal.progress.DELAY", 0.001)
    answers = iter([False, False, None])
    enough = Event()

    def notice() -> bool | None:
        answer = next(answers)
        if answer is None:
            enough.set()
        return answer

    with Overdue(notice):
        assert enough.wait(60.0)
    assert next(answers, "all were asked for") == "all were asked for"


def test_what_ends_in_time_is_not_noticed() -> None:
    noticed: list[bool] = []
    with Overdue(lambda: noticed.append(True)):
        pass
    assert noticed == []

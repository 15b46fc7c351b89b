"""The checks of arguments: which values they return, and what they say of others."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest

from fsmkit.core.checks import arguments


@pytest.mark.parametrize(
    ("choices", "wanted"),
    [(["CALM"], "'CALM'"), ([4, 8], "4 or 8"), (["a", "b", None], "'a', 'b' or None")],
)
def test_a_choice_lists_all_that_may_be_chosen(choices: list[Any], wanted: str) -> None:
    assert [arguments.choice(each, "mood", choices) for each in choices] == choices
    with pytest.raises(ValueError, match=f"^mood must be {wanted}, got 'ANGRY'.$"):
        arguments.choice("ANGRY", "mood", choices)


@pytest.mark.parametrize(
    ("check", "error", "message"),
    [
        (lambda: arguments.number(True, "speed"), TypeError, "a finite number, got True"),
        (lambda: arguments.number(nan, "speed"), ValueError, "a finite number, got nan"),
        (
            lambda: arguments.number(-1, "speed", least=0),
            ValueError,
            "a finite number >= 0, got -1",
        ),
        (
            lambda: arguments.number(2, "speed", above=0, most=1),
            ValueError,
            "a number > 0 and <= 1, got 2",
        ),
        (lambda: arguments.integer(1.0, "speed", least=1), TypeError, "an integer >= 1, got 1.0"),
        (
            lambda: arguments.integer(9, "speed", least=1, most=3),
            ValueError,
            "an integer from 1 to 3, got 9",
        ),
        (lambda: arguments.flag(1, "speed"), TypeError, "True or False, got 1"),
    ],
)
def test_a_message_names_the_argument_the_bounds_and_the_value(
    check: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^speed must be {message}.$"):
        check()


def test_an_infinite_number_passes_where_it_is_admitted() -> None:
    assert arguments.number(inf, "speed", most=inf) == inf

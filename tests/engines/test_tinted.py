"""Tinted: the colours that the transforms of all engines accept."""

from typing import Any

import pytest

from fsmkit.engines.parts.things import Tinted


def test_a_colour_has_three_numbers_or_four_as_it_was_set() -> None:
    thing = Tinted()
    told = [thing.color]
    for color in ((10.0, 20.0, 30.0), (1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0)):
        thing.color = color
        told += [thing.color, (thing.alpha,)]
    assert told == [
        (255.0, 255.0, 255.0),
        (10.0, 20.0, 30.0), (255.0,),
        (1.0, 2.0, 3.0, 4.0), (4.0,),
        (5.0, 6.0, 7.0), (4.0,),
    ]  # fmt: skip


@pytest.mark.parametrize("color", [(1.0, 2.0), (1.0, 2.0, 3.0, 4.0, 5.0), 5.0, ()])
def test_what_is_not_a_colour_is_refused_and_changes_nothing(color: Any) -> None:
    thing = Tinted()
    thing.color = (10.0, 20.0, 30.0)
    with pytest.raises(
        ValueError, match="A colour must be red, green, blue and perhaps alpha, got "
    ):
        thing.color = color
    assert (thing.color, thing.channels, thing.alpha) == ((10.0, 20.0, 30.0), 3, 255.0)

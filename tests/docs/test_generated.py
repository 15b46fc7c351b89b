"""What docs/generate.py writes is up to date."""

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")  # the reference lists what needs it

from making import everything, library, motion_pictures, parts

import actions
from fsmkit.diagram.layout import PURE, program


def has_graphviz_pure() -> bool:
    try:
        return Path(program()).stem == PURE
    except ImportError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not has_graphviz_pure(), reason="the pictures are drawn by graphviz-pure")
def test_nothing_is_out_of_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    files = everything.every_file()
    told = "run: python docs/generate.py"
    assert (everything.outdated(files), told) == ([], told)
    assert everything.leftovers(files) == []


def test_every_action_is_in_one_group() -> None:
    assert library.faults(actions.__all__) == []


@pytest.mark.slow
def test_the_courses_that_are_shown_are_those_of_the_actions() -> None:
    shown, drawn = motion_pictures.FILE.read_text("utf-8"), motion_pictures.picture()
    number = re.compile(r"-?\d+\.\d")
    assert number.sub("", shown) == number.sub("", drawn)
    # Within what the mathematics of another processor may round to.
    numbers = (map(float, number.findall(text)) for text in (shown, drawn))
    assert all(abs(a - b) < 0.25 for a, b in zip(*numbers, strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- made: nothing -->\n<!-- end -->", "there is no such maker. There are: actions"),
        ("<!-- made: names fsmkit -->\n", "a part has no '<!-- end -->' on a line alone."),
        ("<!-- made: code README.mdx -->\n<!-- end -->", "No such file"),
        ("<!-- made: code docs/generate.py man -->\n<!-- end -->", "nothing in it is named 'man'."),
        ("<!-- made: names fsmkits -->\n<!-- end -->", "No module named 'fsmkits'"),
        ("<!-- made: drawing fsm -->\n<!-- end -->", "no block of the page has a variable 'fsm'."),
    ],
    ids=["maker", "end", "file", "definition", "module", "variable"],
)
def test_a_part_that_cannot_be_made_is_reported(text: str, message: str) -> None:
    index = parts.ROOT / "docs" / "changelog.md"
    with pytest.raises(parts.PartError, match=r"^docs/changelog.md") as raised:
        parts.filled(index, text)
    assert message in str(raised.value)

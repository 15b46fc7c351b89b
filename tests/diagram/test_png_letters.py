"""PNGs with letters that graphviz-pure does not bring."""

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsmkit import Fsm
from fsmkit.diagram import layout, to_dot, to_png
from fsmkit.diagram.layout import PURE, program, without_font


def has_graphviz_pure() -> bool:
    try:
        return Path(program()).stem == PURE
    except ImportError:
        return False


needs_graphviz_pure = pytest.mark.skipif(
    not has_graphviz_pure(), reason="the letters are those of graphviz-pure"
)
on_posix = pytest.mark.skipif(os.name != "posix", reason="the programs are written in shell")

PROGRAM = """#!/bin/sh
case $1 in
  -Tsvg) echo "<svg width='72pt' height='72pt'><text font-family='Helvetica'></text></svg>";;
  *) printf '%s ' "$0"; while IFS= read -r line; do printf '%s' "$line"; done;;
esac
"""
"""Writes as a PNG its own name and the DOT that it was given."""


def guard(*names: str) -> Fsm[Any]:
    fsm = Fsm("Guard")
    for name in names:
        fsm.add_state(name)
    return fsm


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts programs on a PATH where there is nothing else."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))

    def put(*names: str) -> None:
        for name in names:
            (tmp_path / name).write_text(PROGRAM)
            (tmp_path / name).chmod(0o755)

    return put


@pytest.fixture
def fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The letters that resvg can draw here. It writes the picture in capitals."""
    drawable: set[str] = set()

    def render(svg: str, _: float) -> bytes:
        letter = re.search(r'font-size="20">(.*?)</text>', svg)
        if letter is None:
            return svg.upper().encode()
        return letter[1].encode() if letter[1] in {"", *drawable} else b"a box"

    layout._letter.cache_clear()
    monkeypatch.setattr(layout, "_rendered", render)
    yield drawable
    layout._letter.cache_clear()


@pytest.fixture
def no_resvg(monkeypatch: pytest.MonkeyPatch) -> None:
    def render(svg: str, _: float) -> bytes:
        raise ImportError(svg)

    layout._letter.cache_clear()
    monkeypatch.setattr(layout, "_rendered", render)


Programs = Callable[..., None]


@on_posix
def test_ordinary_letters_are_drawn_by_graphviz_pure(programs: Programs, fonts: set[str]) -> None:
    programs("graphviz-pure", "dot")
    fonts |= {"A"}
    name, dot = to_png(guard("Patrouille à l’été", "Ρήξη", "Страж")).decode().split(" ", 1)
    assert Path(name).name == "graphviz-pure"
    assert "Страж" in dot


@on_posix
def test_others_are_drawn_with_the_fonts_of_the_computer(
    programs: Programs, fonts: set[str]
) -> None:
    programs("graphviz-pure", "dot")
    fonts |= {"A", "巡"}
    assert to_png(guard("巡逻")) == (
        b"<SVG WIDTH='72PT' HEIGHT='72PT'><TEXT FONT-FAMILY='HELVETICA'></TEXT></SVG>\n"
    )


@on_posix
def test_letters_that_no_font_has_become_code_points(programs: Programs, fonts: set[str]) -> None:
    programs("graphviz-pure", "dot")
    fonts |= {"A"}
    with pytest.warns(UserWarning, match="letters that cannot be drawn here: 巡逻. Install a font"):
        _, dot = to_png(guard("巡逻 at home")).decode().split(" ", 1)
    assert r"\\u5de1\\u903b at home" in dot
    assert "fixedsize" not in dot


@on_posix
def test_with_fonts_for_some_the_others_become_code_points(
    programs: Programs, fonts: set[str]
) -> None:
    programs("graphviz-pure")
    fonts |= {"A", "ו"}
    with pytest.warns(UserWarning, match="here: 巡逻. "):
        assert to_png(guard("巡逻", "שומר")).startswith(b"<SVG")


@on_posix
@pytest.mark.usefixtures("no_resvg")
def test_without_resvg_a_dot_draws_them(programs: Programs) -> None:
    programs("graphviz-pure", "dot")
    name, dot = to_png(guard("巡逻")).decode().split(" ", 1)
    assert Path(name).name == "dot"
    assert "巡逻" in dot


@on_posix
@pytest.mark.usefixtures("no_resvg")
def test_without_either_they_become_code_points(programs: Programs) -> None:
    programs("graphviz-pure")
    with pytest.warns(UserWarning, match=r"pip install 'fsmkit\[diagram\]'"):
        name, dot = to_png(guard("巡逻")).decode().split(" ", 1)
    assert Path(name).name == "graphviz-pure"
    assert r"\\u5de1\\u903b" in dot


@on_posix
def test_a_computer_without_any_font_is_as_one_without_resvg(
    programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs("graphviz-pure", "dot")
    layout._letter.cache_clear()
    monkeypatch.setattr(layout, "_rendered", lambda *_: b"nothing")
    name, _ = to_png(guard("巡逻")).decode().split(" ", 1)
    layout._letter.cache_clear()
    assert Path(name).name == "dot"


def test_one_letter_of_a_script_stands_for_all(fonts: set[str]) -> None:
    fonts |= {"ו", "巡"}
    assert without_font("מרשו巡逻ไทย") == set("ไทย")


def test_marks_belong_to_their_letters(fonts: set[str]) -> None:
    fonts |= {"ฝ"}
    assert without_font("ฝ้") == set()
    assert without_font("\u200d\ufe0f") == set()


@needs_graphviz_pure
def test_a_png_is_a_png_whatever_the_letters() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there may be fonts here, or none
        assert to_png(guard("巡逻 😀", "שומר")).startswith(b"\x89PNG")


@needs_graphviz_pure
def test_with_resvg_and_fonts_it_is_as_large_as_that_of_graphviz() -> None:
    pytest.importorskip("resvg_py")
    if not layout._can_draw_letters():
        pytest.skip("there are no fonts here")
    dot = to_dot(guard("Patrol", "Chase"))
    sizes = [
        tuple(int.from_bytes(picture[start : start + 4]) for start in (16, 20))
        for picture in (layout._by_graphviz(program(), dot), layout._by_resvg(program(), dot))
    ]
    assert all(abs(one - other) <= 2 for one, other in zip(*sizes, strict=True))

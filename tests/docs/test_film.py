"""The film of the front page, in a browser: when it begins, and for whom it does not."""

import shutil
from pathlib import Path
from typing import Any, Final

import pytest

STATIC: Final = Path(__file__).parents[2] / "docs" / "_static"
PAGE: Final = (
    '<a class="film" href="night_guard.webp"><img src="night_guard_still.webp" alt="A film"></a>'
    '<img src="night_guard_still.webp" alt="A picture"><script src="film.js"></script>'
    '<a class="film" href="night_guard.webp" style="display: block; margin-top: 9000px">'
    '<img src="night_guard_still.webp" alt="A film further down"></a>'
)

FRAMES: Final = """() => new Promise((done) => {
    let left = 30;
    const next = () => (left-- ? requestAnimationFrame(next) : done());
    next();
})"""
"""Wait for some frames."""

pytestmark = pytest.mark.slow


def pictures(browser: Any, folder: Path, motion: str) -> list[str]:
    """What is shown on a page once it is loaded, for who wants so much motion."""
    for name in ("night_guard.webp", "night_guard_still.webp", "film.js"):
        shutil.copy(STATIC / name, folder)
    (folder / "index.html").write_text(PAGE, "utf-8")
    page = browser.new_page(reduced_motion=motion)
    page.goto((folder / "index.html").as_uri(), wait_until="networkidle")
    page.evaluate(FRAMES)
    names = page.evaluate("[...document.images].map((image) => image.src.split('/').pop())")
    page.close()
    return list(names)


def test_the_film_begins_when_it_is_seen(browser: Any, tmp_path: Path) -> None:
    shown = pictures(browser, tmp_path, "no-preference")
    assert shown == ["night_guard.webp", "night_guard_still.webp", "night_guard_still.webp"]


def test_who_wants_no_motion_sees_its_first_picture(browser: Any, tmp_path: Path) -> None:
    shown = pictures(browser, tmp_path, "reduce")
    assert shown == ["night_guard_still.webp"] * 3

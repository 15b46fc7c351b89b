"""The film of the front page, in a browser: when it begins, and for whom it does not."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
STATIC: Final = Path(__file__).parents[2] / "docs" / "_static"
PAGE: Final = (
    '<a class="film" href="night_guard.webp"><img src="night_guard_still.webp" alt="A film"></a>'
    '<img src="night_guard_still.webp" alt="A picture"><script src="film.js"></script>'
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the PATH"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chromium
        chromium.close()


def pictures(browser: Any, folder: Path, motion: str) -> list[str]:
    """What is shown on a page once it is loaded, for who wants so much motion."""
    for name in ("night_guard.webp", "night_guard_still.webp", "film.js"):
        shutil.copy(STATIC / name, folder)
    (folder / "index.html").write_text(PAGE, "utf-8")
    page = browser.new_page(reduced_motion=motion)
    page.goto((folder / "index.html").as_uri(), wait_until="networkidle")
    names = page.evaluate("[...document.images].map((image) => image.src.split('/').pop())")
    page.close()
    return list(names)


def test_the_film_begins_when_the_page_is_there(browser: Any, tmp_path: Path) -> None:
    shown = pictures(browser, tmp_path, "no-preference")
    assert shown == ["night_guard.webp", "night_guard_still.webp"]


def test_who_wants_no_motion_sees_its_first_picture(browser: Any, tmp_path: Path) -> None:
    shown = pictures(browser, tmp_path, "reduce")
    assert shown == ["night_guard_still.webp", "night_guard_still.webp"]

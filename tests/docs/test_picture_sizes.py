"""docs/making/picture_sizes.py, on a site of one page."""

from pathlib import Path

import pytest
from making.built_pages import rewrite

picture_sizes = pytest.importorskip("making.picture_sizes", reason="the group `docs` has imagesize")

SVG = '<svg xmlns="http://www.w3.org/2000/svg" {}viewBox="0 0 160 90"></svg>'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with a page and pictures."""
    (tmp_path / "a picture.svg").write_text(SVG.format('width="75pt" height="30pt" '), "utf-8")
    (tmp_path / "wide.svg").write_text(SVG.format('width="320" '), "utf-8")
    (tmp_path / "shape.svg").write_text(SVG.format(""), "utf-8")
    (tmp_path / "pages").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("given", "sized"),
    [
        (
            '<img src="../a%20picture.svg"/>',
            '<img width="100" height="40" src="../a%20picture.svg"/>',
        ),
        (
            '<img alt="" src="../wide.svg">',
            '<img width="320" style="aspect-ratio: 160 / 90" alt="" src="../wide.svg">',
        ),
        (
            '<img src="../shape.svg">',
            '<img width="100%" style="aspect-ratio: 160 / 90" src="../shape.svg">',
        ),
    ],
)
def test_a_picture_gets_its_size(site: Path, given: str, sized: str) -> None:
    page = site / "pages" / "index.html"
    page.write_text(f"<p>{given}</p>", "utf-8")
    rewrite(site, picture_sizes.with_sizes)
    assert page.read_text("utf-8") == f"<p>{sized}</p>"
    rewrite(site, picture_sizes.with_sizes)
    assert page.read_text("utf-8") == f"<p>{sized}</p>"


def test_pictures_after_the_first_of_the_text_are_loaded_when_they_come_near(site: Path) -> None:
    page = site / "pages" / "index.html"
    before = '<img src="../none.svg"><img {}class="sidebar-logo" src="../a%20picture.svg">'
    page.write_text(before.format("") + '<img src="../a%20picture.svg">' * 3, "utf-8")
    rewrite(site, picture_sizes.with_sizes)
    near = '<img width="100" height="40" src="../a%20picture.svg">'
    later = near.replace("src", 'loading="lazy" src')
    logo = before.format('width="100" height="40" ')
    assert page.read_text("utf-8") == f"{logo}{near}{later}{later}"


@pytest.mark.parametrize(
    "picture",
    [
        '<img width="40" src="../wide.svg">',
        '<img src="../wide.svg" style="width: 40px">',
        '<img src="../none.svg">',
        '<img src="https://example.org/wide.svg">',
        '<img src="data:image/svg+xml,x">',
    ],
)
def test_others_stay_as_they_are(site: Path, picture: str) -> None:
    page = site / "pages" / "index.html"
    page.write_text(picture, "utf-8")
    rewrite(site, picture_sizes.with_sizes)
    assert page.read_text("utf-8") == picture

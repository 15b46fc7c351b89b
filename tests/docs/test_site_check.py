"""docs/making/site_check.py, on sites of a page or two."""

from pathlib import Path

import pytest
from making import site_check

GOOD = """\
<html><head><title>Machines</title><meta name="description" content="What they are.">
<link rel="stylesheet" href="style.css"><link rel="canonical" href="https://example.org/"></head>
<body><h1 id="top-of-it">Machines</h1><svg><title>A picture</title></svg>
<a href="#top-of-it">up</a> <a href="other.html#there">there</a> <a href="https://example.org/">out</a>
<img src="a%20door.png" alt="a door"><img src="data:image/png;base64,AAAA" alt="a dot">
</body></html>
"""
OTHER = GOOD.replace("top-of-it", "there").replace("other.html", "")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site without a mistake."""
    (tmp_path / "index.html").write_text(GOOD, "utf-8")
    (tmp_path / "other.html").write_text(OTHER, "utf-8")
    (tmp_path / "style.css").write_text("body { background: url(a%20door.png) }", "utf-8")
    (tmp_path / "a door.png").write_bytes(b"")
    return tmp_path


def test_a_site_without_mistakes_passes(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert site_check.main([str(site)]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("old", "new", "mistakes"),
    [
        ("Machines</title>", "</title>", ["index.html: the page has no title."]),
        ("What they are.", " ", ["index.html: the page has no description."]),
        ("#top-of-it", "#end", ["index.html: #end leads to a page without that place."]),
        (
            "other.html#there",
            "other.html#nowhere",
            ["index.html: other.html#nowhere leads to a page without that place."],
        ),
        ("other.html", "lost.html", ["index.html: lost.html#there leads to nothing."]),
        ("style.css", "lost.css", ["index.html: lost.css leads to nothing."]),
        ("other.html#there", "../secret.html", ["index.html: ../secret.html leads to nothing."]),
        (
            ' alt="a door"',
            "",
            ["index.html: the image a%20door.png has no text that says what it shows."],
        ),
        (
            "</body>",
            '<script src="//cdn.example/a.js"></script></body>',
            ["index.html: //cdn.example/a.js is loaded from elsewhere."],
        ),
        (
            "</body>",
            "<style>@import 'https://fonts.example/a.css';</style></body>",
            ["index.html: https://fonts.example/a.css is loaded from elsewhere."],
        ),
        (
            ">there</a>",
            '>to <a href="#top-of-it">the top</a></a>',
            ["index.html: the link to #top-of-it lies in another link, which browsers empty."],
        ),
        (
            "</body>",
            "x" * 250_500 + "</body>",
            ["index.html: the page has 251 kB, and must have less than 250."],
        ),
    ],
    ids=[
        "title", "description", "anchor", "anchor elsewhere", "page", "file", "outside",
        "image", "script", "style", "nested", "weight",
    ],
)  # fmt: skip
def test_a_mistake_is_reported(
    site: Path, old: str, new: str, mistakes: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "index.html").write_text(GOOD.replace(old, new, 1), "utf-8")
    site_check.page_at.cache_clear()
    assert site_check.main([str(site)]) == 1
    assert capsys.readouterr().out.splitlines() == mistakes


def test_styles_load_nothing_from_elsewhere(site: Path) -> None:
    text = "@font-face { src: url('https://fonts.example/a.woff2') }"
    (site / "style.css").write_text(text, "utf-8")
    expected = ["style.css: https://fonts.example/a.woff2 is loaded from elsewhere."]
    assert list(site_check.mistakes(site)) == expected


def test_a_folder_without_a_site_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert site_check.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("it has no index.html.\n")

"""Look for mistakes in the built site: python docs/making/site_check.py docs/_build/html.

Every page must be under 250 kB, have a title and a description, and texts for its images. What a
link leads to must be there, no link may lie in another one, and nothing may be loaded from
elsewhere. The mistakes are printed; the exit code is 1 if there are any.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

HEAVIEST: Final = 250_000
"""The most bytes that a page may have."""

LOADED: Final = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "video": "src",
}
"""The tags that load something, and the attribute that says what."""

NOT_LOADED: Final = {"author", "canonical", "copyright", "index", "next", "prev", "search"}
"""What a `link` may be without anything being loaded."""

IN_STYLES: Final = re.compile(r"""(?:url\(|@import\s)\s*["']?((?:https?:)?//[^"')\s]+)""")


class Page(HTMLParser):
    """What a page says of itself, where its links lead, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.title = ""
        self.is_described = False
        self.anchors = {"", "top"}
        self.links: list[str] = []
        self.inner: list[str] = []
        self.loaded: list[str] = []
        self.without_text: list[str] = []
        self._in_title = self._in_picture = self._in_link = False
        self.feed(text)
        self.loaded += IN_STYLES.findall("".join(re.findall(r"(?s)<style.*?</style>", text)))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what a tag says."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self._in_picture |= tag == "svg"
        self._in_title |= tag == "title" and not self._in_picture
        if tag == "meta" and values.get("name") == "description":
            self.is_described |= bool(values.get("content", "").strip())
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
            self.inner += [values["href"]] * self._in_link
            self._in_link = True
        if tag == "img" and "alt" not in values:  # empty it is for what only adorns
            self.without_text.append(values.get("src", ""))
        if tag in LOADED and not NOT_LOADED & set(values.get("rel", "").split()):
            self.loaded += [values[LOADED[tag]]] if LOADED[tag] in values else []
            self.loaded += [each.split()[0] for each in values.get("srcset", "").split(",") if each]

    def handle_endtag(self, tag: str) -> None:
        """Note where a title, a link or a picture ends; a picture may have a title of its own."""
        self._in_title &= tag != "title"
        self._in_link &= tag != "a"
        self._in_picture &= tag != "svg"

    def handle_data(self, data: str) -> None:
        """Keep the title."""
        if self._in_title:
            self.title += data.strip()


@cache
def page_at(path: Path) -> Page:
    """Return the page in a file."""
    return Page(path.read_text("utf-8"))


def mistakes(site: Path) -> Iterator[str]:
    """Yield a sentence for each mistake in a site."""
    site = site.resolve()
    for path in sorted(site.rglob("*.html")):
        where = path.relative_to(site).as_posix()
        yield from (f"{where}: {mistake}" for mistake in mistakes_of_page(path, site))
    for path in sorted(site.rglob("*.css")):
        where = path.relative_to(site).as_posix()
        for address in IN_STYLES.findall(path.read_text("utf-8")):
            yield f"{where}: {address} is loaded from elsewhere."


def mistakes_of_page(path: Path, site: Path) -> Iterator[str]:
    """Yield what is wrong with one page."""
    page, weight = page_at(path), path.stat().st_size
    if weight >= HEAVIEST:
        yield f"the page has {weight / 1000:.0f} kB, and must have less than {HEAVIEST // 1000}."
    if not page.title:
        yield "the page has no title."
    if not page.is_described:
        yield "the page has no description."
    for image in page.without_text:
        yield f"the image {image} has no text that says what it shows."
    for address in page.inner:
        yield f"the link to {address} lies in another link, which browsers empty."
    for address in dict.fromkeys(page.loaded):
        if not address.startswith("data:"):
            yield from fault_of_address(path, address, site, is_loaded=True)
    for address in dict.fromkeys(page.links):
        yield from fault_of_address(path, address, site)


def fault_of_address(
    path: Path, address: str, site: Path, *, is_loaded: bool = False
) -> Iterator[str]:
    """Yield what is wrong with an address on a page, if anything."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        if is_loaded:
            yield f"{address} is loaded from elsewhere."
        return
    target = target_of(path.parent, unquote(parts.path), site) if parts.path else path
    if target is None:
        yield f"{address} leads to nothing."
    elif parts.fragment and target.suffix == ".html":
        anchors = page_at(target).anchors
        if not {parts.fragment, unquote(parts.fragment)} & anchors:
            yield f"{address} leads to a page without that place."


@cache
def target_of(folder: Path, place: str, site: Path) -> Path | None:
    """Return the file that a path leads to from the pages of a folder; None if there is none."""
    target = (site / place.lstrip("/") if place[0] == "/" else folder / place).resolve()
    if target.is_dir():
        target /= "index.html"
    return target if target.exists() and target.is_relative_to(site) else None


def main(arguments: list[str]) -> int:
    """Print the mistakes of a site, and return the exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    site = Path(arguments[0])
    if not (site / "index.html").exists():
        print(f"There is no site in {site}: it has no index.html.", file=sys.stderr)
        return 2
    found = list(mistakes(site))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the package index shows: the description that is made from README.md, and its links."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def metadata() -> Any:
    """What the package says of itself, as hatchling reads it."""
    core = pytest.importorskip("hatchling.metadata.core", reason="the group `release` has it")
    manager = pytest.importorskip("hatchling.plugin.manager")
    return core.ProjectMetadata(str(ROOT), manager.PluginManager()).core


class Addresses(HTMLParser):
    """The addresses on a page: where its links lead, and which pictures it shows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links += [values["href"]] if not values["href"].startswith("#") else []
        self.pictures += [values[name] for name in ("src", "srcset") if name in values]


@pytest.fixture(scope="module")
def shown(metadata: Any) -> Addresses:
    """The description, rendered as the index does it."""
    markdown = pytest.importorskip(
        "readme_renderer.markdown", reason="the group `release` has readme-renderer"
    )
    assert metadata.readme_content_type == "text/markdown"
    rendered = markdown.render(metadata.readme)
    assert rendered is not None
    return Addresses(rendered)


def faults(addresses: list[str], beginning: str) -> list[str]:
    """Those that are not absolute, and those of our repository that lead to no file of it."""
    found = []
    for address in addresses:
        path = address.removeprefix(beginning).partition("#")[0]
        is_ours = address.startswith(beginning)
        if not address.startswith("https://") or (is_ours and not (ROOT / path).is_file()):
            found.append(address)
    return found


def test_every_link_is_absolute_and_leads_to_a_file(metadata: Any, shown: Addresses) -> None:
    beginning = f"{metadata.urls['Source']}/blob/v{metadata.version}/"
    assert sum(link.startswith(beginning) for link in shown.links) > 50
    assert faults(shown.links, beginning) == []


def test_every_picture_is_absolute_raw_and_there(metadata: Any, shown: Addresses) -> None:
    repository = metadata.urls["Source"].removeprefix("https://github.com/")
    beginning = f"https://raw.githubusercontent.com/{repository}/v{metadata.version}/"
    assert len(shown.pictures) >= 4
    assert [each for each in shown.pictures if not each.startswith(beginning)] == []
    assert faults(shown.pictures, beginning) == []


def test_no_picture_is_for_the_dark(shown: Addresses) -> None:
    assert [each for each in shown.pictures if "_dark" in each] == []


def test_nothing_is_lost_but_dark_pictures(metadata: Any) -> None:
    given = (ROOT / "README.md").read_text("utf-8")
    without = re.compile(r"\S+[/.]\S+|</?picture>|<source.*")
    assert without.sub(" ", given).split() == without.sub(" ", metadata.readme).split()


def test_the_addresses_are_of_one_repository(metadata: Any) -> None:
    source = metadata.urls["Source"]
    assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", source)
    assert [url for url in metadata.urls.values() if not url.startswith(source)] == []


def test_the_classifiers_are_known_to_the_index(metadata: Any) -> None:
    known = pytest.importorskip("trove_classifiers", reason="hatchling brings it").classifiers
    assert [each for each in metadata.classifiers if each not in known] == []


def test_the_pythons_are_those_of_the_wheels(metadata: Any) -> None:
    python = "Programming Language :: Python :: 3."
    named = [each.removeprefix(python) for each in metadata.classifiers if each.startswith(python)]
    built = re.findall(r'"cp3(\d+)-', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert named == built

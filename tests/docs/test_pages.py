"""The pages are whole as they lie in the repository. Their code blocks: see /conftest.py."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import actions

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    page for page in sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")]) if "_build" not in page.parts
]
READ = [
    page
    for page in PAGES
    if page.parent != DOCS / "reference"  # these Sphinx fills in, as the next two
    and page.name not in ("changelog.md", "contributing.md")
]
LINK = re.compile(r"\]\((?!\w+:|\")([^)#\s]*)(?:#([\w-]+))?\)")
FENCED = re.compile(r"^(`{3,})(\S*)\n.*?^\1$", re.DOTALL | re.MULTILINE)
WIDTH = 80
FOR_SPHINX = re.compile(r"^(?::::|```\{(?!toctree)|% ).*|\{(?:py:\w+|doc|ref)}", re.MULTILINE)

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(text: str) -> set[str]:
    """What one can link to on a page: its headings, as GitHub and MyST name them."""
    headings = re.findall(r"^#{1,6} (.+)$", FENCED.sub("", text), re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)|[`*\\]", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in plain}


@every_page
def test_links_lead_to_what_is_there(page: Path) -> None:
    missing = []
    for target, anchor in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
        file = page.parent / target if target else page
        if not file.exists():
            missing.append(target)
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text("utf-8")):
            missing.append(f"{target}#{anchor}")
    assert missing == []


@pytest.mark.parametrize("page", READ, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_plain_markdown(page: Path) -> None:
    found = FOR_SPHINX.finditer(page.read_text("utf-8"))
    assert [each[0] for each in found] == []


@every_page
def test_blocks_fit_into_the_page(page: Path) -> None:
    blocks = [
        each[0]
        for each in FENCED.finditer(page.read_text("utf-8"))
        if each[2] in ("python", "py", "text", "console")
    ]
    assert [line for block in blocks for line in block.splitlines() if len(line) > WIDTH] == []


def test_the_reference_has_every_name_of_crowds() -> None:
    pytest.importorskip("numba")
    pages = "".join(page.read_text("utf-8") for page in DOCS.glob("reference/crowd*.md"))
    for module in ("fsmkit.crowd", "fsmkit.crowd.library", "fsmkit.crowd.shards"):
        names = [f"{module}.{name}" for name in import_module(module).__all__]
        assert [name for name in names if f":: {name}\n" not in pages] == []


def test_the_reference_has_every_action() -> None:
    pages = "".join(page.read_text("utf-8") for page in DOCS.glob("reference/actions_*.md"))
    assert [name for name in actions.__all__ if f":: actions.{name}\n" not in pages] == []

"""What Sphinx makes of a page, seen on a site of one page."""

import re
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")

from making import sphinx_pages
from sphinx.application import Sphinx

PAGE = """\
# A page

```{eval-rst}
.. py:class:: fsmkit.Fsm
```

A machine is an `Fsm`, and an ordinary `word` is none. Back to [the `Fsm`](#a-page).

![A page](shot.png)

![A graph](graph.svg)
"""


@pytest.fixture
def html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page as it is shown."""
    monkeypatch.setattr(sphinx_pages, "MODULES", ("fsmkit",))  # the others take long to import
    (tmp_path / "index.md").write_text(PAGE, "utf-8")
    for name in "shot.png", "shot_dark.png", "graph.svg":
        (tmp_path / name).touch()
    links = {"myst_heading_anchors": 1}
    extensions = ["myst_parser", "sphinx.ext.autodoc", "making.sphinx_pages"]
    app = Sphinx(
        tmp_path,
        None,
        tmp_path / "html",
        tmp_path / "doctrees",
        "html",
        confoverrides={"extensions": extensions, **links},
        status=None,
        warning=StringIO(),
    )
    app.build()
    return (tmp_path / "html/index.html").read_text("utf-8")


@pytest.mark.slow
def test_a_public_name_in_inline_code_is_a_link(html: str) -> None:
    link = '<a class="reference internal" href="#fsmkit.Fsm" title="fsmkit.Fsm"><code'
    assert f'A machine is an {link} class="docutils literal notranslate">' in html
    assert '<span class="pre">Fsm</span></code></a>, and an ordinary <code' in html
    assert '<span class="pre">word</span></code> is none.' in html


@pytest.mark.slow
def test_a_name_in_the_text_of_a_link_is_no_link_of_its_own(html: str) -> None:
    [link] = re.findall(r'Back to <a .*?href="(#[\w-]+)">(.*?)</a>\.', html)
    assert link[0] == "#a-page"
    assert "<a " not in link[1]


@pytest.mark.slow
def test_a_picture_of_a_page_leads_to_its_file_and_a_graph_does_not(html: str) -> None:
    found = r'<a class="large (\S+) .*?" href="(.*?)"><img alt="(.*?)" src="(.*?)"'
    assert re.findall(found, html) == [
        ("only-light", "shot.png", "A page", "_images/shot.png"),
        ("only-dark", "shot_dark.png", "A page", "_images/shot_dark.png"),
    ]
    assert '<p><img alt="A graph"' in html


TREE = """\
<li class="toctree-l1 has-children"><a class="reference internal" href="../engines.html">Hosts</a>\
<input aria-label="Toggle" type="checkbox"/><ul>
<li class="toctree-l2"><a class="reference internal" href="arcade.html"><b>Arcade</b></a></li>
<li class="toctree-l2"><a class="reference internal" href="pygame.html">pygame</a></li>
</ul></li>
<li class="toctree-l1 has-children"><a class="reference internal" href="../crowds.html">Crowds</a>\
<input aria-label="Toggle" type="checkbox"/></li>
"""
"""What the theme makes of two pages and those below them, beside a page that is not in it."""


def test_the_tree_beside_a_page_shows_where_it_is() -> None:
    expected = (
        TREE.replace("l1 has-children", "l1 current has-children", 1)
        .replace('"Toggle"', '"Toggle" checked=""', 1)
        .replace("l2", "l2 current current-page", 1)
        .replace('"reference internal" href="arcade.html"', '"current reference internal" href="#"')
    )
    assert sphinx_pages.marked(TREE, ["arcade.html", "../engines.html"]) == expected
    assert sphinx_pages.marked(TREE, ["search.html"]) == TREE


def test_a_page_is_below_the_pages_that_list_it() -> None:
    listed = {"index": ["engines"], "engines": ["engines/arcade", "engines/pygame"]}
    env = SimpleNamespace(toctree_includes=listed)
    assert list(sphinx_pages.pages_to(env, "engines/pygame")) == [
        "engines/pygame",
        "engines",
        "index",
    ]
    assert list(sphinx_pages.pages_to(env, "search")) == ["search"]

"""What Sphinx makes of a page, seen on a site of one page."""

import re
from io import StringIO
from pathlib import Path

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
"""


@pytest.fixture
def html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page as it is shown."""
    monkeypatch.setattr(sphinx_pages, "MODULES", ("fsmkit",))  # the others take long to import
    (tmp_path / "index.md").write_text(PAGE, "utf-8")
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


def test_pages_of_source_code_in_a_folder_share_the_tree_of_pages() -> None:
    made = []
    navigation = sphinx_pages.SharedNavigation()

    def tree(page: str, document: object = None) -> str:
        context = {"toctree": lambda **options: made.append(page) or f"of {page}, {options}"}
        navigation.share(None, page, "", context, document)
        return context["toctree"](collapse=False)

    first = tree("_modules/fsmkit/fsm")
    assert tree("_modules/fsmkit/state") == first
    assert tree("_modules/actions") != first
    assert tree("tutorial", document="its own place in the tree") != first
    assert made == ["_modules/fsmkit/fsm", "_modules/actions", "tutorial"]

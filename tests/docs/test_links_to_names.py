"""Names in inline code lead to the reference, in the site."""

from pathlib import Path

import pytest

pytest.importorskip("sphinx")

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

PAGE = """# A page

Send `ERROR`, or `finish`.

```{py:data} fsmkit.ERROR
The event of an error.
```
"""


@pytest.mark.filterwarnings("ignore:.*Check CHANGES for Sphinx API:Warning")
def test_a_name_keeps_its_text_when_it_becomes_a_link(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text(PAGE, "utf-8")
    extensions = ["myst_parser", "sphinx.ext.autodoc", "making.sphinx_pages"]
    built = tmp_path / "built"
    with docutils_namespace():
        Sphinx(
            tmp_path,
            None,
            built,
            tmp_path / "doctrees",
            "html",
            confoverrides={"extensions": extensions, "html_theme": "basic"},
            status=None,
            warning=None,
        ).build()
    html = (built / "index.html").read_text("utf-8")
    paragraph = html.partition("Send ")[2].partition("</p>")[0]
    assert 'href="#fsmkit.ERROR"' in paragraph
    assert '<span class="pre">ERROR</span>' in paragraph
    assert '<span class="pre">finish</span></code>.' in paragraph

"""docs/making/repairs.py, on a site of one page."""

from pathlib import Path

import pytest
from making.built_pages import rewrite
from making.repairs import repaired as repaired_page


@pytest.mark.parametrize(
    ("given", "repaired"),
    [
        (
            '<p class="caption" role="heading">Start</p>',
            '<p class="caption" role="heading" aria-level="2">Start</p>',
        ),
        (
            '<aside class="toc-drawer no-toc">',
            '<aside aria-label="On this page" class="toc-drawer no-toc">',
        ),
        ('<th class="head"><p></p></th>', "<td></td>"),
        ("<pre><span></span>code</pre>", '<pre tabindex="0"><span></span>code</pre>'),
        (
            '<div class="table-wrapper docutils">',
            '<div tabindex="0" class="table-wrapper docutils">',
        ),
        (
            '(<dl>\n<dd><em class="sig-param">a</em>,</dd>\n</dl>)',
            '(<div class="sig-parameters">\n<div><em class="sig-param">a</em>,</div>\n</div>)',
        ),
        ("<dl>\n<dt>a</dt><dd>b</dd>\n</dl>", "<dl>\n<dt>a</dt><dd>b</dd>\n</dl>"),
    ],
    ids=["level of a caption", "label", "empty head", "code", "table", "parameters", "definitions"],
)
def test_a_page_is_repaired_once(tmp_path: Path, given: str, repaired: str) -> None:
    page = tmp_path / "index.html"
    page.write_text(given, "utf-8")
    for _ in range(2):
        rewrite(tmp_path, repaired_page)
        assert page.read_text("utf-8") == repaired

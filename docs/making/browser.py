"""What makes programs of the pages run in the browser: an extension of Sphinx.

It writes the playground into the folder `play` of the site, with Python for browsers and Graphviz,
which `npm install pyodide @viz-js/viz` puts into a folder of npm's. Where there is none the site is
built without: no page has a button then, and the page of the playground says so.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from making.runnable import FIRST, programs
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.logging import getLogger

from fsmkit.inspector.browser.folder import PYODIDE, write_playground

FOLDER: Final = "play"

MARK: Final = re.compile(
    r"<!-- (?:(?:from:|made: code) (?P<file>\S+)|made: example (?P<example>\S+))(?: .*)? -->"
)
"""What says that the block after it belongs to a program."""

PLAYGROUND: Final = "<!-- playground -->"
"""Where a page has the playground itself, in place of what follows up to `<!-- end -->`."""

NO_SCRIPTS: Final = (
    "<noscript><p><em>It is shown here if your browser runs scripts.</em></p></noscript>"
)


def find_runtime() -> str:
    """Return npm's folder with Pyodide; "" if there is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(os.environ.get("FSMKIT_PYODIDE") or cache / "fsmkit" / "node_modules")
    is_whole = all((folder / "pyodide" / name).is_file() for name in PYODIDE)
    return str(folder) if is_whole else ""


class Buttons(SphinxPostTransform):
    """Marks the places of the buttons, and that of the playground, for run_here.js."""

    default_priority = 900
    formats = ("html",)

    def run(self, **_options: Any) -> None:
        """Mark those of one page."""
        has_playground = bool(self.config.playground_runtime)
        runnable = runnable_files() if has_playground else set()
        for comment, block in marked_blocks(self.document):
            file = file_of(comment)
            if block is not None and file in runnable:
                at = block.parent.index(block)
                block.parent.insert(at + 1, place("run-here", file))
        if has_playground:
            self.show_playground()

    def show_playground(self) -> None:
        """Put the playground in place of what is shown where there is none."""
        for comment in list(self.document.findall(nodes.raw)):
            if comment.astext().strip() == PLAYGROUND:
                parent, at = comment.parent, comment.parent.index(comment)
                ends = (index for index in range(at, len(parent)) if is_end(parent[index]))
                told = nodes.raw("", NO_SCRIPTS, format="html")
                parent[at : next(ends, at)] = [place("play-here", FIRST), told]


@cache
def runnable_files() -> set[str]:
    """Return the programs that run in a browser; to find them out, all are parsed."""
    return {program.file for program in programs()}


def is_end(node: nodes.Node) -> bool:
    """Whether a node is the comment that ends a part."""
    return isinstance(node, nodes.raw) and node.astext().startswith("<!-- end")


def marked_blocks(document: nodes.document) -> Iterator[tuple[nodes.raw, nodes.Element | None]]:
    """Yield each comment that names a program, and the block after it."""
    waiting: nodes.raw | None = None
    wanted = nodes.raw | nodes.literal_block
    for node in list(document.findall(lambda node: isinstance(node, wanted))):
        if isinstance(node, nodes.raw):
            if MARK.fullmatch(node.astext().strip()):
                waiting = node
            elif is_end(node):
                waiting = None
        elif waiting is not None and node.get("language") in ("py", "python"):
            yield waiting, node
            waiting = None


def file_of(comment: nodes.raw) -> str:
    """Return the program that a comment names."""
    found = MARK.fullmatch(comment.astext().strip())
    assert found is not None
    return found["file"] or f"examples/{found['example']}.py"


def place(kind: str, file: str) -> nodes.raw:
    """Return an empty element, which a script fills."""
    html = f'<div class="{kind}" data-program="{escape(file)}"></div>'
    return nodes.raw("", html, format="html")


def look_for_runtime(_app: Sphinx, config: Config) -> None:
    """Note where Python for browsers is; pages are written anew when that changes."""
    config.playground_runtime = find_runtime()
    if not config.playground_runtime:
        getLogger(__name__).info("no Pyodide in a folder of npm's: there will be no playground")


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the playground beside the pages."""
    runtime = app.config.playground_runtime
    if error is None and app.builder.format == "html" and runtime:
        shutil.rmtree(Path(app.outdir) / FOLDER, ignore_errors=True)  # of a build before
        write_playground(Path(app.outdir) / FOLDER, programs(), Path(runtime))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_config_value("playground_runtime", "", "html")
    app.add_js_file("run_here.js", loading_method="defer")
    app.add_css_file("run_here.css")
    app.add_post_transform(Buttons)
    app.connect("config-inited", look_for_runtime)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

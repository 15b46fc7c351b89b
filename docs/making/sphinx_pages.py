"""What Sphinx does with the pages: an extension for links, dark pictures, and signatures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from enum import Enum
from html import escape
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from furo.navigation import get_navigation_tree
from making import llms
from making.built_pages import rewrite
from making.names import MODULES, public_names
from making.picture_sizes import with_sizes
from making.places import DOCS
from making.repairs import repaired
from making.summaries import shortened, summary
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.environment.adapters.toctree import TocTree
from sphinx.pycode.parser import VariableCommentPicker
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.logging import getLogger


class DarkPictures(SphinxTransform):
    """Shows NAME_dark.svg in the dark, where it lies beside NAME.svg."""

    default_priority = 200  # before the images are collected

    def apply(self, **_options: Any) -> None:
        """Put the dark twin of each picture behind it."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            bright = Path(image["uri"])
            for mark in ("_dark", "-dark"):
                dark = bright.with_stem(bright.stem + mark)
                if (folder / dark).exists():
                    twin = image.copy()
                    twin["uri"] = dark.as_posix()
                    twin["classes"] = [*image["classes"], "only-dark"]
                    image["classes"] = [*image["classes"], "only-light"]
                    image.parent.insert(image.parent.index(image) + 1, twin)


class LargePictures(SphinxTransform):
    """Links each picture of a page or a game to itself: on a phone it is too small to be read."""

    default_priority = 201  # with the dark ones

    def apply(self, **_options: Any) -> None:
        """Put the pictures into links to their files, which lie in the site as they do here."""
        for image in list(self.document.findall(nodes.image)):
            if image["uri"].endswith(".png"):
                classes = ["large", *image["classes"]]
                link = nodes.reference(refuri=image["uri"], internal=True, classes=classes)
                image.replace_self(link)
                image["classes"] = []
                link += image


NAME: Final = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?P<call>\(.*\))?")


class NameLinks(SphinxPostTransform):
    """Links each public name in inline code to where it is described."""

    default_priority = 5  # before the other references are resolved

    def run(self, **_options: Any) -> None:
        """Link the names of a page."""
        known = self.env.get_domain("py").objects  # type: ignore[attr-defined]  # the Python one
        here = self.env.docname
        for literal in list(self.document.findall(nodes.literal)):
            if is_in_a_link(literal) or isinstance(literal.parent, nodes.title):
                continue
            for name in full_names(literal.astext(), here):
                if name in known:
                    link = pending_xref(
                        refdomain="py", reftype="obj", reftarget=name, refdoc=here, refexplicit=True
                    )
                    literal.replace_self(link)
                    link += literal
                    break


def is_in_a_link(node: nodes.Node) -> bool:
    """Whether a node is a part of a link, be it resolved already or not."""
    outer = node.parent
    while outer is not None and not isinstance(outer, nodes.reference | pending_xref):
        outer = outer.parent
    return outer is not None


def full_names(text: str, page: str) -> Iterator[str]:
    """Yield what a text in inline code may be the name of; nothing for an ordinary word."""
    found = NAME.fullmatch(text)
    if found is None:
        return
    name = found["name"]
    if not (name[0].isupper() or "." in name or found["call"]):
        return
    modules = sorted(MODULES, key=lambda module: "crowd" in page and "crowd" not in module)
    yield name
    for module in modules:
        yield f"{module}.{name}"
    for module in modules:  # `timing.run`, `recording.History`
        outer, _, _ = module.rpartition(".")
        if outer:
            yield f"{outer}.{name}"


class SourceText:
    """A part of a signature, shown as it is written in the source."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("[ContextT]", "")

    def __repr__(self) -> str:
        return self.text


def constructor(
    _app: Sphinx, what: str, _name: str, thing: Any, _options: object, given: str, _returns: str
) -> tuple[str, str] | None:
    """Return the signature of a class from its `__init__`; none if the page asks for `Name()`."""
    if what != "class":
        return None
    if given == "()" or not inspect.isfunction(thing.__init__):
        return "", ""
    signature = inspect.signature(thing.__init__)
    _self, *parameters = (as_written(parameter) for parameter in signature.parameters.values())
    return str(inspect.Signature(parameters)), ""


def without_overloads(_self: VariableCommentPicker, _decorators: object) -> bool:
    """Find no overload: those are for type checkers, a page shows the one signature for people."""
    return False


def as_written(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return `parameter` with its annotation unquoted and an enum default by its name."""
    if isinstance(parameter.annotation, str):
        parameter = parameter.replace(annotation=SourceText(parameter.annotation))
    if isinstance(parameter.default, Enum):
        parameter = parameter.replace(default=SourceText(str(parameter.default)))
    return parameter


def check_complete(_app: Sphinx, env: BuildEnvironment) -> None:
    """Warn about each public name that no page documents."""
    documented = env.get_domain("py").objects  # type: ignore[attr-defined]  # it is the Python one
    for module in MODULES:
        for name in public_names(module):
            if not any(f"{place}.{name}" in documented for place in MODULES):
                getLogger(__name__).warning(
                    "%s.%s must be in docs/reference/, but is missing", module, name
                )


def describe(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], document: object
) -> None:
    """Put into each page what it is about, for search engines and for previews of links."""
    path = Path(app.srcdir, f"{page}.md")
    is_ours = document is not None and path.exists()
    text = shortened(summary(path)) if is_ours else f"{context.get('title', page)}, of fsmkit."
    tag = f'<meta name="description" content="{escape(text)}">'
    context["metatags"] = f"{context.get('metatags', '')}\n{tag}"


class SharedNavigation:
    """The tree of all pages beside a page: made once for each folder, and marked for each page.

    For every page anew, it would take half of the time of a build.
    """

    def __init__(self) -> None:
        self._trees: dict[str, str] = {}

    def withhold(
        self, _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _document: object
    ) -> None:
        """Keep the theme from making a tree."""
        context["toctree"] = lambda **_options: ""

    def share(
        self, app: Sphinx, page: str, _template: str, context: dict[str, Any], _document: object
    ) -> None:
        """Give a page the tree of its folder."""
        neighbour = f"{page.rpartition('/')[0]}/-".lstrip("/")
        if neighbour not in self._trees:
            self._trees[neighbour] = tree_beside(app, neighbour)
        links = [app.builder.get_relative_uri(neighbour, at) for at in pages_to(app.env, page)]
        context["furo_navigation_tree"] = marked(self._trees[neighbour], links)


def tree_beside(app: Sphinx, page: str) -> str:
    """Return the tree as it is beside a page that is not in it."""
    assert isinstance(app.builder, StandaloneHTMLBuilder)
    whole = {"includehidden": True, "maxdepth": -1, "titles_only": True}
    tree = TocTree(app.env).get_toctree_for(page, app.builder, collapse=False, **whole)
    return get_navigation_tree(app.builder.render_partial(tree)["fragment"])


def pages_to(env: BuildEnvironment, page: str) -> Iterator[str]:
    """Yield a page, the page that lists it, and so on."""
    listed_by = {each: page for page, listed in env.toctree_includes.items() for each in listed}
    while page:
        yield page
        page = listed_by.get(page, "")


ENTRY: Final = re.compile(
    r'<li class="(?P<level>toctree-l\d+)(?P<children> has-children)?">'
    r'<a class="reference internal" href="(?P<link>[^"]+)">(?P<text>.*?)</a>'
    r'(?P<fold><input aria-label="[^"]*")?'
)
"""A page in the tree, and the beginning of what folds the pages below it."""


def marked(tree: str, links: Sequence[str]) -> str:
    """Return a tree in which the page of the first link is the current one, the others above it."""

    def mark(entry: re.Match[str]) -> str:
        level, children, link, text, fold = entry.groups("")
        if link not in links:
            return entry[0]
        classes, own, address = f"{level} current{children}", "", link
        if link == links[0]:
            classes, own, address = f"{classes} current-page", "current ", "#"
        unfolded = fold and f'{fold} checked=""'
        start = f'<li class="{classes}"><a class="{own}reference internal" href="{address}">'
        return f"{start}{text}</a>{unfolded}"

    return ENTRY.sub(mark, tree)


def write_all_pages(app: Sphinx, exception: Exception | None) -> None:
    """Put the text of all pages into the site, as one file that llms.txt names."""
    if exception is None and app.builder.format == "html" and Path(app.srcdir) == DOCS:
        Path(app.outdir, llms.FULL).write_text(llms.full(), "utf-8", newline="\n")


def finish_pages(app: Sphinx, exception: Exception | None) -> None:
    """Give the pictures of the site their sizes, and add what the theme leaves out."""
    if exception is None and app.builder.format == "html":
        rewrite(Path(app.outdir), with_sizes, repaired)


def forget_builtins(_app: Sphinx, env: BuildEnvironment) -> None:
    """Have no source listed for what has none, such as `tuple[int, int]`."""
    modules = getattr(env, "_viewcode_modules", {})
    for name in [name for name, source in modules.items() if not source]:
        del modules[name]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    VariableCommentPicker.is_overload = without_overloads  # type: ignore[method-assign]
    app.add_transform(DarkPictures)
    app.add_transform(LargePictures)
    app.add_post_transform(NameLinks)
    app.connect("autodoc-process-signature", constructor)
    app.connect("env-check-consistency", check_complete)
    app.connect("env-check-consistency", forget_builtins)
    navigation = SharedNavigation()
    app.connect("html-page-context", navigation.withhold, priority=400)  # before the theme
    app.connect("html-page-context", navigation.share, priority=600)
    app.connect("html-page-context", describe)
    app.connect("build-finished", write_all_pages)
    app.connect("build-finished", finish_pages)
    return {"parallel_read_safe": True}

"""Pictures of machines: Mermaid for web pages and READMEs, DOT for Graphviz, SVG, PNG and text.

Also pictures of GOAP data sets, which show which one extends which.

SVG and PNG need Graphviz: `pip install 'fsmkit[diagram]'`, or a `dot` on the PATH.
"""

from fsmkit.diagram.datasets import (
    datasets_to_dot,
    datasets_to_png,
    datasets_to_svg,
    datasets_to_text,
)
from fsmkit.diagram.dot import to_dot
from fsmkit.diagram.mermaid import to_mermaid
from fsmkit.diagram.picture_options import MermaidOptions, PictureOptions, TextOptions
from fsmkit.diagram.svg import show, to_png, to_svg
from fsmkit.diagram.text import to_text

__all__ = [
    "MermaidOptions",
    "PictureOptions",
    "TextOptions",
    "datasets_to_dot",
    "datasets_to_png",
    "datasets_to_svg",
    "datasets_to_text",
    "show",
    "to_dot",
    "to_mermaid",
    "to_png",
    "to_svg",
    "to_text",
]

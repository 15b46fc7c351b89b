"""Pictures of machines: Mermaid for web pages and READMEs, DOT for Graphviz, SVG, PNG and text.

SVG and PNG need Graphviz: `pip install 'fsmkit[diagram]'`, or a `dot` on the PATH.
"""

from fsmkit.diagram.dot import to_dot
from fsmkit.diagram.mermaid import to_mermaid
from fsmkit.diagram.notebook import show
from fsmkit.diagram.options import MermaidOptions, PictureOptions, TextOptions
from fsmkit.diagram.svg import to_png, to_svg
from fsmkit.diagram.text import to_text

__all__ = [
    "MermaidOptions",
    "PictureOptions",
    "TextOptions",
    "show",
    "to_dot",
    "to_mermaid",
    "to_png",
    "to_svg",
    "to_text",
]

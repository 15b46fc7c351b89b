"""A whole picture: the root element with its style sheet, and the styles that charts share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fsmkit.svg.elements import element
from fsmkit.svg.theme import FONTS, LETTERS, PALETTE, STRIKE, Theme


def picture(
    kind: str,
    theme: Theme,
    parts: Iterable[str],
    *,
    width: float,
    height: float,
    label: str,
    rules: Mapping[str, str],
) -> str:
    """Return a picture of its own class, `fsmkit-{kind}`; it shrinks where there is less room.

    `label` is what it shows, for screen readers; `rules` map selectors to declarations, which
    affect nothing else on the page.
    """
    return element(
        "svg", "\n",
        element("style", style_sheet(f".fsmkit-{kind}.{theme.name}", rules)), "\n",
        "\n".join(parts), "\n",
        xmlns="http://www.w3.org/2000/svg",
        class_=f"fsmkit-{kind} {theme.name}",
        role="img",
        aria_label=label,
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        style="max-width:100%;height:auto",
    ) + "\n"  # fmt: skip


def style_sheet(root: str, rules: Mapping[str, str]) -> str:
    r"""Return the rules with each selector inside `root`.

    >>> style_sheet(".map", {"": "fill:none", ".a,.b": "fill:red"})
    '.map{fill:none}\n.map .a,.map .b{fill:red}'
    """
    return "\n".join(
        ",".join(f"{root} {name}".strip() for name in names.split(",")) + f"{{{rule}}}"
        for names, rule in rules.items()
    )


def chart_rules(
    theme: Theme, *, guarded: bool = False, interrupted: bool = False, failing: bool = False
) -> dict[str, str]:
    """Return the styles of charts and timelines.

    `guarded`: there are events that were refused; `interrupted`: states that are suspended;
    `failing`: actions that failed.
    """
    rules = {
        "": f"font:12px {FONTS};fill:{theme.ink}",
        ".page": f"fill:{theme.page};stroke:{theme.hair}",
        ".lane": f"fill:{theme.lane}",
        ".grid,.branch": f"stroke:{theme.hair};fill:none",
        ".tick,.note": f"font-size:11px;fill:{theme.soft}",
        ".tick": "text-anchor:middle;font-variant-numeric:tabular-nums",
        ".machine": "font-size:13px;font-weight:600",
        ".inner": f"font-size:12px;font-weight:400;fill:{theme.soft}",
        ".name": f"font-weight:500;text-anchor:middle;fill:{LETTERS}",
        ".crowd": "shape-rendering:crispEdges",
        ".event": f"font-size:11px;fill:{theme.soft}",
        ".event path": f"stroke:{theme.soft};fill:none",
        ".event circle": f"stroke:{theme.soft};fill:{theme.page};stroke-width:1.5",
        ".consumed circle": f"fill:{theme.soft}",
        ".ignored text": "font-style:italic",
        ".unhandled": f"fill:{theme.warning};font-weight:600",
        ".unhandled path,.unhandled circle": f"stroke:{theme.warning};stroke-width:1.5",
        ".error": f"fill:{theme.error};font-weight:700",
        ".error path": f"stroke:{theme.error};stroke-width:1.5",
        ".error .strike": f"stroke:{STRIKE};stroke-width:2.5",
        ".error .cross": f"stroke:{theme.page};stroke-width:1.8;stroke-linecap:round;fill:none",
        **{f".fill-{number}": f"fill:{fill}" for number, fill in enumerate(PALETTE)},
    }
    if guarded:
        rules[".refused"] = "font-style:italic"
    if interrupted:
        rules[".hatch"] = f"stroke:{LETTERS};stroke-opacity:.55;stroke-dasharray:1.5 3;fill:none"
    if failing:
        rules[".failure"] = f"fill:{theme.error};font-weight:600"
        rules[".failure path,.failure circle"] = f"stroke:{theme.error};stroke-width:1.5"
    return rules

"""The colours and fonts of timelines, light and dark."""

from __future__ import annotations

from typing import Final

from attrs import frozen

PALETTE: Final = (
    "#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#bbcc33", "#99ddff", "#aaaa00",
    "#dddddd",
)  # fmt: skip
"""The fills of states, for dark letters: Paul Tol's light scheme, which is distinct for the
colour-blind too (https://personal.sron.nl/~pault)."""

LETTERS: Final = "#16202c"
"""The colour of names on the fills."""

STRIKE: Final = "#a3001e"
"""The colour of errors on the fills."""

FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"


@frozen
class Theme:
    """The colours around the states."""

    name: str
    page: str
    lane: str
    """The colour where a machine is not running."""
    line: str
    ink: str
    soft: str
    """The colour of secondary text."""
    warning: str
    error: str

    def style_sheet(self, *, guarded: bool = False, interrupted: bool = False) -> str:
        """Return the style sheet of the picture. It affects nothing else on the page.

        `guarded`: there are events that were refused; `interrupted`: states that are suspended.
        """
        rules = {
            "": f"font:12px {FONTS};fill:{self.ink}",
            ".page": f"fill:{self.page};stroke:{self.line}",
            ".lane": f"fill:{self.lane}",
            ".grid,.branch": f"stroke:{self.line};fill:none",
            ".tick,.note": f"font-size:11px;fill:{self.soft}",
            ".tick": "text-anchor:middle;font-variant-numeric:tabular-nums",
            ".machine": "font-size:13px;font-weight:600",
            ".inner": f"font-size:12px;font-weight:400;fill:{self.soft}",
            ".name": f"font-weight:500;text-anchor:middle;fill:{LETTERS}",
            ".crowd": "shape-rendering:crispEdges",
            ".event": f"font-size:11px;fill:{self.soft}",
            ".event path": f"stroke:{self.soft};fill:none",
            ".event circle": f"stroke:{self.soft};fill:{self.page};stroke-width:1.5",
            ".consumed circle": f"fill:{self.soft}",
            ".ignored text": "font-style:italic",
            ".unhandled": f"fill:{self.warning};font-weight:600",
            ".unhandled path,.unhandled circle": f"stroke:{self.warning};stroke-width:1.5",
            ".error": f"fill:{self.error};font-weight:700",
            ".error path": f"stroke:{self.error};stroke-width:1.5",
            ".error .strike": f"stroke:{STRIKE};stroke-width:2.5",
            ".error .cross": f"stroke:{self.page};stroke-width:1.8;stroke-linecap:round;fill:none",
            **{f".fill-{number}": f"fill:{fill}" for number, fill in enumerate(PALETTE)},
        }
        if guarded:
            rules[".refused"] = "font-style:italic"
        if interrupted:
            rules[".hatch"] = (
                f"stroke:{LETTERS};stroke-opacity:.55;stroke-dasharray:1.5 3;fill:none"
            )
        root = f".fsmkit-timeline.{self.name}"
        return "\n".join(f"{_within(root, names)}{{{rule}}}" for names, rule in rules.items())


LIGHT: Final = Theme(
    "light",
    page="#ffffff", lane="#f0f3f7", line="#dce2ea", ink="#16202c", soft="#566273",
    warning="#8f5600", error="#c1121f",
)  # fmt: skip

DARK: Final = Theme(
    "dark",
    page="#10151d", lane="#1b222d", line="#2b3441", ink="#e9eef5", soft="#a0adbd",
    warning="#f5b94d", error="#ff6b6b",
)  # fmt: skip


def _within(root: str, names: str) -> str:
    return ",".join(f"{root} {name}".strip() for name in names.split(","))

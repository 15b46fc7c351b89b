"""A guard for the overlays of all engines, and the area of a screen that one covers."""

from typing import Any, NamedTuple

from fsmkit import Fsm

Rgb = tuple[int, ...]


class Area(NamedTuple):
    """The first and the last column and row, counted from the left and the top."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def size(self) -> tuple[int, int]:
        return self.right - self.left + 1, self.bottom - self.top + 1


def guard(context: Any) -> Fsm[Any]:
    fsm = Fsm[Any]("Ada", context)
    fsm.add_state("Patrol").add_transition("SEEN", fsm.add_state("Chase"))
    fsm.start()
    return fsm


def covered(pixels: bytes, width: int) -> Area | None:
    """Return the area in which a picture in RGB is not black; None if all of it is."""
    rows = [pixels[start : start + 3 * width] for start in range(0, len(pixels), 3 * width)]
    found = [(number, row) for number, row in enumerate(rows) if any(row)]
    if not found:
        return None
    left = min(len(row) - len(row.lstrip(b"\0")) for _, row in found) // 3
    right = max(len(row.rstrip(b"\0")) - 1 for _, row in found) // 3
    return Area(left, found[0][0], right, found[-1][0])


def color_at(pixels: bytes, width: int, x: int, y: int) -> Rgb:
    start = 3 * (y * width + x)
    return tuple(pixels[start : start + 3])

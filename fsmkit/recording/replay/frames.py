"""Key frames: the machines at a moment of a recording, from which a replay can go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from attrs import frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.core.words.notes import shown_error
from fsmkit.recording.replay.arguments import Encode, Unsaved, decoded, encoded
from fsmkit.recording.snapshots import SnapshotError, restore, snapshot

World: TypeAlias = Callable[[], Any]
"""Returns what of the game around the machines is to be saved with them, as plain data."""

PutBack: TypeAlias = Callable[[Any, Any], object]
"""Called with machines that were restored, and with what a `World` has returned."""

BYTES_OF_A_STEP: Final = 100
"""Roughly, in a file."""

SHARE: Final = 20
"""Key frames take a twentieth of a file at most."""


@frozen
class KeyFrame:
    """The machines at one moment.

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import Recording
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> with Recording(lamp) as recording:
    ...     lamp.start()
    ...     for _ in range(30):
    ...         lamp.update(1.0)
    >>> [frame.time for _, frame in recording.frames]
    []
    """

    time: float
    moment: Mapping[str, Any]
    """What a `StepMaker` knows of them then."""
    saved: str
    """As JSON: the `snapshot` of the machines, and the `world` around them."""

    @property
    def states(self) -> Mapping[str, str]:
        """Running machine -> its state."""
        states: Mapping[str, str] = self.moment.get("states", {})
        return states


def check_world(world: object) -> None:
    """Raise TypeError unless `world` is a function, or None."""
    if world is not None and not callable(world):
        raise TypeError(f"world must be a function, got {world!r}.")


def saved(machines: Fsm[Any] | FsmGroup, encode: Encode | None, world: World | None) -> str:
    """Return the machines and the world, to be restored by `put_back`.

    Raises SnapshotError if they cannot be saved now, whatever the reason.
    """
    try:
        content: dict[str, Any] = {"snapshot": snapshot(machines, encode=encode)}
        if world is not None:
            content["world"] = encoded(world(), encode)
        return as_saved(content)
    except SnapshotError:
        raise
    except Exception as error:  # raised by functions of the game's own
        raise SnapshotError(shown_error(error)) from error


def as_saved(content: Any) -> str:
    """Return the text of what was saved."""
    return json.dumps(content, separators=(",", ":"))


def put_back(
    machines: Fsm[Any] | FsmGroup,
    content: str,
    decode: Callable[[Any], Any] | None,
    world: PutBack | None,
) -> None:
    """Restore newly built machines, and the world around them. Raises SnapshotError."""
    try:
        data = json.loads(content)
        machines_then = data["snapshot"]
    except (LookupError, TypeError, ValueError) as error:
        raise SnapshotError(f"It is damaged: {type(error).__name__}: {error}") from error
    restore(machines, machines_then, decode=decode)
    if world is not None and "world" in data:
        around = decoded(data["world"])
        if isinstance(around, Unsaved):
            raise SnapshotError(
                f"The world was not saved, because JSON cannot hold {around.description}. Let the "
                "function world= of the Recording return plain data, or give an encode=."
            )
        world(machines, around)


class FrameSchedule:
    """Says when the next key frame is due.

    That is after `interval` seconds and not before `least` steps, but after `most` steps at the
    latest. When none could be taken it is due again soon.
    """

    def __init__(self, interval: float, most: int | None = None) -> None:
        self._interval = interval
        self._most = most
        self._least = 0
        self._steps = 0
        self._at = interval
        self._latest = most

    def begin(self, time: float) -> None:
        """The first moment is saved."""
        self._at = time + self._interval

    def is_due(self, time: float) -> bool:
        """Return whether one is due, at the end of one more step."""
        self._steps += 1
        if self._latest is not None and self._steps >= self._latest:
            return True
        return time >= self._at and self._steps >= self._least

    def take(self, frame: KeyFrame) -> None:
        """It was taken."""
        self._at, self._latest, self._steps = frame.time + self._interval, self._most, 0
        if self._most is None:  # a file may grow without bounds, but not by key frames
            self._least = len(frame.saved) * SHARE // BYTES_OF_A_STEP

    def fail(self, time: float) -> None:
        """It could not be taken: try again in an eighth of the time."""
        self._at = time + self._interval / 8
        if self._most is not None:
            self._latest = self._steps + self._most // 8 + 1

"""Rewind: the last minutes of a machine, and of a whole group, to inspect and to go back to.

A frame holds snapshots, and the plain values of contexts, which snapshots leave out.
"""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from operator import attrgetter
from sys import getsizeof
from typing import Any, Final, cast

from attrs import define, field, frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.page_values import LARGEST, PLAIN, name_of, public_fields, set_field
from fsmkit.recording import snapshot
from fsmkit.recording.snapshots.snapshot_codec import SnapshotReader

INTERVAL: Final = 0.2
"""Seconds between two frames of a machine while no state changes."""

LIMIT: Final = 1_500
"""Frames of a machine: five minutes."""

LARGEST_REWIND: Final = 32_000_000
"""Bytes that all frames may take together, roughly."""

DEPTH: Final = 2
"""Levels of plain values that are kept: the context of a machine and the objects in it."""


@frozen(eq=False)
class RewindFrame:
    seq: int
    time: float
    plain_values: Mapping[Fsm[Any], PlainValues]
    """The plain values of the context of each machine."""
    unsaved: Collection[Fsm[Any]]
    """The machines that could not be saved."""
    packed: bytes
    """What the page showed, and a snapshot of each other machine, compressed to about a tenth."""
    size: int

    @property
    def machines(self) -> Sequence[Fsm[Any]]:
        return [machine for machine in self.plain_values if machine not in self.unsaved]

    def to_json(self) -> dict[str, Any]:
        detail, _ = _unpacked(self.packed)
        can_go_on = bool(self.machines)
        return {"seq": self.seq, "time": self.time, "detail": detail, "can_go_on": can_go_on}

    def put_back(self, present: Collection[Fsm[Any]]) -> None:
        """Put those of the machines back that are `present`: all of them, or none.

        Raises SnapshotError or FsmError if one of them cannot be restored.
        """
        _, saved = _unpacked(self.packed)
        readers = {
            machine: SnapshotReader((machine,), data, None)
            for machine, data in zip(self.machines, saved, strict=True)
            if machine in present
        }
        for reader in readers.values():  # all have been checked, so none fails
            reader.apply()
        for machine in readers:
            self.plain_values[machine].put_back()

    def too_large(self, titles: Mapping[Fsm[Any], str]) -> Iterator[str]:
        """Yield the containers with too many entries to be restored, such as `context.tiles`.

        `titles` are those of the contexts to name.
        """
        for machine in self.machines:
            if machine in titles:
                yield from self.plain_values[machine].too_large(titles[machine])


@define(eq=False)
class Rewind:
    interval: float = INTERVAL
    limit: int = LIMIT
    _frames: deque[RewindFrame] = field(factory=deque, init=False)
    _size: int = field(default=0, init=False)

    def is_due(self, time: float) -> bool:
        """Return True if a frame should be kept at `time` though no state has changed."""
        return not self._frames or not 0.0 <= time - self._frames[-1].time < self.interval

    def keep(
        self, time: float, machines: Collection[Fsm[Any]] = (), detail: Detail | None = None
    ) -> None:
        """Keep machines as they are now, between two calls to them, and what the page shows."""
        snapshots = {machine: _snapshot(machine) for machine in machines}
        saved = [data for data in snapshots.values() if data is not None]
        unsaved = [machine for machine, data in snapshots.items() if data is None]
        packed = zlib.compress(json.dumps((detail, saved), default=str).encode(), level=1)
        last = self._frames[-1] if self._frames else None
        before = {} if last is None else last.plain_values
        values = {each: capture(each.context, before.get(each)) for each in machines}
        added = (values[each].added_size(before.get(each)) for each in machines)
        seq = 0 if last is None else last.seq + 1
        frame = RewindFrame(seq, time, values, unsaved, packed, len(packed) + sum(added))
        self._frames.append(frame)
        self._size += frame.size
        while len(self._frames) > self.limit or (
            self._size > LARGEST_REWIND and len(self._frames) > 1
        ):
            self._size -= self._frames.popleft().size

    def at(self, time: float) -> RewindFrame | None:
        """Return the last frame up to that time; None if there is none."""
        index = bisect_right(self._frames, time, key=attrgetter("time"))
        return self._frames[index - 1] if index else None

    def at_or_first(self, time: float) -> RewindFrame | None:
        return self.at(time) or next(iter(self._frames), None)

    def frame(self, seq: int) -> RewindFrame | None:
        """Return the frame of that number; None if it is not kept."""
        return next((each for each in reversed(self._frames) if each.seq == seq), None)

    def past(self, machine: Fsm[Any], names: Sequence[str]) -> Iterator[tuple[float, object]]:
        """Yield the times that are kept, and the plain value of the context at the path `names`."""
        for frame in self._frames:
            if machine in frame.plain_values:  # else a hot reload has put it in another's place
                yield frame.time, frame.plain_values[machine].at(names)


def _unpacked(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed))


def _snapshot(machine: Fsm[Any]) -> dict[str, Any] | None:
    try:
        return snapshot(machine)
    except Exception:  # a SnapshotError, or what a user's class raises when it is read
        return None


@frozen(eq=False)
class PlainValues:
    """The numbers, texts and tuples of them in the public fields of an object.

    Containers with more than a hundred entries, and unreadable fields, are left out.
    """

    owner: Any
    values: Mapping[Any, object]
    inner: Mapping[Any, PlainValues]

    def at(self, names: Sequence[str]) -> object:
        """Return the value at a path of names; None if there is none."""
        name, *rest = names
        values = self.inner if rest else self.values
        found = next((value for key, value in values.items() if name_of(key) == name), None)
        return found.at(rest) if isinstance(found, PlainValues) else found

    def put_back(self) -> None:
        now = _readable_fields(self.owner)
        for key, value in self.values.items():
            if key in now and now[key] is not value:
                with suppress(Exception):  # the object refuses it
                    set_field(self.owner, key, value)
        for inner in self.inner.values():
            inner.put_back()

    def too_large(self, name: str) -> Iterator[str]:
        """Yield the names of the containers that are not kept, if this one is called `name`."""
        if _is_large(self.owner):
            yield name
        for key, inner in self.inner.items():
            yield from inner.too_large(f"{name}.{name_of(key)}")

    def added_size(self, last: PlainValues | None) -> int:
        """Return roughly the bytes that it takes in addition to `last`."""
        known, inner = (last.values, last.inner) if last is not None else ({}, {})
        own = 0 if self.values is known else getsizeof(self.values)
        new = [value for key, value in self.values.items() if value is not known.get(key)]
        return (
            own
            + sum(map(getsizeof, new))
            + sum(each.added_size(inner.get(key)) for key, each in self.inner.items())
        )


def capture(thing: object, last: PlainValues | None = None, depth: int = DEPTH) -> PlainValues:
    """Return the plain values in `thing` and in the objects it holds, `depth` levels deep.

    Values unchanged since `last` are shared with it.
    """
    known = last if last is not None and last.owner is thing else _NOTHING
    fields = {} if _is_a(thing, PLAIN) or _is_large(thing) else _readable_fields(thing)
    values = {key: value for key, value in fields.items() if _is_plain(value)}
    inner = {
        key: capture(value, known.inner.get(key), depth - 1)
        for key, value in fields.items()
        if depth > 1 and _holds(value)
    }
    return PlainValues(thing, known.values if _are_same(values, known.values) else values, inner)


def _are_same(values: Mapping[Any, object], known: Mapping[Any, object]) -> bool:
    """Return True if they are identical, not just equal: 1 is not True."""
    return values.keys() == known.keys() and all(values[key] is known[key] for key in known)


def _readable_fields(thing: object) -> Mapping[Any, object]:
    """Return the fields of `thing`; none if they cannot be read, as of a dead proxy."""
    try:
        fields = public_fields(thing)
        most = LARGEST if fields is thing else None  # a mapping may be endless
        return dict(islice(fields.items(), most))
    except Exception:  # from the object
        return {}


def _is_large(value: object) -> bool:
    try:
        return isinstance(value, (Mapping, tuple)) and len(value) > LARGEST
    except Exception:  # from the object
        return False


def _is_plain(value: object) -> bool:
    if _is_a(value, tuple):
        return not _is_large(value) and all(map(_is_plain, cast("tuple[object, ...]", value)))
    return _is_a(value, PLAIN)


def _holds(value: object) -> bool:
    """Return True if `value` is read in turn; a large tuple is, to be reported like a dict."""
    if _is_a(value, tuple):
        return _is_large(value)
    return not (_is_a(value, (*PLAIN, list, set, Fsm, FsmGroup, type)) or callable(value))


def _is_a(value: object, kinds: type | tuple[type, ...]) -> bool:
    """Return True for an object of that class, without asking it: a proxy may be dead."""
    return issubclass(type(value), kinds)


_NOTHING: Final = PlainValues(None, {}, {})

"""Differences between the definition of a machine and that of a snapshot's machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from fsmkit.core.words.quoting import quote
from fsmkit.recording.snapshots.fingerprint import Outline, class_of


@frozen
class Differences:
    """Compares outlines; `before` and `now` also hold those of nested machines, by fingerprint."""

    before: Mapping[str, Outline]
    now: Mapping[str, Outline]

    def between(self, title: str, before: str, now: str) -> Iterator[str]:
        """Yield a sentence for each difference of two definitions, given by their fingerprints."""
        if before == now:
            return
        old, new = self.before[before], self.now[now]
        yield from _names(title, old["states"], new["states"], "state {!r}")
        for name, state in old["states"].items():
            if name in new["states"]:
                yield from self._state(f"{title}, state {name!r}", state, new["states"][name])
        yield from _transitions(
            f"{title}, from any state", old["global_transitions"], new["global_transitions"]
        )

    def _state(self, place: str, old: Any, new: Any) -> Iterator[str]:
        if old.get("final") != new.get("final"):
            yield f"{place}: {'is final now' if new.get('final') else 'is no longer final'}"
        yield from _transitions(place, old["transitions"], new["transitions"])
        if _shown(old["actions"]) != _shown(new["actions"]):
            yield (
                f"{place}: its actions are {_shown(new['actions']) or 'none'}; "
                f"they were {_shown(old['actions']) or 'none'}"
            )
            return
        for old_action, new_action in zip(old["actions"], new["actions"], strict=True):
            yield from self._machines(place, old_action, new_action)

    def _machines(self, place: str, old: Any, new: Any) -> Iterator[str]:
        """Yield the differences of the machines inside two actions of the same class."""
        if isinstance(old, str) or isinstance(new, str):
            return
        place = f"{place}, {class_of(new)}"
        if len(old["machines"]) != len(new["machines"]):
            yield f"{place}: runs {len(new['machines'])} machines; it ran {len(old['machines'])}"
        for before, now in zip(old["machines"], new["machines"], strict=False):
            yield from self.between(f"{place}, nested machine", before, now)
        for old_child, new_child in zip(old["children"], new["children"], strict=True):
            yield from self._machines(place, old_child, new_child)


def _names(place: str, old: Any, new: Any, what: str) -> Iterator[str]:
    """Yield the names that are gone and those that are new."""
    yield from (f"{place}: {what.format(name)} is gone" for name in old if name not in new)
    yield from (f"{place}: {what.format(name)} is new" for name in new if name not in old)


def _transitions(place: str, old: Any, new: Any) -> Iterator[str]:
    yield from _names(place, old, new, "the transition for {!r}")
    for event, target in old.items():
        if event in new and new[event] != target:
            yield f"{place}: {quote(event)} leads {_lead(new[event])}; it led {_lead(target)}"


def _lead(way: Any) -> str:
    """Return in words where the transitions of an event lead."""
    if isinstance(way, list):
        return ", else ".join(map(_lead_of_one, way))
    return f"to {way!r}"


def _lead_of_one(transition: Any) -> str:
    parts = [f"to {transition['to']!r}" if "to" in transition else "back"]
    parts += [f"{part} {transition[part]}" for part in ("when", "do") if part in transition]
    parts += ["suspending the state"] if transition.get("suspend") else []
    return " ".join(parts)


def _shown(actions: Any) -> str:
    return ", ".join(_shown_one(action) for action in actions)


def _shown_one(action: Any) -> str:
    children = "" if isinstance(action, str) else _shown(action["children"])
    return f"{class_of(action)}({children})" if children else class_of(action)

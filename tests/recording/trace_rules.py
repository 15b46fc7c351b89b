"""The rules of the Trace Event Format, as strict as the importers of Perfetto and Chrome are.

Whatever breaks one is dropped or repaired by a viewer, with a warning.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

KEYS = {
    "M": {"args"},
    "X": {"cat", "dur", "args"},
    "i": {"cat", "s", "args"},
    "s": {"cat", "id"},
    "f": {"cat", "id", "bp"},
}
"""Phase -> the keys of such an event, beside those of every one and a colour."""

OF_ALL = {"name", "ph", "ts", "pid", "tid"}


def broken_rules(trace: dict[str, Any]) -> list[str]:
    """Return what is wrong with a trace: a line for each fault."""
    if json.loads(json.dumps(trace)) != trace or set(trace) != {"traceEvents", "displayTimeUnit"}:
        return ["it is not plain"]
    events = trace["traceEvents"]
    if faults := [fault for event in events for fault in _faults_of(event)]:
        return faults
    return [*_thread_faults(events), *_slice_faults(events), *_flow_faults(events)]


def _faults_of(event: dict[str, Any]) -> Iterator[str]:
    phase = event.get("ph")
    if phase not in KEYS or set(event) - {"cname"} != KEYS[phase] | OF_ALL:
        yield f"these are not the keys of an event: {event}"
        return
    numbers = [event[key] for key in ("ts", "pid", "tid", "dur", "id") if key in event]
    if not all(type(number) is int and number >= 0 for number in numbers):
        yield f"a number is not one: {event}"
    texts = [event["name"], *map(str, event.get("args", {}).values())]
    if not all(line.isprintable() for text in texts for line in text.split("\n")):
        yield f"a text cannot be shown: {event}"
    if event.get("dur") == 0:
        yield f"a slice without length is not shown: {event}"
    if event.get("s", "t") != "t" or event.get("bp", "e") != "e":
        yield f"it is of no thread: {event}"


def _thread_faults(events: list[dict[str, Any]]) -> Iterator[str]:
    named = Counter(each["tid"] for each in events if each["name"] == "thread_name")
    used = {each["tid"] for each in events}
    if named != dict.fromkeys(used, 1):
        yield f"threads are named {dict(named)}, and {used} are used"
    if events and [each["name"] for each in events].count("process_name") != 1:
        yield "there is not one process"
    times = [each["ts"] for each in events]
    if times != sorted(times):
        yield "times go back"


def _slice_faults(events: list[dict[str, Any]]) -> Iterator[str]:
    """Yield those slices of a thread that neither follow each other nor lie within each other."""
    stacks: dict[int, list[int]] = {}
    for event in events:
        if event["ph"] == "X":
            stack = stacks.setdefault(event["tid"], [])
            end = event["ts"] + event["dur"]
            while stack and stack[-1] <= event["ts"]:
                stack.pop()
            if stack and (end > stack[-1] or event["cat"] == "state"):
                yield f"it overlaps another slice: {event}"
            stack.append(end)


def _flow_faults(events: list[dict[str, Any]]) -> Iterator[str]:
    ends: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        if event["ph"] in "sf":
            ends.setdefault(event["id"], []).append(event)
            if not any(_holds(each, event) for each in events):
                yield f"there is no slice around {event}"
    for pair in ends.values():
        if [each["ph"] for each in pair] != ["s", "f"] or len({e["name"] for e in pair}) != 1:
            yield f"these are no two ends of an arrow: {pair}"


def _holds(each: dict[str, Any], event: dict[str, Any]) -> bool:
    is_slice = each["ph"] == "X" and each["tid"] == event["tid"]
    return bool(is_slice and each["ts"] <= event["ts"] < each["ts"] + each["dur"])

"""The requests that there are: all that a page can ask for, and what is checked of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from attrs import field, frozen


@frozen
class Rule:
    """What is checked of a request before it reaches the loop, and there."""

    arguments: Mapping[str, type] = field(factory=dict)
    optional: Collection[str] = ()
    """Those of its arguments that may be left out."""
    changes_nothing: bool = False
    """True if it is allowed on a read-only page."""
    while_held: bool = False
    """True if it is allowed at a breakpoint, in the middle of a call."""
    is_personal: bool = False
    """True if it is about what its page is sent: it is handed the page's mailbox as `page`."""
    is_repeated: bool = False
    """True if pages ask it a few times a second: frames need not come sooner for it."""


_looking: Final = partial(Rule, changes_nothing=True, while_held=True)


MACHINE: Final = {"machine": str}
BREAKPOINT: Final = {
    "number": int, "machine": str, "kind": str, "name": str, "condition": object, "count": int,
    "every": bool, "text": str, "on": bool,
}  # fmt: skip

REQUESTS: Final[Mapping[str, Rule]] = {
    # Looking
    "select": _looking(MACHINE, is_personal=True),
    "follow_all": _looking({"on": bool}, is_personal=True),
    "follow_sends": _looking({"on": bool}, is_personal=True),
    "ask": _looking({"machine": str, "event": str}),
    "moment": _looking({"machine": str, "time": float}),
    "group_moment": _looking({"time": float, "machines": list}, optional={"machines"}),
    "lines": _looking(MACHINE),
    "findings": _looking(MACHINE),
    "colours": _looking(),
    "names": _looking(MACHINE, optional=MACHINE),
    "offer": _looking({"machine": str, "path": list}),
    "look_inside": _looking({"machine": str, "path": list}, is_repeated=True),
    "samples": _looking({"machine": str, "wanted": list}, is_repeated=True),
    # Driving
    "pause": Rule(),
    "resume": Rule(while_held=True),
    "step": Rule(while_held=True),
    "speed": Rule({"factor": float}),
    "send": Rule({"machine": str, "event": str, "data": object}, optional={"data"}),
    "force": Rule({"machine": str, "state": str}),
    "go_on": Rule({"machine": str, "seq": int}),
    "go_on_group": Rule({"seq": int}),
    "run_to_change": Rule(MACHINE, optional=MACHINE, while_held=True),
    # Stopping
    "break": Rule({"machine": str, "kind": str, "name": str, "on": bool}, while_held=True),
    "set_breakpoint": Rule(BREAKPOINT, optional=BREAKPOINT.keys() - {"kind"}, while_held=True),
    "switch_breakpoint": Rule({"number": int, "on": bool}, while_held=True),
    "remove_breakpoint": Rule({"number": int}, while_held=True),
    "clear_breakpoints": Rule(while_held=True),
    # Editing, which changes attributes only
    "set": Rule({"machine": str, "path": list, "value": object}, while_held=True),
    "undo": Rule(while_held=True),
    "enable": Rule({"machine": str, "state": str, "place": str, "on": bool}, while_held=True),
    "suspend": Rule({"machine": str, "on": bool}, while_held=True),
    # A crowd
    "agent": _looking({"index": int}),
    "find_agent": _looking({"field": str, "operator": str, "value": object}),
    "let_go": _looking(MACHINE),
    # A recording
    "seek": Rule({"time": float}),
    "step_back": Rule(),
    "next_change": Rule(MACHINE),
    "last_change": Rule(MACHINE),
    "difference": Rule({"machine": str, "forward": bool}),
}
"""What a message of a page may ask for."""

ERRANDS: Final[Mapping[str, Rule]] = {
    "graph": _looking(),
    "snapshot": Rule(changes_nothing=True),
    "restore": Rule(),
}
"""What the resources of a page ask for, with arguments that they have checked."""


def rule_of(do: str) -> Rule:
    """Return the rule of a request that there is."""
    return REQUESTS[do] if do in REQUESTS else ERRANDS[do]

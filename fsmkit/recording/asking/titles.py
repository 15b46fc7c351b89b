"""Titles: what an action is called in a sentence."""

from __future__ import annotations

from typing import Any

from fsmkit import FsmAction
from fsmkit.recording.action_paths import path_of


def title(action: FsmAction[Any]) -> str:
    """Return a name of an action with its place, such as `Closed.actions[0].children[1] (Log)`."""
    name, index, *inner = path_of(action)
    children = "".join(f".children[{place}]" for place in inner)
    return f"{name}.actions[{index}]{children} ({type(action).__name__})"

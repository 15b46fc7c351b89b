"""Heading: what the file of a crowd says beside the columns, checked by kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any, Final

from attrs import asdict, field, frozen
from attrs.validators import and_, ge, in_, instance_of, lt

from fsmkit.crowd.errors import CrowdError

FORMAT: Final = "fsmkit crowd"
VERSION: Final = 1

SECONDS: Final = and_(instance_of(float), ge(0.0), lt(inf))
WHOLE: Final = and_(instance_of(int), ge(0), lt(2**63))

OUTLINE: Final[Mapping[str, tuple[str, str]]] = {
    "agent": ("values of agents", "of another kind"),
    "states": ("states", "with other transitions"),
    "global": ("global transitions", "that lead elsewhere"),
    "world": ("values of the world", "of another kind"),
}
"""The parts of an outline: what they are of, and what may be different about it."""


def _check_outline(_heading: object, _field: object, outline: object) -> None:
    if not isinstance(outline, dict) or outline.keys() != OUTLINE.keys():
        raise ValueError("its outline has other parts")
    if not all(isinstance(part, dict) for part in outline.values()):
        raise ValueError("a part of its outline has no names")


@frozen
class Heading:
    """The outline of the machine, the times, the seed and the world.

    Raises TypeError or ValueError for what cannot have been saved.
    """

    outline: dict[str, dict[str, Any]] = field(validator=_check_outline)
    dtype: str = field(validator=in_(("float64", "float32")))
    time: float = field(validator=SECONDS)
    delta_time: float = field(validator=SECONDS)
    step: int = field(validator=WHOLE)
    seed: int = field(validator=WHOLE)
    next_id: int = field(validator=WHOLE)
    world: dict[str, Any] = field(validator=instance_of(dict))

    def text(self) -> str:
        """It as the file has it."""
        return json.dumps({"format": FORMAT, "version": VERSION, **asdict(self)})


def heading_of(text: str, where: str) -> Heading:
    """The heading with this text; `where` is the file.

    Raises CrowdError for one of another version, and whatever comes of a text that is none.
    """
    said = json.loads(text)
    if said.pop("format") != FORMAT:
        raise ValueError("it is the heading of something else")
    version = said.pop("version")
    if version != VERSION:
        raise CrowdError(
            f"{where} is a crowd of version {version}; this fsmkit reads version {VERSION}. Use "
            "the fsmkit that it was made with."
        )
    return Heading(**said)


def differences(saved: Mapping[str, Any], built: Mapping[str, Any]) -> Iterator[str]:
    """How the outline of a machine in a file differs from that of another."""
    for part, (what, how) in OUTLINE.items():
        there, here = saved[part], built[part]
        for where, names in (
            ("only in the file", [name for name in there if name not in here]),
            ("only in the machine", [name for name in here if name not in there]),
            (how, [name for name in there if name in here and there[name] != here[name]]),
        ):
            if names:
                yield f"{what} {where}: {', '.join(names)}"
    there, here = saved["states"], built["states"]
    if there.keys() == here.keys() and list(there) != list(here):
        yield "the states in another order"

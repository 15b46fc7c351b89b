"""FileHeader: the header of a crowd's file, beside the columns, with its checks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any, Final, Literal

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
    "global": ("global transitions", "to other states"),
    "world": ("values of the world", "of another kind"),
}
"""Part of an outline -> what it lists, and how an entry of it may differ."""


def _check_outline(_header: object, _field: object, outline: object) -> None:
    if not isinstance(outline, dict) or outline.keys() != OUTLINE.keys():
        raise ValueError("its outline has other parts")
    if not all(isinstance(part, dict) for part in outline.values()):
        raise ValueError("a part of its outline has no names")


@frozen
class FileHeader:
    """The outline of the machine, the times, the seed, the world, and what agents know of others.

    Raises TypeError or ValueError for values that cannot have been saved.
    """

    outline: dict[str, dict[str, Any]] = field(validator=_check_outline)
    dtype: Literal["float64", "float32"] = field(validator=in_(("float64", "float32")))
    time: float = field(validator=SECONDS)
    delta_time: float = field(validator=SECONDS)
    step: int = field(validator=WHOLE)
    seed: int = field(validator=WHOLE)
    next_id: int = field(validator=WHOLE)
    world: dict[str, Any] = field(validator=instance_of(dict))
    neighbours: list[Any] = field(factory=list, validator=instance_of(list))
    """What agents know of those near them; left out in the file if that is nothing."""

    def to_json(self) -> str:
        """Return its text in the file."""
        values = asdict(self)
        if not self.neighbours:
            del values["neighbours"]
        return json.dumps({"format": FORMAT, "version": VERSION, **values})


def parse_header(text: str, where: str) -> FileHeader:
    """Return the header with this text; `where` is the file.

    Raises CrowdError for another version, and various exceptions for a text that is no header.
    """
    values = json.loads(text)
    if values.pop("format") != FORMAT:
        raise ValueError("it is the header of something else")
    version = values.pop("version")
    if version != VERSION:
        raise CrowdError(
            f"{where} must be a crowd of version {VERSION}, got version {version}. Use the fsmkit "
            "that it was made with."
        )
    return FileHeader(**values)


def differences(saved: Mapping[str, Any], built: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between the outlines of a machine in a file and of another one."""
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

"""WatchedValues: the values of `fsmkit run --watch`, as texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsmkit import Fsm
from fsmkit.inspector.reading.page_values import text_of
from fsmkit.inspector.reading.watches import Expression, Watches


class WatchedValues:
    """The values of expressions. The module is imported only by runs that have some."""

    def __init__(
        self, expressions: Mapping[str, Expression], names: Mapping[Fsm[Any], str]
    ) -> None:
        self._watches = Watches(expressions)
        self._names = names
        """Machine -> its name, also of those to come."""

    def of(self, name: str) -> dict[str, str]:
        """Return the values in the machine of this name now, each after its expression."""
        self._watches.expire()
        machine = next((machine for machine, known in self._names.items() if known == name), None)
        if machine is None:  # it is about all of them
            return {}
        return {text: text_of(value) for text, value in self._watches.read(machine).items()}

"""Question: a declaration and the agents, as the arrays that a pass over the agents works on."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property, lru_cache
from math import inf
from typing import Any, Final, NamedTuple

from attrs import define, field

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.agents import Agents
from fsmkit.crowd.neighbours.declaration import ALL, Aggregate, Choice, Nearest, Quantity
from fsmkit.crowd.neighbours.extent import Extent
from fsmkit.crowd.neighbours.fixed_point import (
    exponent_for,
    factors,
    fixed,
    from_ordered,
    ordered,
)
from fsmkit.crowd.packages import np

MAX_CHOICES: Final = 63

BOOLEANS: Final = np.array([0, 0, 1])
"""What a field of booleans weighs: a row each for -1, which it never is, False and True."""


class Op(IntEnum):
    """What is made of those near."""

    COUNT = 0
    SUM = 1
    MEAN = 2
    LEAST = 3
    MOST = 4
    OFFSET = 5
    NEAREST = 6


COUNT: Final = Op.COUNT
MEAN: Final = Op.MEAN
OFFSET: Final = Op.OFFSET
NEAREST: Final = Op.NEAREST
EXTREMES: Final = (Op.LEAST, Op.MOST)

OPS: Final = {
    "count": Op.COUNT,
    "sum": Op.SUM,
    "mean": Op.MEAN,
    "share": Op.MEAN,
    "least": Op.LEAST,
    "most": Op.MOST,
    "offset": Op.OFFSET,
}


class Request(NamedTuple):
    """What is asked for of those near."""

    op: int
    bit: int
    """Of the flags: which agents count."""
    column: int
    """That of the values; the axis, for an offset."""
    limit: float
    """The square of the greatest distance."""
    up: float
    """An offset times this and `more_up` is a whole number."""
    more_up: float
    down: float
    """A mean times this and `more_down` is a number again."""
    more_down: float
    otherwise: float
    """The mean if nobody is near."""
    nobody: int
    """The key of the least and the most, if nobody is near."""
    whole: int
    """The row of the answers that are whole numbers, and of those that are floats; -1 for none."""
    real: int


FLOATS: Final = ("limit", "up", "more_up", "down", "more_down", "otherwise")

REQUEST: Final = np.dtype(
    [(name, np.float64 if name in FLOATS else np.int64) for name in Request._fields]
)
"""A request in an array."""


@define(eq=False)
class Question:
    """Puts the fields of agents into flags and whole numbers, and answers back into fields."""

    agents: Agents
    name: str
    """What asks, for messages."""
    size: float
    """The greatest distance; 0 for places."""
    extent: Extent
    _choices: dict[Choice, int] = field(factory=lambda: {ALL: 0}, init=False)
    _values: dict[tuple[str, Any], tuple[int, Any, int]] = field(factory=dict, init=False)
    """Field and form -> its number, the whole numbers, and their exponent."""
    requests: list[Request] = field(factory=list, init=False)
    """What is asked for, in the order of adding."""
    _wholes: int = field(default=0, init=False)
    _reals: int = field(default=0, init=False)

    def add(self, quantity: Quantity) -> None:
        """Ask for a quantity. Raises CrowdError for values that it cannot be made of."""
        bit = self.bit(quantity.where)
        limit = min(quantity.within, self.size) ** 2 if self.size else inf
        if isinstance(quantity, Nearest):
            self._request(NEAREST, bit, 0, limit)
            return
        op, exponent, column, nobody = OPS[quantity.kind], 0, quantity.axis, 0
        if op is OFFSET:
            exponent = exponent_for(2.0 * self.size, self.extent.agents)
        elif op is not COUNT:
            column, exponent = self._values_for(quantity)
            if op in EXTREMES:
                nobody = int(ordered(np.array([quantity.otherwise], self._type_of(quantity)))[0])
        self._request(op, bit, column, limit, exponent, float(quantity.otherwise), nobody)

    def bit(self, where: Choice) -> int:
        """Return the bit of the flags that tells whether an agent counts."""
        number = self._choices.setdefault(where, len(self._choices))
        if number > MAX_CHOICES:
            raise CrowdError(
                f"{self.name}: there may be at most {MAX_CHOICES} different `where`, got more. "
                "Declare the others on another one."
            )
        return number

    @cached_property
    def flags(self) -> Any:
        """The agents that count, a bit for each choice, as uint64."""
        state = self.agents.state
        table = np.ones(1 + max([0, int(state.max(initial=-1)) + 1]), np.uint64)
        for choice, number in self._choices.items():
            for each in choice.states:
                if each < len(table) - 1:
                    table[each] |= np.uint64(1 << number)
        flags = table[state]  # the last, for -1, is in no state
        for choice, number in self._choices.items():
            if choice.field:
                flags |= self.agents.columns[choice.field].astype(np.uint64) << np.uint64(number)
        return flags

    def counting(self, request: Request) -> tuple[Any, Any]:
        """Return what tells which agents count: see `weights`."""
        return weights(self.agents, list(self._choices)[request.bit])

    @property
    def values(self) -> list[Any]:
        """The whole numbers that are aggregated, an int64 column for each field and form."""
        return [values for _, values, _ in self._values.values()]

    def room(self, rows: int) -> tuple[Any, Any]:
        """Return arrays for the answers: whole numbers, and floats; a row for each request."""
        return np.empty((self._wholes, rows), np.int64), np.empty((self._reals, rows))

    def answer(self, number: int, quantity: Quantity, whole: Any, real: Any) -> dict[str, Any]:
        """Return what is to be written for the quantity that was added as that number."""
        request = self.requests[number]
        if isinstance(quantity, Nearest):
            return self.nearest(quantity, whole[request.whole], np.sqrt(real[request.real]))
        if request.real >= 0:
            return {quantity.into: real[request.real]}
        answer = whole[request.whole]
        if quantity.kind == "count" or self._type_of(quantity).kind != "f":
            return {quantity.into: answer}
        if quantity.kind == "sum":
            return {quantity.into: answer.astype(np.float64) * request.down * request.more_down}
        return {quantity.into: from_ordered(answer)}

    def nearest(self, quantity: Nearest, who: Any, distance: Any) -> dict[str, Any]:
        """Return what is to be written, by the row of the nearest one, -1 for nobody."""
        found, columns = who >= 0, self.agents.columns
        answers = {}
        if quantity.distance:
            answers[quantity.distance] = distance
        if quantity.id:
            answers[quantity.id] = np.where(found, self.agents.ids[who], -1)
        for theirs, mine, otherwise in quantity.values:
            answers[mine] = np.where(found, columns[theirs][who], otherwise)
        return answers

    def _request(  # noqa: PLR0917  # the columns of a table
        self,
        op: Op,
        bit: int,
        column: int,
        limit: float,
        exponent: int = 0,
        otherwise: float = 0.0,
        nobody: int = 0,
    ) -> None:
        has_whole = op is not MEAN and op is not OFFSET
        has_real = not has_whole or op is NEAREST
        whole, real = self._wholes if has_whole else -1, self._reals if has_real else -1
        self._wholes += has_whole
        self._reals += has_real
        scales = (*factors(exponent), *factors(-exponent))
        self.requests.append(
            Request(int(op), bit, column, limit, *scales, otherwise, nobody, whole, real)
        )

    def _type_of(self, quantity: Aggregate) -> Any:
        return self.agents.columns[quantity.field].dtype

    def _values_for(self, quantity: Aggregate) -> tuple[int, int]:
        """Return the row of the values that are aggregated, and their exponent."""
        form = {"share": quantity.of, "least": "order", "most": "order"}.get(quantity.kind, "sum")
        key = quantity.field, form
        if key not in self._values:
            values, exponent = self._whole_numbers(quantity)
            self._values[key] = len(self._values), values, exponent
        row, _, exponent = self._values[key]
        return row, exponent

    def _whole_numbers(self, quantity: Aggregate) -> tuple[Any, int]:
        """Return the numbers that stand for the values of each agent, and their exponent."""
        agents, name = self.agents, quantity.field
        if quantity.kind == "share":
            return chosen(agents, quantity.of).astype(np.int64), 0
        if quantity.kind in ("least", "most"):
            return ordered(agents.number(name, f"{self.name} compares it, so it")), 0
        greatest = self.extent.greatest[name]
        if isinstance(greatest, float):
            exponent = exponent_for(greatest, self.extent.agents)
            return fixed(agents.columns[name], exponent), exponent
        if greatest * self.extent.agents >= 2**63:
            raise CrowdError(
                f"{self.name}: the {quantity.kind} of {name!r} may not fit into 64 bits, with "
                f"{self.extent.agents:,} agents and values up to {greatest}. Make it a field of "
                "floats."
            )
        return agents.columns[name].astype(np.int64), 0


def chosen(agents: Agents, where: Choice) -> Any:
    """Return a mask of the agents that count."""
    if where == ALL:
        return np.ones(len(agents), np.bool_)
    codes, table = weights(agents, where)
    return table.astype(np.bool_)[codes + np.int64(1)]


def weights(agents: Agents, where: Choice) -> tuple[Any, Any]:
    """Return a code for each agent, -1 or greater, and a table: `table[code + 1]` is 1 or 0.

    It is 1 for the agents that count.
    """
    if where.field:
        return agents.columns[where.field].astype(np.int8, copy=False), BOOLEANS
    return agents.state, _weights_of_states(where.states, int(agents.state.max(initial=-1)) + 2)


@lru_cache
def _weights_of_states(states: tuple[int, ...], size: int) -> Any:
    """Return the table for agents in one of some states; for all agents if there are none."""
    return np.array([not states or number - 1 in states for number in range(size)], np.int64)


def ask(
    agents: Agents, name: str, quantities: Sequence[Quantity], size: float, extent: Extent
) -> Question:
    """Return the question for some quantities; `size` is the greatest distance, 0 for places."""
    question = Question(agents, name, size, extent)
    for each in quantities:
        question.add(each)
    return question

"""A query about neighbours: a declaration and its agents, as the arrays that kernels work on.

`agents_of` takes the agents' columns from a store. `Magnitudes` of the whole crowd set the scale.

Sums do not depend on the order of the agents: floats are rounded to multiples of a power of two,
which is chosen by the greatest of them and by how many there are, so that no sum overflows. Such
integers can be added in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cached_property, lru_cache
from math import frexp, inf, isfinite, isnan
from typing import Any, Final, NamedTuple

from attrs import define, field, frozen

from fsmkit.crowd.engine.store import FREE, Store, joined_columns
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.buffers import Buffers
from fsmkit.crowd.neighbours.declaration import (
    ALL,
    Aggregate,
    Choice,
    Declaration,
    InSpace,
    Nearest,
    Quantity,
)
from fsmkit.crowd.packages import compiled, np


@frozen(eq=False)
class Agents:
    """The ids, states and fields of agents, one column each, without free rows. Plain data."""

    ids: Any
    """int64."""
    state: Any
    """The numbers of the states; -1 for agents that are not running."""
    columns: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def joined(cls, parts: Sequence[Agents]) -> Agents:
        columns = joined_columns([each.columns for each in parts])
        own = joined_columns([{"ids": each.ids, "state": each.state} for each in parts])
        return cls(**own, columns=columns)

    def copied(self, buffers: Buffers) -> Agents:
        def copy(name: str, column: Any) -> Any:
            kept = buffers.array(name, len(column), column.dtype)
            kept[:] = column
            return kept

        columns = {name: copy(f"field {name}", each) for name, each in self.columns.items()}
        return Agents(copy("ids", self.ids), copy("state", self.state), columns)

    def part(self, rows: Any) -> Agents:
        """Return the agents in some rows: a slice, or their numbers."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        return Agents(self.ids[rows], self.state[rows], columns)

    def finite(self, name: str, what: str) -> Any:
        """Return a column. Raises CrowdError, with the agent, for NaN or infinity."""
        column = self.columns[name]
        if column.dtype.kind != "f" or not column.size:
            return column
        # Those of a column with a NaN are NaN. No array is needed unless there is an error.
        if not (isfinite(column.min()) and isfinite(column.max())):
            raise self._unfit(name, ~np.isfinite(column), f"{what} must be finite")
        return column

    def number(self, name: str, what: str) -> Any:
        """Return a column. Raises CrowdError, with the agent, for NaN."""
        column = self.columns[name]
        if column.dtype.kind == "f" and column.size and isnan(column.min()):
            raise self._unfit(name, np.isnan(column), f"{what} must be a number")
        return column

    def _unfit(self, name: str, bad: Any, must: str) -> CrowdError:
        chosen = np.flatnonzero(bad)
        first = chosen[self.ids[chosen].argmin()]  # whatever the order of the agents
        more = f", and {chosen.size - 1:,} more" if chosen.size > 1 else ""
        return CrowdError(
            f"{name!r} of agent {self.ids[first]}: {must}, got {self.columns[name][first]}{more}. "
            "Look for it with crowd.ids and the column."
        )


def agents_of(store: Store, declaration: Declaration, buffers: Buffers) -> tuple[Agents, Any]:
    """Return the agents of a store and their rows, all of them or those that are not free."""
    fields = {name: store.loop_field(name) for name in declaration.read}
    if not store.loop_rows.free_count:
        return Agents(store.ids, store.state, fields), slice(None)
    is_taken = buffers.array("is taken", len(store.state), np.bool_)
    np.not_equal(store.state, FREE, out=is_taken)
    rows = marked(is_taken, buffers.array("rows", len(store)))

    def taken(name: str, column: Any) -> Any:
        kept = buffers.array(name, len(rows), column.dtype)
        return np.take(column, rows, out=kept, mode="clip")  # "raise" would buffer it

    columns = {name: taken(f"field {name}", column) for name, column in fields.items()}
    return Agents(taken("ids", store.ids), taken("state", store.state), columns), rows


@frozen
class Magnitudes:
    """The number of agents, and the greatest absolute value of each field that is summed.

    The scale of sums depends on them. They are those of the whole crowd, so that sums are the same
    however the crowd is divided.
    """

    agents: int
    greatest: Mapping[str, float]
    """A float for a field of floats, else an int."""

    @classmethod
    def of(cls, declaration: Declaration, agents: Agents) -> Magnitudes:
        summed = dict.fromkeys(
            each.field
            for each in declaration.quantities
            if isinstance(each, Aggregate) and each.kind in ("sum", "mean")
        )
        return cls(len(agents), {name: _greatest(declaration, agents, name) for name in summed})


def _greatest(declaration: Declaration, agents: Agents, name: str) -> float:
    column = agents.columns[name]
    if column.dtype.kind == "f":
        agents.finite(name, f"{declaration.name} adds it up, so it")
        return max(float(column.max(initial=0.0)), -float(column.min(initial=0.0)))
    return max(int(column.max(initial=0)), -int(column.min(initial=0)))


BITS: Final = 62
"""The bits of a sum: one less than a 64-bit integer has without its sign."""

MAX_CHOICES: Final = 63

BOOLEANS: Final = np.array([0, 0, 1])
"""The weights of a field of booleans: for -1, which does not occur, False and True."""


Op = IntEnum("Op", "COUNT SUM MEAN LEAST MOST OFFSET NEAREST", start=0)
"""What is computed from the agents nearby."""


class QueryRequest(NamedTuple):
    """One quantity, in numbers for the kernels."""

    op: int
    bit: int
    """The bit of the flags of agents that count."""
    column: int
    """The row of the values; the axis, for an offset."""
    limit: float
    """The square of the greatest distance."""
    up: float
    """An offset times this and `more_up` is rounded to an integer."""
    more_up: float
    down: float
    """A mean of integers times this and `more_down` is the mean of the values."""
    more_down: float
    otherwise: float
    """The mean if no agent is near."""
    default: int
    """The key of the least and the most, if no agent is near."""
    whole: int
    """The row of the integer answers, and of the float answers; -1 for none."""
    real: int


FLOATS: Final = ("limit", "up", "more_up", "down", "more_down", "otherwise")

REQUEST: Final = np.dtype(
    [(name, np.float64 if name in FLOATS else np.int64) for name in QueryRequest._fields]
)
"""A request as an element of an array."""


@define(eq=False)
class NeighbourQuery:
    """Turns the fields of agents into flags and integers, and answers back into fields.

    Raises CrowdError for unsuitable values.
    """

    declaration: Declaration
    agents: Agents
    magnitudes: Magnitudes
    """Those of the whole crowd, of which `agents` may be a part."""
    buffers: Buffers = field(factory=Buffers)
    """Hold all arrays, the results included."""
    size: float = field(init=False)
    """The greatest distance; 0 for places."""
    requests: list[QueryRequest] = field(factory=list, init=False)
    _choices: dict[Choice, int] = field(factory=lambda: {ALL: 0}, init=False)
    _values: dict[tuple[str, Any], tuple[int, Any, int]] = field(factory=dict, init=False)
    """Field and form -> its number, the integers, and their exponent."""
    _wholes: int = field(default=0, init=False)
    _reals: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self.size = self.declaration.size if isinstance(self.declaration, InSpace) else 0.0
        for each in self.declaration.quantities:
            self._add(each)

    def _add(self, quantity: Quantity) -> None:
        bit = self._bit(quantity.where)
        limit = min(quantity.within, self.size) ** 2 if self.size else inf
        op, column, exponent, otherwise, default = Op.NEAREST, 0, 0, 0.0, 0
        if isinstance(quantity, Aggregate):
            op = Op.MEAN if quantity.kind == "share" else Op[quantity.kind.upper()]
            column, otherwise = quantity.axis, float(quantity.otherwise)
            if op is Op.OFFSET:
                exponent = exponent_for(2.0 * self.size, self.magnitudes.agents)
            elif op is not Op.COUNT:
                column, exponent = self._values_for(quantity)
            if op in {Op.LEAST, Op.MOST}:
                alone = np.array([quantity.otherwise], self._type_of(quantity))
                default = int(ordered(alone, self.buffers, np.empty(1, np.int64))[0])
        has_whole = op not in {Op.MEAN, Op.OFFSET}
        has_real = not has_whole or op is Op.NEAREST
        whole, real = self._wholes if has_whole else -1, self._reals if has_real else -1
        self._wholes += has_whole
        self._reals += has_real
        scales = (*factors(exponent), *factors(-exponent))
        self.requests.append(
            QueryRequest(int(op), bit, column, limit, *scales, otherwise, default, whole, real)
        )

    def _bit(self, where: Choice) -> int:
        """Return the bit of the flags that tells whether an agent counts."""
        number = self._choices.setdefault(where, len(self._choices))
        if number > MAX_CHOICES:
            raise CrowdError(
                f"{self.declaration.name} must have at most {MAX_CHOICES} different `where`, got "
                "more. Declare the others on another Cells or Places."
            )
        return number

    @cached_property
    def flags(self) -> Any:
        """The choices by which each agent counts, one bit for each, as uint64."""
        state = self.agents.state
        table = np.ones(1 + max([0, int(state.max(initial=-1)) + 1]), np.uint64)
        for choice, number in self._choices.items():
            for each in choice.states:
                if each < len(table) - 1:
                    table[each] |= np.uint64(1 << number)
        flags = self.buffers.array("flags", len(self.agents), np.uint64)
        flags_of_states(state, table, flags)
        for choice, number in self._choices.items():
            if choice.field:
                add_flag(self.agents.columns[choice.field], number, flags)
        return flags

    def counting(self, request: QueryRequest) -> tuple[Any, Any]:
        return weights(self.agents, list(self._choices)[request.bit])

    @property
    def values(self) -> list[Any]:
        return [values for _, values, _ in self._values.values()]

    def room(self, rows: int) -> tuple[Any, Any]:
        whole = self.buffers.array("whole", (self._wholes, rows))
        return whole, self.buffers.array("real", (self._reals, rows), np.float64)

    def answer(self, number: int, quantity: Quantity, whole: Any, real: Any) -> dict[str, Any]:
        request = self.requests[number]
        if isinstance(quantity, Nearest):
            squares = real[request.real]
            return self.nearest(quantity, whole[request.whole], np.sqrt(squares, out=squares))
        if request.real >= 0:
            return {quantity.into: real[request.real]}
        answer = whole[request.whole]
        if quantity.kind == "count" or self._type_of(quantity).kind != "f":
            return {quantity.into: answer}
        if quantity.kind == "sum":
            total = self.buffers.array(f"to {quantity.into}", len(answer), np.float64)
            np.multiply(answer, request.down, out=total)
            return {quantity.into: np.multiply(total, request.more_down, out=total)}
        return {quantity.into: from_ordered(answer, self.buffers.array("high bits", len(answer)))}

    def nearest(self, quantity: Nearest, rows: Any, distance: Any) -> dict[str, Any]:
        answers = {quantity.distance: distance} if quantity.distance else {}
        has_none = np.less(rows, 0, out=self.buffers.array("has none", len(rows), np.bool_))
        if quantity.id:
            answers[quantity.id] = self._theirs(quantity.id, self.agents.ids, rows, has_none, -1)
        for theirs, mine, otherwise in quantity.values:
            column = self.agents.columns[theirs]
            answers[mine] = self._theirs(mine, column, rows, has_none, otherwise)
        return answers

    def _theirs(self, name: str, column: Any, rows: Any, has_none: Any, otherwise: float) -> Any:
        """Return the cells of a column in these rows, or `otherwise`, as `np.where` does."""
        dtype = np.where(True, column[:1], otherwise).dtype
        found = self.buffers.array(f"to {name}", len(rows), dtype)
        if found.dtype == column.dtype:
            np.take(column, rows, out=found, mode="clip")  # "raise" would buffer it
        else:
            found[:] = column[rows]
        np.copyto(found, otherwise, where=has_none)
        return found

    def _type_of(self, quantity: Aggregate) -> Any:
        return self.agents.columns[quantity.field].dtype

    def _values_for(self, quantity: Aggregate) -> tuple[int, int]:
        form = {"share": quantity.of, "least": "order", "most": "order"}.get(quantity.kind, "sum")
        key = quantity.field, form
        if key not in self._values:
            values, exponent = self._integers(quantity)
            self._values[key] = len(self._values), values, exponent
        row, _, exponent = self._values[key]
        return row, exponent

    def _integers(self, quantity: Aggregate) -> tuple[Any, int]:
        """Return the integers that stand for the values of the agents, and their exponent."""
        agents, name = self.agents, quantity.field
        integers = self.buffers.array(f"values {len(self._values)}", len(agents))
        if quantity.kind == "share":
            choose(*weights(agents, quantity.of), integers)
            return integers, 0
        if quantity.kind in ("least", "most"):
            column = agents.number(name, f"{self.declaration.name} compares it, so it")
            return ordered(column, self.buffers, integers), 0
        greatest = self.magnitudes.greatest[name]
        if isinstance(greatest, float):
            exponent = exponent_for(greatest, self.magnitudes.agents)
            round_to(agents.columns[name], *factors(exponent), integers)
            return integers, exponent
        if greatest * self.magnitudes.agents >= 2**63:
            raise CrowdError(
                f"{self.declaration.name}: the {quantity.kind} of {name!r} may not fit into 64 "
                f"bits, with {self.magnitudes.agents:,} agents and values up to {greatest}. Make "
                "it a field of floats."
            )
        integers[:] = agents.columns[name]
        return integers, 0


def chosen(agents: Agents, where: Choice, mask: Any) -> Any:
    """Fill a mask with the agents that count; return it."""
    if where == ALL:
        mask[:] = True
    else:
        choose(*weights(agents, where), mask)
    return mask


def weights(agents: Agents, where: Choice) -> tuple[Any, Any]:
    """Return a code for each agent, and weights: `weights[code + 1]` is 1 if it counts, else 0."""
    if where.field:
        return agents.columns[where.field].view(np.int8), BOOLEANS
    return agents.state, _weights_of_states(where.states, int(agents.state.max(initial=-1)) + 2)


@lru_cache
def _weights_of_states(states: tuple[int, ...], size: int) -> Any:
    return np.array([not states or number - 1 in states for number in range(size)], np.int64)


def exponent_for(greatest: float, count: int) -> int:
    """Return the exponent of the power of two that numbers are multiplied by.

    `greatest` is the greatest absolute value, `count` the most values that are added.

    >>> exponent_for(1.0, 1000)
    51
    >>> exponent_for(0.0, 1000)
    0
    """
    return BITS - frexp(greatest)[1] - count.bit_length() if greatest else 0


@lru_cache
def factors(exponent: int) -> tuple[float, float]:
    """Return two factors of 2.0**exponent, which itself may exceed the range of a float."""
    half = exponent // 2
    return 2.0**half, 2.0 ** (exponent - half)


def ordered(values: Any, buffers: Buffers, keys: Any) -> Any:
    """Fill `keys` with integers in the order of the numbers; `from_ordered` turns them back.

    Zero becomes positive, so that its sign does not depend on the order of the agents.
    """
    if values.dtype.kind == "f":
        np.add(values, 0.0, out=keys.view(np.float64))
        _switch_negative(keys, buffers.array("high bits", keys.size))
    else:
        keys[:] = values
    return keys


def from_ordered(keys: Any, high_bits: Any) -> Any:
    _switch_negative(keys, high_bits)
    return keys.view(np.float64)


def _switch_negative(keys: Any, high_bits: Any) -> None:
    np.right_shift(keys, 63, out=high_bits)
    np.bitwise_and(high_bits, 0x7FFFFFFFFFFFFFFF, out=high_bits)
    np.bitwise_xor(keys, high_bits, out=keys)


# Compiled passes, which take no memory


@compiled
def flags_of_states(state: Any, table: Any, flags: Any) -> None:
    """Write the flags of each agent's state; the last entry, for -1, is for those in no state."""
    for i in range(state.size):
        flags[i] = table[state[i]]


@compiled
def add_flag(column: Any, number: int, flags: Any) -> None:
    for i in range(flags.size):
        if column[i]:
            flags[i] |= np.uint64(1) << np.uint64(number)


@compiled
def choose(codes: Any, table: Any, found: Any) -> None:
    """Write whether each agent counts, by its code and the `weights`."""
    for i in range(codes.size):
        found[i] = table[np.int64(codes[i]) + 1] != 0


@compiled
def round_to(values: Any, first: float, second: float, found: Any) -> None:
    """Write floats as integer multiples of a power of two, each rounded to nearest.

    The power is 1 / (first * second), which itself may exceed the range of a float.
    """
    for i in range(values.size):
        found[i] = int(np.rint(np.float64(values[i]) * first * second))


@compiled
def filled(mask: Any, rows: Any) -> int:
    count = 0
    for i in range(mask.size):
        if mask[i]:
            rows[count] = i
            count += 1
    return count


def marked(mask: Any, rows: Any) -> Any:
    """Return the numbers of the marked rows, at the beginning of `rows`."""
    return rows[: filled(mask, rows)]

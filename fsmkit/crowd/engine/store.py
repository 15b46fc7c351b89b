"""Store: the columns of a crowd."""

from __future__ import annotations

from typing import Any, Final

from fsmkit.crowd.arguments import as_array, integer
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.errors import CrowdError, UnknownAgentError
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted

NOT_RUNNING: Final = -1


class Store:
    """The data of a crowd's agents: a column for each field, and a few more.

    Raises CrowdError if there is not enough memory for `size` agents.
    """

    def __init__(self, layout: Layout, size: int, seed: int, dtype: Any) -> None:
        self.layout = layout
        self.seed = seed
        self.dtype = dtype
        """The dtype of the columns of floats."""
        self.time = 0.0
        self.delta_time = 0.0
        """The seconds of the last update."""
        self.step = 0
        self.next_id = 0
        self.replace(self._new_columns(size))
        self.next_id = size

    def __len__(self) -> int:
        return len(self.state)

    @property
    def owner(self) -> str:
        """The crowd, for messages."""
        return f"<Crowd of {len(self):,} agents of {self.layout.machine.name!r}>"

    def field(self, name: str) -> Any:
        """Return the column of a field. Raises AttributeError if there is none."""
        record = self.layout.columns.record
        if name not in record.kinds:
            raise AttributeError(
                f"{record.name} has no field {name!r}. Its fields: {', '.join(record.kinds)}."
            )
        return self.columns[self.layout.columns.field(name)]

    def put(self, name: str, i: int, value: Any) -> None:
        """Write a field of an agent. Raises AttributeError, or what `put_cell` does."""
        self.field(name)
        self.put_cell(self.layout.columns.field(name), i, value, name)

    def put_cell(self, column: str, i: int, value: Any, name: str) -> None:
        """Write a cell; `name` is its name in messages.

        Raises TypeError for a value of another kind, OverflowError for one that is too large.
        """
        kind = self.layout.columns.kinds[column]
        try:
            self.columns[column][i] = fitted(kind, value, repr(name))
        except TypeError as error:
            raise TypeError(f"{error} Write {kind.__name__}(...).") from None

    def arrays(self) -> dict[str, Any]:
        """Return every column, for growing and saving."""
        return {"state": self.state, "entered_at": self.entered_at, "ids": self.ids, **self.columns}

    def replace(self, arrays: dict[str, Any]) -> None:
        """Use these columns from now on."""
        self.state = arrays["state"]
        self.entered_at = arrays["entered_at"]
        self.ids = arrays["ids"]
        self.columns = {name: arrays[name] for name in self.layout.columns.kinds}

    def grow(self, count: int) -> range:
        """Add new agents; return their indices. Raises CrowdError like the constructor."""
        first = len(self)
        more = self._new_columns(count)
        self.replace({n: np.concatenate([a, more[n]]) for n, a in self.arrays().items()})
        self.next_id += count
        return range(first, first + count)

    def keep(self, mask: Any) -> None:
        """Remove all agents where `mask` is false."""
        self.replace({name: array[mask] for name, array in self.arrays().items()})

    def index(self, agent: Any) -> int:
        """Return the index of an agent; negative ones count from the end. Raises CrowdError."""
        number, size = integer(agent), len(self)
        if number is None:
            raise CrowdError(
                f"The index of an agent must be an integer, got {agent!r}. For several agents take "
                'a column: crowd["x"][...].'
            )
        if not -size <= number < size:
            raise self._unknown(number)
        return number % size

    def mask(self, where: Any) -> Any:
        """Return the mask for `where`: None for all, a mask, or indices. Raises CrowdError."""
        if where is None:
            return np.ones(len(self), np.bool_)
        given = as_array(where, "where")
        if given.dtype == np.bool_ and given.shape == (len(self),):
            return np.ascontiguousarray(given)
        if given.shape == (0,) and given.dtype != np.bool_:  # numpy takes [] for floats
            return np.zeros(len(self), np.bool_)
        if given.dtype.kind not in "iu" or given.ndim > 1:
            raise CrowdError(
                f"where must be a mask of {len(self)} booleans or a list of indices, got "
                f"an array of {given.dtype} with the shape {given.shape}."
            )
        mask = np.zeros(len(self), np.bool_)
        try:
            mask[given] = True
        except IndexError:
            size = len(self)
            beyond = next(i for i in given.ravel().tolist() if not -size <= i < size)
            raise self._unknown(beyond) from None
        return mask

    def _new_columns(self, count: int) -> dict[str, Any]:
        """Return the columns of new agents."""
        columns = self.layout.columns
        kinds: dict[type, Any] = {float: self.dtype, int: np.int64, bool: np.bool_}
        states = np.int8 if len(self.layout.states) < 128 else np.int16
        try:
            return {
                "state": np.full(count, NOT_RUNNING, states),
                "entered_at": np.full(count, self.time),
                "ids": np.arange(self.next_id, self.next_id + count, dtype=np.int64),
                **{
                    name: np.full(count, columns.defaults[name], kinds[kind])
                    for name, kind in columns.kinds.items()
                },
            }
        except (MemoryError, ValueError):  # ValueError: no array can have that size
            raise CrowdError(
                f"Crowd of {self.layout.machine.name!r}: not enough memory for {count:,} "
                "agents. Use fewer."
            ) from None

    def _unknown(self, number: int) -> UnknownAgentError:
        size = len(self)
        there = f"It has {size:,}, from 0 to {size - 1}." if size else "It has none."
        return UnknownAgentError(
            f"Crowd of {self.layout.machine.name!r}: there is no agent {number}. {there}"
        )

"""Store: the columns of a crowd."""

from __future__ import annotations

from typing import Any, Final

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.layout import Layout
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import FITTING

NOT_RUNNING: Final = -1


class Store:
    """All that a crowd knows of its agents: a column for each field, and a few more."""

    def __init__(self, layout: Layout, size: int, seed: int, dtype: Any) -> None:
        self.layout = layout
        self.seed = seed
        self.time = 0.0
        self.delta_time = 0.0
        """Seconds that the last update stood for."""
        self.step = 0
        kinds: dict[type, Any] = {float: dtype, int: np.int64, bool: np.bool_}
        self.dtypes = {name: np.dtype(kinds[kind]) for name, kind in layout.columns.kinds.items()}
        states = np.int8 if len(layout.states) < 128 else np.int16
        self.state = np.full(size, NOT_RUNNING, states)
        self.entered_at = np.zeros(size)
        self.ids = np.arange(size, dtype=np.int64)
        self.next_id = size
        self.columns = {
            name: np.full(size, layout.columns.defaults[name], dtype)
            for name, dtype in self.dtypes.items()
        }

    def __len__(self) -> int:
        return len(self.state)

    def field(self, name: str) -> Any:
        """The column of a field. Raises AttributeError if there is none."""
        record = self.layout.columns.record
        if name not in record.kinds:
            raise AttributeError(
                f"{record.name} has no field {name!r}. There are: {', '.join(record.kinds)}."
            )
        return self.columns[self.layout.columns.field(name)]

    def put(self, name: str, i: int, value: Any) -> None:
        """Write a field of an agent. Raises AttributeError or TypeError if it does not fit."""
        self.field(name)
        self.put_cell(self.layout.columns.field(name), i, value, name)

    def put_cell(self, column: str, i: int, value: Any, name: str) -> None:
        """Write a cell. Raises TypeError for a value of another kind; `name` is for that."""
        kind = self.layout.columns.kinds[column]
        plain = value.item() if isinstance(value, np.generic) else value
        if not isinstance(plain, FITTING[kind]):
            raise TypeError(
                f"{name!r} holds {kind.__name__}, not {value!r}. Write {kind.__name__}(...)."
            )
        self.columns[column][i] = plain

    def arrays(self) -> dict[str, Any]:
        """Every column, for growing and saving."""
        return {"state": self.state, "entered_at": self.entered_at, "ids": self.ids, **self.columns}

    def take(self, arrays: dict[str, Any]) -> None:
        """Have these columns from now on."""
        self.state = arrays["state"]
        self.entered_at = arrays["entered_at"]
        self.ids = arrays["ids"]
        self.columns = {name: arrays[name] for name in self.columns}

    def grow(self, count: int) -> range:
        """Add agents that begin as all do; where they are."""
        first = len(self)
        more = {
            "state": np.full(count, NOT_RUNNING, self.state.dtype),
            "entered_at": np.full(count, self.time),
            "ids": np.arange(self.next_id, self.next_id + count, dtype=np.int64),
            **{
                name: np.full(count, self.layout.columns.defaults[name], dtype)
                for name, dtype in self.dtypes.items()
            },
        }
        self.take({n: np.concatenate([a, more[n]]) for n, a in self.arrays().items()})
        self.next_id += count
        return range(first, first + count)

    def keep(self, mask: Any) -> None:
        """Remove all agents where `mask` is false."""
        self.take({name: array[mask] for name, array in self.arrays().items()})

    def mask(self, where: Any) -> Any:
        """Which agents are meant: None for all, a mask, or indices. Raises CrowdError."""
        if where is None:
            return np.ones(len(self), np.bool_)
        given = np.asarray(where)
        if given.dtype == np.bool_ and given.shape == (len(self),):
            return np.ascontiguousarray(given)
        if given.dtype != np.bool_ and np.issubdtype(given.dtype, np.integer) and given.ndim <= 1:
            mask = np.zeros(len(self), np.bool_)
            mask[given] = True
            return mask
        raise CrowdError(
            f"Which agents? A mask of {len(self)} booleans or a list of indices is expected, not "
            f"an array of {given.dtype} with the shape {given.shape}."
        )

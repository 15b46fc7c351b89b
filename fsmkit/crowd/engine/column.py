"""Column: the live column of a field, as users get it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Self
from weakref import WeakValueDictionary

from attrs import define, field

from fsmkit.crowd.argument_checks import as_array
from fsmkit.crowd.errors import CrowdError, StaleColumnError
from fsmkit.crowd.packages import np


@define(eq=False)
class Lease:
    """The columns that users hold, and all views of them, until agents are added or removed."""

    views: WeakValueDictionary[int, Column] = field(factory=WeakValueDictionary)
    is_over: bool = False

    def end(self) -> None:
        self.is_over = True
        for each in list(self.views.values()):
            each.flags.writeable = False


class Column(np.ndarray):
    """A numpy array that is the live column of a field.

    It refuses values of another kind, which an array would truncate (1.9 to 1), and any value once
    it is stale because agents were added or removed. What is computed from it is an ordinary array;
    `numpy.asarray` makes one of the column itself, which checks nothing.
    """

    _lease: Lease | None = None
    _name: str = ""

    @classmethod
    def lent(cls, cells: Any, name: str, lease: Lease) -> Self:
        column: Self = cells.view(cls)
        column._name = name
        column._join(lease)
        return column

    @property
    def is_live(self) -> bool:
        """True for a column in use, False for a copy of one."""
        return self._lease is not None and not self._lease.is_over

    def __array_finalize__(self, origin: Any) -> None:
        lease = origin._lease if isinstance(origin, Column) else None
        if lease is not None and np.may_share_memory(self, origin):  # a copy is an ordinary array
            self._name = origin._name
            self._join(lease)

    def __setitem__(self, key: Any, value: Any) -> None:
        fits = type(value) in _FITTING[self.dtype.kind]  # the usual case
        if self._lease is not None and (self._lease.is_over or not fits):
            value = self._checked(value)
        super().__setitem__(key, value)

    def fill(self, value: Any) -> None:
        super().fill(self._checked(value))

    def put(self, indices: Any, values: Any, mode: Any = "raise") -> None:
        super().put(indices, self._checked(values), mode)

    @property
    def flat(self) -> Any:
        """All cells in order, read-only."""
        cells = self.view(np.ndarray)
        cells.flags.writeable = False
        return cells.flat

    def __array_ufunc__(
        self, ufunc: Any, method: Any, *inputs: Any, out: Any = (), **kwargs: Any
    ) -> Any:
        if out:
            kwargs["out"] = tuple(_plain(each) for each in out)
            for each in out:
                if isinstance(each, Column):
                    each._check_fresh()
        elif method == "at" and isinstance(inputs[0], Column):
            inputs[0]._check_fresh()
        result = getattr(ufunc, method)(*map(_plain, inputs), **kwargs)
        return out[0] if len(out) == 1 else result

    def __array_function__(
        self, function: Callable[..., Any], types: Any, arguments: Any, options: Any
    ) -> Any:
        if function in _WRITING and arguments and isinstance(arguments[0], Column):
            arguments[0]._checked(_WRITING[function](*arguments, **options))
        out = options.get("out")
        if isinstance(out, Column):  # some functions, such as cumsum, would truncate
            out[...] = function(*arguments, **{**options, "out": None})
            return out
        return super().__array_function__(function, types, arguments, options)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _plain(self).__reduce_ex__(protocol)

    def _join(self, lease: Lease) -> None:
        self._lease = lease
        lease.views[id(self)] = self

    def _check_fresh(self) -> None:
        if self._lease is not None and self._lease.is_over:
            raise StaleColumnError(
                f"This column {self._name!r} is read-only: agents were added or removed since it "
                f"was read. Read it again: crowd[{self._name!r}]."
            )

    def _checked(self, values: Any) -> Any:
        if self._lease is None:
            return values
        self._check_fresh()
        return checked_cells(repr(self._name), self.dtype, as_array(values, repr(self._name)))


def checked_cells(name: str, dtype: Any, values: Any) -> Any:
    """Return an array that may be written to a column. Raises CrowdError if it does not fit.

    Integers and booleans must keep their value; floats are rounded to the size of the column.
    """
    if values.size and values.dtype.kind not in ("biuf" if dtype.kind == "f" else "biu"):
        raise CrowdError(f"The column {name} must be {dtype}, got {values.dtype}.")
    if dtype.kind != "f" and values.dtype != dtype and values.size:
        changed = values[values.astype(dtype) != values]
        if changed.size:
            raise CrowdError(f"The column {name} must be {dtype}, got {changed[0]}.")
    return values


def _plain(values: Any) -> Any:
    return values.view(np.ndarray) if isinstance(values, Column) else values


_FITTING: Final[Mapping[str, tuple[type, ...]]] = {
    "f": (float, np.float64),
    "i": (np.int64,),
    "b": (bool, np.bool_),
}
"""Kind of a dtype -> types of single values that need no check."""

_WRITING: Final[Mapping[Any, Callable[..., Any]]] = {
    np.copyto: lambda _to, src, *_others, **_options: src,
    np.place: lambda _to, _mask, vals: vals,
    np.putmask: lambda _to, _mask, values: values,
}
"""Functions of numpy that write into their first argument -> the values."""

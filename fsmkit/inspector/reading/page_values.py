"""Values as the page gets them: short texts, and the fields that it can plot, open or edit.

A field is found by the path that the page was sent. `PartReader` reads a machine part by part, so
that an unreadable part hides no other part.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from itertools import islice
from json import dumps
from logging import getLogger
from math import isfinite
from reprlib import Repr
from traceback import walk_tb
from types import MemberDescriptorType, ModuleType
from typing import Any, Final, TypeVar, cast

import attrs
from attrs import define, field, frozen

from fsmkit import Fsm, FsmAction, FsmGroup
from fsmkit.core.checks import arguments
from fsmkit.core.words.notes import shown_error, traceback_of
from fsmkit.core.words.parameters import parameters, shown
from fsmkit.introspection import walk
from fsmkit.recording.action_fields import remembered_by

own_time: Final[Callable[[], float]] = getattr(time, "thread_time", time.perf_counter)
"""The clock of this thread: on a busy computer, others take time as well. A browser has none."""

LONGEST: Final = 160
MOST_CHARACTERS: Final = 10 * LONGEST
"""Characters of a text that are read before it is shortened."""
LONGEST_ANSWER: Final = 2_000
"""Characters of an error that answers a request: it may say what to do."""
LARGEST: Final = 100
"""A container of up to this many entries is read in full."""
ADDRESS: Final = re.compile(r"(?: object)? at 0x[0-9A-Fa-f]+")
LONG_FRACTION: Final = re.compile(r"(\d\.\d{4})\d+(?![\de])")
PLAIN: Final = (type(None), bool, int, float, complex, str, bytes)
CONTAINERS: Final = (list, tuple, set, frozenset, dict)


class _Beginnings(Repr):
    """Texts of the first entries of containers: the base class would sort all of them."""

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        return super().repr_dict(dict(islice(x.items(), self.maxdict + 1)), level)

    def repr_set(self, x: set[Any], level: int) -> str:
        return super().repr_set(set(islice(x, self.maxset + 1)), level)

    def repr_frozenset(self, x: frozenset[Any], level: int) -> str:
        return super().repr_frozenset(frozenset(islice(x, self.maxfrozenset + 1)), level)

    def repr_instance(self, x: Any, level: int) -> str:
        """Return a large container of a derived class like one of its base class."""
        for kind in CONTAINERS:
            if isinstance(x, kind) and len(x) > LARGEST:
                inside: str = getattr(self, f"repr_{kind.__name__}")(x, level)
                return f"{type(x).__name__}({inside})"
        return super().repr_instance(x, level)


_repr: Final = _Beginnings()
_repr.maxlist = _repr.maxtuple = _repr.maxset = _repr.maxfrozenset = _repr.maxdict = 12
_repr.maxstring = _repr.maxother = _repr.maxlong = LONGEST


def text_of(value: object) -> str:
    """Return `value` as text, with at most four decimals. A failing `__repr__` does no harm.

    >>> text_of((1 / 3, "door"))
    "(0.3333, 'door')"
    """
    try:
        if isinstance(value, bytes):
            value = value[:LONGEST]
        is_cut = isinstance(value, CONTAINERS) or type(value) is str
        text = (_repr.repr(value) if is_cut else shown(value))[:MOST_CHARACTERS]
    except Exception as error:  # from a user's __repr__
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    return shortened(LONG_FRACTION.sub(r"\1", ADDRESS.sub("", text)))


def error_text(error: BaseException, longest: int = LONGEST) -> str:
    """Return the type of an error and its message, shortened. A failing `__str__` does no harm.

    >>> error_text(KeyError("door"))
    "KeyError: 'door'"
    """
    text = shown_error(error)[: max(MOST_CHARACTERS, longest)]
    return shortened(ADDRESS.sub("", text), longest)


def shortened(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def moment_text(time: float) -> str:
    """Return a moment as the page writes it, in seconds; see `seconds` in parts/wording.js.

    >>> moment_text(4.25), moment_text(366.58), moment_text(3602.5)
    ('4.25 s', '6:06.58', '1:00:02.50')
    """
    shown = round(time, 2)
    if shown < 60.0:
        return f"{shown:.2f} s"
    minutes, rest = divmod(shown, 60.0)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours}:{minutes:02}:{rest:05.2f}" if hours else f"{minutes}:{rest:05.2f}"


def name_of(key: object) -> str:
    """Return the key of a value as text.

    >>> name_of("door"), name_of((0, 1))
    ('door', '(0, 1)')
    """
    return key if isinstance(key, str) else text_of(key)


def public_fields(thing: object) -> Mapping[Any, object]:
    """Return the fields of `thing`, key -> value, without names that begin with an underscore.

    Properties are not read: they might have side effects. Raises what `thing` raises.
    """
    if isinstance(thing, PLAIN):
        return {} if thing is None else {"": thing}
    if isinstance(thing, Mapping):
        return thing
    return {name: value for name, value in _fields(thing) if not name.startswith("_")}


def set_field(owner: Any, key: Any, value: object) -> None:
    """Set a field as `public_fields` returns it. Raises what the owner raises."""
    if isinstance(owner, Mapping):
        owner[key] = value  # type: ignore[index]  # an immutable one raises an error
    else:
        setattr(owner, key, value)


def _fields(thing: object) -> Iterator[tuple[str, object]]:
    for kind in reversed(type(thing).__mro__):
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            slot = vars(kind).get(name)  # not what a subclass may have put over it
            if isinstance(slot, MemberDescriptorType):
                with suppress(AttributeError):  # it has no value
                    yield name, slot.__get__(thing)
    named = getattr(thing, "__dict__", {})
    yield from ((name, value) for name, value in named.items() if isinstance(name, str))


NUMBERED: Final = (list, tuple, deque)
"""Containers whose entries are shown by their number, unless they have names."""


def context_rows(context: object) -> Iterator[list[str]]:
    """Yield names and texts; the text of the whole has an empty name.

    Raises what the context itself raises when it is read.

    >>> list(context_rows({"hp": 3})), list(context_rows(["a", "b"]))
    ([['hp', '3']], [['', "['a', 'b']"], ['0', "'a'"], ['1', "'b'"]])
    """
    fields = public_fields(context)
    if fields is not context and not isinstance(context, PLAIN):
        if _says_more_than_its_fields(context, fields):
            yield ["", text_of(context)]
        names: Sequence[str] | None = getattr(type(context), "_fields", None)
        if isinstance(context, tuple) and names is not None:  # a namedtuple
            fields = dict(zip(names, context, strict=False))
        elif isinstance(context, NUMBERED):
            yield from _rows(enumerate(context), len(context))
    yield from _rows(fields.items(), len(fields))


def _says_more_than_its_fields(context: object, fields: Mapping[Any, object]) -> bool:
    """Return True for a container, or an object without fields that defines its own repr."""
    if isinstance(context, (*NUMBERED, set, frozenset)):
        return True
    return not fields and type(context).__repr__ is not object.__repr__


def _rows(entries: Iterable[tuple[Any, object]], count: int) -> Iterator[list[str]]:
    for key, value in islice(entries, LARGEST):
        yield [name_of(key), text_of(value)]
    if count > LARGEST:
        yield ["…", f"and {count - LARGEST} more"]


FLAG, WHOLE, NUMBER, TEXT, CHOICE, VECTOR, OTHER = "bifsev-"
"""True or false, int, float, str, member of an enum, vector, and anything else.

A vector is a tuple of two to four numbers, or an object that has as many of them.
"""

LARGEST_WHOLE: Final = 2**53 - 1
"""The largest integer that JSON and JavaScript keep exactly."""

LONGEST_TEXT: Final = 1_000
MOST_COMPONENTS: Final = 4

_PLAIN_KINDS: Final[Mapping[type, str]] = {bool: FLAG, int: WHOLE, float: NUMBER, str: TEXT}


def kind_of(value: object) -> str:
    """Return the kind of a value.

    >>> "".join(map(kind_of, (True, 3, 0.5, "door", (1.0, 2.0), [1, 2], None)))
    'bifsv--'
    """
    if issubclass(type(value), Enum):
        return CHOICE
    kind = _PLAIN_KINDS.get(type(value))
    return kind or (VECTOR if components(value) else OTHER)


def components(value: object) -> tuple[float, ...]:
    """Return the numbers of a vector; none for anything else.

    >>> components((1, 2.5)), components("ab"), components([1, 2])
    ((1, 2.5), (), ())
    """
    kind = type(value)
    if issubclass(kind, (str, bytes, list, Mapping, set, frozenset)) or not (
        hasattr(kind, "__getitem__") and hasattr(kind, "__len__")
    ):
        return ()
    vector: Any = value
    try:
        count = len(vector)
        is_short = 2 <= count <= MOST_COMPONENTS
        numbers: tuple[Any, ...] = tuple(islice(vector, count + 1)) if is_short else ()
    except Exception:  # from a user's class
        return ()
    if len(numbers) != count:  # not a vector: its indices may begin again
        return ()
    return numbers if all(type(each) in (int, float) for each in numbers) else ()


def is_too_large(value: object) -> bool:
    """Return True if a page cannot keep an integer in it exactly.

    >>> is_too_large(2**53), is_too_large((1, 2**53)), is_too_large(1e300)
    (True, True, False)
    """
    numbers = (value,) if type(value) is int else components(value)
    return any(type(each) is int and abs(each) > LARGEST_WHOLE for each in numbers)


def to_json(value: object) -> object:
    """Return an editable value for the page; None for a number that JSON lacks, such as nan.

    >>> to_json((0.5, float("inf")))
    [0.5, None]
    """
    if isinstance(value, Enum):
        return value.name
    if kind_of(value) == VECTOR:
        return [to_json(each) for each in components(value)]
    return None if isinstance(value, float) and not isfinite(value) else value


def typed_text(data: object) -> str:
    """Return the data of an event as it is typed on the page; empty if that is not possible.

    >>> typed_text({"by": 3}), typed_text(object())
    ('{"by": 3}', '')
    """
    is_table = type(data) is dict
    parts: Any = data if type(data) in (dict, list, tuple) else (data,)
    if len(parts) > LARGEST or (is_table and not all(type(each) is str for each in parts)):
        return ""
    values = parts.values() if is_table else parts
    if not all(each is None or type(each) in _PLAIN_KINDS for each in values):
        return ""
    try:
        text = dumps(data, ensure_ascii=False, allow_nan=False)
    except ValueError:  # nan, or an integer that is too long
        return ""
    return text if len(text) <= LONGEST_TEXT else ""


def converted(name: str, given: object, old: object) -> object:
    """Return `given`, from a page, as a value of the type of `old`. Raises ValueError.

    >>> converted("speed", 3, 0.5)
    3.0
    >>> converted("health", True, 3)
    Traceback (most recent call last):
        ...
    ValueError: health must be an integer, got True.
    """
    kind, like = kind_of(old), cast("Any", old)
    if kind == FLAG:
        return arguments.flag(given, name, ValueError)
    if kind == WHOLE:
        arguments.integer(given, name, error=ValueError)  # first without the bounds, which are long
        return arguments.integer(given, name, least=-LARGEST_WHOLE, most=LARGEST_WHOLE)
    if kind == NUMBER:
        return arguments.number(given, name, error=ValueError)
    if kind == TEXT:
        return _converted_text(name, given)
    if kind == CHOICE:
        choices = type(like).__members__
        return choices[arguments.choice(given, name, choices)]
    if kind == VECTOR:
        return _converted_vector(name, given, like)
    raise ValueError(f"{name} cannot be edited: it is {text_of(old)}.")


def _converted_text(name: str, given: object) -> str:
    text = arguments.instance(given, name, str, "a str", ValueError)
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"{name} must have at most {LONGEST_TEXT} characters, got {len(text)}.")
    return text


def _converted_vector(name: str, given: object, old: Any) -> object:
    before = components(old)
    if not isinstance(given, list) or len(given) != len(before):
        raise ValueError(f"{name} must be {len(before)} numbers, got {arguments.shown(given)}.")
    numbers = [
        converted(f"{name}[{index}]", each, was)
        for index, (each, was) in enumerate(zip(given, before, strict=True))
    ]
    # Named tuples and the vectors of libraries take the numbers one by one.
    return tuple(numbers) if type(old) is tuple else type(old)(*numbers)


DEPTH: Final = 2
"""Levels of a context whose fields can be reached: its own, and those of the objects in it."""

HOLDER: Final = "o"
"""The kind of an object whose fields can be shown."""

_PATHS: Final = 'a path is ("context", name, ...) or ("action", machine, state, place, name)'

_ELSEWHERE: Final = (Fsm, FsmGroup, FsmAction, ModuleType, type)


class FieldError(Exception):
    """A field does not exist, or cannot be set; the text says why."""


@frozen
class EditableField:
    title: str
    owner: Any
    key: Any
    """The name of the attribute, or the key in a mapping."""
    value: object
    is_fixed: bool = False
    """True for what an action remembers, which is its own."""

    def offer(self) -> dict[str, Any]:
        """Return what the page needs to know to edit it. Raises FieldError."""
        self._check()
        kind = kind_of(self.value)
        choices = list(type(self.value).__members__) if kind == CHOICE else []  # type: ignore[attr-defined]
        return {"kind": kind, "value": to_json(self.value), "choices": choices}

    def set(self, given: object) -> object:
        """Set it to a value from the page, and return the value that it has then.

        Raises FieldError, and leaves it as it was.
        """
        self._check()
        try:
            value = converted(self.title, given, self.value)
        except ValueError as error:
            raise FieldError(str(error)) from None
        except Exception as error:  # from the class of a vector
            raise FieldError(f"{self.title}: {shown_error(error)}") from None
        self.put(value)
        return self._now()

    def put(self, value: object) -> None:
        """Set it to `value`. Raises FieldError, and leaves it as it was."""
        before = self._now()
        try:
            _try_out(self.owner, self.key, value)
            set_field(self.owner, self.key, value)
        except Exception as error:  # from a validator, a property, or a frozen class
            if self._now() is not before:
                set_field(self.owner, self.key, before)
            raise FieldError(f"{self.title} cannot be set: {shown_error(error)}") from None

    def _check(self) -> None:
        if self.is_fixed:
            raise FieldError(f"{self.title} cannot be edited: the action remembers it by itself.")
        if kind_of(self.value) == OTHER:
            raise FieldError(f"{self.title} cannot be edited: it is {text_of(self.value)}.")
        if is_too_large(self.value):
            raise FieldError(
                f"{self.title} cannot be edited: a page keeps integers exactly up to "
                f"{LARGEST_WHOLE}."
            )

    def _now(self) -> object:
        is_mapping = isinstance(self.owner, Mapping)
        return self.owner[self.key] if is_mapping else getattr(self.owner, self.key)


def find_field(
    machine: Fsm[Any], path: Sequence[str], names: Mapping[Fsm[Any], str]
) -> EditableField:
    """Return the field at a path of the page; `names` are those of the machines.

    It is in the context of `machine`, ("context", name, ...), or in an action of `machine` or of
    one nested in it, ("action", machine, state, place, name). Raises FieldError.
    """
    match tuple(path):
        case ("context", *inside):
            return _find_in_context(machine, inside)
        case ("action", owner, state, place, name):
            for inner in walk.machines(machine):
                if names.get(inner) == owner:
                    return _find_parameter(find_action(inner, state, place), name)
            raise FieldError(f"{machine.name!r} has no machine {owner!r}.")
    raise FieldError(f"There is no field {text_of(tuple(path))}: {_PATHS}.")


def _find_in_context(machine: Fsm[Any], path: Sequence[str]) -> EditableField:
    if not 1 <= len(path) <= DEPTH:
        raise FieldError(f"A path must have 1 to {DEPTH} names, got {len(path)}.")
    owner: Any = machine.context
    for name in path[:-1]:
        _, owner = _entry(owner, name)
    return EditableField(".".join(path), owner, *_entry(owner, path[-1]))


def _find_parameter(action: FsmAction[Any], name: str) -> EditableField:
    title = f"{type(action).__name__}.{name}"
    kind: type = type(action)
    if attrs.has(kind):
        given = parameters(action)
        for attribute in attrs.fields(kind):
            if name in given and name == (attribute.alias or attribute.name):
                return EditableField(title, action, attribute.name, given[name])
    remembered = remembered_by(action)
    if name in remembered:
        return EditableField(title, action, name, remembered[name], is_fixed=True)
    raise FieldError(f"{type(action).__name__} shows no {text_of(name)}.")


def find_action(machine: Fsm[Any], state: str, place: str) -> FsmAction[Any]:
    """Return the action at a place such as "0/1", the second child of the first action.

    Raises FieldError.
    """
    paths = walk.paths(machine.states[state]) if state in machine.states else ()
    for path, action in paths:
        if path == place:
            return action
    raise FieldError(f"{text_of(state)} has no action at {text_of(place)}.")


def named_fields(owner: object) -> dict[str, object]:
    return {name_of(key): value for key, value in _first_fields(owner)}


def _first_fields(owner: object) -> Iterator[tuple[Any, object]]:
    """Return the first public fields of an object in the context; none if it is shown otherwise."""
    fields = public_fields(owner) if row_kind(owner) == HOLDER else {}
    return islice(fields.items(), LARGEST)  # a mapping may be endless


def row_kind(value: object) -> str:
    """Return the kind of a value of the context; `HOLDER` for an object with fields of its own."""
    kind = kind_of(value)
    is_shown_otherwise = issubclass(type(value), (*PLAIN, *CONTAINERS, *_ELSEWHERE))
    if kind != OTHER or callable(value) or (is_shown_otherwise and not isinstance(value, dict)):
        return kind
    return HOLDER


def kinds_of(values: Mapping[str, object]) -> dict[str, str]:
    kinds = {name: row_kind(value) for name, value in values.items()}
    return {name: kind for name, kind in kinds.items() if kind != OTHER}


def _entry(owner: object, name: str) -> tuple[Any, object]:
    found = [(key, value) for key, value in _first_fields(owner) if name_of(key) == name]
    if len(found) != 1:
        many = "more than one" if found else "no"
        raise FieldError(f"{type(owner).__name__} has {many} public field {text_of(name)}.")
    return found[0]


def _try_out(owner: object, name: str, value: object) -> None:
    """Raise what the class of an action raises for such a parameter.

    Most check all their parameters at the end. That is tried on a copy, which is dropped; but not
    for an action with children, which belong to the original.
    """
    check = getattr(type(owner), "__attrs_post_init__", None)
    if not isinstance(owner, FsmAction) or check is None or owner.children or owner.machines:
        return
    copy: Any = object.__new__(type(owner))
    vars(copy).update(vars(owner))
    setattr(copy, name, value)
    check(copy)


# Reading a machine part by part

PartT = TypeVar("PartT")
OtherT = TypeVar("OtherT")

SLOW: Final = 0.02
"""Seconds for one part of a machine, above which the page says what slows the game down."""

OFTEN: Final = 3
"""Times in a row that a part must be slow: a busy computer is slow now and then."""

MOST_CAUSES: Final = 100
"""Causes of trouble that are reported."""

_logger: Final = getLogger("fsmkit")


class Reports:
    """Logs each cause of trouble once, however often it occurs and whatever its message says."""

    def __init__(self) -> None:
        self._known: set[object] = set()

    def report(self, what: str, error: Exception) -> bool:
        """Log that `what` cannot be read; return True if this cause is a new one."""
        cause = what, type(error), _line_of(error)
        if cause in self._known or len(self._known) >= MOST_CAUSES:
            return False
        self._known.add(cause)
        _logger.warning("The inspector cannot read %s: %s", what, error_text(error), exc_info=error)
        return True


@define(eq=False)
class PartReader:
    """Reads the parts of one machine, and reports unreadable and slow ones once.

    `name` returns the name of the machine, `note` writes a line into its log.
    """

    _name: Callable[[], str]
    _note: Callable[[str], object]
    _reports: Reports = field(factory=Reports, init=False)
    _slow: dict[str, list[float]] = field(factory=dict, init=False)
    """Part -> how long it took the last times in a row; empty once it has been noted."""

    def rows(
        self, part: str, read: Callable[[], Iterable[PartT]], instead: Callable[[str], PartT]
    ) -> list[PartT]:
        """Return the rows of a part, up to the first unreadable one.

        `instead` returns the row in its place, and is called with the text to show.
        """
        rows: list[PartT] = []
        begun = own_time()
        try:
            rows.extend(read())
        except Exception as error:  # from a user's class
            rows.append(instead(self.unreadable(part, error)))
        self._watch_time(part, own_time() - begun)
        return rows

    def attempt(self, part: str, read: Callable[[], PartT], instead: OtherT) -> PartT | OtherT:
        """Return what `read` returns, or `instead` and a line in the log if it raises an error."""
        try:
            return read()
        except Exception as error:  # from a user's class
            if self._report(part, error):
                self._note(f"the {part} cannot be read: {error_text(error)}")
            return instead

    def unreadable(self, part: str, error: Exception) -> str:
        self._report(part, error)
        return f"<{part} cannot be read: {error_text(error)}>"

    def _report(self, part: str, error: Exception) -> bool:
        return self._reports.report(f"the {part} of {self._name()!r}", error)

    def _watch_time(self, part: str, taken: float) -> None:
        times = self._slow.setdefault(part, [0.0] * OFTEN)
        if not times:
            return
        times[:] = [*times[1:], taken]
        if min(times) > SLOW:
            times.clear()
            self._note(
                f"reading the {part} of {self._name()} takes {taken * 1000:.0f} ms: "
                "a slow __repr__ slows the game down while it is shown"
            )


def _line_of(error: Exception) -> Any:
    lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(traceback_of(error))]
    return lines[-1] if lines else None

"""Functions that are handed over: what they get, which are refused, and their names."""

import copy
import functools
import inspect
import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import AsyncMock, Mock, call

import pytest
from every import every

from fsmkit.core.checks.functions import described, handed, taking_nothing

NUMBER = 3
STATE, DATA = "the state", "the data"


class Door:
    """One of each kind of method."""

    def open(self) -> str:
        return "opened"

    def see(self, state: object) -> object:
        return state

    def take(self, state: object, data: object) -> object:
        return state, data

    @classmethod
    def made(cls, state: object) -> object:
        return state

    @staticmethod
    def slam() -> str:
        return "slammed"

    async def wait(self) -> None: ...

    def steps(self) -> Iterator[None]:
        yield


class Called:
    def __call__(self, state: object) -> object:
        return state


class CalledLater:
    async def __call__(self) -> None: ...


class CalledInSteps:
    def __call__(self) -> Iterator[None]:
        yield


async def later(_state: object) -> None: ...


def steps(_state: object) -> Iterator[None]:
    yield


async def later_steps(_state: object) -> AsyncIterator[None]:
    yield


def pair(first: object, second: object) -> object:
    return first, second


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that passes on whatever it gets."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def with_three(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that gives the second argument itself."""

    @functools.wraps(function)
    def wrapper(first: object) -> Any:
        return function(first, NUMBER)

    return wrapper


TAKEN: list[tuple[Callable[..., Any], object, object]] = [
    (lambda: 1, 1, 1),
    (lambda state: state, STATE, STATE),
    (lambda state, n=NUMBER: (state, n), (STATE, 3), (STATE, 3)),
    (lambda i=NUMBER: i, 3, 3),
    (lambda *args: args, (STATE,), (STATE,)),
    (lambda state, *args: (state, args), (STATE, ()), (STATE, ())),
    (lambda state, **options: (state, options), (STATE, {}), (STATE, {})),
    (lambda state, *, n=NUMBER: (state, n), (STATE, 3), (STATE, 3)),
    (Door().open, "opened", "opened"),
    (Door().see, STATE, STATE),
    (Door.made, STATE, STATE),
    (Door.slam, "slammed", "slammed"),
    (Called(), STATE, STATE),
    (functools.partial(pair, 1), (1, STATE), (1, STATE)),
    (functools.partial(pair, 1, 2), (1, 2), (1, 2)),
    (functools.partial(pair, second=1), (STATE, 1), (STATE, 1)),
    (logged(lambda: 5), 5, 5),
    (logged(Door().see), STATE, STATE),
    (with_three(pair), (STATE, 3), (STATE, 3)),
    (functools.lru_cache(lambda: 3), 3, 3),
    (Mock(side_effect=lambda *args: args), (STATE,), (STATE,)),
    (call, call(STATE), call(STATE)),  # it claims to wrap something, endlessly
    (str.upper, "THE STATE", "THE STATE"),
    ([1, 2].__len__, 2, 2),
]


@every(("function", "alone", "with_data"), TAKEN)
def test_a_function_gets_what_it_requires(
    function: Callable[..., Any], alone: object, with_data: object
) -> None:
    assert handed(function, "Here: it")(STATE) == alone
    assert handed(function, "Here: it", data=True)(STATE, DATA) == with_data


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda state, data: (state, data), (STATE, DATA)),
        (lambda state, data, *more: (state, data, more), (STATE, DATA, ())),
        (Door().take, (STATE, DATA)),
        (logged(pair), (STATE, DATA)),
    ],
)
def test_one_that_requires_two_gets_the_data_where_there_is_an_event(
    function: Callable[..., Any], result: object
) -> None:
    assert handed(function, "Here: it", data=True)(STATE, DATA) == result
    with pytest.raises(TypeError, match="^Here: it must take nothing or the state, but .*requires"):
        handed(function, "Here: it")


def test_one_that_fits_is_returned_as_it_is() -> None:
    door = Door()
    see, take = door.see, door.take
    assert handed(see, "Here: it") is see
    assert handed(take, "Here: it", data=True) is take


def test_what_was_handed_over_once_can_be_handed_over_again() -> None:
    once = handed(Door.slam, "Here: it")
    assert handed(once, "There: it") is once
    with_data = handed(Door.made, "Here: it", data=True)
    assert handed(with_data, "There: it", data=True) is with_data
    assert handed(with_data, "There: it") == Door.made


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (lambda a, b, c: a, "requires 'a', 'b' and 'c'. Give the others defaults"),
    (functools.partial(pair, first=1), "pair requires 'second'. Give it a default"),
    (logged(lambda state, *, speed: state), "requires 'speed'. Give it a default, or bind"),
    (later, "later is an async function, which would only make a coroutine. Use Await."),
    (Door().wait, "wait is an async function"),
    (CalledLater(), "CalledLater is an async function"),
    (functools.partial(later), "later is an async function"),
    (functools.partial(logged(functools.partial(later))), "is an async function"),
    (AsyncMock(), "AsyncMock is an async function"),
    (later_steps, "later_steps is an async generator, which would never run. Use Await."),
    (steps, "steps is a generator function, which would never run. Use Coroutine."),
    (Door().steps, "steps is a generator function"),
    (CalledInSteps(), "CalledInSteps is a generator function"),
    (logged(steps), "steps is a generator function"),
    (contextmanager(steps), "steps is a generator function"),
    (NUMBER, "Here: it must be a function, got 3."),  # type: ignore[list-item]
]


@every("data", [False, True])
@every(("function", "message"), REFUSED)
def test_what_cannot_be_called_so_is_refused(
    function: Callable[..., Any], message: str, data: bool
) -> None:
    with pytest.raises(TypeError) as raised:
        handed(function, "Here: it", data=data)
    assert str(raised.value).startswith("Here: it must ")
    assert message in str(raised.value)


def test_a_generator_function_is_welcome_where_one_is_wanted() -> None:
    assert handed(steps, "Coroutine: routine", generator=True) is steps
    made = handed(Door().steps, "Coroutine: routine", generator=True)(STATE)
    assert list(made) == [None]
    with pytest.raises(TypeError, match="later is an async function"):
        handed(later, "Coroutine: routine", generator=True)


def test_where_there_is_no_state_a_function_takes_nothing() -> None:
    assert taking_nothing(Door.slam, "when()") is Door.slam
    for function, message in (
        (Door().see, "when() must take nothing, but see requires 'state'"),
        (CalledLater(), "CalledLater is an async function"),
    ):
        with pytest.raises(TypeError) as raised:
            taking_nothing(function, "when()")
        assert message in str(raised.value)


@pytest.mark.parametrize("data", [False, True])
def test_an_adapted_function_looks_like_itself(data: bool) -> None:
    adapted = handed(Door.slam, "Here: it", data=data)
    assert adapted is not Door.slam
    assert (adapted == Door.slam, adapted != Door.made) == (True, True)
    assert hash(adapted) == hash(Door.slam)
    assert (repr(adapted), adapted.__name__) == (repr(Door.slam), "slam")
    assert inspect.signature(adapted) == inspect.signature(Door.slam)
    assert adapted() == "slammed"
    assert described(adapted) == "slam"
    assert not hasattr(adapted, "nonsense")


def test_a_copy_of_an_adapted_function_belongs_to_the_copied_object() -> None:
    door = Door()
    door_copy, function = copy.deepcopy((door, handed(door.open, "Here: it")))
    assert function.__wrapped__.__self__ is door_copy
    assert function(STATE) == "opened"


def test_an_adapted_function_can_be_pickled_if_its_function_can() -> None:
    function = pickle.loads(pickle.dumps(handed(inspect.currentframe, "Here: it")))
    assert function == inspect.currentframe
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(handed(lambda: 3, "Here: it"))


# What they are called

ONE, OTHER = (lambda state: state.time > 3), (lambda state: state.time < 3)
(LONG,) = (
    lambda state: [
        state.time > 3,
    ],
)


@every(
    ("function", "name"),
    [
        (pair, "pair"),
        (Door().open, "open"),
        (Door, "Door"),
        (Called(), "Called"),
        (functools.partial(pair, 1), "pair"),
        (logged(pair), "pair"),
        (ONE, "lambda state: state.time > 3"),
        (OTHER, "lambda state: state.time < 3"),
        (LONG, "<lambda>"),
        ((lambda: lambda n: n)(), "lambda n: n"),  # noqa: PLC3002  # one inside another
        (lambda s: "ü" + s + "é", 'lambda s: "ü" + s + "é"'),
        (eval("lambda: 3"), "<lambda>"),
    ],
)
def test_a_function_has_a_name_for_readers(function: Callable[..., Any], name: str) -> None:
    assert described(function) == name


def test_of_two_lambdas_that_python_cannot_tell_apart_neither_is_named() -> None:
    one, other = (lambda n: n > 1), (lambda n: n > 2)
    assert (described(one), described(other)) == ("lambda n: n > 1", "lambda n: n > 2")
    for each in (one, other):
        each.__code__ = each.__code__.replace(co_linetable=b"")
        assert described(each) == "<lambda>"

"""Functions written in C: they get the same on every Python, whether it can read them or not."""

import gc
import inspect
import operator
import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache, partial, wraps
from itertools import count
from queue import SimpleQueue
from typing import Any

import pytest
from every import every

from actions import DelegateAction, OnEvent, WaitUntil
from fsmkit import Fsm
from fsmkit.core.checks import functions
from fsmkit.core.checks.functions import WithoutArguments, WithState, handed, taking_nothing

STATE, DATA = "the state", "the data"


def passed_on(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


class Pair(tuple[int, ...]):
    """A class of one's own that is made as one in C."""


class Gathered:
    def __init__(self, *parts: object) -> None:
        self.parts = parts


def echoing() -> Iterator[object]:
    got = None
    while True:
        got = yield got


ECHO = echoing()
next(ECHO)

NOTHING: list[Callable[..., Any]] = [
    threading.Lock().release,
    threading.RLock().acquire,
    deque([1]).popleft,
    deque([1]).rotate,
    {1}.clear,
    {1}.pop,
    {}.copy,
    b"".hex,
    "".format,
    set().update,
    count().__next__,
    [].__len__,
    SimpleQueue().get,
    gc.collect,
    gc.get_referents,
    breakpoint,
    int,
    str,
    dict,
    list,
    zip,
    Pair,
    partial(int, "3"),
    partial("".format, 1),
    partial({1}.add, 2),
    partial(set.add, {1}, 2),
    partial(threading.Lock().release),
    partial(operator.methodcaller("hide"), "node"),
    passed_on({1}.clear),
    passed_on("".format),
    lru_cache({1}.pop),
    sys.exc_info,
]

ITS_STATE: list[Callable[..., Any]] = [
    [].append,
    set().add,
    set().discard,
    deque().append,
    deque().appendleft,
    ECHO.send,  # type: ignore[attr-defined]
    {}.__getitem__,
    repr,
    id,
    set.clear,
    operator.attrgetter("name"),
    operator.itemgetter(0),
    operator.methodcaller("upper"),
    partial(set().add),
    partial(set.add, set()),
    partial(operator.methodcaller("upper")),
    passed_on(set().add),
    lru_cache(set().add),
]


def taken(function: Callable[..., Any]) -> type:
    return type(handed(function, "Here: it", data=True))


@pytest.fixture(params=["as it reads them", "blind"])
def python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """This Python, and one that can read no signature of a function written in C."""
    read = inspect.signature

    def read_python(function: Any, **options: Any) -> inspect.Signature:
        if functions._is_in_c(functions._innermost(function)):
            raise ValueError("no signature found")
        return read(function, **options)

    if request.param == "blind":
        monkeypatch.setattr(inspect, "signature", read_python)


@pytest.mark.usefixtures("python")
def title_of(function: object) -> str:
    """What it is called, without an address, which would differ from process to process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(function))


@every("function", NOTHING)
def test_what_requires_nothing_or_hides_it_gets_nothing(function: Callable[..., Any]) -> None:
    assert taken(function) is WithoutArguments
    assert taking_nothing(function, "when()") is function


@pytest.mark.usefixtures("python")
@pytest.mark.parametrize("function", ITS_STATE, ids=title_of)
def test_what_accepts_one_argument_gets_the_state(function: Callable[..., Any]) -> None:
    assert taken(function) is WithState
    with pytest.raises(TypeError, match=r"^when\(\) must take nothing, but .* requires '"):
        taking_nothing(function, "when()")


@pytest.mark.parametrize("function", [print, partial(print, "in"), passed_on(print), Gathered])
def test_print_gets_the_state_as_functions_in_python_with_any_arguments_do(
    function: Callable[..., Any],
) -> None:
    assert taken(function) is WithState


@pytest.mark.usefixtures("python")
@pytest.mark.parametrize("module", ["ctypes", "PyCFunction_GetFlags"])
def test_a_python_that_hides_calling_conventions_is_no_obstacle(
    monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    functions._flags_reader.cache_clear()
    if module == "ctypes":
        monkeypatch.setitem(sys.modules, "ctypes", None)
    else:
        monkeypatch.setattr("ctypes.pythonapi", object())
    try:
        assert taken(threading.Lock().release) is WithoutArguments
        assert functions._calling_convention([].append) == 0
    finally:
        functions._flags_reader.cache_clear()


def test_functions_of_engines_can_be_handed_over_as_they_are() -> None:
    pygame = pytest.importorskip("pygame")
    music, mixer = pygame.mixer.music, pygame.mixer
    for function in (music.stop, mixer.pause, mixer.get_busy, pygame.time.Clock().tick):
        assert taken(function) is WithoutArguments
        assert taken(partial(function)) is WithoutArguments


def test_functions_of_panda_can_be_handed_over_as_they_are() -> None:
    node = pytest.importorskip("panda3d.core").NodePath("door")
    assert [taken(each) for each in (node.hide, node.show, node.isHidden)] == [WithoutArguments] * 3
    fsm = Fsm("Door")
    fsm.add_state("Open").add_action(DelegateAction(node.hide, on_exit=node.show))
    with fsm.running():
        assert node.isHidden()
    assert not node.isHidden()


def test_a_machine_calls_them() -> None:
    lock, waiting, seen = threading.Lock(), deque("abc"), set[Any]()
    fsm = Fsm("Guard")
    idle, done = fsm.add_state("Idle"), fsm.add_state("Done")
    idle.add_action(DelegateAction(lock.acquire, on_exit=lock.release))
    idle.add_action(DelegateAction(on_update=waiting.popleft))
    idle.add_action(OnEvent("HIT", seen.add))
    idle.add_action(WaitUntil(lock.locked))
    idle.add_transition("NEXT", done, when=lock.locked, do=waiting.clear)
    fsm.start()
    fsm.update(0.1)
    assert (lock.locked(), "".join(waiting)) == (True, "bc")
    fsm.send_event("HIT", data=3)
    assert seen == {idle}
    fsm.send_event("NEXT")
    assert (fsm.current_state, lock.locked(), len(waiting)) == (done, False, 0)

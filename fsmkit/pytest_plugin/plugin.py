"""The hooks of pytest, the options, and the fixture."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fsmkit import Fsm
    from fsmkit.testing import Recorder


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fsmkit", "state machines (fsmkit)")
    group.addoption(
        "--fsm-cover", action="store_true",
        help="show which states and transitions of which machines the tests took",
    )  # fmt: skip
    group.addoption(
        "--fsm-cover-of", action="append", default=[], metavar="TEXT",
        help="only of machines with TEXT in their name or in the place where they are made, such "
        "as `guard.py`; may be repeated",
    )  # fmt: skip
    group.addoption(
        "--fsm-cover-html", metavar="FILE",
        help="also write a page with a picture of each machine (needs `fsmkit[diagram]`)",
    )  # fmt: skip
    group.addoption(
        "--fsm-cover-fail-under", type=_percent, metavar="PERCENT",
        help="fail if the tests took fewer of the transitions",
    )  # fmt: skip
    group.addoption(
        "--fsm-update", action="store_true",
        help="rewrite the recordings that assert_replays() compares with",
    )  # fmt: skip


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """Begin counting before any `conftest.py` is imported: it may make machines."""
    if early_config.known_args_namespace.fsm_cover:
        _begin_to_count(early_config)
    return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Start what the options ask for. Imports wait until then, as most runs use no option."""
    options = config.option
    if options.fsm_cover:
        _begin_to_count(config)
    else:
        _refuse_without_cover(options)
    if options.fsm_update:
        from fsmkit.testing import updating_recordings

        token = updating_recordings.set(True)
        config.add_cleanup(lambda: updating_recordings.reset(token))


@pytest.fixture
def recorder() -> Iterator[Callable[[Fsm[Any]], Recorder]]:
    """Return a function that attaches a `fsmkit.testing.Recorder`; it is detached after the test.

    >>> def test_the_door_opens(recorder):
    ...     door = build()
    ...     recorded = recorder(door)
    ...     door.start()
    ...     assert recorded.journal == ["enter Closed"]
    """
    from fsmkit.testing import Recorder

    with ExitStack() as recorders:
        yield lambda fsm: recorders.enter_context(Recorder(fsm))


def _begin_to_count(config: pytest.Config) -> None:
    if not config.pluginmanager.has_plugin("fsmkit-cover"):
        from fsmkit.pytest_plugin.session import CoverSession

        config.pluginmanager.register(CoverSession(config), "fsmkit-cover")


def _refuse_without_cover(options: Namespace) -> None:
    for name in ("of", "html", "fail_under"):
        if getattr(options, f"fsm_cover_{name}") not in (None, []):
            option = f"--fsm-cover-{name.replace('_', '-')}"
            raise pytest.UsageError(f"{option} needs --fsm-cover.")


def _percent(text: str) -> float:
    try:
        percent = float(text)
    except ValueError:
        percent = -1.0
    if not 0.0 <= percent <= 100.0:
        raise ArgumentTypeError(f"PERCENT must be a number from 0 to 100, got {text!r}.")
    return percent

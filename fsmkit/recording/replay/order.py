"""CallOrder: in which order calls and posts came, from whichever threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Lock, RLock, get_ident
from typing import Final, TypeAlias

from fsmkit.recording.replay.frames import KeyFrame
from fsmkit.recording.replay.steps import Step

Reported: TypeAlias = Step | KeyFrame
"""What a recording consists of."""


class CallOrder:
    """Keeps one order of the calls from outside and of the posts between them.

    A call is in progress from `begin` to `end`; what comes meanwhile from other threads waits.
    `report` is called with each step, in order, by one thread at a time, and with no lock held: it
    may take long, and call whatever it likes.
    """

    def __init__(self, report: Callable[[Reported], None]) -> None:
        self.caller: int | None = None
        """The thread in which a call is in progress."""
        self._report = report
        self._waiting: deque[Callable[[], None]] = deque()
        self._steps: deque[Reported] = deque()
        self._reporting = Lock()
        self._reporter: int | None = None

    def begin(self, thread: int) -> None:
        """A call begins in this thread."""
        with TURN.lock:
            self.caller = thread

    def end(self, step: Step | None) -> None:
        """The call is over and was that step, if any; do what waits for that."""
        with TURN.lock:
            self.caller = None
            if step is not None:
                self._steps.append(step)
            if self._waiting:
                self.let_go()
        TURN.call_when_free(self.report)

    def wait(self, act: Callable[[], None]) -> None:
        """Have `act` called once the call in progress is over."""
        self._waiting.append(act)

    def note(self, step: Reported) -> None:
        """Have a step or a key frame reported, after the call in progress if there is one."""
        with TURN:
            if self.caller is None:
                self._steps.append(step)
            else:
                self.wait(partial(self.note, step))
        TURN.call_when_free(self.report)

    def let_go(self) -> None:
        """Do what waits for the end of the call."""
        with TURN:
            while self._waiting:
                self._waiting.popleft()()

    def report(self) -> None:
        """Report the steps, unless another thread is about to: that one does it."""
        while self._steps and self._reporting.acquire(blocking=False):
            self._reporter = get_ident()
            try:
                while self._steps:
                    self._report(self._steps.popleft())
            finally:
                self._reporter = None
                self._reporting.release()

    def finish(self) -> None:
        """Report all steps, and wait for another thread that is about to."""
        self.report()
        if self._reporter != get_ident():
            with self._reporting:
                pass


class Turn:
    """A lock that is held while a post goes to its machine, and while a call begins or ends.

    There is one for all recordings, as several may watch one machine. The thread that has it may
    come back, in a signal handler for instance. What is to be done without it waits until then.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self._owner: int | None = None
        self._depth = 0
        self._at_end: list[Callable[[], None]] = []

    def call_when_free(self, act: Callable[[], None]) -> None:
        """Call `act`, as soon as this thread does not have the lock any more."""
        if self._owner == get_ident():
            self._at_end.append(act)
        else:
            act()

    def __enter__(self) -> None:
        self.lock.acquire()
        self._owner = get_ident()
        self._depth += 1

    def __exit__(self, *_error: object) -> None:
        self._depth -= 1
        acts: list[Callable[[], None]] = []
        if not self._depth:
            self._owner = None
            acts, self._at_end = self._at_end, acts
        self.lock.release()
        for act in acts:
            act()


TURN: Final = Turn()

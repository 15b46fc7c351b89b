"""CrowdSession: the loop's side for a crowd."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fsmkit.crowd import Crowd
from fsmkit.inspector.crowd.answers import CrowdDriving, CrowdLooking, CrowdStopping
from fsmkit.inspector.crowd.inspected_crowd import InspectedCrowd, Watched
from fsmkit.inspector.loop.interception import Advance
from fsmkit.inspector.loop.session import Session
from fsmkit.inspector.loop.signal import Signal
from fsmkit.inspector.reading.code import Code


class CrowdSession(Session):
    """Counts a crowd and follows single agents, for the pages.

    The agents run compiled code: what they do is seen after each update, and nothing holds them
    within one.
    """

    def __init__(
        self,
        crowd: Crowd,
        *,
        rate: float,
        while_held: Callable[[], object] | None = None,
        code: Code | None = None,
        ignore: Sequence[str] = (),
        signal: Signal | None = None,
    ) -> None:
        self.crowd = crowd
        super().__init__(
            crowd,
            rate=rate,
            record=False,
            while_held=while_held,
            code=code,
            ignore=ignore,
            signal=signal,
        )

    @property
    def title(self) -> str:
        """The name of the machine and the number of agents."""
        size = len(self.crowd)
        return f"{self.rows.first}, {size:,} agent{'' if size == 1 else 's'}"

    def greeting(self) -> dict[str, Any]:
        """Return what a page is told first."""
        fields = [*self.crowd.layout.machine.agent_record.kinds, "time_in_state", "state"]
        return {**super().greeting(), "kind": "crowd", "fields": fields}

    def _inspect(self) -> InspectedCrowd:
        self.rows = InspectedCrowd(self.crowd, self.now)
        return self.rows

    def _watch(self, name: str) -> Watched:
        return self.rows.watch(name)

    def _topics(self) -> Iterator[object]:
        yield CrowdLooking(self.rows)
        yield CrowdStopping()
        await_nothing = self.stops.next_change.cancel
        yield CrowdDriving(
            self.rows, self.clock, self._is_held, self.holding.release, await_nothing, self.rows
        )
        yield from super()._topics()

    def _let_pass(self, carry_out: Advance, dt: float) -> None:
        try:
            super()._let_pass(carry_out, dt)
        except Exception as error:
            self.rows.whole.note_error(error)
            raise
        finally:
            self._read(self.rows.after_update)

"""CostMeter: what the frames of the inspected machines cost, measured while a page asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attrs import asdict, define, field, frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.live.mailbox import PageMailbox
from fsmkit.inspector.live.requests.page_request import PageAnswer
from fsmkit.recording.frame_costs import FrameCosts

EVERY: Final = 7
"""One frame in so many is measured in detail, and gets slower by that. Few games do something at
every seventh frame, which would then be measured each time or never."""


@define(eq=False)
class CostMeter:
    machines: Fsm[Any] | FsmGroup
    is_wanted: Callable[[], bool]
    """Tells if a page asks for it."""
    costs: FrameCosts | None = field(default=None, init=False)

    def before_update(self) -> None:
        """Begin to measure, or stop; between two updates no call of a machine is in progress."""
        if self.is_wanted() == (self.costs is not None):
            return
        if self.costs is None:
            self.costs = FrameCosts(self.machines, every=EVERY)
        else:
            self.close()

    def close(self) -> None:
        costs, self.costs = self.costs, None
        if costs is not None:
            costs.close()


@frozen
class CostRequests:
    meter: CostMeter

    def measure(self, on: bool, page: PageMailbox) -> None:
        page.measures = on

    def costs(self) -> PageAnswer:
        """Answer with the table; None while nothing is measured."""
        costs = self.meter.costs
        return {"costs": None if costs is None else asdict(costs.table())}

"""Hosting: how a machine runs inside an action of another one, and in groups (rules 18 and 19)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsmkit.core.errors import FsmError
from fsmkit.core.known_events import hosts
from fsmkit.core.observers import looking_in
from fsmkit.core.types import ENTER, EXIT, RESUME, SUSPEND
from fsmkit.core.words import messages


class Hosted:
    """The part of an `Fsm` that concerns its host, the action that runs it."""

    __slots__ = ()

    _halted_: list[Any] | None
    _next_: Any

    @property
    def path(self: Any) -> tuple[str, ...]:
        """The names of the current states, from the outermost machine inwards.

        If a state runs several machines, the path goes through the first that is running.
        """
        outwards = [host.state.name for host in hosts(self)]
        return (*reversed(outwards), *self._path_inwards_())

    def _path_inwards_(self: Any) -> tuple[str, ...]:
        return tuple([machine.current_state.name for machine in _inwards(self)])

    def _join_host_(self: Any, action: Any) -> None:
        if self._host_ is not None and self._host_ is not action:
            raise FsmError(
                f"Fsm {self.name!r} already runs in {self._host_.state}, so {action.state} cannot "
                "run it as well. A machine runs in one place at a time: build a second one."
            )
        if self._groups_:
            raise FsmError(
                f"Fsm {self.name!r} is in an FsmGroup, so {action.state} cannot run it as well: it "
                "would be updated twice. Take it out of the group, or build a second one."
            )
        outwards = [action.fsm]
        while outwards[-1].host is not None:
            outwards.append(outwards[-1].host.fsm)
        if self in outwards:
            inwards = outwards[outwards.index(self) :: -1]
            raise messages.runs_itself([each.name for each in (action.fsm, *inwards)])
        self._run_in_(action)

    def _run_in_(self: Any, host: Any) -> None:
        """Make `host` the action that runs this machine, and let its observers look inside."""
        before, self._host_ = self._host_, host
        if before is not host:
            for inward in looking_in(before):
                inward.leave(self)
            for inward in looking_in(host):
                inward.join(self)

    def _halt_(self: Any) -> None:
        if self._halted_ is None:
            self._halted_ = self._entered_now_()
            self._visit_.is_special = True
            self._visit_.pause_updates()
            self._call_in_between_(SUSPEND, "on_suspend", [*self._halted_])

    def _entered_now_(self: Any) -> list[Any]:
        """The entered actions, also in the middle of entering or exiting them."""
        visit = self._visit_
        at = visit.position(self._acting_)
        if self._phase_ is ENTER:
            return [*visit.actions[:at]]
        if self._phase_ is EXIT:
            return [] if visit.is_exited else [*visit.actions[at + 1 :]]
        return [*visit.actions]

    def _go_on_(self: Any) -> None:
        if self._halted_ is not None:
            self._halted_ = None
            self._visit_.resume_updates()
            self._call_in_between_(RESUME, "on_resume", self._visit_.actions)

    def _call_in_between_(self: Any, phase: str, callback: str, actions: Sequence[Any]) -> None:
        """Walk in an external call, or in the middle of another callback."""
        self._renew_visits_()
        if self._phase_ is None:
            self._call_from_outside_(self._walk_all_, phase, callback, actions)
        else:
            phase_now, acting, decided = self._phase_, self._acting_, self._next_
            self._next_ = None  # otherwise the walk would stop
            self._walk_all_(phase, callback, actions)
            self._phase_, self._acting_, self._next_ = phase_now, acting, self._next_ or decided

    def _join_group_(self: Any) -> None:
        if (host := getattr(self, "_host_", None)) is not None:
            raise FsmError(
                f"Fsm {self.name!r} runs in {host.state}, which updates it. Add the outer machine "
                f"{host.fsm.name!r} to the group, or build a second one."
            )
        self._groups_ = getattr(self, "_groups_", 0) + 1  # it may be in the middle of being copied

    def _leave_group_(self: Any) -> None:
        self._groups_ -= 1

    def _suspend_late_(self: Any, halted: list[Any]) -> bool:
        """Suspend actions entered while the host was suspended; False if there were none."""
        actions = [each for each in self._visit_.actions if not any(each is a for a in halted)]
        halted.extend(actions)
        self._walk_all_(SUSPEND, "on_suspend", actions)
        return bool(actions)


def _inwards(machine: Any) -> Iterator[Any]:
    """Yield a machine that is running, the first one that runs in it, and so on."""
    while machine is not None and machine.is_running:
        yield machine
        inside = (each for action in machine.current_state.actions for each in action.machines)
        machine = next((each for each in inside if _is_running_in(each, machine)), None)


def _is_running_in(machine: Any, outer: Any) -> bool:
    return machine.is_running and machine.host is not None and machine.host.fsm is outer

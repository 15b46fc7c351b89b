"""Body: the machine inside an agent that carries out the actions of a plan, one after another.

It has the three states of the game F.E.A.R. (Jeff Orkin, "Three States and a Plan: The A.I. of
F.E.A.R.", 2006): go to a place, animate, use an object. For an action that has a target the body
goes there and uses it; one without a target is animated where the agent is.

After each call the agent makes the body check what it cannot notice itself: whether a journey has
ended away from the target, and whether the target has moved.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, Final, Literal

from attrs import define, field

from fsmkit import FAILED, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.goap.agent.journey import (
    WAY_IS_BLOCKED,
    Journey,
    TargetGoneError,
    TargetRange,
    TravelFactory,
    is_blocked,
)
from fsmkit.goap.agent.memory import AgentMemory, TargetPlace
from fsmkit.goap.domain import GoapAction, members

GO_TO: Final = "GO_TO"
ANIMATE: Final = "ANIMATE"
IN_REACH: Final = "IN_REACH"
OUT_OF_REACH: Final = "OUT_OF_REACH"
DONE: Final = "DONE"

MAX_TRANSITIONS: Final = 10_000
"""The limit of state changes within one call, for plans whose steps take no time."""


@define(eq=False, repr=False)
class Perform(FsmAction[Any]):
    """Run the actions of the GoapAction `name` side by side, until all have finished.

    It fails with the first of them that fails. As in a state, background actions do not count. It
    is enabled while the GoapAction is the plan's current one.
    """

    name: str
    actions: tuple[FsmAction[Any], ...]
    entered: list[int] = field(factory=list, init=False)
    """The indices of the actions that were entered and not exited."""
    raised_on_exit: bool = field(default=False, init=False)
    """Whether the last exit raised: by then the body has turned to the next step of the plan."""

    @property
    def children(self) -> Sequence[FsmAction[Any]]:
        return self.actions

    def on_enter(self) -> None:
        self.entered = []
        for index, child in enumerate(self.actions):
            if child.enabled:
                self._enter(index, child)
                if self.fsm.is_changing:
                    return
        self._finish_with_the_last()

    def on_update(self) -> None:
        self.nested.update_all(self._update)

    def _offers_to_(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:  # noqa: ARG002  # any event
        return [self.actions[index] for index in self.entered]

    def on_event(self, event: str, data: object) -> bool:
        return any(self.actions[index].on_event(event, data) for index in tuple(self.entered))

    def on_exit(self) -> None:
        self.raised_on_exit = True
        self._exit_all()
        self.raised_on_exit = False

    def _update(self, child: FsmAction[Any]) -> bool:
        """Update one of the actions; return False if no other is to be updated."""
        self.nested.update(child)
        if not self.fsm.is_changing:
            self._finish_with_the_last()
        return not (self.finished or self.fsm.is_changing)

    def _enter(self, index: int, child: FsmAction[Any]) -> None:
        try:
            self.nested.enter(child)
            self.entered.append(index)
            return
        except BaseException as error:
            failure = error
        # This action does not count as entered, so nothing else would exit the others.
        self._exit_all(failure)

    def _exit_all(self, *errors: BaseException) -> None:
        self.entered = []
        self.nested.exit_all(*errors)

    def _may_fail_(self, fails: Callable[[FsmAction[Any]], bool | None]) -> bool | None:
        verdicts = [fails(child) for child in self.actions if child.enabled]
        return True if True in verdicts else None if None in verdicts else False

    def _finish_with_the_last(self) -> None:
        if self.nested.failed:
            self.fail(self.nested.failed[0]._reason_)
        entered = [self.actions[index] for index in self.entered]
        if all(child.finished or child.background for child in entered):
            self.finish()


@define(eq=False, repr=False)
class PerformInSequence(Perform):
    """Run the actions of the GoapAction `name` one after another, until the last has finished.

    It fails with the one that fails. Each begins in the update in which the previous one has
    finished; if the machine carries time over, with the rest of it.
    """

    position: int = field(default=0, init=False)
    """The index of the current action; after an error in it the next one never begins."""
    is_calling: bool = field(default=False, init=False)
    """Whether a callback of the current action is on the stack."""

    def on_enter(self) -> None:
        self.entered = []
        self.is_calling = True
        try:
            self._begin(0)
            self._go_on(0.0)
        finally:
            self.is_calling = False

    def on_update(self) -> None:
        self.is_calling = True
        try:
            self._go_on(self._update_current())
        finally:
            self.is_calling = False

    def on_event(self, event: str, data: object) -> bool:
        if self.is_calling:  # the callback looks for finished actions when it returns
            return self._offer(event, data)
        self.is_calling = True
        try:
            taken = self._offer(event, data)
            self._go_on(0.0)
            return taken
        finally:
            self.is_calling = False

    def _offer(self, event: str, data: object) -> bool:
        return any(self.nested.offer(self.actions[index], event, data) for index in self.entered)

    def _begin(self, index: int) -> None:
        rest = range(index, len(self.actions))
        self.position = next((at for at in rest if self.actions[at].enabled), len(self.actions))
        if self.position < len(self.actions):
            self._enter(self.position, self.actions[self.position])

    def _go_on(self, left: float) -> None:
        """Move on from a finished action to the next, which has `left` seconds in this update."""
        while not self.fsm.is_changing and self._has_finished_one():
            with self.nested.moment(left):
                self.entered = []
                self.nested.exit(self.actions[self.position])
                self._begin(self.position + 1)
            if left and self.entered and not self._has_finished_one():
                left = self._update_current(left)
        if self.nested.failed and not self.fsm.is_changing:
            self.fail(self.nested.failed[0]._reason_, left)
        if self.position == len(self.actions) and not self.fsm.is_changing:
            self.finish(left)

    def _has_finished_one(self) -> bool:
        current = self.actions[self.position] if self.entered else None
        return current is not None and current.finished and not current.failed

    def _update_current(self, left: float | None = None) -> float:
        """Update the current action, and return the seconds that it did not need."""
        if not self.entered or self.actions[self.position].finished or self.fsm.is_changing:
            return 0.0
        child = self.actions[self.position]
        self.nested.update(child, left)
        return self.nested.unused_of(child) if child.finished and self.fsm.carry_time else 0.0


class ChooseStep(FsmAction[Any]):
    """Turn to the next action of the plan: go to its target, or animate it; or finish."""

    def __init__(
        self, memory: AgentMemory, performing: Sequence[Perform], journey: Journey | None
    ) -> None:
        self.memory = memory
        self.performing = performing
        self.journey = journey

    @property
    def sends(self) -> Sequence[str]:
        if self.journey is None:
            return (ANIMATE, DONE)
        more = () if self.journey.reach is None else (IN_REACH,)
        return (GO_TO, ANIMATE, DONE, FAILED, *more)

    @property
    def finishes(self) -> Literal["at once"]:
        return "at once"

    def on_enter(self) -> None:
        action = self.memory.turn_to_next()
        if action is None:
            self.fsm.send_event(DONE)
            return
        for perform in self.performing:
            perform.enabled = perform.name == action.name
        if self.journey is None or action.target is None:
            self.fsm.send_event(ANIMATE)
        else:
            self._set_out(self.journey)

    def _set_out(self, journey: Journey) -> None:
        try:
            place = journey.begin()
        except TargetGoneError as gone:
            self.fsm.send_event(FAILED, str(gone))
        else:
            self.fsm.send_event(IN_REACH if journey.within_reach(place) else GO_TO)


class Body(Fsm[Any]):
    """The machine that carries out the actions of a plan.

    Its context is that of the agent, for the actions that it runs. `build` gives it its states,
    once there is a memory that they can read.
    """

    def __init__(self, name: str, context: Any) -> None:
        super().__init__(name, context, on_unhandled="ignore", max_transitions=MAX_TRANSITIONS)
        self.journey: Journey | None = None
        self._performing: list[Perform] = []

    def build(
        self,
        actions: Iterable[GoapAction],
        travel: TravelFactory | None,
        memory: AgentMemory,
        reach: TargetRange | None,
    ) -> None:
        choose, go_to = self.add_state("Choose"), self.add_state("GoTo")
        use_object, animate = self.add_state("UseObject"), self.add_state("Animate")
        done = self.add_state("Done", final=True)
        failed = self.add_state("Failed", final=True, failed=True)

        self.take_on(self.performing(actions))
        if travel is not None:
            self.journey = Journey(memory, travel, reach)
            go_to.add_action(self.journey.travel)
        choose.add_action(ChooseStep(memory, self._performing, self.journey))

        choose.add_transition(GO_TO, go_to)
        choose.add_transition(ANIMATE, animate)
        choose.add_transition(DONE, done)
        has_arrived = None if self.journey is None else self.journey.has_arrived
        go_to.add_transition(FINISHED, use_object, when=has_arrived)
        use_object.add_transition(FINISHED, choose)
        animate.add_transition(FINISHED, choose)
        self.add_global_transition(FAILED, failed)
        if reach is not None:
            choose.add_transition(IN_REACH, use_object)
            go_to.add_transition(IN_REACH, use_object)
            if self.journey is not None:
                go_to.add_transition(FAILED, use_object, when=self.journey.has_failed_within_reach)
            use_object.add_transition(OUT_OF_REACH, go_to)

    def performing(self, actions: Iterable[GoapAction]) -> list[tuple[FsmState[Any], Perform]]:
        use_object, animate = self.states["UseObject"], self.states["Animate"]
        made: list[tuple[FsmState[Any], Perform]] = []
        for action in actions:
            if action.run is not None:
                perform = PerformInSequence if action.in_sequence else Perform
                state = animate if action.target is None else use_object
                rule = f"GoapAction {action.name!r}: run must return FsmActions, got"
                run = members(action.run(), FsmAction, rule, "run=lambda: [TimedWait(1.0)]")
                made.append((state, perform(action.name, run)))
        return made

    def take_on(
        self, performing: Iterable[tuple[FsmState[Any], Perform]], but: Container[str] = ()
    ) -> None:
        """Replace the actions, except those named in `but`."""
        for perform in list(self._performing):
            if perform.name not in but:
                perform.state.remove_action(perform)
                self._performing.remove(perform)
        for state, perform in performing:
            if perform.name not in but:
                self._performing.append(state.add_action(perform))

    @property
    def failure(self) -> object:
        """The data of the event by which it failed, or else the obstacle on the way, if any."""
        reason, journey, before = self.event_data, self.journey, self.previous_state
        if (
            reason in (None, WAY_IS_BLOCKED)
            and journey is not None
            and before is self.states["GoTo"]
        ):
            return journey.obstacle() or reason
        return reason

    def begin(self) -> None:
        self.start()
        self._check_journey()

    def advance(self, dt: float, looks: bool) -> None:
        """Update by `dt` seconds; if it `looks`, check whether the target has moved."""
        if looks:
            self._check_use()
        self.update(dt)
        self._check_journey(looks=looks)

    def take_event(self, event: str, data: object) -> bool:
        taken = self.offer_event(event, data)
        self._check_journey()
        return taken

    def _check_use(self) -> None:
        """Go to the target again if it is out of reach while in use."""
        journey, state = self.journey, self.current_state
        if journey is None or journey.reach is None or state is not self.states["UseObject"]:
            return
        try:
            if not journey.within_reach(journey.look()):
                self.send_event(OUT_OF_REACH)
        except TargetGoneError as gone:
            self.send_event(FAILED, str(gone))

    def _check_journey(self, *, looks: bool = False) -> None:
        """Check whether and where a journey has ended; if it `looks`, whether the target has moved.

        The action that travels comes first, so that one that follows the target itself is left
        alone. Inside a callback of the body this does nothing: its agent checks again afterwards.
        """
        journey, state = self.journey, self.current_state
        if journey is None or state is None or self.phase is not None:
            return
        if state is not self.states["GoTo"]:
            return
        # All travel is over, short of the target: or the body would be in UseObject.
        is_over = all(
            each.finished or each.background or not each.enabled for each in state.actions
        )
        if looks or is_over or journey.reach is not None:
            try:
                self._check_way(journey, journey.look(), looks=looks, is_over=is_over)
            except TargetGoneError as gone:
                self.send_event(FAILED, str(gone))

    def _check_way(
        self, journey: Journey, place: TargetPlace, *, looks: bool, is_over: bool
    ) -> None:
        has_moved = journey.has_moved(place)
        if journey.within_reach(place):
            self.send_event(IN_REACH)
        elif is_over and (is_blocked(journey.travel) or not has_moved):
            self.send_event(FAILED, journey.failure(place))
        elif has_moved and (looks or is_over) and not journey.turn_to(place):
            self.start("GoTo")  # from the current position

"""Body: the machine inside an agent that carries out the actions of a plan, one after another.

It has the three states of the game F.E.A.R. (Jeff Orkin, "Three States and a Plan: The A.I. of
F.E.A.R.", 2006): go to a place, animate, use an object. For an action that has a target the body
goes there and uses it; one without a target is animated where the agent is.

What it cannot see by itself, its agent has it check after each call: whether a journey has ended
elsewhere than at the target, and whether that has moved.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, Final, Literal, TypeAlias

from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.goap.action import GoapAction
from fsmkit.goap.agent.journey import Journey
from fsmkit.goap.agent.memory import AgentMemory
from fsmkit.goap.agent.perform import Perform, PerformInSequence
from fsmkit.goap.agent.place import Place, TargetGoneError
from fsmkit.goap.agent.reach import Reach
from fsmkit.goap.arguments import checked_members

GO_TO: Final = "GO_TO"
ANIMATE: Final = "ANIMATE"
IN_REACH: Final = "IN_REACH"
OUT_OF_REACH: Final = "OUT_OF_REACH"
DONE: Final = "DONE"
FAILED: Final = "FAILED"

MAX_TRANSITIONS: Final = 10_000
"""The limit for changes of state within one call, for plans whose steps take no time."""

Travel: TypeAlias = "Callable[[Callable[[], Any]], FsmAction[Any]]"
"""Makes the action that goes to a target, from a function that returns where the target is."""


class ChooseStep(FsmAction[Any]):
    """Turn to the next action of the plan: go to its target, or animate it; or finish."""

    def __init__(
        self,
        turn_to_next: Callable[[], GoapAction | None],
        performing: Sequence[Perform],
        journey: Journey | None,
    ) -> None:
        self.turn_to_next = turn_to_next
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
        action = self.turn_to_next()
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
        travel: Travel | None,
        memory: AgentMemory,
        reach: Reach | None,
    ) -> None:
        """Add the states in which it carries out plans made of `actions`."""
        choose, go_to = self.add_state("Choose"), self.add_state("GoTo")
        use_object, animate = self.add_state("UseObject"), self.add_state("Animate")
        done, failed = self.add_state("Done", final=True), self.add_state("Failed", final=True)

        self.take_on(self.performing(actions))
        if travel is not None:
            self.journey = Journey(memory, travel, reach)
            go_to.add_action(self.journey.travel)
        choose.add_action(ChooseStep(memory.turn_to_next, self._performing, self.journey))

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
            use_object.add_transition(OUT_OF_REACH, go_to)

    def performing(self, actions: Iterable[GoapAction]) -> list[tuple[FsmState[Any], Perform]]:
        """Make what performs `actions`, each with the state that it is for."""
        use_object, animate = self.states["UseObject"], self.states["Animate"]
        made: list[tuple[FsmState[Any], Perform]] = []
        for action in actions:
            if action.run is not None:
                perform = PerformInSequence if action.in_sequence else Perform
                state = animate if action.target is None else use_object
                made.append((state, perform(action.name, _made(action, action.run))))
        return made

    def take_on(
        self, performing: Iterable[tuple[FsmState[Any], Perform]], but: Container[str] = ()
    ) -> None:
        """Perform other actions from now on; those named in `but` stay as they are."""
        for perform in list(self._performing):
            if perform.name not in but:
                perform.state.remove_action(perform)
                self._performing.remove(perform)
        for state, perform in performing:
            if perform.name not in but:
                self._performing.append(state.add_action(perform))

    @property
    def failure(self) -> object:
        """The data of the event by which it failed; if there is none, what is known otherwise."""
        reason, journey, before = self.event_data, self.journey, self.previous_state
        if reason is None and journey is not None and before is self.states["GoTo"]:
            return journey.obstacle()
        return reason

    def begin(self) -> None:
        """Start with the first step of the plan."""
        self.start()
        self._check_journey()

    def advance(self, dt: float, looks: bool) -> None:
        """Let `dt` seconds pass; if it `looks`, see whether the target has moved."""
        if looks:
            self._check_use()
        self.update(dt)
        self._check_journey(looks=looks)

    def take_event(self, event: str, data: object) -> bool:
        """Take an event, as `offer_event` does."""
        taken = self.offer_event(event, data)
        self._check_journey()
        return taken

    def _check_use(self) -> None:
        """Go there again if what is in use is out of reach."""
        journey, state = self.journey, self.current_state
        if journey is None or journey.reach is None or state is not self.states["UseObject"]:
            return
        try:
            if not journey.within_reach(journey.look()):
                self.send_event(OUT_OF_REACH)
        except TargetGoneError as gone:
            self.send_event(FAILED, str(gone))

    def _check_journey(self, *, looks: bool = False) -> None:
        """See whether a journey has ended, and where; if it `looks`, whether the target has moved.

        Who travels comes first, so that one that follows the target itself is left alone. In the
        middle of a callback of its own it does nothing: its agent asks again afterwards.
        """
        journey, state = self.journey, self.current_state
        if journey is None or state is None or self.phase is not None:
            return
        if state is not self.states["GoTo"]:
            return
        is_over = self._is_over(state)
        if looks or is_over or journey.reach is not None:
            try:
                self._check_way(journey, journey.look(), looks=looks, is_over=is_over)
            except TargetGoneError as gone:
                self.send_event(FAILED, str(gone))

    def _check_way(self, journey: Journey, place: Place, *, looks: bool, is_over: bool) -> None:
        has_moved = journey.has_moved(place)
        if journey.within_reach(place):
            self.send_event(IN_REACH)
        elif is_over and (journey.is_blocked or not has_moved):
            self.send_event(FAILED, journey.failure(place))
        elif has_moved and (looks or is_over) and not journey.turn_to(place):
            self.start("GoTo")  # from where it is by now

    def _is_over(self, go_to: FsmState[Any]) -> bool:
        """Return True if nobody goes any further. It has not arrived, or it would not be here."""
        return all(each.finished or each.background or not each.enabled for each in go_to.actions)


def _made(action: GoapAction, run: Callable[[], Iterable[Any]]) -> tuple[FsmAction[Any], ...]:
    rule = f"GoapAction {action.name!r}: run must return FsmActions, got"
    return checked_members(run(), FsmAction, rule, "run=lambda: [TimedWait(1.0)]")

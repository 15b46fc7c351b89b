"""A machine in one of whose callbacks something happens, and what comes of it."""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import Factory, define, field

from actions import RunFsm
from fsmkit import BACK, Fsm, FsmAction, FsmError, TransitionLoopError, TransitionOnExitError

SHORT = {FsmError: "FsmError", TransitionOnExitError: "OnExit", TransitionLoopError: "Loop"}


class Oops(Exception):
    """What a callback raises by itself."""


@define
class Means:
    """What a callback has at hand to make something happen."""

    fsm: Fsm
    send_again: Callable[[], object]
    """Sends what leads to the same callback once more."""
    finish: Callable[[], object]
    fail: Callable[[], object]
    remove: Callable[[], object]


@define(eq=False)
class World:
    """A machine with the states A, B, C, D; in a callback of A `happening` is called, once.

    With `catches`, the callback catches the error of a call that is refused.
    """

    happening: Callable[[Means], object]
    happens_for_ever: bool = False
    catches: bool = False
    outer: Fsm = field(init=False)
    runner: RunFsm | None = None
    means: Means = field(init=False)
    journal: list[tuple[str, "Witness"]] = Factory(list)
    times: int = 0
    """How often it has happened."""
    is_over: bool = False

    def __attrs_post_init__(self) -> None:
        self.outer = self.build("Outer", "ABCD")

    def build(self, name: str, states: str) -> Fsm:
        """A machine of four states, of which the first has no actions yet."""
        fsm = Fsm(name, on_unhandled="raise")
        a, b, c, d = (fsm.add_state(state) for state in states)
        a.add_transition("GO", b)
        a.add_transition("AGAIN", a)
        a.add_transition("LEAVE", d)
        a.add_transition("INTERRUPT", d, suspend=True)
        b.add_transition("HOME", a)
        b.add_transition("ON", c)
        d.add_transition("RETURN", BACK)
        for state in (b, c, d):
            state.add_action(Witness(self))
        return fsm

    def inhabit(self, fsm: Fsm, subject: FsmAction) -> None:
        """Give the first state of `fsm` its actions: `subject`, and a witness on either side."""
        state = next(iter(fsm.states.values()))
        for action in (Witness(self, background=True), subject, Witness(self, background=True)):
            state.add_action(action)

    def nest(self, inner: Fsm) -> RunFsm:
        """Have A run `inner`."""
        self.runner = RunFsm(inner)
        self.inhabit(self.outer, self.runner)
        return self.runner

    @property
    def machines(self) -> tuple[Fsm, ...]:
        return (self.outer,) if self.runner is None else (self.outer, self.runner.machine)

    def happen(self) -> None:
        """What the callback does: the first time, or each time if it is for ever."""
        if self.is_over or (self.times and not self.happens_for_ever):
            return
        self.times += 1
        try:
            self.happening(self.means)
        except FsmError:
            if not self.catches:
                raise

    def outcome_of(self, call: Callable[[], object]) -> str:
        """Make the call from outside in which it happens; say what came of it."""
        error = ""
        try:
            call()
        except Oops:
            error = ", it"
        except FsmError as refused:
            error = f", {SHORT[type(refused)]}"
        self.is_over = True
        if self.happens_for_ever and not error and self.times == 1:
            error = ", once"
        return self.where() + error

    def where(self) -> str:
        """Where the machine is, and the nested one, if it is where that is run."""
        state, runner = self.outer.current_state, self.runner
        if runner is None or state is None or runner not in state.actions:
            return self._where_is(self.outer)
        return f"{self._where_is(self.outer)}/{self._where_is(runner.machine)}"

    def _where_is(self, fsm: Fsm) -> str:
        state = fsm.current_state
        if state is None:
            return "stopped"
        first = next(action for action in state.actions if isinstance(action, Witness))
        again = " again" if self.journal.count(("enter", first)) > 1 else ""
        return " over ".join([state.name + again, *(each.name for each in fsm.suspended)])

    def owed(self) -> set["Witness"]:
        """The actions that are still to be exited; fails if one was called out of turn."""
        entered: set[Witness] = set()
        suspended: set[Witness] = set()
        for callback, witness in self.journal:
            assert (witness in entered) == (callback != "enter"), f"{callback} out of turn"
            assert callback != "update" or witness not in suspended
            assert callback != "resume" or witness in suspended
            if callback == "enter":
                entered.add(witness)
            elif callback == "suspend":
                suspended.add(witness)
            elif callback in ("resume", "exit"):
                suspended.discard(witness)
            if callback == "exit":
                entered.remove(witness)
        return entered


class Witness(FsmAction):
    """An action that notes its callbacks, and may react to them."""

    def __init__(
        self,
        world: World,
        reactions: Mapping[str, Callable[[], object]] | None = None,
        *,
        background: bool = False,
    ) -> None:
        self.world = world
        self.reactions = dict(reactions or {})
        self.background = background

    def on_enter(self) -> None:
        self.react("enter")
        self.note("enter")  # what raises was not entered

    def on_update(self) -> None:
        self.note("update")
        self.react("update")

    def on_exit(self) -> None:
        self.note("exit")
        self.react("exit")

    def on_suspend(self) -> None:
        self.note("suspend")
        self.react("on_suspend")

    def on_resume(self) -> None:
        self.note("resume")
        self.react("on_resume")

    def note(self, callback: str) -> None:
        self.world.journal.append((callback, self))

    def react(self, callback: str) -> None:
        if callback in self.reactions:
            self.reactions[callback]()


class Listener(Witness):
    """A witness that takes the event HEARD."""

    def on_event(self, event: str, data: Any) -> bool:
        if event == "HEARD":
            self.react("on_event")
        return event == "HEARD"

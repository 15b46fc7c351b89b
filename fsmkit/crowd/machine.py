"""CrowdFsm: one definition for a crowd of agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from fsmkit import Fsm, FsmState
from fsmkit.core.checks import arguments
from fsmkit.crowd.action import Behaviour
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.guard import check_transition
from fsmkit.crowd.individual import Individual, IndividualFsm
from fsmkit.crowd.records import check_writable, record_of, world_record_of
from fsmkit.introspection import walk


class CrowdFsm(IndividualFsm):
    """A machine that runs over the columns of a Crowd.

    `agent` is an attrs class whose fields are the columns, `world` one for the shared values;
    their fields are float, int (or an IntEnum) or bool, those of the world also a Table, and have
    defaults. States, transitions and global ones are those of any Fsm; actions are CrowdActions,
    guards CrowdGuards. Pictures and checks work on it as on any machine. Alone it runs as one
    agent, for `fsmkit run` and the like. Raises CrowdError for other classes.

    >>> from attrs import define
    >>> @define
    ... class Npc:
    ...     x: float = 0.0
    >>> machine = CrowdFsm("Npc", Npc)
    >>> patrol = machine.add_state("Patrol")
    >>> machine.states
    mappingproxy({'Patrol': <FsmState 'Patrol' of Fsm 'Npc'>})
    """

    __slots__ = ("_retiring", "agent", "agent_record", "world", "world_record")

    _wrapper_: ClassVar[str] = "CrowdAction"

    def __init__(
        self,
        name: str,
        agent: type,
        world: type | None = None,
        *,
        on_unhandled: Literal["warn", "ignore", "raise"] = "warn",
        max_transitions: int = 100,
        carry_time: Literal[False] = False,
    ) -> None:
        self.agent = agent
        self.world = world
        self.agent_record = record_of(agent, "The agents of a crowd")
        self.world_record = world_record_of(world, "The shared values of a crowd")
        _check_carry_time(name, carry_time)
        single = Individual(agent(), world() if world is not None else None)
        check_writable(single.agent)
        super().__init__(name, single, on_unhandled=on_unhandled, max_transitions=max_transitions)
        self._retiring: frozenset[str] = frozenset()

    def add_state(
        self, name: str, *, final: bool = False, failed: bool = False, retire: bool = False
    ) -> FsmState[Individual]:
        """Add a state and return it; see `Fsm`.

        With `retire`, agents that are in the state at the end of a step, with its actions entered,
        are removed from the crowd. Such a state is final, too. A single machine stays in it.
        Raises CrowdError for one that is `failed`.
        """
        place = f"Fsm {self.name!r}, state {name!r}"
        arguments.flag(retire, f"{place}: retire")
        if failed:
            raise CrowdError(
                f"{place}: failed must be False, got {failed!r}: nothing fails in a crowd. Mark it "
                "as final alone."
            )
        state = super().add_state(name, final=final or retire)
        self._retiring = self._retiring - {name} | ({name} if retire else set())
        return state

    @property
    def retiring(self) -> tuple[str, ...]:
        """The names of the states in which agents are removed, in order of adding."""
        return tuple(name for name in self.states if name in self._retiring)

    def single(self, individual: Individual) -> Fsm[Individual]:
        """Return an ordinary machine that does the same for one agent."""
        fsm = IndividualFsm(
            self.name,
            context=individual,
            on_unhandled="ignore",  # checked when the crowd was made
            max_transitions=self.max_transitions,
        )
        self._build(fsm)
        return fsm

    def copy(self) -> CrowdFsm:
        """Return a copy of the machine. Raises CrowdError if no crowd can run it."""
        _check_carry_time(self.name, self.carry_time)
        copy = CrowdFsm(
            self.name,
            self.agent,
            self.world,
            on_unhandled=self.on_unhandled,
            max_transitions=self.max_transitions,
        )
        self._build(copy)
        copy._retiring = self._retiring
        return copy

    def _build(self, other: Fsm[Any]) -> None:
        for state in walk.states(self):
            same = other.add_state(state.name, final=state.final)
            for index, action in enumerate(walk.own_actions(state)):
                if not isinstance(action, Behaviour):
                    raise CrowdError(
                        f"{state}, actions[{index}] must be an action for crowds, got "
                        f"{type(action).__name__}. Use CrowdAction or fsmkit.crowd.library."
                    )
                same.add_action(action.unattached_copy())
        for group in walk.groups(self):
            other.add_group(group.name, *(state.name for state in group))
        for owned in walk.transitions(self):
            add: Callable[..., object] = other.add_global_transition
            where, each = f"Fsm {self.name!r}, global transition", owned.transition
            if not isinstance(owned.owner, Fsm):
                same_owners = {**other.states, **other.groups}
                add = same_owners[owned.owner.name].add_transition
                where = f"{owned.owner}, transition"
            check_transition(where, each)
            add(each.event, each.target.name, when=each.when)


def _check_carry_time(name: str, carry_time: object) -> None:
    if carry_time:
        raise CrowdError(
            f"Fsm {name!r}: carry_time must be False, got {carry_time!r}: in a crowd all agents "
            "make the same steps. Leave it out."
        )

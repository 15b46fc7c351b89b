"""The shape of a machine: equal for machines that are built alike."""

from actions import Log, Move, RunFsm, Sequence, TimedWait
from fsmkit import BACK, Fsm, FsmAction
from fsmkit.introspection.shape import (
    ActionShape,
    TransitionShape,
    action_shape,
    machine_shape,
)
from fsmkit.space import Transform


class Runs(FsmAction[object]):
    """Runs machines that it is given later."""

    inner: tuple[Fsm, ...] = ()

    @property
    def machines(self) -> tuple[Fsm, ...]:
        return self.inner


def guard(name: str = "Guard", seconds: float = 1.0) -> Fsm:
    fsm = Fsm(name)
    patrol, alarm = fsm.add_state("Patrol"), fsm.add_state("Alarm", final=True)
    patrol.add_action(Sequence(TimedWait(seconds), Log("waited")))
    patrol.add_transition("SEEN", alarm, when=lambda: True)
    fsm.add_global_transition("CALM", BACK)
    return fsm


def test_names_of_machines_and_parameters_of_actions_make_no_difference() -> None:
    assert machine_shape(guard()) == machine_shape(guard("Other", 5.0))
    assert hash(machine_shape(guard())) == hash(machine_shape(guard("Other", 5.0)))


def test_states_actions_and_transitions_make_a_difference() -> None:
    shape = machine_shape(guard())
    for change in (
        lambda fsm: fsm.add_state("More"),
        lambda fsm: fsm.states["Alarm"].add_action(Log("alarm")),
        lambda fsm: fsm.states["Patrol"].add_transition("HEARD", "Alarm"),
        lambda fsm: fsm.add_global_transition("HEARD", "Alarm"),
    ):
        other = guard()
        change(other)
        assert machine_shape(other) != shape


def test_actions_do_not_count_where_they_are_left_out() -> None:
    other = guard()
    other.states["Alarm"].add_action(Log("alarm"))
    assert machine_shape(other, with_actions=False) == machine_shape(guard(), with_actions=False)


def test_the_caller_says_what_stands_for_a_function() -> None:
    (plain,) = machine_shape(guard()).states[0].transitions
    assert plain == TransitionShape("SEEN", "Alarm", True, None, False)
    (named,) = machine_shape(guard(), function=lambda each: "a guard").states[0].transitions
    assert named.when == "a guard"
    (back,) = machine_shape(guard()).transitions
    assert back.target is None


def test_nested_machines_have_shapes_too() -> None:
    def outer(inner: Fsm) -> Fsm:
        fsm = Fsm("Outer")
        fsm.add_state("Only").add_action(RunFsm(inner))
        return fsm

    assert machine_shape(outer(guard())) == machine_shape(outer(guard("Other")))
    assert machine_shape(outer(guard())) != machine_shape(outer(Fsm("Empty")))
    assert machine_shape(outer(guard()), inner=id) != machine_shape(outer(guard()), inner=id)


def test_a_machine_nested_in_itself_has_a_shape() -> None:
    fsm = Fsm("Mirror")
    fsm.add_state("Only").add_action(Runs()).inner = (fsm,)
    (action,) = machine_shape(fsm).states[0].actions
    assert action.machines == (None,)


def test_an_action_has_the_shape_of_its_class_and_children() -> None:
    shape = action_shape(Sequence(Move(Transform(), None, (1, 0), 1.0)), inner=id)
    assert shape.class_name == "Sequence"
    assert shape.children == (ActionShape("actions.move", "Move", (), ()),)


def test_groups_are_part_of_the_shape() -> None:
    one, other = Fsm("One"), Fsm("Other")
    for fsm in (one, other):
        patrol, dead = fsm.add_state("Patrol"), fsm.add_state("Dead")
        fsm.add_group("Alive", patrol).add_transition("SHOT", dead)
    assert machine_shape(one) == machine_shape(other)
    other.groups["Alive"].add("Dead")
    assert machine_shape(one) != machine_shape(other)

"""The machine of the model of compositions: see composition_model.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import define, field

Op = tuple[Any, ...]

MAX_OPERATIONS = 300
"""Of one world; those beyond do nothing."""

MAX_DEPTH = 8
"""Operations inside each other; events that call for each other would go on for ever."""


@define(eq=False)
class Spec:
    """An action of a composition: a leaf with scripts, or one that runs others.

    A script is a list of `(first, last, operation, argument)`: the operation is done in the calls
    of that callback from the first to the last, counted over the whole life of the leaf.
    """

    kind: str
    name: str
    children: list[Spec] = field(factory=list)
    enabled: bool = True
    finish_event: str | None = None
    scripts: dict[str, list[Op]] = field(factory=dict)
    takes: dict[str, bool] = field(factory=dict)
    """The events it hears; True if it takes them."""
    number: Any = None
    """Times, seconds or how many are needed, whatever the kind asks for."""
    more: Any = None
    """What else the kind asks for."""


class Failed(Exception):
    """What callbacks have raised, by name."""

    def __init__(self, *names: str) -> None:
        self.names = names

    @property
    def can_be_handled(self) -> bool:
        return "Abort" not in self.names


def together(failures: Iterable[Failed]) -> Failed:
    return Failed(*(name for failure in failures for name in failure.names))


class Node:
    """What the model knows of an action."""

    def __init__(self, spec: Spec, parent: Node | None = None) -> None:
        self.spec = spec
        self.kind = spec.kind
        self.parent = parent
        self.children = [Node(child, self) for child in spec.children]
        self.inside = self.entering = self.finished = self.failed = False
        self.aside = False
        """Whether it is suspended by its parent, and inside as well."""
        self.out: list[int] = []
        """The places of the options that have failed."""
        self.asked: dict[tuple[str, int], int] = {}
        """How often a function of an option was asked."""
        self.reason: str | None = None
        self.failing: list[Node] = []
        """The children that have failed, in that order."""
        self.on_stack = 0
        self.calls: dict[str, int] = {}
        self.ready_at = self.passed = self.pause = 0.0
        self.position = self.rounds = self.tries = self.backoff = 0
        self.waiting = False

    @property
    def those_inside(self) -> list[Node]:
        return [child for child in self.children if child.inside and not child.aside]

    @property
    def is_aside(self) -> bool:
        return self.aside or (self.parent is not None and self.parent.is_aside)

    @property
    def those_done(self) -> list[Node]:
        return [child for child in self.those_inside if child.finished and not child.failed]

    def be_reset(self) -> None:
        self.finished = self.failed = False
        self.reason = None
        if self.parent is not None and self in self.parent.failing:
            self.parent.failing.remove(self)

    def all_nodes(self) -> list[Node]:
        return [self, *(node for child in self.children for node in child.all_nodes())]


class Machine:
    """The machine, a leaf, and what holds for every action."""

    def __init__(self, specs: list[Spec], transitions: set[str]) -> None:
        self.tops = [Node(spec) for spec in specs]
        self.nodes = {node.spec.name: node for top in self.tops for node in top.all_nodes()}
        self.transitions = transitions
        self.journal: list[str] = []
        self.running = self.working = False
        self.finished_is_due = self.cannot_finish = False
        self.decided: str | None = None
        self.cause: tuple[str, str | None] | None = None
        """The event that decided the last change, with its data."""
        self.queue: list[str] = []
        self.delayed: list[str] = []
        self.failures: list[Failed] = []
        self.part: list[Node] = []
        self.done: set[Node] = set()
        self.time = 0.0
        self.operations = self.depth = 0
        self.phase = "rest"
        self.leaving = False

    # Calls from outside: each returns the names of the errors that reach the caller

    def start(self) -> list[str]:
        self.decided = "Work"
        return self.settle()

    def stop(self) -> list[str]:
        if self.running:
            self.decided = "stop"
        return self.settle() if self.running else []

    def send(self, event: str) -> list[str]:
        return self.settle() or self.outside(lambda: self.offer_all(event))

    def finish_one(self, name: str) -> list[str]:
        return self.outside(lambda: self.finish(self.nodes[name]))

    def fail_one(self, name: str) -> list[str]:
        return self.outside(lambda: self.fail(self.nodes[name], name))

    def update(self) -> list[str]:
        if not self.running:
            return []
        self.time += 1.0
        was_working = self.working
        if errors := self.settle():
            return errors
        for event in list(self.delayed):
            if event in self.delayed:
                self.delayed.remove(event)
                if errors := self.outside(lambda event=event: self.offer_all(event)):  # type: ignore[misc]
                    return errors
        if self.working and was_working:
            self.walk("update", self.part, self.update_node)
        return self.settle() if self.decided or self.failures else []

    def outside(self, call: Callable[[], object]) -> list[str]:
        try:
            call()
        except Failed as failure:
            self.decided = None
            return sorted(failure.names)
        return self.settle()

    # The machine

    def settle(self) -> list[str]:
        while True:
            if self.decided:
                self.change(self.decided)
            elif self.failures:
                failure, self.failures = together(self.failures), []
                if not (failure.can_be_handled and self.working and "ERROR" in self.transitions):
                    return sorted(failure.names)
                self.decided, self.cause = "Rest", ("ERROR", None)
            elif self.finished_is_due:
                self.finished_is_due = False
                if not self.cannot_finish:
                    self.offer_all("FINISHED")
            elif self.queue:
                self.offer_all(self.queue.pop(0))
            else:
                return []

    def change(self, target: str) -> None:
        self.decided = None
        self.finished_is_due = self.cannot_finish = False
        self.leaving = True
        for top in self.part:
            if top.inside:
                self.attempt("exit", top, self.leave)
        self.leaving = False
        for top in self.tops:
            top.be_reset()
        self.part, self.done, self.delayed = [], set(), []
        self.running, self.working = target != "stop", target == "Work"
        if self.working:
            self.part = [top for top in self.tops if top.spec.enabled]
            self.walk("enter", self.part, self.enter)
            if not self.part and "FINISHED" in self.transitions:
                self.offer_all("FINISHED")

    def walk(self, phase: str, tops: list[Node], call: Callable[[Node], None]) -> None:
        before = len(self.failures)
        for top in tops:
            if self.decided or len(self.failures) > before:
                return
            if phase == "enter" or (top.inside and not top.finished):
                self.attempt(phase, top, call)

    def attempt(self, phase: str, top: Node, call: Callable[[Node], None]) -> None:
        self.phase = phase
        try:
            call(top)
        except Failed as failure:
            self.failures.append(failure)
            self.decided = None
        self.phase = "rest"

    def offer_all(self, event: str, data: str | None = None) -> bool:
        """Send an event."""
        if self.decided:
            self.queue += [event] if self.decided != "stop" else []
            return self.decided != "stop"
        if self.phase != "exit" and self.is_taken(event):
            return True
        if not (self.working and event in self.transitions):
            return False
        if self.phase == "exit":
            raise Failed("OnExit")
        self.decided, self.cause = "Rest", (event, data)
        return True

    def is_taken(self, event: str) -> bool:
        phase = self.phase
        self.phase = "event" if phase == "rest" else phase
        try:
            return any(self.offer(top, event) or self.decided for top in self.part)
        except Failed as failure:
            self.decided = None
            if phase != "rest":
                raise  # to whoever has sent the event
            self.failures.append(failure)
            return True
        finally:
            self.phase = phase

    def finish(self, node: Node) -> None:
        if not self.may_end(node):
            return
        node.finished = True
        if node.parent is None:
            self.done.add(node)
        try:
            if node.spec.finish_event:
                self.offer_all(node.spec.finish_event)
        except Failed:
            self.finished_is_due = self.is_last(node) and "FINISHED" in self.transitions
            raise
        if self.is_last(node) and not self.decided and "FINISHED" in self.transitions:
            self.offer_all("FINISHED")

    def may_end(self, node: Node) -> bool:
        takes_part = (node.inside or node.entering) and not node.is_aside
        return takes_part and not node.finished and self.phase != "exit"

    def fail(self, node: Node, reason: str | None) -> None:
        if not self.may_end(node):
            return
        node.finished = node.failed = True
        node.reason = reason
        if node.parent is not None:
            node.parent.failing.append(node)
            return
        self.done.add(node)
        self.cannot_finish = True
        if not self.decided:
            self.offer_all("FAILED", reason)

    def is_last(self, node: Node) -> bool:
        is_last = node.parent is None and len(self.done) == len(self.part)
        return is_last and not self.cannot_finish

    # A leaf

    def script(self, node: Node, callback: str) -> None:
        node.calls[callback] = call = node.calls.get(callback, 0) + 1
        for first, last, operation, argument in node.spec.scripts.get(callback, []):
            may_do = self.operations < MAX_OPERATIONS and self.depth < MAX_DEPTH
            if first <= call <= last and may_do:
                self.operations += 1
                self.depth += 1
                try:
                    self.operate(node, operation, argument)
                finally:
                    self.depth -= 1

    def operate(self, node: Node, operation: str, argument: str) -> None:
        if operation == "send":
            self.journal.append(f"{node.spec.name} sends {argument}: {self.offer_all(argument)}")
        elif operation == "finish":
            self.finish(self.nodes[argument])
        elif operation == "fail":
            self.fail(self.nodes[argument], argument)
        elif operation == "later":
            if not self.leaving:
                self.delayed.append(argument)
        else:
            raise Failed(operation)

    # Every action

    def call(self, node: Node, call: Callable[[Node], Any]) -> Any:
        node.on_stack += 1
        try:
            return call(node)
        finally:
            node.on_stack -= 1

    def enter(self, node: Node) -> None:
        node.be_reset()
        node.entering = True
        try:
            if node.kind == "leaf":
                self.journal.append(f"enter {node.spec.name}")
                self.script(node, "enter")
            else:
                self.call(node, getattr(self, f"begin_{node.kind}"))
            node.inside = True
        except Failed as failure:
            if node.parent is not None:
                node.be_reset()
            self.leave_all(node, failure)
        finally:
            node.entering = False

    def update_node(self, node: Node) -> None:
        if node.finished or not node.inside:
            return
        if node.kind == "leaf":
            self.journal.append(f"update {node.spec.name}")
            self.script(node, "update")
        else:
            self.call(node, self.update_children)

    def update_children(self, node: Node) -> None:
        if node.kind in ("selector", "utility"):
            self.update_choosing(node)
            return
        if node.kind == "timeout" or (node.kind == "retry" and node.waiting):
            node.passed += 1.0
        children = node.those_inside
        for child in children:
            self.guarded(node, lambda child=child: self.update_node(child))  # type: ignore[misc]
            self.look(node)
            if self.over(node):
                return
        if not children:
            self.look(node)

    def offer(self, node: Node, event: str) -> bool:
        """Whether it took the event."""
        if not node.inside:
            return False
        if node.kind in ("cooldown", "region"):
            return bool(getattr(self, f"offer_{node.kind}")(node, event))
        if node.kind != "leaf":
            return bool(self.call(node, lambda node: self.offer_children(node, event)))
        if event in node.spec.takes:
            self.journal.append(f"{node.spec.name} hears {event}")
            self.script(node, event)
        return node.spec.takes.get(event, False)

    def offer_children(self, node: Node, event: str) -> bool:
        taken = False
        is_first = node.on_stack == 1
        for child in node.those_inside:
            if is_first:
                took = self.guarded(node, lambda child=child: self.offer(child, event))  # type: ignore[misc]
            else:
                took = self.offer(child, event)
            taken = bool(took) or taken
            if is_first:
                self.look(node)
            if self.decided:
                return True
            if taken and node.kind != "regions":
                return True
        return taken

    def guarded(self, node: Node, call: Callable[[], Any]) -> Any:
        """Call a callback of a child; where `node` is a Retry, an error ends the try."""
        if node.kind != "retry":
            return call()
        try:
            return call()
        except Failed as failure:
            if not failure.can_be_handled or self.over(node):
                raise
            if node.tries == node.spec.number:
                self.leave_all(node, failure)
        self.end_try(node)
        return None

    def end_try(self, node: Node) -> None:
        """Wait for the next try of a Retry."""
        if node.tries > 1:
            node.pause *= node.backoff
        node.passed, node.waiting = 0.0, True
        self.leave_all(node)

    def look(self, node: Node) -> None:
        if not self.over(node) and not self.fail_with_child(node):
            getattr(self, f"go_{node.kind}")(node)
            if not self.over(node):
                self.fail_with_child(node)

    def fail_with_child(self, node: Node) -> bool:
        failing = [child for child in node.failing if child.inside]
        culprit = self.culprit(node, failing) if failing else None
        if culprit is None:
            return False
        raised = []
        reason = culprit.reason
        if node.kind in ("sequence", "repeat", "race", "retry", "selector", "utility"):
            try:
                self.leave_all(node)
            except Failed as failure:
                raised.append(failure)
        try:
            self.fail(node, reason)
        except Failed as failure:
            raised.append(failure)
        if raised:
            raise together(raised)
        return True

    def culprit(self, node: Node, failing: list[Node]) -> Node | None:
        """The child with which a composition fails; None: it goes on."""
        inside = node.those_inside
        if node.kind == "race":
            return failing[-1] if len(failing) == len(inside) else None
        if node.kind in ("selector", "utility"):
            others = [i for i, c in enumerate(node.children) if c.spec.enabled]
            return failing[0] if {*others} <= {*node.out, node.position} else None
        if node.kind == "retry":
            return failing[0] if node.tries == node.spec.number else None
        if node.kind in ("parallel", "regions"):
            needed = min(node.spec.number or len(inside), len(inside))
            enough = len(inside) - needed + 1
            return failing[enough - 1] if len(failing) >= enough else None
        return failing[0]

    def over(self, node: Node) -> bool:
        return node.finished or self.decided is not None

    def leave(self, node: Node) -> None:
        node.inside = node.aside = False
        phase, self.phase = self.phase, "exit"
        try:
            if node.kind == "leaf":
                self.journal.append(f"exit {node.spec.name}")
                self.script(node, "exit")
            elif node.kind == "region":
                self.journal.append(f"exit {node.spec.name} in {node.position}")
            else:
                self.leave_all(node)
        finally:
            self.phase = phase
            if node.parent is not None:
                node.be_reset()

    def leave_all(self, node: Node, *failures: Failed) -> None:
        raised = list(failures)
        for child in [child for child in node.children if child.inside]:
            try:
                self.leave(child)
            except Failed as failure:
                raised.append(failure)
        if raised:
            raise together(raised)

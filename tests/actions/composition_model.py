"""A small model of the compositions, to hold the library's against.

It is written from what they promise, slowly and plainly: trees of nodes, a few functions a kind,
and a machine of two states, Work (with the trees) and Rest. `Model` and the machine that the file
composition_worlds.py builds come from the same specs, take the same calls and must leave the same
journal.
"""

from __future__ import annotations

from composition_machine import Failed, Machine, Node, together


class Model(Machine):
    """What each kind of composition does: `begin_KIND` on enter, `go_KIND` after a callback."""

    # Sequence

    def begin_sequence(self, node: Node) -> None:
        node.position = -1
        self.enter_next(node)
        self.look(node)

    def enter_next(self, node: Node) -> None:
        enabled = [i for i, c in enumerate(node.children) if c.spec.enabled and i > node.position]
        node.position = enabled[0] if enabled else len(node.children)
        if enabled:
            self.enter(node.children[node.position])

    def go_sequence(self, node: Node) -> None:
        raised = []
        while node.some_finished and not self.over(node):
            try:
                self.leave_all(node)
            except Failed as failure:
                raised.append(failure)
            try:
                self.enter_next(node)
            except Failed as failure:
                raised.append(failure)
                break
        if raised:
            raise together(raised)
        if node.position == len(node.children):
            self.finish(node)

    # Parallel and Regions

    def begin_parallel(self, node: Node) -> None:
        for child in node.children:
            if child.spec.enabled:
                self.enter(child)
                if self.over(node):
                    return
        self.look(node)

    def go_parallel(self, node: Node) -> None:
        finished = [child for child in node.those_inside if child.finished]
        needed = min(node.spec.number or len(node.those_inside), len(node.those_inside))
        if len(finished) >= needed:
            self.finish(node)

    begin_regions, go_regions = begin_parallel, go_parallel

    def begin_region(self, node: Node) -> None:
        node.position = 0
        self.journal.append(f"enter {node.spec.name}")

    def go_region(self, node: Node) -> None:
        """Nothing: its machine runs by events alone."""

    def offer_region(self, node: Node, event: str) -> bool:
        events = node.spec.more
        if node.finished or node.position == len(events) or event != events[node.position]:
            return False
        node.position += 1
        self.journal.append(f"{node.spec.name} reaches {node.position}")
        if node.position == len(events):
            self.finish(node)
        return True

    # Race

    def begin_race(self, node: Node) -> None:
        for child in node.children:
            if child.spec.enabled:
                self.enter(child)
                if self.over(node):
                    return
                if node.some_finished:
                    break
        self.look(node)

    def go_race(self, node: Node) -> None:
        if node.some_finished or not node.those_inside:
            self.leave_all(node)
            self.finish(node)

    # Repeat

    def begin_repeat(self, node: Node) -> None:
        node.rounds = 0
        if node.spec.number == 0 or not node.children[0].spec.enabled:
            self.finish(node)
        else:
            self.enter(node.children[0])
            self.end_repeat(node)

    def go_repeat(self, node: Node) -> None:
        if node.some_finished:
            node.rounds += 1
            raised = []
            try:
                self.leave_all(node)
            except Failed as failure:
                raised.append(failure)
            try:
                if node.rounds != node.spec.number:
                    self.enter(node.children[0])
            except Failed as failure:
                raised.append(failure)
            if raised:
                raise together(raised)
        self.end_repeat(node)

    def end_repeat(self, node: Node) -> None:
        is_last = node.rounds + 1 == node.spec.number
        if node.some_finished and is_last and not self.over(node):
            node.rounds += 1
            self.leave_all(node)
        if node.rounds == node.spec.number:
            self.finish(node)

    # Timeout

    def begin_timeout(self, node: Node) -> None:
        node.passed = 0.0
        if not node.children[0].spec.enabled:
            self.finish(node)
            return
        self.enter(node.children[0])
        self.look(node)

    def go_timeout(self, node: Node) -> None:
        if node.some_finished:
            self.finish(node)
        elif node.passed >= node.spec.number:
            self.leave_all(node)
            self.run_out(node)

    def run_out(self, node: Node) -> None:
        raised = []
        try:
            if node.spec.more:
                self.offer_all(node.spec.more)
        except Failed as failure:
            raised.append(failure)
        try:
            self.finish(node)
        except Failed as failure:
            raised.append(failure)
        if raised:
            raise together(raised)

    # When

    def begin_when(self, node: Node) -> None:
        if node.children[0].spec.enabled and node.spec.number:
            self.enter(node.children[0])
        self.look(node)

    def go_when(self, node: Node) -> None:
        if all(child.finished for child in node.those_inside):
            self.finish(node)

    # Cooldown

    def begin_cooldown(self, node: Node) -> None:
        self.finish(node)

    def go_cooldown(self, node: Node) -> None:
        """Nothing."""

    def offer_cooldown(self, node: Node, event: str) -> bool:
        if event != node.spec.more:
            return False
        if self.time < node.ready_at:
            return True
        node.ready_at = self.time + node.spec.number
        return False

    # Retry

    def begin_retry(self, node: Node) -> None:
        node.tries = 0
        node.pause, node.backoff = node.spec.more
        node.passed = node.pause
        node.waiting = node.children[0].spec.enabled
        if node.waiting:
            self.go_retry(node)
        else:
            self.finish(node)

    def go_retry(self, node: Node) -> None:
        while node.waiting and node.passed >= node.pause and not self.over(node):
            node.waiting = False
            node.tries += 1
            self.guarded(node, lambda: self.enter(node.children[0]))
        if node.some_finished and not self.over(node):
            self.finish(node)

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
        while node.those_done and not self.over(node):
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
        needed = min(node.spec.number or len(node.those_inside), len(node.those_inside))
        if len(node.those_done) >= needed:
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
        if node.position == len(events) and node.spec.number == "failed":
            self.fail(node, str(node.position))
        elif node.position == len(events):
            self.finish(node)
        return True

    # Race

    def begin_race(self, node: Node) -> None:
        for child in node.children:
            if child.spec.enabled:
                self.enter(child)
                if self.over(node):
                    return
                if node.those_done:
                    break
        self.look(node)

    def go_race(self, node: Node) -> None:
        if node.those_done or not node.those_inside:
            self.leave_all(node)
            self.finish(node)

    # Selector: `number` is whether it suspends, `more` what each condition answers, over and over.
    # Utility: `number` is the hysteresis, `more` has the scores as well.

    def begin_selector(self, node: Node) -> None:
        node.position, node.out = -1, []
        if not any(child.spec.enabled for child in node.children):
            self.finish(node)
            return
        self.turn(node, self.best(node))
        self.look_at_new(node)

    begin_utility = begin_selector

    def ask(self, node: Node, what: str, place: int) -> float:
        answers = node.spec.more[what][place]
        if answers is None:
            return True
        node.asked[what, place] = count = node.asked.get((what, place), -1) + 1
        return float(answers[count % len(answers)])

    def best(self, node: Node, *, in_update: bool = False) -> int:
        scores: dict[int, float] = {}
        for place, child in enumerate(node.children):
            if not child.spec.enabled:
                continue
            holds = self.ask(node, "when", place)
            if holds and place not in node.out:
                if node.kind == "selector":
                    return place
                scores[place] = self.ask(node, "score", place)
            if not holds and in_update and place in node.out:
                node.out.remove(place)
        best = max(scores, key=lambda place: scores[place], default=-1)
        goes_on = node.position in scores and not node.children[node.position].finished
        if goes_on and scores[best] <= scores[node.position] + node.spec.number:
            return node.position
        return best

    def update_choosing(self, node: Node) -> None:
        if any(child.finished for child in node.those_inside):
            self.look(node)
            return
        best = self.best(node, in_update=True)
        if best == node.position and node.those_inside:
            self.update_node(node.children[best])
            self.look(node)
        elif best != -1 or node.position != -1:
            self.turn(node, best)
            self.look_at_new(node)

    def look_at_new(self, node: Node) -> None:
        if node.kind == "selector":
            self.look(node)
        else:  # one that finishes on enter is followed in the next update
            self.skip_failed(node)

    def skip_failed(self, node: Node) -> None:
        while any(child.failed for child in node.those_inside) and not self.over(node):
            if not self.fail_with_child(node):
                node.out.append(node.position)
                self.turn(node, self.best(node))

    def turn(self, node: Node, best: int) -> None:
        """Leave the option that runs, exiting or suspending it, and enter or resume the best."""
        raised = []
        before, node.position = node.position, -1
        try:
            if before != -1:
                child = node.children[before]
                suspends = node.kind == "selector" and node.spec.number
                if suspends and -1 < best < before and not child.finished:
                    child.aside = True
                    self.note_all("suspend", child)
                else:
                    self.leave(child)
        except Failed as failure:
            raised.append(failure)
        try:
            if best != -1 and node.children[best].aside:
                node.children[best].aside = False
                self.note_all("resume", node.children[best])
            elif best != -1:
                self.enter(node.children[best])
            node.position = best
        except Failed as failure:
            raised.append(failure)
        if raised:
            raise together(raised)

    def note_all(self, callback: str, node: Node) -> None:
        if node.kind == "leaf":
            self.journal.append(f"{callback} {node.spec.name}")
        for child in node.those_inside:
            self.note_all(callback, child)

    def go_utility(self, node: Node) -> None:
        self.skip_failed(node)
        if node.those_done and not self.over(node):
            node.out = []
            self.turn(node, self.best(node))
            self.skip_failed(node)

    def go_selector(self, node: Node) -> None:
        self.skip_failed(node)
        if node.those_done and not self.over(node):
            raised = []
            for step in (self.leave_all, self.finish):
                try:
                    step(node)
                except Failed as failure:
                    raised.append(failure)
            if raised:
                raise together(raised)

    # Repeat

    def begin_repeat(self, node: Node) -> None:
        node.rounds = 0
        if node.spec.number == 0 or not node.children[0].spec.enabled:
            self.finish(node)
        else:
            self.enter(node.children[0])
            self.end_repeat(node)

    def go_repeat(self, node: Node) -> None:
        if node.those_done:
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
        if node.those_done and is_last and not self.over(node):
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
        if node.those_done:
            self.finish(node)
        elif node.passed >= node.spec.number:
            self.leave_all(node)
            self.run_out(node)

    def run_out(self, node: Node) -> None:
        event, fails = node.spec.more
        raised = []
        try:
            if event:
                self.offer_all(event)
        except Failed as failure:
            raised.append(failure)
        try:
            if fails:
                self.fail(node, f"not done within {node.spec.number:g} s")
            else:
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
            self.look(node)
        else:
            self.finish(node)

    def go_retry(self, node: Node) -> None:
        self.end_failed_try(node)
        while node.waiting and node.passed >= node.pause and not self.over(node):
            node.waiting = False
            node.tries += 1
            self.guarded(node, lambda: self.enter(node.children[0]))
            self.end_failed_try(node)
        if node.those_done and not self.over(node):
            self.finish(node)

    def end_failed_try(self, node: Node) -> None:
        is_broken = any(child.failed for child in node.those_inside)
        if is_broken and node.tries < node.spec.number and not self.over(node):
            self.end_try(node)

"""Translates the statements of a function: in this file what Python calls compound ones."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any

from attrs import frozen

from fsmkit.crowd.compiler.constants import is_number
from fsmkit.crowd.compiler.loops import MAX_TURNS, RETURNED, Loop, assigns, reads, turns_of
from fsmkit.crowd.compiler.match_cases import branches_of
from fsmkit.crowd.compiler.operations import join
from fsmkit.crowd.compiler.simple_statements import SimpleStatements, assign
from fsmkit.crowd.errors import SubsetError
from fsmkit.crowd.source import Source


class _FlagNeededError(Exception):
    """A function returns in the middle of a branch that may also go on."""


@frozen
class Flow:
    """A block of statements, and its ending."""

    statements: list[ast.stmt]
    ends: bool = False
    """True if nothing behind it is executed: it returns, or leaves a turn of a loop."""
    jumps: frozenset[int] = frozenset()
    """The ways in which it may skip what follows, as numbers: see `Loop` and `RETURNED`."""

    @property
    def may_end(self) -> bool:
        """True if what follows may have to be skipped."""
        return bool(self.jumps)


class Statements(SimpleStatements):
    """All statements of one function.

    Early returns become branches: statements after `if ...: return` are put into its `else`.
    """

    returns_at_once = False
    """True if a `return` stays a `return`."""

    def __init__(self, source: Source, *arguments: Any, **options: Any) -> None:
        super().__init__(source, *arguments, **options)
        self.has_flag = False
        self._loops: list[Loop] = []
        """Those that the statement is in."""
        self._turns = 0
        self._names = 0
        self._jumps = any(
            isinstance(node, (ast.Break, ast.Continue))
            for statement in source.body
            for node in ast.walk(statement)
        )

    def translate(self) -> list[ast.stmt]:
        """Translate the whole function. Raises SubsetError if it cannot be compiled."""
        try:
            return self._translated()
        except SubsetError as error:
            if not self._is_ready_made:
                raise
            raise SubsetError(f"{self.expressions.binding.where}, {error}") from error

    def _translated(self) -> list[ast.stmt]:
        return self._flow().statements or [ast.Pass()]

    def _flow(self) -> Flow:
        """Translate the whole function, with a flag if one is needed."""
        beginning = dict(self.expressions.locals)
        try:
            flow = self._whole_block()
        except _FlagNeededError:
            self.has_flag = True
            self.expressions.locals = beginning
            flow = self._whole_block()
        if self.has_flag:
            flow = _then(Flow(self._skip(0)), flow)
        return flow

    def _whole_block(self) -> Flow:
        self._loops, self._turns, self._names = [], 0, 0
        self.expressions.constants, self.expressions.mixed = {}, set()
        return self._block(self.source.body)

    @property
    def _flag(self) -> str:
        return self.expressions.new_local("over")

    def _skip(self, jump: int) -> list[ast.stmt]:
        """Set the flag: 0 to go on, else what follows is skipped."""
        return [assign(self._flag, ast.Constant(jump if self._jumps else bool(jump)))]

    def _block(self, statements: Sequence[ast.stmt]) -> Flow:
        done = Flow([])
        for index, statement in enumerate(statements):
            rest = statements[index + 1 :]
            if isinstance(statement, ast.Return):
                jumps = frozenset() if self.returns_at_once else frozenset({RETURNED})
                return _then(done, Flow(self._return(statement), True, jumps))
            if isinstance(statement, (ast.Break, ast.Continue)):
                return _then(done, self._jump(statement))
            if isinstance(statement, ast.If):
                return _then(done, self._if(statement, rest))
            if isinstance(statement, ast.For):
                return _then(done, self._followed(self._for(statement), rest))
            if isinstance(statement, ast.Match):
                return _then(done, self._block([*self._branches(statement), *rest]))
            done = _then(done, Flow(self._plain(statement)))
        return done

    def _followed(self, flow: Flow, rest: Sequence[ast.stmt]) -> Flow:
        """Add the statements that follow, to be skipped if it has ended."""
        if flow.ends or not rest:
            return flow
        if not flow.may_end:
            return _then(flow, self._block(rest))
        if not self.has_flag:
            raise _FlagNeededError
        following = self._block(rest)
        return _then(
            flow,
            Flow([self._unless_over(following.statements)], following.ends, following.jumps),
        )

    def _branches(self, node: ast.Match) -> list[ast.stmt]:
        self._names += 1
        unused = self.expressions.unused(f"matched{self._names}_")
        return branches_of(node, self.expressions, unused)

    def _if(self, node: ast.If, rest: Sequence[ast.stmt]) -> Flow:
        test, before = self._with_preparation(node, lambda: self.expressions.test(node.test))
        known = dict(self.expressions.locals)
        body = self._block(node.body)
        after_body, self.expressions.locals = self.expressions.locals, dict(known)
        orelse = self._block(node.orelse)
        after_else = self.expressions.locals
        if body.ends and orelse.ends:
            return _if(before, test, body, orelse)
        if body.ends and not (orelse.may_end and rest):
            self.expressions.locals = after_else
            return _if(before, test, body, _then(orelse, self._block(rest)))
        if orelse.ends and not (body.may_end and rest):
            self.expressions.locals = after_body
            return _if(before, test, _then(body, self._block(rest)), orelse)
        if body.ends or orelse.ends:
            self.expressions.locals = after_else if body.ends else after_body
        else:
            self.expressions.locals = _meet(after_body, after_else)
            body = self._made_same(node, body, after_body)
            orelse = self._made_same(node, orelse, after_else)
        return self._followed(_if(before, test, body, orelse), rest)

    # Loops

    def _for(self, node: ast.For) -> Flow:
        """Write out a loop: its body for each turn, with what the variable stands for there."""
        expressions = self.expressions
        loop = Loop(len(self._loops) + 1)
        turns = turns_of(node, expressions)
        done = Flow([])
        self._loops.append(loop)
        for turn in turns:
            if not done.ends:
                done = self._unless_left(done, partial(self._turn, node, turn, loop))
        self._loops.pop()
        for name in {name for turn in turns for name in turn}:
            expressions.constants.pop(name, None)
        if node.orelse and not done.ends:
            done = self._unless_left(done, lambda: self._block(node.orelse))
        return self._after(done, loop.leaves, loop.left)

    def _unless_left(self, done: Flow, translate: Callable[[], Flow]) -> Flow:
        """Add a further turn, to be skipped if the loop has been left."""
        if not done.may_end:
            return _then(done, translate())
        if not self.has_flag:
            raise _FlagNeededError
        turn = translate()
        return _then(done, Flow([self._unless_over(turn.statements)], turn.ends, turn.jumps))

    def _turn(self, node: ast.For, values: Mapping[str, Any], loop: Loop) -> Flow:
        self._turns += 1
        if self._turns > MAX_TURNS:
            raise self.source.refuse(
                node, f"the loops have more than {MAX_TURNS} turns together, and are written out "
                "when they are compiled.", "Take fewer.",
            )  # fmt: skip
        loop.skipped = []
        first = [each for item in values.items() for each in self._set(node, *item)]
        return self._after(_then(Flow(first), self._block(node.body)), loop.skips, loop.skipped)

    def _set(self, node: ast.For, name: str, value: Any) -> list[ast.stmt]:
        """Let a variable of a loop stand for a constant, until it is assigned to."""
        expressions = self.expressions
        expressions.constants.pop(name, None)
        if not assigns(node.body, name):
            expressions.constants[name] = value
        is_read = name not in expressions.constants or reads(self.source.body, name) > reads(
            [node], name
        )
        if not is_number(value) or not is_read:
            expressions.locals.pop(name, None)
            return []
        translated, kind = expressions.number(node, value, name)
        expressions.locals[name] = kind
        return [assign(expressions.variable(name, kind), translated)]

    def _jump(self, node: ast.Break | ast.Continue) -> Flow:
        loop, kinds = self._loops[-1], dict(self.expressions.locals)
        is_break = isinstance(node, ast.Break)
        (loop.left if is_break else loop.skipped).append(kinds)
        jump = loop.leaves if is_break else loop.skips
        return Flow(self._skip(jump) if self.has_flag else [], True, frozenset({jump}))

    def _after(self, flow: Flow, jump: int, jumped: Sequence[dict[str, str]]) -> Flow:
        """Return the flow behind the place that a jump leads to, where the flag is 0 again."""
        ends = [*([] if flow.ends else [self.expressions.locals]), *jumped]
        if ends:
            self.expressions.locals = reduce(self._agreed, ends)
        again: list[ast.stmt] = []
        if jump in flow.jumps and self.has_flag:
            is_jump = ast.Compare(ast.Name(self._flag), [ast.Eq()], [ast.Constant(jump)])
            again = [ast.If(is_jump, self._skip(0), [])]
        return Flow([*flow.statements, *again], not ends, flow.jumps - {jump})

    def _agreed(self, one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
        """Return the variables that have a value of one kind on both paths."""
        both = {name for name in one if name in other}
        same = {name for name in both if one[name] == other[name]}
        self.expressions.mixed |= both - same
        return {name: one[name] for name in one if name in same}

    # Statements without others within

    def _made_same(self, node: ast.stmt, branch: Flow, kinds: dict[str, str]) -> Flow:
        """Return a branch whose variables have, at its end, the kinds that they have after it."""
        made: list[ast.stmt] = []
        for name, kind in self.expressions.locals.items():
            if kind != kinds[name]:
                made += self._joined(node, name, kinds[name], kind)
        if made and branch.may_end:
            if self._loops and not self.has_flag:
                raise _FlagNeededError
            # Without a flag no later statement can read them.
            made = [self._unless_over(made)] if self.has_flag else []
        return Flow([*branch.statements, *made], branch.ends, branch.jumps)

    def _joined(self, node: ast.stmt, name: str, kind: str, wanted: str) -> list[ast.stmt]:
        variable = self.expressions.variable
        joined, before = self._with_preparation(
            node,
            lambda: self.expressions.joined(ast.Name(variable(name, kind)), kind, wanted),
        )
        return [*before, assign(variable(name, wanted), joined)]

    def _unless_over(self, statements: list[ast.stmt]) -> ast.stmt:
        return ast.If(ast.UnaryOp(ast.Not(), ast.Name(self._flag)), statements, [])

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        over = self._skip(RETURNED) if self.has_flag else []
        if node.value is not None and self.births.is_call(node.value):  # of a lambda
            return [*self.births.translated(node, node.value), *over]
        return [*self._sent(node, node.value), *over]


def _if(before: list[ast.stmt], test: ast.expr, body: Flow, orelse: Flow) -> Flow:
    if not body.statements and orelse.statements:
        branches = ast.If(ast.UnaryOp(ast.Not(), test), orelse.statements, [])
    else:
        branches = ast.If(test, body.statements or [ast.Pass()], orelse.statements)
    return Flow([*before, branches], body.ends and orelse.ends, body.jumps | orelse.jumps)


def _meet(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """Return the variables that have a value on both paths."""
    return {name: join(kind, other[name]) for name, kind in one.items() if name in other}


def _then(first: Flow, second: Flow) -> Flow:
    return Flow([*first.statements, *second.statements], second.ends, first.jumps | second.jumps)

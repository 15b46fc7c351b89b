"""Translates whole functions: branches, and loops over constants, which are unrolled.

Loops and early returns need a flag, by which later statements are skipped; most functions do not.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Any, ClassVar, Final, NoReturn

from attrs import define, field, frozen

from fsmkit.crowd.compiler.arithmetic import is_number
from fsmkit.crowd.compiler.lookups import Lookups
from fsmkit.crowd.compiler.match_cases import branches_of
from fsmkit.crowd.compiler.operations import join
from fsmkit.crowd.compiler.simple_statements import SimpleStatements, assign
from fsmkit.crowd.errors import SubsetError

MAX_ITERATIONS: Final = 100
"""The most iterations of all loops in a function, nested ones included."""

RETURNED: Final = 1
"""The value of the flag that stands for a `return`."""


@define(eq=False, slots=False)
class Statements(SimpleStatements):
    """All statements of one function.

    Early returns become branches: statements after `if ...: return` move into its `else`.
    """

    returns_at_once: ClassVar = False
    """True if a `return` stays a `return`."""

    has_flag: bool = field(default=False, init=False)
    _loops: list[Loop] = field(factory=list, init=False)
    """The loops around the current statement."""
    _iterations: int = field(default=0, init=False)
    _names: int = field(default=0, init=False)
    _flag: str = field(init=False)
    _jumps: bool = field(init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._flag = self.expressions.new_local("over")
        jumps = (ast.Break, ast.Continue)
        self._jumps = any(isinstance(node, jumps) for node in walked(self.source.body))

    def translate(self) -> list[ast.stmt]:
        try:
            return self._flow().statements or [ast.Pass()]
        except SubsetError as error:
            if not self._is_ready_made:
                raise
            raise SubsetError(f"{self.expressions.binding.where}, {error}") from error

    def _flow(self) -> Flow:
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
        self._loops, self._iterations, self._names = [], 0, 0
        self.expressions.constants, self.expressions.mixed = {}, set()
        return self._block(self.source.body)

    def _skip(self, jump: int) -> list[ast.stmt]:
        """Set the flag: 0 to continue, otherwise later statements are skipped."""
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
                self._names += 1
                unused = self.expressions.unused(f"matched{self._names}_")
                branches = branches_of(statement, self.expressions, unused)
                return _then(done, self._block([*branches, *rest]))
            done = _then(done, Flow(self._plain(statement)))
        return done

    def _followed(self, flow: Flow, rest: Sequence[ast.stmt]) -> Flow:
        if flow.ends or not rest:
            return flow
        return self._unless_left(flow, lambda: self._block(rest))

    def _unless_left(self, done: Flow, translate: Callable[[], Flow]) -> Flow:
        """Add statements or an iteration, skipped if the function or the loop was left."""
        if not done.jumps:
            return _then(done, translate())
        if not self.has_flag:
            raise _FlagNeededError
        more = translate()
        return _then(done, Flow([self._unless_over(more.statements)], more.ends, more.jumps))

    def _if(self, node: ast.If, rest: Sequence[ast.stmt]) -> Flow:
        test, before = self._with_preparation(node, lambda: self.expressions.test(node.test))
        known = dict(self.expressions.locals)
        body = self._block(node.body)
        after_body, self.expressions.locals = self.expressions.locals, dict(known)
        orelse = self._block(node.orelse)
        after_else = self.expressions.locals
        if body.ends and orelse.ends:
            return _if(before, test, body, orelse)
        if body.ends and not (orelse.jumps and rest):
            self.expressions.locals = after_else
            return _if(before, test, body, _then(orelse, self._block(rest)))
        if orelse.ends and not (body.jumps and rest):
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
        """Unroll a loop: translate its body once per iteration, with constant variables."""
        expressions = self.expressions
        skips = 2 * len(self._loops) + 2
        loop = Loop(skips, skips + 1)
        iterations = iterations_of(node, expressions)
        done = Flow([])
        self._loops.append(loop)
        for iteration in iterations:
            if not done.ends:
                done = self._unless_left(done, partial(self._iteration, node, iteration, loop))
        self._loops.pop()
        for name in {name for iteration in iterations for name in iteration}:
            expressions.constants.pop(name, None)
        if node.orelse and not done.ends:
            done = self._unless_left(done, lambda: self._block(node.orelse))
        return self._after(done, loop.leaves, loop.left)

    def _iteration(self, node: ast.For, values: Mapping[str, Any], loop: Loop) -> Flow:
        self._iterations += 1
        if self._iterations > MAX_ITERATIONS:
            raise self.source.refuse(
                node, f"the loops have more than {MAX_ITERATIONS} iterations together, and are "
                "unrolled when they are compiled.", "Use fewer.",
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
        """Return the flow after the target of a jump, where the flag is 0 again."""
        ends = [*([] if flow.ends else [self.expressions.locals]), *jumped]
        if ends:
            self.expressions.locals = reduce(self._agreed, ends)
        again: list[ast.stmt] = []
        if jump in flow.jumps and self.has_flag:
            is_jump = ast.Compare(ast.Name(self._flag), [ast.Eq()], [ast.Constant(jump)])
            again = [ast.If(is_jump, self._skip(0), [])]
        return Flow([*flow.statements, *again], not ends, flow.jumps - {jump})

    def _agreed(self, one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
        """Return the variables that have the same kind on both paths."""
        self.expressions.mixed |= {n for n, kind in one.items() if other.get(n, kind) != kind}
        return {name: kind for name, kind in one.items() if other.get(name) == kind}

    # Statements without others within

    def _made_same(self, node: ast.stmt, branch: Flow, kinds: dict[str, str]) -> Flow:
        made: list[ast.stmt] = []
        for name, kind in self.expressions.locals.items():
            if kind != kinds[name]:
                made += self._joined(node, name, kinds[name], kind)
        if made and branch.jumps:
            if self._loops and not self.has_flag:
                raise _FlagNeededError
            # Without a flag no later statement can read them.
            made = [self._unless_over(made)] if self.has_flag else []
        return Flow([*branch.statements, *made], branch.ends, branch.jumps)

    def _joined(self, node: ast.stmt, name: str, kind: str, wanted: str) -> list[ast.stmt]:
        variable = self.expressions.variable
        value = ast.Name(variable(name, kind))
        joined, before = self._with_preparation(
            node, lambda: self.expressions.joined(value, kind, wanted)
        )
        return [*before, assign(variable(name, wanted), joined)]

    def _unless_over(self, statements: list[ast.stmt]) -> ast.stmt:
        return ast.If(ast.UnaryOp(ast.Not(), ast.Name(self._flag)), statements, [])

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        over = self._skip(RETURNED) if self.has_flag else []
        if node.value is not None and self._is_spawn(node.value):  # of a lambda
            return [*self._spawned(node, node.value), *over]
        return [*self._sent(node, node.value), *over]


@define(eq=False)
class Loop:
    skips: int
    """The value of the flag for an early end of an iteration."""
    leaves: int
    """The value of the flag for an early exit from the loop."""
    skipped: list[dict[str, str]] = field(factory=list)
    """The kinds of variables at each early end of this iteration."""
    left: list[dict[str, str]] = field(factory=list)
    """The kinds of variables at each early exit from the loop."""


def iterations_of(node: ast.For, expressions: Lookups) -> Sequence[Mapping[str, Any]]:
    values = expressions.members(node.iter)
    if values is None:
        _refuse(node, expressions)
    if len(values) > MAX_ITERATIONS:
        expressions.refuse(
            node, f"the loop has {len(values)} iterations, and is unrolled when it is compiled.",
            f"{MAX_ITERATIONS} are possible.",
        )  # fmt: skip
    return [dict(_assigned(node, expressions, node.target, each)) for each in values]


def _refuse(node: ast.For, expressions: Lookups) -> NoReturn:
    expressions.refuse_changeable(node.iter)
    text = ast.unparse(node.iter)
    if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range":
        expressions.refuse(
            node, f"{text} is not constant, but loops are unrolled when they are compiled.",
            "Loop over a constant range, and leave it with `break`.",
        )  # fmt: skip
    expressions.refuse(
        node, f"a loop over {text} cannot be compiled, as that is not constant.",
        "Loop over a constant range or tuple; let Cells or Places write quantities of neighbours.",
    )  # fmt: skip


def _assigned(
    node: ast.For, expressions: Lookups, target: ast.expr, value: Any
) -> list[tuple[str, Any]]:
    if isinstance(target, ast.Name):
        if target.id in expressions.roles:
            expressions.refuse(
                node, f"{target.id!r} is a parameter.", "Use a variable of another name."
            )
        return [(target.id, value)]
    if not isinstance(target, ast.Tuple) or any(isinstance(e, ast.Starred) for e in target.elts):
        expressions.refuse(
            node, f"{ast.unparse(target)} cannot be the variable of a loop.", "Use a variable."
        )
    if not isinstance(value, tuple) or len(value) != len(target.elts):
        expressions.refuse(
            node, f"{value!r} does not fit {ast.unparse(target)}.", "Use as many variables."
        )
    pairs = zip(target.elts, value, strict=True)
    return [one for part, each in pairs for one in _assigned(node, expressions, part, each)]


def assigns(statements: Sequence[ast.stmt], name: str) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.MatchAs) and node.name == name)
        for node in walked(statements)
    )


def reads(statements: Sequence[ast.stmt], name: str) -> int:
    return sum(
        isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
        for each in walked(statements)
    )


def walked(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    return (node for statement in statements for node in ast.walk(statement))


class _FlagNeededError(Exception):
    """A function returns in the middle of a branch that may also continue."""


@frozen
class Flow:
    statements: list[ast.stmt]
    ends: bool = False
    """True if nothing after it is executed: it returns, or ends an iteration."""
    jumps: frozenset[int] = frozenset()
    """The values of the flag with which it may skip what follows: see `Loop` and `RETURNED`."""


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

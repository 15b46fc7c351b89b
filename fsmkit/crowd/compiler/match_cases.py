"""Translates `match` over numbers into `if` and `elif`."""

from __future__ import annotations

import ast
from typing import NoReturn, TypeVar

from attrs import frozen

from fsmkit.crowd.compiler.operations import Operations

NodeT = TypeVar("NodeT", bound=ast.AST)


def branches_of(node: ast.Match, expressions: Operations, unused: str) -> list[ast.stmt]:
    """Return statements equivalent to a `match`. Raises SubsetError for unsupported patterns.

    `unused` is a prefix for variables that hold the subject, so that it is computed once.
    """
    is_tuple = isinstance(node.subject, ast.Tuple)
    subjects = node.subject.elts if isinstance(node.subject, ast.Tuple) else [node.subject]
    before: list[ast.stmt] = []
    names: list[ast.expr] = []
    for number, subject in enumerate(subjects):
        if isinstance(subject, ast.Starred):
            expressions.refuse(node, "`*` cannot be matched.", "Match numbers.")
        is_plain = isinstance(subject, (ast.Name, ast.Constant))
        if is_plain or expressions.operand(subject) is not None:
            names.append(subject)  # its value is the same for all cases
            continue
        name = f"{unused}{number}"
        before.append(_at(node, ast.Assign([ast.Name(name, ast.Store())], subject)))
        names.append(ast.Name(name, ast.Load()))
    kinds = [expressions.kind(subject) for subject in subjects]
    return [*before, *_Cases(node.cases, is_tuple, expressions, names, kinds).branches()]


@frozen
class _Cases:
    cases: list[ast.match_case]
    is_tuple: bool
    expressions: Operations
    subjects: list[ast.expr]
    kinds: list[str]

    def branches(self, first: int = 0) -> list[ast.stmt]:
        if first == len(self.cases):
            return []
        case = self.cases[first]
        tests, names = self._tests(case.pattern)
        test = self._all(case.pattern, tests)
        rest = self.branches(first + 1)
        if case.guard is None:
            body = [*names, *case.body]
            return body if test is None else [_at(case.pattern, ast.If(test, body, rest))]
        if test is None:
            return [*names, _at(case.guard, ast.If(case.guard, case.body, rest))]
        if names:
            self._refuse(
                case.pattern, "names a number that its `if` then tests",
                "Test the subject itself",
            )  # fmt: skip
        both = _at(case.guard, ast.BoolOp(ast.And(), [test, case.guard]))
        return [_at(case.guard, ast.If(both, case.body, rest))]

    def _all(self, pattern: ast.pattern, tests: list[ast.expr]) -> ast.expr | None:
        if not tests:
            return None
        return tests[0] if len(tests) == 1 else _at(pattern, ast.BoolOp(ast.And(), tests))

    def _tests(self, pattern: ast.pattern) -> tuple[list[ast.expr], list[ast.stmt]]:
        if not self.is_tuple:
            return self._of_number(pattern, self.subjects[0])
        if isinstance(pattern, ast.MatchAs) and pattern.name is None:
            return [], []
        if isinstance(pattern, ast.MatchOr):
            return [self._any(pattern, [self._tests(each) for each in pattern.patterns])], []
        count = len(self.subjects)
        if not isinstance(pattern, ast.MatchSequence) or len(pattern.patterns) != count:
            self._refuse(pattern, f"does not fit {count} numbers", f"Write {count} patterns, or _")
        found = list(map(self._of_number, pattern.patterns, self.subjects))
        return [t for tests, _ in found for t in tests], [n for _, names in found for n in names]

    def _of_number(
        self, pattern: ast.pattern, subject: ast.expr
    ) -> tuple[list[ast.expr], list[ast.stmt]]:
        if isinstance(pattern, ast.MatchValue):
            return [_at(pattern, ast.Compare(subject, [ast.Eq()], [pattern.value]))], []
        if isinstance(pattern, ast.MatchSingleton) and pattern.value is not None:
            return [self._is(pattern, subject, pattern.value)], []
        if isinstance(pattern, ast.MatchOr):
            found = [self._of_number(each, subject) for each in pattern.patterns]
            return ([self._any(pattern, found)] if all(tests for tests, _ in found) else []), []
        if isinstance(pattern, ast.MatchAs):
            inner = pattern.pattern
            tests, names = self._of_number(inner, subject) if inner else ([], [])
            if pattern.name is not None:
                target = ast.Name(pattern.name, ast.Store())
                names = [*names, _at(pattern, ast.Assign([target], subject))]
            return tests, names
        return self._refuse(pattern, "is not a pattern for numbers", "Match numbers, with | and _")

    def _any(
        self, pattern: ast.pattern, found: list[tuple[list[ast.expr], list[ast.stmt]]]
    ) -> ast.expr:
        if any(names for _, names in found):
            self._refuse(pattern, "names a number in one of several patterns", "Write two cases")
        if not all(tests for tests, _ in found):
            return ast.Constant(True)
        tests = [self._all(pattern, tests) or ast.Constant(True) for tests, _ in found]
        return _at(pattern, ast.BoolOp(ast.Or(), tests))

    def _is(self, pattern: ast.pattern, subject: ast.expr, wanted: bool) -> ast.expr:
        if self.kinds[self.subjects.index(subject)] != "bool":
            self._refuse(pattern, "is for fields that are bool", f"Write {int(wanted)}")
        return subject if wanted else _at(pattern, ast.UnaryOp(ast.Not(), subject))

    def _refuse(self, pattern: ast.pattern, what: str, instead: str) -> NoReturn:
        text = ast.unparse(ast.match_case(pattern, None, [ast.Pass()])).rpartition(":\n")[0].strip()
        self.expressions.refuse(pattern, f"`{text}` {what}.", f"{instead}.")


def _at(place: ast.AST, node: NodeT) -> NodeT:
    return ast.copy_location(node, place)

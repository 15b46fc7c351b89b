"""Match: `match` over numbers, as `if` and `elif`."""

from __future__ import annotations

import ast
from typing import TypeVar

from fsmkit.crowd.compiler.operations import Operations

NodeT = TypeVar("NodeT", bound=ast.AST)


def branches_of(node: ast.Match, expressions: Operations, unused: str) -> list[ast.stmt]:
    """Return the statements that do the same as `match`. Raises SubsetError for other patterns.

    `unused` is the name of a variable for what is matched, so that it is worked out once.
    """
    subjects = node.subject.elts if isinstance(node.subject, ast.Tuple) else [node.subject]
    before: list[ast.stmt] = []
    names: list[ast.expr] = []
    for number, subject in enumerate(subjects):
        if isinstance(subject, ast.Starred):
            expressions.refuse(node, "`*` cannot be matched.", "Match numbers.")
        if isinstance(subject, (ast.Name, ast.Constant)) or expressions.place(subject) is not None:
            names.append(subject)  # its value is the same for all cases
            continue
        name = f"{unused}{number}"
        before.append(_at(node, ast.Assign([ast.Name(name, ast.Store())], subject)))
        names.append(ast.Name(name, ast.Load()))
    kinds = [expressions.kind(subject) for subject in subjects]
    return [*before, *_Cases(node, expressions, names, kinds).branches()]


class _Cases:
    """The cases of one `match`."""

    def __init__(
        self,
        node: ast.Match,
        expressions: Operations,
        subjects: list[ast.expr],
        kinds: list[str],
    ) -> None:
        self.expressions = expressions
        self.is_tuple = isinstance(node.subject, ast.Tuple)
        self.subjects = subjects
        self.kinds = kinds
        self.cases = node.cases

    def branches(self, first: int = 0) -> list[ast.stmt]:
        """Return the branches from a case on."""
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
                case.pattern, "names a number that an `if` then asks about",
                "Ask about what is matched itself",
            )  # fmt: skip
        both = _at(case.guard, ast.BoolOp(ast.And(), [test, case.guard]))
        return [_at(case.guard, ast.If(both, case.body, rest))]

    def _all(self, pattern: ast.pattern, tests: list[ast.expr]) -> ast.expr | None:
        if not tests:
            return None
        return tests[0] if len(tests) == 1 else _at(pattern, ast.BoolOp(ast.And(), tests))

    def _tests(self, pattern: ast.pattern) -> tuple[list[ast.expr], list[ast.stmt]]:
        """Return the conditions of a pattern, and the variables that it sets."""
        if not self.is_tuple:
            return self._of_number(pattern, self.subjects[0])
        if isinstance(pattern, ast.MatchAs) and pattern.name is None:
            return [], []
        if isinstance(pattern, ast.MatchOr):
            return [self._any(pattern, [self._tests(each) for each in pattern.patterns])], []
        if not isinstance(pattern, ast.MatchSequence) or len(pattern.patterns) != len(
            self.subjects
        ):
            self._refuse(
                pattern, f"does not fit {len(self.subjects)} numbers",
                f"Write {len(self.subjects)} patterns, or _",
            )  # fmt: skip
            return [], []
        tests: list[ast.expr] = []
        names: list[ast.stmt] = []
        for part, subject in zip(pattern.patterns, self.subjects, strict=True):
            some, set_by_it = self._of_number(part, subject)
            tests += some
            names += set_by_it
        return tests, names

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
            tests, names = (
                self._of_number(pattern.pattern, subject) if pattern.pattern else ([], [])
            )
            if pattern.name is not None:
                target = ast.Name(pattern.name, ast.Store())
                names = [*names, _at(pattern, ast.Assign([target], subject))]
            return tests, names
        self._refuse(pattern, "is no pattern for numbers", "Match numbers, with | and _")
        return [], []

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

    def _refuse(self, pattern: ast.pattern, what: str, instead: str) -> None:
        text = ast.unparse(ast.match_case(pattern, None, [ast.Pass()])).rpartition(":\n")[0].strip()
        self.expressions.refuse(pattern, f"`{text}` {what}.", f"{instead}.")


def _at(place: ast.AST, node: NodeT) -> NodeT:
    """Return a node with the line of another one."""
    return ast.copy_location(node, place)

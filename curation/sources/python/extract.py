"""The inventory of a Python file: functions, classes, methods, constants, nested ones too."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator, Sequence

from curation.sources.items import (
    Extraction,
    LineIndex,
    Problem,
    SourceItem,
    in_order,
    is_test_path,
    unique,
)
from curation.sources.python.fallback import extract_tokens

_VERSION = ".".join(str(part) for part in sys.version_info[:2])
_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
# Definitions may stand under these and still belong to the enclosing scope.
_BLOCKS = (
    ast.If,
    ast.Try,
    ast.TryStar,
    ast.With,
    ast.AsyncWith,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.Match,
)


def extract(path: str, text: str) -> Extraction:
    """Return the items of the file; one that does not parse is read by its tokens instead."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        line = min(error.lineno or 1, LineIndex(text).last)
        return _without_parser(path, text, line, error.msg)
    except ValueError as error:
        return _without_parser(path, text, 0, str(error))
    except (RecursionError, MemoryError):
        return _without_parser(path, text, 0, "an expression is too deeply nested")
    return Extraction(items=tuple(in_order(_Walk(path, text).items(tree))))


def _without_parser(path: str, text: str, line: int, reason: str) -> Extraction:
    items, is_python_2 = extract_tokens(path, text)
    code = "old-syntax" if is_python_2 else "syntax"
    what = "Python 2 syntax" if is_python_2 else f"does not parse as Python {_VERSION}"
    message = f"{what}: {reason}; its definitions were read by their tokens only"
    return Extraction(items=items, problems=(Problem(code, path, line, message),))


class _Walk:
    """Collects the items of one parsed file without recursion into expressions."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = LineIndex(text)
        self.text = text
        self.tests = is_test_path(path)

    def items(self, tree: ast.Module) -> Iterator[SourceItem]:
        # (statements, qualified name of the scope, whether it is a class, whether it is a test)
        pending: list[tuple[Sequence[ast.stmt], str, bool, bool]] = [
            (tree.body, "", False, self.tests)
        ]
        while pending:
            body, scope, in_class, in_test = pending.pop()
            for node in body:
                if isinstance(node, _FunctionNode):
                    item = self._function(node, scope, in_class, in_test)
                    yield item
                    pending.append(
                        (node.body, item.qualified_name, False, item.is_test)
                    )
                elif isinstance(node, ast.ClassDef):
                    item = self._class(node, scope, in_test)
                    yield item
                    pending.append((node.body, item.qualified_name, True, item.is_test))
                elif isinstance(node, ast.Assign | ast.AnnAssign) and (
                    in_class or not scope
                ):
                    yield from self._constants(node, scope, in_test)
                elif isinstance(node, _BLOCKS):
                    pending.append((_nested_body(node), scope, in_class, in_test))

    def _function(
        self, node: _FunctionNode, scope: str, in_class: bool, in_test: bool
    ) -> SourceItem:
        word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        returns = f" -> {_unparse(node.returns)}" if node.returns is not None else ""
        decorators = tuple(_unparse(one) for one in node.decorator_list)
        kind = "method" if in_class else "function"
        if in_class and {
            "property",
            "cached_property",
            "functools.cached_property",
        } & set(decorators):
            kind = "property"
        is_test = in_test or node.name.startswith("test")
        signature = f"{word} {node.name}({_unparse(node.args)}){returns}"
        return self._item(
            node, kind, "fn", node.name, scope, signature, is_test, decorators
        )

    def _class(self, node: ast.ClassDef, scope: str, in_test: bool) -> SourceItem:
        bases = [_unparse(one) for one in (*node.bases, *node.keywords)]
        signature = (
            f"class {node.name}({', '.join(bases)})" if bases else f"class {node.name}"
        )
        is_test = (
            in_test
            or node.name.startswith("Test")
            or any(base.endswith("TestCase") for base in bases)
        )
        decorators = tuple(_unparse(one) for one in node.decorator_list)
        return self._item(
            node, "class", "type", node.name, scope, signature, is_test, decorators
        )

    def _constants(
        self, node: ast.Assign | ast.AnnAssign, scope: str, in_test: bool
    ) -> Iterator[SourceItem]:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names: list[str] = []
        for target in targets:
            parts = (
                target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            )
            names += [part.id for part in parts if isinstance(part, ast.Name)]
        for name in unique(names):
            kind = (
                "attribute" if scope else "constant" if name.isupper() else "variable"
            )
            signature = (
                f"{name}: {_unparse(node.annotation)}"
                if isinstance(node, ast.AnnAssign)
                else name
            )
            yield self._item(node, kind, "const", name, scope, signature, in_test, ())

    def _item(
        self,
        node: _FunctionNode | ast.ClassDef | ast.Assign | ast.AnnAssign,
        kind: str,
        category: str,
        name: str,
        scope: str,
        signature: str,
        is_test: bool,
        decorators: tuple[str, ...],
    ) -> SourceItem:
        first: ast.expr | ast.stmt = node
        if not isinstance(node, ast.Assign | ast.AnnAssign) and node.decorator_list:
            first = node.decorator_list[0]
        start = self._offset(first.lineno, first.col_offset)
        if first is not node:
            start = self.text.rfind("@", self.lines.start(first.lineno), start)
            start = max(start, self.lines.start(first.lineno))
        end = self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        documented = not isinstance(node, ast.Assign | ast.AnnAssign)
        return SourceItem(
            kind=kind,
            category=category,
            name=name,
            qualified_name=f"{scope}.{name}" if scope else name,
            path=self.path,
            line_start=first.lineno,
            line_end=node.end_lineno or node.lineno,
            signature=signature,
            doc=(ast.get_docstring(node) or "") if documented else "",  # type: ignore[arg-type]  # narrowed above
            parent=scope,
            mentions=_mentions(node),
            is_test=is_test,
            char_start=start,
            char_end=max(end, start),
            modifiers=decorators,
        )

    def _offset(self, line: int, column: int) -> int:
        """Return the character offset of a position that `ast` gives in UTF-8 bytes."""
        start, end = self.lines.start(line), self.lines.start(line + 1)
        text = self.text[start:] if end <= start else self.text[start:end]
        if text.isascii():
            return start + column
        return start + len(
            text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")
        )


def _nested_body(node: ast.stmt) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for part in ("body", "orelse", "finalbody"):
        found += getattr(node, part, [])
    for branch in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
        found += branch.body
    return found


def _mentions(node: ast.AST) -> tuple[str, ...]:
    """Return the names that `node` reads, dotted where it reads an attribute of a name."""
    found: list[tuple[int, int, str]] = []
    inner: set[int] = set()
    # ast.walk is breadth first: an attribute is met before the name it belongs to.
    for child in ast.walk(node):
        if id(child) in inner:
            if isinstance(child, ast.Attribute):
                inner.add(id(child.value))
            continue
        if isinstance(child, ast.Attribute):
            found.append((child.lineno, child.col_offset, _dotted(child)))
            inner.add(id(child.value))
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            found.append((child.lineno, child.col_offset, child.id))
    return unique(name for _, _, name in sorted(found, key=lambda one: one[:2]))


def _dotted(node: ast.Attribute) -> str:
    parts = [node.attr]
    value: ast.expr = node.value
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    if isinstance(value, ast.Name):
        parts.append(value.id)
    return ".".join(reversed(parts))


def _unparse(node: ast.AST | None) -> str:
    try:
        return ast.unparse(node) if node is not None else ""
    except RecursionError:
        return "…"

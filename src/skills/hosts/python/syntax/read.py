"""What a skill declares in Python: connections and operations, read from the syntax tree.

It runs in a jail of its own with the files on its input. Nothing of the skill is imported or run: a value that is not
written out, or put together from what is, is a problem and not a guess.
"""

import ast
import json
import os
import sys

# Isolated mode leaves this file's folder out.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from annotations import Annotations  # noqa: E402
from docs import split_doc  # noqa: E402
from values import NotLiteral  # noqa: E402

DECORATORS = {"connection", "returns", "timeout", "provides", "claims", "test"}
# What a function is handed besides its parameters.
HANDED = {"auth", "connection", "params", "_call", "self", "cls"}
# Keys of a connection that say where it leads and as whom.
DECISIVE = {"auth", "base_url", "domain", "sqlite", "mode", "client"}
LONGEST_DOC = 4000


class Module(Annotations):
    def __init__(self, path, text):
        self.path = path
        self.problems = []
        self.tree = ast.parse(text, filename=path)
        self.names = {}
        self.packages = set()
        self.constants = {}
        self.connections = []
        self.operations = []

    def problem(self, node, message, severity="warning"):
        self.problems.append({**self.place(node), "severity": severity, "message": message})

    def place(self, node):
        return {"file": self.path, "line": getattr(node, "lineno", 1), "column": getattr(node, "col_offset", 0) + 1}

    def read(self):
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imported(node)
        for node in self.statements(self.tree.body):
            self.statement(node)
        return {
            "file": self.path,
            "doc": ast.get_docstring(self.tree),
            "connections": self.connections,
            "operations": self.operations,
        }

    def statements(self, body):
        """Of the module, and of what stands in a condition or a try there."""
        for node in body:
            if isinstance(node, (ast.If, ast.Try)):
                inside = [*node.body, *node.orelse, *getattr(node, "finalbody", [])]
                for handler in getattr(node, "handlers", []):
                    inside += handler.body
                yield from self.statements(inside)
            else:
                yield node

    def imported(self, node):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name == "agentos":
                    self.packages.add(name.asname or "agentos")
                elif name.name.startswith("agentos.") and name.asname is None:
                    self.packages.add("agentos")
        elif node.level == 0 and node.module and node.module.split(".")[0] == "agentos":
            for name in node.names:
                if name.name == "*":
                    self.names.update((one, one) for one in DECORATORS)
                else:
                    self.names[name.asname or name.name] = name.name

    def declared(self, node):
        """The package's own name for what a decorator or a call names, with a variant: ``test.skip``."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        parts.append(node.id)
        parts.reverse()
        if parts[0] in self.packages:
            parts = parts[1:]
            # ``agentos.decorators.returns``
            parts = parts[1:] if parts and parts[0] == "decorators" else parts
        elif parts[0] in self.names:
            parts[0] = self.names[parts[0]]
            parts = parts[1:] if parts[0] == "decorators" else parts
        else:
            return None
        return ".".join(parts) if parts and parts[0] in DECORATORS else None

    def statement(self, node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self.connection(node.value)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value = None
            if isinstance(node.value, ast.Call):
                value = self.connection(node.value)
            if value is None:
                try:
                    value = self.literal(node.value)
                except NotLiteral:
                    return
            for target in targets:
                if isinstance(target, ast.Name):
                    self.constants[target.id] = value

    def connection(self, call):
        if self.declared(call.func) != "connection":
            return None
        keys, lines = {}, {}
        named = [keyword for keyword in call.keywords if keyword.arg == "name"]
        try:
            name = self.literal(call.args[0] if call.args else named[0].value)
        except (NotLiteral, IndexError):
            name = None
        if not isinstance(name, str):
            self.problem(call, "this connection has no name that is written out: it is left out")
            return None
        usable = True
        for keyword in call.keywords:
            if keyword.arg == "name" and not call.args:
                continue
            where = keyword.value
            if keyword.arg is None:
                try:
                    more = self.literal(where)
                except NotLiteral:
                    more = None
                if isinstance(more, dict):
                    keys.update(more)
                else:
                    self.problem(where, f"the connection {name} takes keys from what is not written out")
                continue
            lines[keyword.arg] = self.place(where)
            try:
                keys[keyword.arg] = self.literal(where)
            except NotLiteral as error:
                message = f"{keyword.arg} of the connection {name} has to be written out: nothing is run to find it"
                usable = usable and keyword.arg not in DECISIVE
                self.problem(error.node, message if usable else f"{message}. The connection is left out")
        if usable:
            self.connections.append({"name": name, "keys": keys, "places": lines, **self.place(call)})
        return name

    def function(self, node):
        said = [(self.declared(getattr(one, "func", one)), one) for one in node.decorator_list]
        said = [(name, one) for name, one in said if name is not None]
        if not said or node.name.startswith("_"):
            return
        operation = {"name": node.name, "doc": None, "declared": {}, **self.place(node)}
        for name, one in said:
            try:
                operation["declared"][name] = self.arguments(one)
            except NotLiteral as error:
                self.problem(error.node, f"@{name} of {node.name} has to be written out: it is not heeded")
        doc = ast.get_docstring(node)
        text, descriptions = split_doc(doc[:LONGEST_DOC]) if doc else (None, {})
        operation["doc"] = text
        params = list(self.parameters(node))
        known = {param["name"] for param in params}
        params += [param for param in self.taken(node) if param["name"] not in known]
        operation["params"] = [{**param, "description": descriptions.get(param["name"])} for param in params]
        self.operations.append(operation)

    def arguments(self, decorator):
        """``{"args": [...], ...keywords}``; of ``@test`` without a call, None."""
        if not isinstance(decorator, ast.Call):
            return None
        keywords = {keyword.arg: self.literal(keyword.value) for keyword in decorator.keywords if keyword.arg}
        return {"args": [self.literal(one) for one in decorator.args], "keywords": keywords}

    def parameters(self, node):
        given = node.args
        plain = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
        for argument, default in [*zip(plain, defaults), *zip(given.kwonlyargs, given.kw_defaults)]:
            if argument.arg in HANDED:
                continue
            param = {"name": argument.arg, "required": default is None, **self.place(argument)}
            if default is not None:
                try:
                    param["default"] = self.literal(default)
                except NotLiteral:
                    pass
            param.update(self.annotated(argument.annotation, param.get("default")))
            yield param

    def taken(self, node):
        """What the body takes out of ``**params`` or the one dict by a name that is written out."""
        whole = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs) if argument.arg == "params"}
        if node.args.kwarg is not None:
            whole.add(node.args.kwarg.arg)
        found = {}
        for inside in ast.walk(node):
            if isinstance(inside, ast.Assign) and self.key_of(inside.value, whole) == "params":
                whole.update(target.id for target in inside.targets if isinstance(target, ast.Name))
        for inside in ast.walk(node):
            key = self.key_of(inside, whole)
            if key is None or key in HANDED or not key.isidentifier() or key in found:
                continue
            default = None
            if isinstance(inside, ast.Call) and len(inside.args) > 1:
                try:
                    default = self.literal(inside.args[-1]) if inside.args[-1] is not inside.args[0] else None
                except NotLiteral:
                    pass
            default = None if default == key else default
            found[key] = {"name": key, "required": False, **self.place(inside), **self.annotated(None, default)}
        return list(found.values())

    def key_of(self, node, whole):
        """``whole["key"]``, ``whole.get("key")``, or a function of the skill's own that is given both."""
        if isinstance(node, ast.BoolOp):
            node = node.values[0]
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            holder, key = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in ("get", "pop") or not node.args:
                return None
            holder, key = node.func.value, node.args[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) >= 2:
            if self.names.get(node.func.id) or "cookie" in node.func.id:
                return None
            holder, key = node.args[:2]
        else:
            return None
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            return None
        if not isinstance(holder, ast.Name):
            return key.value if self.key_of(holder, whole) == "params" else None
        return key.value if holder.id in whole else None


def main():
    asked = json.load(sys.stdin)
    modules, problems = [], []
    for path, text in asked["files"]:
        try:
            module = Module(path, text)
            modules.append(module.read())
            problems += module.problems
        except SyntaxError as error:
            place = {"file": path, "line": error.lineno or 1, "column": max(1, error.offset or 1)}
            problems.append({**place, "severity": "error", "message": f"is not Python: {error.msg}"})
        except (RecursionError, MemoryError, ValueError):
            place = {"file": path, "line": 1, "column": 1}
            problems.append({**place, "severity": "error", "message": "cannot be read: it is nested too deep"})
    json.dump({"modules": modules, "problems": problems}, sys.stdout)


main()

"""Types of parameters, as a manifest says them."""

import ast

from values import NotLiteral, Values

SCALARS = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "object",
    "Dict": "object",
    "Mapping": "object",
    "date": "string",
    "datetime": "string",
    "NoneType": "null",
}


class Annotations(Values):
    def annotated(self, node, default):
        if node is not None:
            return self.type_of(node)
        kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
        return {"type": kinds.get(type(default), "json")}

    def type_of(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self.type_of(ast.parse(node.value, mode="eval").body)
            except SyntaxError:
                return {"type": "json"}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.union([node.left, node.right])
        name = last_name(node.value if isinstance(node, ast.Subscript) else node)
        inside = []
        if isinstance(node, ast.Subscript):
            inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in ("Optional", "Annotated", "Required", "NotRequired") and inside:
            return self.type_of(inside[0])
        if name == "Union" and inside:
            return self.union(inside)
        if name == "Literal" and inside:
            try:
                values = [self.literal(one) for one in inside]
            except NotLiteral:
                return {"type": "string"}
            values = [one for one in values if isinstance(one, (str, int, float))]
            same = {type(one) for one in values}
            kind = {int: "integer", float: "number"}.get(same.pop() if len(same) == 1 else None, "string")
            return {"type": kind, "enum": values} if values else {"type": "string"}
        if name in ("list", "List", "tuple", "Tuple", "set", "Set", "Sequence", "Iterable"):
            element = self.type_of(inside[0])["type"] if inside else None
            return {"type": f"{element}[]" if element in ("string", "integer", "number", "boolean") else "array"}
        return {"type": SCALARS.get(name, "json")}

    def union(self, nodes):
        real = [node for node in nodes if not (isinstance(node, ast.Constant) and node.value is None)]
        kinds = [self.type_of(node) for node in real]
        kinds = [kind for kind in kinds if kind["type"] != "null"]
        return kinds[0] if len(kinds) == 1 else {"type": "json"}


def last_name(node):
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None

"""Values that are written out, or put together from what is."""

import ast

# Put together from itself often enough, a short text fills any memory.
LONGEST_VALUE = 100_000


class NotLiteral(Exception):
    def __init__(self, node):
        self.node = node


class Values:
    """``self`` knows the module's constants, and by which names it has the package's."""

    constants: dict
    names: dict
    packages: set

    def literal(self, node):
        """A value that is written out, also as a constant of the module or put together from such."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, (str, int, float, bool, type(None))):
                return node.value
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [self.literal(one) for one in node.elts]
        elif isinstance(node, ast.Dict):
            return self.dictionary(node)
        elif isinstance(node, ast.Name) and node.id in self.constants:
            return self.constants[node.id]
        elif isinstance(node, ast.Name) and self.names.get(node.id):
            # A name of the package stands for itself: ``provides(web_search)``.
            return self.names[node.id]
        elif isinstance(node, ast.Attribute):
            return self.attribute(node)
        elif isinstance(node, ast.JoinedStr):
            text = "".join(str(self.literal(self.inner(part))) for part in node.values)
            if len(text) <= LONGEST_VALUE:
                return text
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.literal(node.operand)
            if isinstance(value, (int, float)):
                return -value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
            return self.sum(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            if not node.args and all(keyword.arg for keyword in node.keywords):
                return {keyword.arg: self.literal(keyword.value) for keyword in node.keywords}
        elif isinstance(node, ast.Subscript):
            return self.part(node)
        raise NotLiteral(node)

    def dictionary(self, node):
        out = {}
        for key, value in zip(node.keys, node.values):
            read = self.literal(value)
            if key is not None:
                out[str(self.literal(key))] = read
            elif isinstance(read, dict):
                out.update(read)
            else:
                raise NotLiteral(value)
        return out

    def attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id in self.packages:
            return node.attr
        if isinstance(node.value, ast.Name) and self.names.get(node.value.id) in ("shape", "tools"):
            return node.attr
        raise NotLiteral(node)

    def inner(self, part):
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion not in (-1, None):
                raise NotLiteral(part)
            return part.value
        return part

    def sum(self, node):
        left, right = self.literal(node.left), self.literal(node.right)
        numbers = all(isinstance(one, (int, float)) for one in (left, right))
        if isinstance(node.op, ast.Mult):
            if numbers:
                return left * right
        elif numbers or (type(left) is type(right) and isinstance(left, (str, list))):
            if numbers or len(left) + len(right) <= LONGEST_VALUE:
                return left + right
        raise NotLiteral(node)

    def part(self, node):
        whole, key = self.literal(node.value), self.literal(node.slice)
        try:
            return whole[key]
        except (KeyError, IndexError, TypeError):
            raise NotLiteral(node) from None

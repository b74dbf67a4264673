"""What docstrings say of a function and of each parameter."""

import inspect
import re

SECTION = re.compile(r"^\s*(args|arguments|parameters|params|returns?|raises|yields?|examples?|notes?)\s*:\s*$", re.I)
NAMED = re.compile(r"^(\s*)\*{0,2}([A-Za-z_]\w*)\s*(?:\([^)]*\))?\s*(?:[:\u2014]|--?)\s+(.*)$")
FIELD = re.compile(r"^\s*:param\s+(?:\S+\s+)?([A-Za-z_]\w*)\s*:\s*(.*)$")


def split_doc(doc):
    """The words before the sections, and what is said of each parameter."""
    words, descriptions = [], {}
    section, current, indent = None, None, None
    for line in inspect.cleandoc(doc).split("\n"):
        field = FIELD.match(line)
        heading = SECTION.match(line)
        if heading:
            section, current, indent = heading.group(1).lower(), None, None
        elif field:
            section, current = "fields", field.group(1)
            descriptions[current] = field.group(2).strip()
        elif section is None:
            words.append(line)
        elif section[0] in "ap":
            named = NAMED.match(line)
            depth = len(line) - len(line.lstrip())
            if named and (indent is None or depth <= indent):
                current, indent = named.group(2), depth
                descriptions[current] = named.group(3).strip()
            elif current and line.strip():
                descriptions[current] = f"{descriptions[current]} {line.strip()}".strip()
    return "\n".join(words).strip() or None, descriptions

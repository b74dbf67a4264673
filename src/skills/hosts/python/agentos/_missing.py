"""What other engines have and this one has not: a module that names it can still be loaded, for all else it does."""

from agentos.errors import SkillError


class Missing:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}")

    def __call__(self, *_, **__):
        raise SkillError(f"agentos.{self._name} is not there in Deputy")

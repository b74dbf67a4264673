"""Errors with a code that the engine understands."""


class SkillError(RuntimeError):
    """What went wrong in a skill; ``code`` says which kind."""

    code = None

    def __init__(self, message="", code=None):
        super().__init__(message)
        if code is not None:
            self.code = code


class CallError(SkillError):
    """The engine refused or could not do what was asked for."""

    def __init__(self, message, code, hint=None):
        super().__init__(message, code)
        self.hint = hint


class SessionExpired(SkillError):
    """The login is no longer one: the engine tries the next best."""

    code = "SESSION_EXPIRED"

    def __init__(self, message="the session is no longer valid"):
        prefix = "SESSION_EXPIRED: "
        super().__init__(message if str(message).startswith(prefix) else prefix + str(message))


class NeedsCredentials(SkillError):
    code = "NEEDS_CREDENTIALS"


class NeedsRelogin(SkillError):
    code = "NEEDS_RELOGIN"

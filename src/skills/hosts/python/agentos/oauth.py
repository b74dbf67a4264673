"""Tokens for a refresh token. As a rule both are handles, which the engine fills in and takes out again."""

from agentos import http
from agentos._awaitable import awaitable
from agentos.errors import SkillError


def exchange(token_url, refresh_token=None, client_id=None, client_secret=None, scope=None, code=None,
             redirect_uri=None, code_verifier=None, grant_type=None):  # fmt: skip
    fields = {
        "grant_type": grant_type or ("authorization_code" if code else "refresh_token"),
        "refresh_token": refresh_token,
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": code_verifier,
        "client_id": client_id,
        "client_secret": client_secret,
        "scope": scope,
    }
    response = http.post(token_url, data={name: value for name, value in fields.items() if value is not None})
    token = response["json"]
    if not response["ok"] or not isinstance(token, dict):
        said = token.get("error_description") or token.get("error") if isinstance(token, dict) else None
        raise SkillError(f"no token: {said or 'HTTP ' + str(response['status'])}", "OAUTH_REFUSED")
    return awaitable(token)

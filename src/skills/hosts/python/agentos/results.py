"""The forms of what a skill returns besides plain data."""


def skill_result(**fields):
    return {"__result__": fields}


def skill_error(message, **fields):
    return {"__result__": {"error": message, **fields}}


def skill_secret(domain=None, identifier=None, item_type=None, value=None, *, source=None, label=None, metadata=None,
                 issuer=None, **more):  # fmt: skip
    """A row for the vault, to be returned in ``__secrets__``."""
    optional = {"source": source, "label": label, "metadata": metadata}
    return {
        "domain": domain or issuer,
        "identifier": identifier,
        "item_type": item_type or more.pop("itemType", None),
        "value": value,
        **{name: given for name, given in optional.items() if given is not None},
        **more,
    }


app_error, app_result, app_secret = skill_error, skill_result, skill_secret

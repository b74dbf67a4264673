"""What it takes to read the stores of desktop programs. In this process: its time is the skill's."""

import hashlib

from agentos._awaitable import AwaitableText, awaitable


class Hex(AwaitableText):
    """Bytes in hexadecimal, for those who expect either."""

    def hex(self):
        return str(self)

    def __bytes__(self):
        return bytes.fromhex(str(self))


def pbkdf2(password, salt, iterations=1, length=16, hash="sha1"):
    """The key, in hexadecimal."""
    return Hex(hashlib.pbkdf2_hmac(hash, _text(password), _text(salt), iterations, length).hex())


def aes(data, key, iv=None, decrypt=True, padding=True):
    """AES-CBC of bytes or hexadecimal text."""
    from agentos._aes import decrypt_cbc, encrypt_cbc

    work = decrypt_cbc if decrypt else encrypt_cbc
    return awaitable(work(_bytes(key), _bytes(iv) if iv else bytes(16), _bytes(data), padding))


def aes_decrypt(key, data, iv=None, mode="cbc"):
    """The same, in hexadecimal."""
    if mode != "cbc":
        raise ValueError("only AES-CBC is supported")
    return awaitable(aes(data=data, key=key, iv=iv).hex())


def _text(value):
    return value.encode() if isinstance(value, str) else bytes(value)


def _bytes(value):
    return bytes.fromhex(value) if isinstance(value, str) else bytes(value)

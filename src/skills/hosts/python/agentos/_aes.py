"""AES (FIPS 197) in CBC mode (SP 800-38A) with PKCS#7 padding: Python's library has none."""


def _multiply(a, b):
    """In GF(2^8), modulo x^8 + x^4 + x^3 + x + 1."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = (a << 1) ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def _make_boxes():
    box, power, inverse = [0] * 256, 1, 1
    box[0] = 0x63
    for _ in range(255):
        # 3 generates the group and 0xf6 is its inverse: the two walk it in opposite directions.
        rotated = inverse
        value = inverse
        for _ in range(4):
            rotated = ((rotated << 1) | (rotated >> 7)) & 0xFF
            value ^= rotated
        box[power] = value ^ 0x63
        power, inverse = _multiply(power, 3), _multiply(inverse, 0xF6)
    unbox = [0] * 256
    for index, value in enumerate(box):
        unbox[value] = index
    return box, unbox


_BOX, _UNBOX = _make_boxes()
_TIMES = {factor: [_multiply(value, factor) for value in range(256)] for factor in (1, 2, 3, 9, 11, 13, 14)}
_SHIFT = [0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11]
_UNSHIFT = [_SHIFT.index(position) for position in range(16)]


def _expand(key):
    if len(key) not in (16, 24, 32):
        raise ValueError("an AES key has 16, 24 or 32 bytes")
    count = len(key) // 4
    words = [list(key[at : at + 4]) for at in range(0, len(key), 4)]
    constant = 1
    while len(words) < 4 * (count + 7):
        word = words[-1]
        if len(words) % count == 0:
            word = [_BOX[byte] for byte in word[1:] + word[:1]]
            word[0] ^= constant
            constant = _multiply(constant, 2)
        elif count > 6 and len(words) % count == 4:
            word = [_BOX[byte] for byte in word]
        words.append([a ^ b for a, b in zip(words[-count], word)])
    return [sum(words[at : at + 4], []) for at in range(0, len(words), 4)]


def _mix(state, factors):
    a, b, c, d = (_TIMES[factor] for factor in factors)
    mixed = []
    for at in range(0, 16, 4):
        w, x, y, z = state[at : at + 4]
        mixed += [a[w] ^ b[x] ^ c[y] ^ d[z], d[w] ^ a[x] ^ b[y] ^ c[z]]
        mixed += [c[w] ^ d[x] ^ a[y] ^ b[z], b[w] ^ c[x] ^ d[y] ^ a[z]]
    return mixed


def _add(state, other):
    return [a ^ b for a, b in zip(state, other)]


def _decrypt_block(keys, block):
    state = _add(block, keys[-1])
    for key in reversed(keys[1:-1]):
        state = _add([_UNBOX[state[at]] for at in _UNSHIFT], key)
        state = _mix(state, (14, 11, 13, 9))
    return _add([_UNBOX[state[at]] for at in _UNSHIFT], keys[0])


def _encrypt_block(keys, block):
    state = _add(block, keys[0])
    for key in keys[1:-1]:
        state = _add(_mix([_BOX[state[at]] for at in _SHIFT], (2, 3, 1, 1)), key)
    return _add([_BOX[state[at]] for at in _SHIFT], keys[-1])


def decrypt_cbc(key, iv, data, padding):
    if len(data) % 16 != 0:
        raise ValueError("AES-CBC data comes in blocks of 16 bytes")
    keys, before, out = _expand(key), iv, bytearray()
    for at in range(0, len(data), 16):
        block = data[at : at + 16]
        out += bytes(_add(_decrypt_block(keys, block), before))
        before = block
    if padding and out:
        size = out[-1]
        if not 1 <= size <= 16 or out[-size:] != bytes([size]) * size:
            raise ValueError("cannot decrypt: wrong key, or not AES-CBC")
        del out[-size:]
    return bytes(out)


def encrypt_cbc(key, iv, data, padding):
    if padding:
        size = 16 - len(data) % 16
        data = data + bytes([size]) * size
    elif len(data) % 16 != 0:
        raise ValueError("AES-CBC data comes in blocks of 16 bytes")
    keys, before, out = _expand(key), iv, bytearray()
    for at in range(0, len(data), 16):
        before = bytes(_encrypt_block(keys, _add(data[at : at + 16], before)))
        out += before
    return bytes(out)

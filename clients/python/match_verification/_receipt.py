"""Verifies receipts offline: compact JWS (RFC 7515), Ed25519 by RFC 8032, section 5.1."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from ._errors import InvalidReceipt

_TYPE = "mvs-receipt+json"
_FORM = re.compile(r"([\w-]{1,512})[.]([\w-]{1,65536})[.]([\w-]{85}[AQgw])", re.ASCII)

_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
_ROOT = pow(2, (_PRIME - 1) // 4, _PRIME)

_Point = tuple[int, int, int, int]


def verify_receipt(receipt: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """What a receipt says. `keys` is `receipt_keys` of `GET /api/v1`, kept from before. Takes some milliseconds.

    Raises `InvalidReceipt` in a sentence.
    """
    found = _FORM.fullmatch(receipt)
    if found is None:
        raise InvalidReceipt("it is no compact JWS: three parts between dots, and nothing else")
    head, body, signature = found.groups()
    header = _parsed(head)
    if set(header) != {"alg", "kid", "typ"} or header["alg"] != "EdDSA" or header["typ"] != _TYPE:
        raise InvalidReceipt(f"its header is no receipt's: alg EdDSA, typ {_TYPE} and kid")
    key = next((key for key in keys["keys"] if key["kid"] == header["kid"]), None)
    if key is None:
        raise InvalidReceipt(f"it is by the key {header['kid']!r}, which is not among those given")
    if not _signs(_bytes(key["x"]), _bytes(signature), f"{head}.{body}".encode()):
        raise InvalidReceipt(f"it was changed, or is not by the key {key['kid']}")
    return _parsed(body)


def _bytes(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _parsed(part: str) -> dict[str, Any]:
    try:
        value = json.loads(_bytes(part))
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise InvalidReceipt("a part of it is no JSON")
    return value


def _point(code: bytes) -> _Point | None:
    number = int.from_bytes(code, "little")
    y, odd = number & (2**255 - 1), number >> 255
    if len(code) != 32 or y >= _PRIME:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _PRIME) % _PRIME
    x = pow(square, (_PRIME + 3) // 8, _PRIME)
    if (x * x - square) % _PRIME:
        x = x * _ROOT % _PRIME
    if (x * x - square) % _PRIME or (x == 0 and odd):
        return None
    x = _PRIME - x if x & 1 != odd else x
    return x, y, 1, x * y % _PRIME


def _sum(p: _Point, q: _Point) -> _Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _PRIME, (p[1] + p[0]) * (q[1] + q[0]) % _PRIME
    c, d = 2 * p[3] * q[3] * _D % _PRIME, 2 * p[2] * q[2] % _PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _times(factor: int, point: _Point) -> _Point:
    product: _Point = (0, 1, 1, 0)
    for bit in bin(factor)[2:]:
        product = _sum(product, product)
        if bit == "1":
            product = _sum(product, point)
    return product


_BASE = _point((4 * pow(5, -1, _PRIME) % _PRIME).to_bytes(32, "little"))


def _signs(key: bytes, signature: bytes, message: bytes) -> bool:
    owner, half = _point(key), _point(signature[:32])
    factor = int.from_bytes(signature[32:], "little")
    if owner is None or half is None or _BASE is None or factor >= _ORDER:
        return False
    bound = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _ORDER
    left, right = _times(factor, _BASE), _sum(half, _times(bound, owner))
    return all((left[i] * right[2] - right[i] * left[2]) % _PRIME == 0 for i in (0, 1))

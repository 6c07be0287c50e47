"""One request and its answer, over the standard library."""

from __future__ import annotations

import http.client
import io
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from datetime import datetime, timezone
from typing import Any

from ._errors import ConnectionFailed, Timeout, UnexpectedAnswer, error_of

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Of JSON; a bundle may be larger."""
MAX_DOWNLOAD_BYTES = 4 * 1024 * 1024 * 1024
UPLOAD_CHUNK = 64 * 1024


@dataclass
class Request:
    """A request. Its text form holds no key."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)
    timeout: float = 30.0
    """Seconds without a byte from the other side."""
    on_upload: Callable[[int, int], None] | None = field(default=None, repr=False)
    """Called with bytes sent and bytes in all."""


@dataclass
class Response:
    """A response; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass
class RawAnswer:
    """An answer with what came around it."""

    status: int
    headers: Mapping[str, str]
    answer: Any


Transport = Callable[[Request], Response]
"""Sends a request; raises ConnectionFailed or Timeout. Follows no redirect: it would carry the key elsewhere."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


class _Upload(io.BytesIO):
    """A body that says how far it was read."""

    def __init__(self, body: bytes, on_upload: Callable[[int, int], None]) -> None:
        super().__init__(body)
        self._total = len(body)
        self._on_upload = on_upload

    def read(self, size: int | None = -1) -> bytes:
        part = super().read(UPLOAD_CHUNK if size is None or size < 0 else min(size, UPLOAD_CHUNK))
        if part:
            self._on_upload(self.tell(), self._total)
        return part


def urllib_transport(request: Request) -> Response:
    body: Any = request.body
    headers = dict(request.headers)
    if request.body is not None and request.on_upload is not None:
        body = _Upload(request.body, request.on_upload)
        headers["Content-Length"] = str(len(request.body))
    sent = urllib.request.Request(request.url, body, headers, method=request.method)
    try:
        try:
            answer = _opener.open(sent, timeout=request.timeout)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        with answer:
            named = {name.lower(): value for name, value in answer.headers.items()}
            data = answer.read(MAX_DOWNLOAD_BYTES)
            # A read that is bounded ends without a word where the connection does.
            if len(data) < min(_whole(named.get("content-length")) or 0, MAX_DOWNLOAD_BYTES):
                raise ConnectionFailed("the answer was cut off")
            return Response(answer.status, named, data)
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise Timeout(f"no answer within {request.timeout:g} s") from None
        raise ConnectionFailed(f"the service cannot be reached: {reason or type(error).__name__}") from None


def open_lines(request: Request) -> Iterator[str]:
    """Lines of an answer that goes on, until it ends or is silent for the request's timeout. @raise as answer_of"""
    sent = urllib.request.Request(request.url, None, dict(request.headers), method=request.method)
    try:
        with _opener.open(sent, timeout=request.timeout) as answer:
            for line in answer:
                yield line.decode("utf-8", "replace").rstrip("\r\n")
    except urllib.error.HTTPError as refusal:
        with refusal:
            named = {name.lower(): value for name, value in refusal.headers.items()}
            answer_of(Response(refusal.code, named, refusal.read(MAX_ANSWER_BYTES)), "json")
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise ConnectionFailed(f"the stream was cut off: {reason or type(error).__name__}") from None


def answer_of(response: Response, accept: str) -> Any:
    """The answer as `accept` says: json, text or bytes. @raise ServiceError, UnexpectedAnswer"""
    if 300 <= response.status < 400:
        raise UnexpectedAnswer(f"a redirect ({response.status}), which is not followed: check the address")
    if response.status >= 400:
        body = _parsed(response.body)
        retry_after = seconds_of(response.headers.get("retry-after"))
        request_id = response.headers.get("x-request-id")
        raise error_of(response.status, body if isinstance(body, dict) else {}, request_id, retry_after)
    if accept == "bytes":
        return response.body
    if accept == "text":
        return response.body.decode("utf-8", "replace")
    if len(response.body) > MAX_ANSWER_BYTES:
        raise UnexpectedAnswer("more than 64 MiB, which no answer has")
    body = _parsed(response.body)
    if not isinstance(body, dict):
        what = "a list" if isinstance(body, list) else "no JSON object"
        kind = response.headers.get("content-type", "no content type")
        raise UnexpectedAnswer(f"{what} ({kind}), where the service answers an object: check the address")
    return body


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _whole(text: str | None) -> int | None:
    """A whole number in plain digits; None for everything else that a header may hold."""
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def seconds_of(retry_after: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After names, as a number or as a date."""
    if retry_after is None:
        return None
    seconds = _whole(retry_after)
    if seconds is not None:
        return float(seconds)
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - (now or datetime.now(timezone.utc))).total_seconds())

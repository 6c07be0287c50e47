"""Speaks to one service."""

from __future__ import annotations

import copy
import json
import math
import platform
import random
import secrets
import threading
import time
import urllib.parse
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

from ._contract import (
    CONTRACT_VERSION,
    ClaimRow,
    Label,
    LabelResults,
    Lot,
    LotBounds,
    LotCheck,
    LotSummary,
    LotWithChecks,
    Operations,
    Summary,
    Verification,
)
from ._errors import Aborted, BadInput, ConnectionFailed, RateLimited, ServiceError, UnreadableFile
from ._http import RawAnswer, Request, Response, Transport, answer_of, open_lines, urllib_transport

SessionType = Literal["shaken", "table-up", "culet-focus"]
"""The position of a lot's stones under the microscope; told from the scans if left out."""

LABELS_A_CALL = 5_000
"""Labels in one call (`POST /api/v1/expected`)."""

PathOrName = str | PathLike[str]


class ScanSet(TypedDict):
    """Scans of one side as numbers: one axis in cm^-1, absorbances of each scan."""

    wavenumbers: Sequence[float]
    spectra: Sequence[Sequence[float]]
    stone_id: NotRequired[str]
    unit: NotRequired[Literal["absorbance"]]


class _Secret:
    """A credential that shows itself to the transport alone."""

    def __init__(self, value: str) -> None:
        self._reveal: Callable[[], str] = lambda: value

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> Any:
        raise TypeError("a client with its keys is not pickled: make one where it is needed")


_CREDENTIALS = {
    "apiKey": ("api_key", "X-Api-Key"),
    "operator": ("operator_key", "X-Svc-Admin"),
    "workspace": ("workspace_token", "X-Svc-Token"),
}


class Client(Operations):
    """Speaks to one service with an API key, an operator's key, or for lots the token of a workspace."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        operator_key: str | None = None,
        operator_token: str | None = None,
        workspace_token: str | None = None,
        replay_key: str | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        backoff: tuple[float, float] = (0.25, 10.0),
        max_retry_after: float = 60.0,
        cancel: threading.Event | None = None,
        on_request: Callable[[Request], None] | None = None,
        on_response: Callable[[Request, Response], None] | None = None,
        on_upload: Callable[[int, int], None] | None = None,
        raw: bool = False,
        transport: Transport = urllib_transport,
    ) -> None:
        """`timeout` (one attempt), `backoff` (first and longest pause) and `max_retry_after` in seconds.

        `retries` after the first attempt: on 429, and where sending twice does no harm on 408, 502, 503, 504 and network
        failure. A Retry-After above `max_retry_after` is not waited for: the error carries it. `cancel` ends a wait.
        `operator_token`, a token of the identity provider, goes in place of an operator's key. The hooks see each attempt; `on_upload` gets bytes sent and bytes in all. With `raw` an answer comes as RawAnswer
        with status and headers. `transport` sends in place of urllib.
        """
        if not base_url.startswith(("http://", "https://")):
            raise BadInput("base_url must begin with http:// or https://")
        given = {
            "api_key": api_key,
            "operator_key": operator_key,
            "operator_token": operator_token,
            "workspace_token": workspace_token,
            "replay_key": replay_key,
        }
        for name, value in given.items():
            if value and not all("!" <= letter <= "~" for letter in value):
                raise BadInput(f"{name} holds a character that no key has; was a file read with its line end?")
        self._base = base_url.rstrip("/")
        self._secrets = {name: _Secret(value) for name, value in given.items() if value}
        self._timeout = timeout
        self._retries = retries
        self._backoff = backoff
        self._max_retry_after = max_retry_after
        self._cancel = cancel
        self._on_request = on_request
        self._on_response = on_response
        self._on_upload = on_upload
        self._raw = raw
        self._transport = transport
        # Shared by copies: one warning a client.
        self._warned: list[str] = []

    def __repr__(self) -> str:
        return f"Client({self._base!r}, {', '.join(f'{name}={value!r}' for name, value in self._secrets.items())})"

    def with_options(self, **options: Any) -> Client:
        """The same client with another `timeout`, `retries`, `backoff`, `max_retry_after`, `cancel`, hook or `raw`."""
        names = {"timeout", "retries", "backoff", "max_retry_after", "cancel", "on_request", "on_response", "on_upload"}
        if unknown := set(options) - names - {"raw", "transport"}:
            raise BadInput(f"no option of a call: {', '.join(sorted(unknown))}")
        other = copy.copy(self)
        for name, value in options.items():
            setattr(other, f"_{name}", value)
        return other

    def verify(
        self, rough: ScanSet, polish: ScanSet, reject_target: float | None = None, *, replay: bool = False
    ) -> Verification:
        """Did this polish come out of that rough? Scans as numbers. Sending it again answers the same claim_id."""
        claim: dict[str, Any] = {"rough": _plain(rough), "polish": _plain(polish), "reject_target": reject_target}
        return self._verify(*_json(claim), replay)

    def verify_files(
        self,
        rough: Iterable[PathOrName] | PathOrName,
        polish: Iterable[PathOrName] | PathOrName,
        reject_target: float | None = None,
        *,
        rough_stone_id: str | None = None,
        polish_stone_id: str | None = None,
        replay: bool = False,
    ) -> Verification:
        """The same from scan files: .dpt, .csv, .txt, OPUS .0, or a .zip of these. One path may stand by itself.

        The stone ids are your references, in place of those in the names of the files.
        """
        files = [("rough_files", path) for path in _paths(rough)]
        files += [("polish_files", path) for path in _paths(polish)]
        given = {"reject_target": reject_target, "rough_stone_id": rough_stone_id, "polish_stone_id": polish_stone_id}
        fields = {name: str(value) for name, value in given.items() if value is not None}
        for side in ("rough_files", "polish_files"):
            if not any(name == side for name, _ in files):
                raise BadInput(f"{side}: name at least one file")
        return self._verify(*_multipart(files, fields), replay)

    def _verify(self, body: bytes, content_type: str, replay: bool) -> Verification:
        headers: dict[str, str] = {}
        if replay:
            headers["X-Svc-Replay"] = "1"
            if "replay_key" in self._secrets:
                headers["X-Svc-Replay-Key"] = self._secrets["replay_key"]._reveal()
            elif "operator_key" in self._secrets:
                headers["X-Svc-Admin"] = self._secrets["operator_key"]._reveal()
            else:
                raise BadInput("a replay needs replay_key or operator_key")
        sent = {"raw_body": body, "content_type": content_type, "headers": headers}
        return self._send("POST", "/api/v1/verify-match", as_="apiKey", repeatable=True, **sent)

    def label(self, labels: Iterable[Label]) -> Iterator[LabelResults]:
        """Labels claims with their ground truth, 5,000 a call; yields the outcome of each call as it comes."""
        waiting = list(labels)
        for start in range(0, len(waiting), LABELS_A_CALL):
            body = waiting[start : start + LABELS_A_CALL]
            yield self._send("POST", "/api/v1/expected", as_="apiKey", body=body, repeatable=True)

    def stream_claims(self, after: str | None = None) -> Iterator[tuple[str, ClaimRow]]:
        """Claims as their verdicts are stored, from now on or after an event: its id and the row.

        A lost connection is taken up where it was. Read over the standard library, whatever the transport.
        """
        failures = 0
        while True:
            if self._cancel is not None and self._cancel.is_set():
                raise Aborted("cancelled")
            headers = self._headers("operator", "text", None) | ({} if after is None else {"Last-Event-ID": after})
            request = Request("GET", f"{self._base}/api/v1/claims/stream", headers, None, self._timeout)
            try:
                for line in open_lines(request):
                    field, _, value = line.partition(": ")
                    # The service is there, and says at once where the stream begins.
                    if field == "id":
                        after, failures = value, 0
                    elif field == "data":
                        yield after or "", json.loads(value)
                error: ServiceError | ConnectionFailed = ConnectionFailed("the stream ended")
            except (ServiceError, ConnectionFailed) as failed:
                error = failed
            if failures >= self._retries or not self._may_pass(error, True):
                raise error
            self._wait(error, failures)
            failures += 1

    def enrol_lot(self, name: str, files: Iterable[PathOrName], session_type: SessionType | None = None) -> Lot:
        """Enrols 10 to 60 stones, at least 3 scans each, from files named <stone>_<number>.

        The same files under the same name are the same lot. The session type decides the bar: say it. Left out, it is guessed from
        the scans, with a warning.
        """
        return self._send_files("/api/lotscan/lots", files, {"name": name} | _session(session_type))

    def check_lot(self, lot_id: str, files: Iterable[PathOrName], session_type: SessionType | None = None) -> LotCheck:
        """Checks which of the returned stones are members. Sending the same return again answers the same check."""
        path = f"/api/lotscan/lots/{urllib.parse.quote(lot_id, safe='')}/check"
        return self._send_files(path, files, _session(session_type))

    def _send_files(self, path: str, files: Iterable[PathOrName], fields: dict[str, str]) -> Any:
        named = [("files", path) for path in _paths(files)]
        if not named:
            raise BadInput("files: name at least one file")
        body, content_type = _multipart(named, fields)
        return self._send("POST", path, as_="workspace", raw_body=body, content_type=content_type, repeatable=True)

    # Former names, for one release.
    def claims_summary(self) -> Summary:
        return self.show_contract()

    def lot_bounds(self) -> LotBounds:
        return self.show_bounds()

    def lots(self) -> Iterator[LotSummary]:
        return self.list_lots()

    def lot(self, lot_id: str) -> LotWithChecks:
        return self.get_lot(lot_id)

    def _pages(self, path: str, **more: Any) -> Iterator[Any]:
        query = dict(more.pop("query", {}))
        whole = self.with_options(raw=False)
        while True:
            page = whole._send("GET", path, query=query, **more)
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def _send(
        self,
        method: str,
        path: str,
        *,
        as_: str,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        raw_body: bytes | None = None,
        content_type: str | None = None,
        headers: Mapping[str, str | None] | None = None,
        accept: Literal["json", "text", "bytes"] = "json",
        repeatable: bool = False,
    ) -> Any:
        if body is not None:
            raw_body, content_type = _json(body)
        request = Request(
            method,
            self._base + path + _query(query),
            self._headers(as_, accept, content_type)
            | {name: value for name, value in (headers or {}).items() if value is not None},
            raw_body,
            self._timeout,
            self._on_upload,
        )
        again = repeatable or method != "POST"
        for attempt in range(self._retries + 1):
            if self._cancel is not None and self._cancel.is_set():
                raise Aborted("cancelled")
            try:
                return self._attempt(request, accept)
            except (ServiceError, ConnectionFailed) as error:
                if attempt == self._retries or not self._may_pass(error, again):
                    raise
                self._wait(error, attempt)
        raise AssertionError("unreachable")

    def _may_pass(self, error: ServiceError | ConnectionFailed, again: bool) -> bool:
        if isinstance(error, ServiceError):
            if not error.transient or (error.retry_after or 0) > self._max_retry_after:
                return False
            # Beyond its rate nothing was done.
            return again or isinstance(error, RateLimited)
        return again

    def _wait(self, error: Exception, attempt: int) -> None:
        first, longest = self._backoff
        named = getattr(error, "retry_after", None)
        pause = min(longest, first * 2**attempt) * random.uniform(0.5, 1)
        if named is not None:
            # Those that were sent away together do not come back together.
            pause = named + random.uniform(0, min(1.0, first))
        if self._cancel is None:
            time.sleep(pause)
        elif self._cancel.wait(pause):
            raise Aborted("cancelled") from error

    def _attempt(self, request: Request, accept: str) -> Any:
        if self._on_request is not None:
            self._on_request(request)
        response = self._transport(request)
        if self._on_response is not None:
            self._on_response(request, response)
        answer = answer_of(response, accept)
        self._compare(response.headers.get("x-svc-version"))
        return RawAnswer(response.status, response.headers, answer) if self._raw else answer

    def _compare(self, version: str | None) -> None:
        if version is None or self._warned or _order(version) >= _order(CONTRACT_VERSION):
            return
        self._warned.append(version)
        text = f"the service is of version {version}, this client was made for {CONTRACT_VERSION}: some calls may be missing"
        warnings.warn(text, stacklevel=5)

    def _headers(self, as_: str, accept: str, content_type: str | None) -> dict[str, str]:
        headers = {
            "Accept": "application/json" if accept == "json" else "*/*",
            "User-Agent": f"match-verification-python/{CONTRACT_VERSION} Python/{platform.python_version()}",
        }
        if content_type is not None:
            headers["Content-Type"] = content_type
        if as_ != "nobody":
            name, header = _CREDENTIALS[as_]
            if as_ == "operator" and "operator_token" in self._secrets:
                headers["Authorization"] = f"Bearer {self._secrets['operator_token']._reveal()}"
                return headers
            if name not in self._secrets:
                raise BadInput(f"this call needs {name}")
            headers[header] = self._secrets[name]._reveal()
        return headers


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdigit())


def _query(query: Mapping[str, Any] | None) -> str:
    texts = {name: value for name, value in (query or {}).items() if value is not None}
    plain = {name: str(value).lower() if isinstance(value, bool) else value for name, value in texts.items()}
    return f"?{urllib.parse.urlencode(plain)}" if plain else ""


def _plain(side: ScanSet) -> dict[str, Any]:
    """Numbers as JSON takes them; NaN and infinity have no place there."""
    plain: dict[str, Any] = {
        "wavenumbers": [float(x) for x in side["wavenumbers"]],
        "spectra": [[float(x) for x in scan] for scan in side["spectra"]],
    }
    if not all(map(math.isfinite, [*plain["wavenumbers"], *(x for scan in plain["spectra"] for x in scan)])):
        raise BadInput("send finite numbers only")
    return plain | {name: side[name] for name in ("stone_id", "unit") if side.get(name) is not None}


def _json(value: Any) -> tuple[bytes, str]:
    """Members without a value are left out."""
    if isinstance(value, dict):
        value = {name: member for name, member in value.items() if member is not None}
    return json.dumps(value, allow_nan=False).encode(), "application/json"


def _paths(paths: Iterable[PathOrName] | PathOrName) -> list[Path]:
    return [Path(path) for path in ([paths] if isinstance(paths, (str, PathLike)) else paths)]


def _session(session_type: SessionType | None) -> dict[str, str]:
    return {} if session_type is None else {"session_type": session_type}


def _multipart(files: list[tuple[str, Path]], fields: dict[str, str]) -> tuple[bytes, str]:
    boundary = f"scans-{secrets.token_hex(16)}"
    parts: list[bytes] = []
    for name, path in files:
        shown = path.name.replace("\\", "%5C").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'Content-Disposition: form-data; name="{name}"; filename="{shown}"\r\nContent-Type: application/octet-stream'
        try:
            content = path.read_bytes()
        except OSError as error:
            raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}") from error
        parts += [f"--{boundary}\r\n{head}\r\n\r\n".encode(), content, b"\r\n"]
    for name, value in fields.items():
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"

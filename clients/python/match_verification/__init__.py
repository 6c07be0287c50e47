"""Client of the match-verification service. Standard library only; Python 3.11 and newer.

    from match_verification import Client, decide

    service = Client("https://match.example", api_key=os.environ["MATCH_API_KEY"])
    result = service.verify_files(rough=["AB1001_rough_1.0", ...], polish=["AB1001.1_polish.0"])
    print(result["verdict"], decide(result)["action"])
"""

from __future__ import annotations

import http.client
import json
import math
import random
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

__all__ = [
    "BadAnswer",
    "Client",
    "ConnectionFailed",
    "Decision",
    "Label",
    "LabelResults",
    "ScanSet",
    "ServiceError",
    "SessionType",
    "Verification",
    "decide",
]

Verdict = Literal["MATCH", "NO_MATCH"]

SessionType = Literal["shaken", "table-up", "culet-focus"]
"""How the stones of a lot lay under the microscope; told from the scans where it is left out."""

LABELS_A_CALL = 5_000
"""Labels in one call (specification 4.3)."""

MAX_ANSWER_BYTES = 64 * 1024 * 1024


class ScanSet(TypedDict):
    """Scans of one side as numbers: one axis in cm^-1, absorbances of each scan."""

    wavenumbers: Sequence[float]
    spectra: Sequence[Sequence[float]]
    stone_id: NotRequired[str]


class Verification(TypedDict):
    """Answer of verify-match (specification 2.2). It may gain members."""

    mode: str
    verdict: Verdict
    fused_score: float
    scorer: str
    member_scores: dict[str, float]
    member_cosines: dict[str, float]
    threshold: float
    threshold_source: str
    reject_target: float
    expected_genuine_accept: float | None
    p_match_5050: float
    n_rough_scans: int
    n_polish_scans: int
    rough_sharpness: float
    polish_sharpness: float
    rough_detail_residual: float
    polish_detail_residual: float
    warnings: list[str]
    scope: str
    claim_id: str
    experimental: NotRequired[bool]


class Label(TypedDict):
    """Ground truth of one claim (specification 2.4)."""

    claim_id: str
    expected: Literal["match", "no_match"]
    stone_id: NotRequired[str]
    note: NotRequired[str]


class LabelResults(TypedDict):
    """What became of the labels of one call, in their order."""

    results: list[dict[str, Any]]
    counts: dict[str, int]


class Decision(TypedDict):
    """What to do with a claim; `p_real` where a prior was given."""

    action: Literal["accept", "review", "reject"]
    p_real: NotRequired[float]


class ServiceError(Exception):
    """The service refused: `status`, `detail`, `request_id` (quote it in a report), `retry_after` in seconds."""

    def __init__(
        self,
        status: int,
        detail: str,
        request_id: str | None = None,
        retry_after: float | None = None,
        body: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.request_id = request_id
        self.retry_after = retry_after
        self.body = body or {}

    @property
    def transient(self) -> bool:
        """Whether a later attempt may succeed. 400 and 422 fail again; a 500 is to be reported."""
        return self.status in (502, 503, 504)


class ConnectionFailed(Exception):
    """No answer: the network failed, or the time was over."""


class BadAnswer(Exception):
    """An answer that is not the service's, as a proxy's page."""


class Client:
    """Speaks to one service with one API key, or for lots with the token of a workspace."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        workspace_token: str | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        backoff: tuple[float, float] = (0.25, 10.0),
    ) -> None:
        """`timeout` and `backoff` (first and longest pause) in seconds; `retries` after the first attempt."""
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must begin with http:// or https://")
        self._base = base_url.rstrip("/")
        self._api_key = api_key
        self._workspace_token = workspace_token
        self._timeout = timeout
        self._retries = retries
        self._backoff = backoff
        self._opener = urllib.request.build_opener(_NoRedirect)

    def claims_summary(self) -> dict[str, Any]:
        """GET /api/v1: the contract in short. Needs no key."""
        return self._call("GET", "/api/v1", as_="nobody")

    def verify(self, rough: ScanSet, polish: ScanSet, reject_target: float | None = None) -> Verification:
        """Did this polish come out of that rough? Scans as numbers."""
        claim: dict[str, Any] = {"rough": _plain(rough), "polish": _plain(polish)}
        if reject_target is not None:
            claim["reject_target"] = reject_target
        return self._call("POST", "/api/v1/verify-match", *_json(claim))

    def verify_files(
        self,
        rough: Iterable[str | PathLike[str]],
        polish: Iterable[str | PathLike[str]],
        reject_target: float | None = None,
    ) -> Verification:
        """The same from scan files: .dpt, .csv, .txt, OPUS .0, or a .zip of these."""
        files = [("rough_files", Path(path)) for path in rough]
        files += [("polish_files", Path(path)) for path in polish]
        fields = {} if reject_target is None else {"reject_target": str(reject_target)}
        for side in ("rough_files", "polish_files"):
            if not any(name == side for name, _ in files):
                raise ValueError(f"{side}: name at least one file")
        return self._call("POST", "/api/v1/verify-match", *_multipart(files, fields))

    def label(self, labels: Iterable[Label]) -> Iterator[LabelResults]:
        """Labels claims with their ground truth, 5,000 a call; yields the outcome of each call as it comes."""
        waiting = list(labels)
        for start in range(0, len(waiting), LABELS_A_CALL):
            yield self._call("POST", "/api/v1/expected", *_json(waiting[start : start + LABELS_A_CALL]))

    def lot_bounds(self) -> dict[str, Any]:
        """What may be claimed of a lot check, with every exclusion."""
        return self._call("GET", "/api/lotscan/bounds", as_="workspace")

    def enrol_lot(
        self, name: str, files: Iterable[str | PathLike[str]], session_type: SessionType | None = None
    ) -> dict[str, Any]:
        """Enrols 10 to 60 stones, at least 3 scans each, from files named <stone>_<number>.

        The same files under the same name are the same lot.
        """
        fields = {"name": name} | _session(session_type)
        return self._call("POST", "/api/lotscan/lots", *_lot(files, fields), as_="workspace")

    def lots(self) -> Iterator[dict[str, Any]]:
        """The workspace's lots, newest first."""
        cursor = ""
        while True:
            page = self._call("GET", f"/api/lotscan/lots{cursor}", as_="workspace")
            yield from page["items"]
            if page["next_cursor"] is None:
                return
            cursor = "?" + urllib.parse.urlencode({"cursor": page["next_cursor"]})

    def lot(self, lot_id: str) -> dict[str, Any]:
        """A lot and its checks."""
        return self._call("GET", _lot_path(lot_id), as_="workspace")

    def check_lot(
        self, lot_id: str, files: Iterable[str | PathLike[str]], session_type: SessionType | None = None
    ) -> dict[str, Any]:
        """Which of the returned stones are members? Sending the same return again answers the same check."""
        return self._call("POST", f"{_lot_path(lot_id)}/check", *_lot(files, _session(session_type)), as_="workspace")

    def rehearse_lot(self, lot_id: str, **wish: Any) -> dict[str, Any]:
        """What of a substitution would be caught? `substitution`, `seed`, `draws`, `source`; the same seed, the same answer."""
        return self._call("POST", f"{_lot_path(lot_id)}/rehearse", *_json(wish), as_="workspace")

    def _credential(self, as_: str) -> dict[str, str]:
        if as_ == "nobody":
            return {}
        name, header, value = (
            ("workspace_token", "X-Svc-Token", self._workspace_token)
            if as_ == "workspace"
            else ("api_key", "X-Api-Key", self._api_key)
        )
        if not value:
            raise ValueError(f"this call needs {name}")
        return {header: value}

    def _call(
        self, method: str, path: str, body: bytes | None = None, content_type: str | None = None, *, as_: str = "client"
    ) -> Any:
        headers = {"Accept": "application/json"}
        if content_type is not None:
            headers["Content-Type"] = content_type
        headers |= self._credential(as_)
        for attempt in range(self._retries + 1):
            try:
                return self._attempt(urllib.request.Request(self._base + path, body, headers, method=method))
            except (ServiceError, ConnectionFailed) as error:
                transient = not isinstance(error, ServiceError) or error.transient
                if not transient or attempt == self._retries:
                    raise
                first, longest = self._backoff
                pause = getattr(error, "retry_after", None)
                time.sleep(min(longest, first * 2**attempt) * random.uniform(0.5, 1) if pause is None else pause)
        raise AssertionError("unreachable")

    def _attempt(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return _answer(response.read(MAX_ANSWER_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailed(f"{self._base} cannot be reached: {error}") from error


def decide(
    result: Verification | dict[str, Any], *, review_at: float = 0.60, prior: float | None = None
) -> Decision:
    """The recommended decision pattern (specification, section 1).

    A MATCH is accepted, a NO_MATCH with a high probability is reviewed by a person, everything else is rejected. The
    verdict decides, not the probability. `prior` is the share of true claims among yours, between 0 and 1: it adds
    `p_real`, and never moves the decision.
    """
    if not 0 <= review_at <= 1:
        raise ValueError("review_at must lie between 0 and 1")
    p = result["p_match_5050"]
    if result["verdict"] == "MATCH":
        decision: Decision = {"action": "accept"}
    else:
        decision = {"action": "review" if p >= review_at else "reject"}
    if prior is not None:
        if not 0 < prior < 1:
            raise ValueError("prior must lie between 0 and 1")
        ours, theirs = p * prior, (1 - p) * (1 - prior)
        decision["p_real"] = ours / (ours + theirs)
    return decision


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would send the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _plain(side: ScanSet) -> dict[str, Any]:
    """Numbers as JSON takes them; NaN and infinity have no place there."""
    plain: dict[str, Any] = {
        "wavenumbers": [float(x) for x in side["wavenumbers"]],
        "spectra": [[float(x) for x in scan] for scan in side["spectra"]],
    }
    if not all(map(math.isfinite, [*plain["wavenumbers"], *(x for scan in plain["spectra"] for x in scan)])):
        raise ValueError("send finite numbers only")
    if side.get("stone_id") is not None:
        plain["stone_id"] = side["stone_id"]
    return plain


def _json(value: Any) -> tuple[bytes, str]:
    return json.dumps(value, allow_nan=False).encode(), "application/json"


def _session(session_type: SessionType | None) -> dict[str, str]:
    return {} if session_type is None else {"session_type": session_type}


def _lot_path(lot_id: str) -> str:
    return f"/api/lotscan/lots/{urllib.parse.quote(lot_id, safe='')}"


def _lot(files: Iterable[str | PathLike[str]], fields: dict[str, str]) -> tuple[bytes, str]:
    named = [("files", Path(path)) for path in files]
    if not named:
        raise ValueError("files: name at least one file")
    return _multipart(named, fields)


def _multipart(files: list[tuple[str, Path]], fields: dict[str, str]) -> tuple[bytes, str]:
    boundary = f"scans-{secrets.token_hex(16)}"
    parts: list[bytes] = []
    for name, path in files:
        shown = path.name.replace("\\", "%5C").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'Content-Disposition: form-data; name="{name}"; filename="{shown}"\r\nContent-Type: application/octet-stream'
        parts += [f"--{boundary}\r\n{head}\r\n\r\n".encode(), path.read_bytes(), b"\r\n"]
    for name, value in fields.items():
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def _answer(data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise BadAnswer("the answer is something else than a JSON object")
    return answer


def _refusal(error: urllib.error.HTTPError) -> ServiceError:
    try:
        body = _answer(error.read(MAX_ANSWER_BYTES))
    except (BadAnswer, OSError, http.client.HTTPException):
        body = {}
    retry_after = error.headers.get("Retry-After")
    seconds = float(retry_after) if retry_after and retry_after.isdigit() else None
    detail = body.get("detail")
    text = detail if isinstance(detail, str) else "no detail"
    return ServiceError(error.code, text, error.headers.get("X-Request-Id"), seconds, body)

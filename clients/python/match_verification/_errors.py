"""Errors of a call, by the caller's remedy."""

from __future__ import annotations

from typing import Any


class MatchVerificationError(Exception):
    """Every error of this package but those of a wrong call."""


class ServiceError(MatchVerificationError):
    """The service refused.

    `status`, `detail` (what is wrong, and where it helps the fix), `code` (stable, for programs), `request_id` (quote it in
    a report), `retry_after` in seconds, `side` and `file` where one is to blame, `findings`, and the whole `body`.
    """

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
        self.code: str | None = self.body.get("code")
        self.docs: str | None = self.body.get("docs")
        self.side: str | None = self.body.get("side")
        self.file: str | None = self.body.get("file")
        self.findings: Any = self.body.get("findings")

    @property
    def transient(self) -> bool:
        """True if a later attempt may succeed. 400 and 422 fail again; a 500 is to be reported."""
        return self.status in (408, 429, 502, 503, 504)


class InvalidRequest(ServiceError):
    """400, 413, 415, 422 and other 4xx: the same request will be refused again, but for a 408. `detail` says the fix."""


class Authentication(ServiceError):
    """401: the key is missing, unknown or revoked."""


class PermissionDenied(ServiceError):
    """403: the key is not for this."""


class NotFound(ServiceError):
    """404."""


class Conflict(ServiceError):
    """409: a name is taken, or what was decided on has changed. Look again."""


class RateLimited(ServiceError):
    """429: the key sends more than its rate; `retry_after` says when to go on."""


class Unavailable(ServiceError):
    """502, 503, 504: busy, or a part is away. Try later."""


class ServiceFault(ServiceError):
    """500: a fault of the service. Never sent again; report `request_id`."""


class InvalidReceipt(MatchVerificationError):
    """A receipt that does not hold; the message says why."""


class ConnectionFailed(MatchVerificationError):
    """No answer: the network failed, or the time was over."""


class Timeout(ConnectionFailed):
    """No answer in time."""


class Aborted(MatchVerificationError):
    """The caller's `cancel` was set."""


class UnexpectedAnswer(MatchVerificationError):
    """An answer that is not the service's: a proxy's page, a redirect, a list, a cut body."""


class BadInput(ValueError):
    """The arguments cannot be sent; nothing was."""


class UnreadableFile(BadInput, OSError):
    """A file cannot be read, and nothing was sent. An OSError too, as callers may catch it as one."""


OF_STATUS: dict[int, type[ServiceError]] = {
    401: Authentication,
    403: PermissionDenied,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def error_of(status: int, body: dict[str, Any], request_id: str | None, retry_after: float | None) -> ServiceError:
    detail = body.get("detail")
    kind = OF_STATUS.get(status, ServiceFault if status >= 500 else InvalidRequest)
    return kind(status, detail if isinstance(detail, str) else "no detail", request_id, retry_after, body)

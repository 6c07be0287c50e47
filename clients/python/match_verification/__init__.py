"""Client of the match-verification service. Standard library only; Python 3.11 and newer.

    from match_verification import Client, decide

    service = Client("https://match.example", api_key=os.environ["MATCH_API_KEY"])
    result = service.verify_files(rough=["AB1001_rough_1.0", ...], polish=["AB1001.1_polish.0"])
    print(result["verdict"], decide(result)["action"])
"""

from . import _contract as contract
from ._asyncio import AsyncClient
from ._client import Client, ScanSet, SessionType
from ._contract import CONTRACT_VERSION, Label, LabelResults, Verification
from ._decide import Decision, decide
from ._errors import (
    Aborted,
    Authentication,
    BadInput,
    Conflict,
    ConnectionFailed,
    InvalidReceipt,
    InvalidRequest,
    MatchVerificationError,
    NotFound,
    PermissionDenied,
    RateLimited,
    ServiceError,
    ServiceFault,
    Timeout,
    Unavailable,
    UnexpectedAnswer,
)
from ._http import RawAnswer, Request, Response, Transport
from ._receipt import verify_receipt

BadAnswer = UnexpectedAnswer
"""The former name, for one release."""

__version__ = CONTRACT_VERSION

__all__ = [
    "CONTRACT_VERSION",
    "Aborted",
    "AsyncClient",
    "Authentication",
    "BadAnswer",
    "BadInput",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Decision",
    "InvalidReceipt",
    "InvalidRequest",
    "Label",
    "LabelResults",
    "MatchVerificationError",
    "NotFound",
    "PermissionDenied",
    "RateLimited",
    "RawAnswer",
    "Request",
    "Response",
    "ScanSet",
    "ServiceError",
    "ServiceFault",
    "SessionType",
    "Timeout",
    "Transport",
    "Unavailable",
    "UnexpectedAnswer",
    "Verification",
    "contract",
    "decide",
    "verify_receipt",
]

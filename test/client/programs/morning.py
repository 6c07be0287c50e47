"""Written from the package's README alone: sends the pairs of a folder, labels them, and says what to do about each error."""

import json
import os
import sys
from pathlib import Path

import match_verification as mv

folder = Path(sys.argv[1])
attempts = []
service = mv.Client(
    os.environ["MATCH_URL"],
    api_key=os.environ["MATCH_API_KEY"],
    timeout=float(os.environ.get("TIMEOUT", "30")),
    retries=int(os.environ.get("RETRIES", "3")),
    on_request=lambda request: attempts.append(repr(request)),
)
print(service)

ADVICE = [
    (mv.Authentication, "ask for a key"),
    (mv.PermissionDenied, "ask for the right"),
    (mv.NotFound, "look again"),
    (mv.Conflict, "look again"),
    (mv.RateLimited, "send less"),
    (mv.Unavailable, "try later"),
    (mv.ServiceFault, "report it"),
    (mv.InvalidRequest, "mend the request"),
    (mv.Timeout, "check the network: slow"),
    (mv.ConnectionFailed, "check the network"),
    (mv.UnexpectedAnswer, "check the address"),
    (mv.Aborted, "stopped"),
    (mv.BadInput, "mend the call"),
]


def told(error: Exception) -> dict:
    for kind, what in ADVICE:
        if isinstance(error, kind):
            more = {"code": getattr(error, "code", None), "request": getattr(error, "request_id", None)}
            return {"error": type(error).__name__, "what": what} | {k: v for k, v in more.items() if v is not None}
    raise error


def of(stone: str, side: str) -> list[Path]:
    return sorted(folder.glob(f"{stone}_{side}*"))


labels = []
for stone in sorted({path.name.split("_")[0] for path in folder.iterdir()}):
    try:
        result = service.verify_files(of(stone, "rough"), of(stone, "polish"))
        labels.append({"claim_id": result["claim_id"], "expected": "match"})
        print(json.dumps({"stone": stone, "verdict": result["verdict"], "action": mv.decide(result)["action"]}))
    except Exception as error:
        print(json.dumps({"stone": stone} | told(error)))
try:
    for outcome in service.label(labels):
        print(json.dumps({"labels": outcome["counts"]}))
except Exception as error:
    print(json.dumps({"stone": "labels"} | told(error)))
print(json.dumps({"attempts": len(attempts)}))
print(attempts)

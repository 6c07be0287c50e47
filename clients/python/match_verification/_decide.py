"""The next step after a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict


class Decision(TypedDict):
    """The next step for a claim; `p_real` where a prior was given."""

    action: Literal["accept", "review", "reject"]
    p_real: NotRequired[float]


def decide(result: Mapping[str, Any], *, review_at: float | None = None, prior: float | None = None) -> Decision:
    """The recommended decision pattern (docs/integrate/integrating.md, the decision).

    It is the `action` that the service recommends. With `review_at` in place of the service's 0.60, and for answers of
    services that sent no action, it is made here: sides that share a scan and a MATCH with `action_reasons` are
    reviewed by a person, another MATCH is accepted, a NO_MATCH with a high probability is reviewed, everything else is
    rejected. The verdict decides, not the probability. `prior` is the share of true claims among yours, between 0 and 1: it adds
    `p_real`, and never moves the decision.

    Odds of 3 at 50:50 are odds of 57 where 95 of 100 claims are true:

    >>> decision = decide({"verdict": "NO_MATCH", "p_match_5050": 0.75}, prior=0.95)
    >>> decision["action"], round(decision["p_real"], 4)
    ('review', 0.9828)
    """
    if review_at is not None and not 0 <= review_at <= 1:
        raise ValueError("review_at must lie between 0 and 1")
    p = result["p_match_5050"]
    if review_at is None and "action" in result:
        decision: Decision = {"action": result["action"]}
    elif result.get("shared_scans", 0) > 0:
        decision = {"action": "review"}
    elif result["verdict"] == "MATCH":
        decision = {"action": "review" if result.get("action_reasons") else "accept"}
    else:
        decision = {"action": "review" if p >= (0.60 if review_at is None else review_at) else "reject"}
    if prior is not None:
        if not 0 < prior < 1:
            raise ValueError("prior must lie between 0 and 1")
        # odds_real = odds_5050 x prior_true / prior_false
        ours, theirs = p * prior, (1 - p) * (1 - prior)
        decision["p_real"] = ours / (ours + theirs)
    return decision

"""Types and methods of the contract. Generated from the OpenAPI document by npm run generate"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote

CONTRACT_VERSION = "0.2.0"
"""Of the service that this was generated from."""


ScanSet = TypedDict(
    "ScanSet",
    {
        "wavenumbers": "list[float]",
        "spectra": "list[list[float]]",
        "stone_id": "NotRequired[str]",
        "unit": "NotRequired[Literal[\"absorbance\"]]",
    },
)


Claim = TypedDict(
    "Claim",
    {
        "rough": "ScanSet",
        "polish": "ScanSet",
        "reject_target": "NotRequired[float]",
    },
)


ClaimForm = TypedDict(
    "ClaimForm",
    {
        "rough_files": "list[str]",
        "polish_files": "list[str]",
        "rough_stone_id": "NotRequired[str]",
        "polish_stone_id": "NotRequired[str]",
        "reject_target": "NotRequired[float]",
    },
)


NewKey = TypedDict(
    "NewKey",
    {
        "expires_at": "NotRequired[str]",
        "rate": "NotRequired[int]",
        "contact": "NotRequired[str]",
        "reads_population": "NotRequired[bool]",
        "name": "str",
        "population": "NotRequired[str]",
        "kind": "NotRequired[Literal[\"production\", \"test\"]]",
    },
)


KeyChange = TypedDict(
    "KeyChange",
    {
        "expires_at": "NotRequired[str]",
        "rate": "NotRequired[int]",
        "contact": "NotRequired[str]",
        "reads_population": "NotRequired[bool]",
        "paused": "NotRequired[bool]",
    },
)


Review = TypedDict(
    "Review",
    {
        "note": "str",
        "outcome": "NotRequired[Literal[\"confirmed\", \"wrong\", \"inconclusive\", \"taken_back\"]]",
    },
)


ModelSwitch = TypedDict(
    "ModelSwitch",
    {
        "model": "str",
        "reason": "str",
        "accept_uncalibrated": "NotRequired[bool]",
    },
)


Approval = TypedDict(
    "Approval",
    {
        "reason": "str",
        "proposal_digest": "str",
    },
)


Withdrawal = TypedDict(
    "Withdrawal",
    {
        "reason": "str",
        "model": "NotRequired[str]",
    },
)


Trial = TypedDict(
    "Trial",
    {
        "model": "NotRequired[str]",
        "threshold": "NotRequired[float]",
    },
)


ScorerWithdrawal = TypedDict(
    "ScorerWithdrawal",
    {
        "reason": "str",
    },
)


ScorerTrial = TypedDict(
    "ScorerTrial",
    {
        "reject_target": "NotRequired[float]",
    },
)


FindingReview = TypedDict(
    "FindingReview",
    {
        "note": "str",
        "outcome": "NotRequired[Literal[\"explained\", \"client_asked\", \"key_revoked\", \"no_matter\", \"confirmed\", \"wrong\", \"inconclusive\", \"taken_back\"]]",
    },
)


Skip = TypedDict(
    "Skip",
    {
        "position": "str",
        "reason": "str",
    },
)


NewWorkspace = TypedDict(
    "NewWorkspace",
    {
        "name": "str",
    },
)


ReasonBody = TypedDict(
    "ReasonBody",
    {
        "reason": "str",
    },
)


LotForm = TypedDict(
    "LotForm",
    {
        "files": "list[str]",
        "session_type": "NotRequired[Literal[\"shaken\", \"table-up\", \"culet-focus\"]]",
        "operator": "NotRequired[str]",
        "instrument": "NotRequired[str]",
        "name": "str",
    },
)


LotWish = TypedDict(
    "LotWish",
    {
        "name": "NotRequired[str]",
        "session_type": "NotRequired[Literal[\"shaken\", \"table-up\", \"culet-focus\"]]",
    },
)


ReturnForm = TypedDict(
    "ReturnForm",
    {
        "files": "list[str]",
        "session_type": "NotRequired[Literal[\"shaken\", \"table-up\", \"culet-focus\"]]",
        "operator": "NotRequired[str]",
        "instrument": "NotRequired[str]",
    },
)


RehearsalWish = TypedDict(
    "RehearsalWish",
    {
        "substitution": "NotRequired[float]",
        "seed": "NotRequired[int]",
        "draws": "NotRequired[int]",
        "source": "NotRequired[Literal[\"cohort\"] | list[str]]",
    },
)


Label = TypedDict(
    "Label",
    {
        "claim_id": "str",
        "expected": "Literal[\"match\", \"no_match\"]",
        "stone_id": "NotRequired[str]",
        "note": "NotRequired[str]",
    },
)


Labels = list[Label] | dict[str, Any]


Paths = TypedDict(
    "Paths",
    {
        "service": "str",
        "contract": "str",
        "docs": "str",
        "ready": "str",
    },
)


FormInputs = TypedDict(
    "FormInputs",
    {
        "rough_files": "str",
        "polish_files": "str",
        "reject_target": "str",
        "rough_stone_id": "str",
        "polish_stone_id": "str",
    },
)


JsonInputs = TypedDict(
    "JsonInputs",
    {
        "rough": "str",
        "polish": "str",
        "reject_target": "str",
    },
)


Inputs = TypedDict(
    "Inputs",
    {
        "multipart": "FormInputs",
        "json": "JsonInputs",
    },
)


ExpectedResults = TypedDict(
    "ExpectedResults",
    {
        "endpoint": "str",
        "purpose": "str",
        "body": "str",
        "max_per_call": "float",
        "advisory": "str",
    },
)


ReceiptKey = TypedDict(
    "ReceiptKey",
    {
        "kty": "Literal[\"OKP\"]",
        "crv": "Literal[\"Ed25519\"]",
        "alg": "Literal[\"EdDSA\"]",
        "use": "Literal[\"sig\"]",
        "kid": "str",
        "x": "str",
    },
)


ReceiptKeys = TypedDict(
    "ReceiptKeys",
    {
        "keys": "list[ReceiptKey]",
    },
)


AuditKey = TypedDict(
    "AuditKey",
    {
        "id": "str",
        "public_key": "str",
    },
)


Summary = TypedDict(
    "Summary",
    {
        "service": "str",
        "version": "str",
        "engine": "str",
        "model": "str",
        "endpoint": "str",
        "auth": "str",
        "scope": "str",
        "scope_version": "str",
        "inputs": "Inputs",
        "reject_targets": "list[float]",
        "default_reject_target": "float",
        "expected_results": "ExpectedResults",
        "experimental_reject_targets": "list[float]",
        "experimental_note": "str",
        "notes": "list[str]",
        "receipt_keys": "ReceiptKeys",
        "audit_keys": "list[AuditKey]",
    },
)


Problem = TypedDict(
    "Problem",
    {
        "detail": "str",
        "code": "Literal[\"unparseable\", \"axis_shape\", \"side_shape\", \"non_finite\", \"flat\", \"no_identity\", \"not_diamond\", \"noise_character\", \"reject_target\", \"invalid_json\", \"not_an_object\", \"asset\", \"stone_name\", \"stone_count\", \"stone_scans\", \"enrolment_files\", \"copied_scans\", \"scoring_full\", \"scoring_timed_out\", \"scoring_worker_lost\", \"scoring_unreachable\", \"scoring_other_model\", \"scoring_closed\", \"credential_api_key\", \"credential_expired\", \"credential_paused\", \"credential_operator\", \"credential_workspace\", \"operator_scope\", \"unreadable_multipart\", \"bad_request\", \"no_route\", \"no_threshold\", \"not_found\", \"wrong_method\", \"slow_request\", \"conflict\", \"too_large\", \"uri_too_long\", \"wrong_content_type\", \"compressed\", \"expectation\", \"misdirected\", \"unprocessable\", \"too_many\", \"headers_too_large\", \"fault\", \"busy\", \"bodies_full\", \"store_unavailable\", \"log_damaged\", \"not_ready\"]",
        "docs": "str",
        "side": "NotRequired[Literal[\"rough\", \"polish\"]]",
        "file": "NotRequired[str]",
        "request_id": "str",
    },
)


LotAndCheck = TypedDict(
    "LotAndCheck",
    {
        "lot_id": "str",
        "check_id": "str",
    },
)


BothCounts = TypedDict(
    "BothCounts",
    {
        "shipped": "int",
        "workspace": "int",
    },
)


BothShares = TypedDict(
    "BothShares",
    {
        "shipped": "float",
        "workspace": "float",
    },
)


LotScorerEvidence = TypedDict(
    "LotScorerEvidence",
    {
        "digest": "str",
        "scorer": "str",
        "method": "str",
        "model": "str",
        "evidence_digest": "str | None",
        "decisions": "int",
        "rests_on": "list[LotAndCheck]",
        "members": "int",
        "returned": "int",
        "copies": "int",
        "confirmed": "BothCounts",
        "caught": "BothShares",
        "one_stone_false_accept": "BothShares",
    },
)


ApprovedLotScorer = TypedDict(
    "ApprovedLotScorer",
    {
        "scorer": "str",
        "model": "str",
        "lots": "int",
        "approved_by": "str",
        "requested_by": "str | None",
        "approved_at": "str",
        "reason": "str",
        "evidence": "LotScorerEvidence",
    },
)


AwaitedApproval = TypedDict(
    "AwaitedApproval",
    {
        "digest": "str",
        "requested_by": "str",
        "at": "str",
        "reason": "str",
    },
)


RedecidedCheck = TypedDict(
    "RedecidedCheck",
    {
        "lot_id": "str",
        "check_id": "str",
        "returned": "int",
        "confirmed": "BothCounts",
        "newly_confirmed": "list[str]",
        "no_longer_confirmed": "list[str]",
    },
)


LotScorerToApprove = TypedDict(
    "LotScorerToApprove",
    {
        "digest": "str",
        "scorer": "str",
        "method": "str",
        "model": "str",
        "evidence_digest": "str | None",
        "decisions": "int",
        "rests_on": "list[LotAndCheck]",
        "members": "int",
        "returned": "int",
        "copies": "int",
        "confirmed": "BothCounts",
        "caught": "BothShares",
        "one_stone_false_accept": "BothShares",
        "proposal_digest": "str",
        "changed": "list[RedecidedCheck]",
    },
)


ScorerEnd = TypedDict(
    "ScorerEnd",
    {
        "how": "Literal[\"superseded\", \"withdrawn\"]",
        "by": "str",
        "at": "str",
    },
)


ListedLotScorer = TypedDict(
    "ListedLotScorer",
    {
        "scorer": "str",
        "model": "str",
        "lots": "int",
        "approved_by": "str",
        "requested_by": "str | None",
        "approved_at": "str",
        "reason": "str",
        "evidence": "LotScorerEvidence",
        "in_force": "bool",
        "ended": "ScorerEnd | None",
    },
)


LotScorerRecord = TypedDict(
    "LotScorerRecord",
    {
        "workspace": "str",
        "prefix": "str",
        "model": "str",
        "scorer": "Literal[\"shipped\", \"workspace\"]",
        "in_force": "ApprovedLotScorer | None",
        "lots": "int",
        "lots_marked": "int",
        "lots_checked": "int",
        "lots_needed": "int",
        "awaiting_second_operator": "AwaitedApproval | None",
        "proposal": "LotScorerToApprove | None",
        "no_proposal": "str | None",
        "approvals": "list[ListedLotScorer]",
    },
)


ScorerRung = TypedDict(
    "ScorerRung",
    {
        "reject_target": "float",
        "confirmed_raw": "float | None",
        "confirmed_mapped": "float | None",
        "wrong_raw": "float | None",
        "wrong_mapped": "float | None",
    },
)


ScorerEvidence = TypedDict(
    "ScorerEvidence",
    {
        "digest": "str",
        "scorer": "str",
        "evidence_digest": "str",
        "method": "str",
        "model": "str",
        "position": "str",
        "decisions": "int",
        "claims": "int",
        "groups": "int",
        "trimmed": "int",
        "curve": "Literal[\"own\", \"shipped\"]",
        "rungs": "list[ScorerRung]",
    },
)


ApprovedScorer = TypedDict(
    "ApprovedScorer",
    {
        "scorer": "str",
        "model": "str",
        "claims": "int",
        "groups": "int",
        "approved_by": "str",
        "requested_by": "str | None",
        "approved_at": "str",
        "reason": "str",
        "evidence": "ScorerEvidence",
    },
)


ScorerToApprove = TypedDict(
    "ScorerToApprove",
    {
        "digest": "str",
        "scorer": "str",
        "evidence_digest": "str",
        "method": "str",
        "model": "str",
        "position": "str",
        "decisions": "int",
        "claims": "int",
        "groups": "int",
        "trimmed": "int",
        "curve": "Literal[\"own\", \"shipped\"]",
        "rungs": "list[ScorerRung]",
        "proposal_digest": "str",
        "figures": "dict[str, Any]",
    },
)


ListedScorer = TypedDict(
    "ListedScorer",
    {
        "scorer": "str",
        "model": "str",
        "claims": "int",
        "groups": "int",
        "approved_by": "str",
        "requested_by": "str | None",
        "approved_at": "str",
        "reason": "str",
        "evidence": "ScorerEvidence",
        "in_force": "bool",
        "ended": "ScorerEnd | None",
    },
)


ScorerRecord = TypedDict(
    "ScorerRecord",
    {
        "population": "str",
        "model": "str",
        "scorer": "Literal[\"raw\", \"population\"]",
        "in_force": "ApprovedScorer | None",
        "claims_held": "int",
        "groups_needed": "int | None",
        "awaiting_second_operator": "AwaitedApproval | None",
        "proposal": "ScorerToApprove | None",
        "no_proposal": "str | None",
        "approvals": "list[ListedScorer]",
    },
)


RescoredClaim = TypedDict(
    "RescoredClaim",
    {
        "claim_id": "str",
        "at": "str",
        "label": "str | None",
        "score_before": "float",
        "score_after": "float",
        "before": "Literal[\"MATCH\", \"NO_MATCH\"]",
        "after": "Literal[\"MATCH\", \"NO_MATCH\"]",
    },
)


RescoredClaims = TypedDict(
    "RescoredClaims",
    {
        "total": "int",
        "labelled_match": "int",
        "labelled_no_match": "int",
        "unlabelled": "int",
        "claims": "list[RescoredClaim]",
    },
)


ScorerDryRun = TypedDict(
    "ScorerDryRun",
    {
        "population": "str",
        "model": "str",
        "scorer": "str",
        "proposal_digest": "str",
        "reject_target": "float",
        "claims": "int",
        "threshold": "float",
        "threshold_source": "str",
        "tried_threshold": "float",
        "tried_threshold_source": "str",
        "to_match": "RescoredClaims",
        "to_no_match": "RescoredClaims",
    },
)


Proposal = TypedDict(
    "Proposal",
    {
        "digest": "str",
        "evidence_digest": "str",
        "method": "str",
        "model": "str",
        "position": "str",
        "decisions": "int",
        "claims": "int",
        "roughs": "int",
        "polishes": "int",
        "pairs": "int",
        "threshold": "float",
        "interval": "list[float]",
        "wrong_per_1000": "float",
        "expected_genuine_accept": "float | None",
        "expected_genuine_accept_error": "float | None",
        "expected_genuine_accept_reason": "str | None",
    },
)


MeasuredProposal = TypedDict(
    "MeasuredProposal",
    {
        "digest": "str",
        "evidence_digest": "str",
        "method": "str",
        "model": "str",
        "position": "str",
        "decisions": "int",
        "claims": "int",
        "roughs": "int",
        "polishes": "int",
        "pairs": "int",
        "threshold": "float",
        "interval": "list[float]",
        "wrong_per_1000": "float",
        "expected_genuine_accept": "float | None",
        "expected_genuine_accept_error": "float | None",
        "expected_genuine_accept_reason": "str | None",
        "proposal_digest": "str",
        "shipped_wrong_per_1000": "float | None",
    },
)


RungDrift = TypedDict(
    "RungDrift",
    {
        "alarm": "bool",
        "threshold_outside_interval": "bool",
        "interval_now": "list[float] | None",
        "claims_since": "int | None",
        "status": "Literal[\"drifting\", \"differs_from_shipped\", \"steady\", \"gathering\", \"no_baseline\"] | None",
        "baseline": "Literal[\"approved\", \"shipped\"] | None",
        "measures": "list[str]",
    },
)


Rung = TypedDict(
    "Rung",
    {
        "reject_target": "float",
        "state": "Literal[\"uncalibrated\", \"calibrated\"]",
        "threshold": "float",
        "threshold_source": "str",
        "expected_genuine_accept": "float | None",
        "approved_by": "str | None",
        "requested_by": "str | None",
        "approved_at": "str | None",
        "reason": "str | None",
        "evidence": "Proposal | None",
        "claims_held": "int",
        "claims_needed": "int | None",
        "awaiting_second_operator": "AwaitedApproval | None",
        "proposal": "MeasuredProposal | None",
        "no_proposal": "str | None",
        "drift": "RungDrift | None",
    },
)


Calibration = TypedDict(
    "Calibration",
    {
        "population": "str",
        "model": "str",
        "scorer": "str | None",
        "detail": "NotRequired[str]",
        "models_not_installed": "NotRequired[list[str]]",
        "rungs": "list[Rung]",
    },
)


ApprovedRung = TypedDict(
    "ApprovedRung",
    {
        "reject_target": "float",
        "state": "Literal[\"uncalibrated\", \"calibrated\"]",
        "threshold": "float",
        "threshold_source": "str",
        "expected_genuine_accept": "float | None",
        "approved_by": "str | None",
        "requested_by": "str | None",
        "approved_at": "str | None",
        "reason": "str | None",
        "evidence": "Proposal | None",
    },
)


CalibrationHistory = TypedDict(
    "CalibrationHistory",
    {
        "population": "str",
        "model": "str",
        "scorer": "str | None",
        "detail": "NotRequired[str]",
        "as_of": "str",
        "rungs": "list[ApprovedRung]",
        "items": "list[dict[str, Any]]",
        "chain_root": "str",
        "audit_root": "str | None",
    },
)


ThresholdAmongScores = TypedDict(
    "ThresholdAmongScores",
    {
        "reject_target": "float",
        "threshold": "float",
        "threshold_source": "str",
        "measured": "float | None",
    },
)


PopulationScores = TypedDict(
    "PopulationScores",
    {
        "population": "str",
        "model": "str",
        "scorer": "str | None",
        "claims": "int",
        "pairs": "int",
        "reason": "str | None",
        "from": "float | None",
        "width": "float | None",
        "genuine": "list[float]",
        "labelled_no_match": "list[float]",
        "wrong": "list[float]",
        "rungs": "list[ThresholdAmongScores]",
    },
)


CalibratedRung = TypedDict(
    "CalibratedRung",
    {
        "reject_target": "float",
        "state": "Literal[\"uncalibrated\", \"calibrated\"]",
        "threshold": "float",
        "threshold_source": "str",
        "expected_genuine_accept": "float | None",
        "approved_by": "str | None",
        "requested_by": "str | None",
        "approved_at": "str | None",
        "reason": "str | None",
        "evidence": "Proposal | None",
        "claims_held": "int",
        "claims_needed": "int | None",
        "awaiting_second_operator": "AwaitedApproval | None",
        "proposal": "MeasuredProposal | None",
        "no_proposal": "str | None",
        "drift": "RungDrift | None",
        "population": "str",
        "model": "str",
        "scorer": "str | None",
    },
)


ChangedClaim = TypedDict(
    "ChangedClaim",
    {
        "claim_id": "str",
        "fused_score": "float",
        "at": "str",
        "label": "str | None",
        "before": "Literal[\"MATCH\", \"NO_MATCH\"]",
        "after": "Literal[\"MATCH\", \"NO_MATCH\"]",
    },
)


ChangedClaims = TypedDict(
    "ChangedClaims",
    {
        "total": "int",
        "labelled_match": "int",
        "labelled_no_match": "int",
        "unlabelled": "int",
        "claims": "list[ChangedClaim]",
    },
)


DryRun = TypedDict(
    "DryRun",
    {
        "population": "str",
        "model": "str",
        "reject_target": "float",
        "claims": "int",
        "threshold": "float",
        "threshold_source": "str",
        "tried_threshold": "float",
        "proposal_digest": "str | None",
        "to_match": "ChangedClaims",
        "to_no_match": "ChangedClaims",
    },
)


DriftBaseline = TypedDict(
    "DriftBaseline",
    {
        "source": "Literal[\"approved\", \"shipped\"]",
        "reject_target": "Literal[0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9] | None",
        "approved_at": "str | None",
        "claims": "int",
        "position": "str",
    },
)


DriftMeasure = TypedDict(
    "DriftMeasure",
    {
        "measure": "Literal[\"fused_score\", \"rough_sharpness\", \"polish_sharpness\", \"rough_detail_residual\", \"polish_detail_residual\"]",
        "statistic": "float",
        "drifted": "bool",
        "baseline_median": "float",
        "window_median": "float",
        "shift": "float | None",
    },
)


DriftWindow = TypedDict(
    "DriftWindow",
    {
        "from": "int",
        "to": "int",
        "until": "str",
        "claims": "int",
        "measures": "list[DriftMeasure]",
    },
)


DriftBand = TypedDict(
    "DriftBand",
    {
        "measure": "Literal[\"fused_score\", \"rough_sharpness\", \"polish_sharpness\", \"rough_detail_residual\", \"polish_detail_residual\"]",
        "p05": "float",
        "p95": "float",
    },
)


PastDriftMeasure = TypedDict(
    "PastDriftMeasure",
    {
        "measure": "Literal[\"fused_score\", \"rough_sharpness\", \"polish_sharpness\", \"rough_detail_residual\", \"polish_detail_residual\"]",
        "drifted": "bool",
        "window_median": "float",
        "shift": "float | None",
    },
)


PastDriftWindow = TypedDict(
    "PastDriftWindow",
    {
        "until": "str",
        "claims": "int",
        "measures": "list[PastDriftMeasure]",
    },
)


DriftEpisode = TypedDict(
    "DriftEpisode",
    {
        "began": "str",
        "ended": "str",
        "measures": "list[Literal[\"fused_score\", \"rough_sharpness\", \"polish_sharpness\", \"rough_detail_residual\", \"polish_detail_residual\"]]",
    },
)


Drift = TypedDict(
    "Drift",
    {
        "population": "str",
        "model": "str",
        "status": "Literal[\"drifting\", \"differs_from_shipped\", \"steady\", \"gathering\", \"no_baseline\"]",
        "alarm": "bool",
        "baseline": "DriftBaseline",
        "window_claims": "int",
        "windows": "int",
        "waiting": "int",
        "began": "DriftWindow | None",
        "latest": "DriftWindow | None",
        "limit": "float",
        "bands": "list[DriftBand]",
        "history": "list[PastDriftWindow]",
        "episodes": "list[DriftEpisode]",
    },
)


LastSwitch = TypedDict(
    "LastSwitch",
    {
        "from": "str",
        "to": "str",
        "populations_falling_back": "list[str]",
        "operator": "str",
        "reason": "str",
        "request_id": "str",
        "at": "str",
    },
)


FallingBack = TypedDict(
    "FallingBack",
    {
        "population": "str",
        "rungs": "list[str]",
    },
)


InstalledModel = TypedDict(
    "InstalledModel",
    {
        "model": "str",
        "name": "str",
        "live": "bool",
        "shadow": "bool",
        "scope": "str",
        "populations_falling_back": "list[FallingBack]",
    },
)


ScoringWorker = TypedDict(
    "ScoringWorker",
    {
        "id": "str",
        "engine": "str",
        "models": "list[str]",
    },
)


Models = TypedDict(
    "Models",
    {
        "live": "str",
        "switched": "LastSwitch | None",
        "installed": "list[InstalledModel]",
        "workers": "list[ScoringWorker]",
        "shadow_claims": "dict[str, Any]",
    },
)


ActionReason = TypedDict(
    "ActionReason",
    {
        "code": "Literal[\"shared_scans\", \"likely_no_match\", \"too_few_rough_scans\", \"insufficient_coverage\", \"off_manifold\", \"locally_polynomial\", \"near_threshold\"]",
        "text": "str",
    },
)


StoneIds = TypedDict(
    "StoneIds",
    {
        "rough": "list[str]",
        "polish": "list[str]",
    },
)


Verification = TypedDict(
    "Verification",
    {
        "fused_score": "float",
        "scorer": "Literal[\"raw\", \"population\"]",
        "member_scores": "dict[str, Any]",
        "member_cosines": "dict[str, Any]",
        "threshold": "float",
        "threshold_source": "str",
        "expected_genuine_accept": "float | None",
        "p_match_5050": "float",
        "mode": "Literal[\"verify-match\"]",
        "verdict": "Literal[\"MATCH\", \"NO_MATCH\"]",
        "reject_target": "float",
        "n_rough_scans": "int",
        "n_polish_scans": "int",
        "rough_sharpness": "float",
        "polish_sharpness": "float",
        "rough_detail_residual": "float",
        "polish_detail_residual": "float",
        "warnings": "list[str]",
        "warning_kinds": "list[Literal[\"uncalibrated_population\", \"unvalidated_expected_genuine_accept\", \"too_few_rough_scans\", \"duplicate_rough_scans\", \"multiple_stone_ids\", \"insufficient_coverage\", \"off_manifold\", \"locally_polynomial\", \"replay_flag_ignored\", \"experimental_rung\", \"other\"]]",
        "shared_scans": "int",
        "action": "Literal[\"accept\", \"review\", \"reject\"]",
        "action_reasons": "list[ActionReason]",
        "scope": "str",
        "claim_id": "str",
        "stone_ids": "StoneIds",
        "receipt": "NotRequired[str]",
        "unused": "NotRequired[list[dict[str, Any]]]",
        "experimental": "NotRequired[Literal[True]]",
    },
)


ShownKey = TypedDict(
    "ShownKey",
    {
        "name": "str",
        "prefix": "str",
        "kind": "Literal[\"production\", \"test\"]",
    },
)


FindingEvidence = TypedDict(
    "FindingEvidence",
    {
        "by": "Literal[\"key\", \"population\"]",
        "keys": "list[str]",
        "roughs": "int",
        "claims": "int",
    },
)


PolishSets = TypedDict(
    "PolishSets",
    {
        "digests": "list[str]",
        "references": "list[str]",
    },
)


ShownScanSet = TypedDict(
    "ShownScanSet",
    {
        "digest": "str",
        "references": "list[str]",
    },
)


ClaimBehind = TypedDict(
    "ClaimBehind",
    {
        "claim_id": "str",
        "submitted_at": "str",
        "reject_target": "float",
        "verdict": "Literal[\"MATCH\", \"NO_MATCH\"]",
        "fused_score": "float",
        "label": "Literal[\"match\", \"no_match\"] | None",
        "rough": "ShownScanSet",
        "polish": "ShownScanSet",
    },
)


FindingNote = TypedDict(
    "FindingNote",
    {
        "note": "str",
        "outcome": "Literal[\"explained\", \"client_asked\", \"key_revoked\", \"no_matter\", \"confirmed\", \"wrong\", \"inconclusive\", \"taken_back\"] | None",
        "operator": "str",
        "at": "str",
    },
)


Finding = TypedDict(
    "Finding",
    {
        "id": "str",
        "kind": "Literal[\"probing\", \"multi_pass\"]",
        "status": "Literal[\"open\", \"reviewed\"]",
        "key": "ShownKey",
        "keys": "list[ShownKey]",
        "population": "str",
        "evidence": "list[FindingEvidence]",
        "breach": "str | None",
        "rule": "Literal[\"same_scans\", \"same_reference\", \"likeness\"]",
        "cosine": "float | None",
        "polish": "PolishSets",
        "roughs": "int",
        "claims_total": "int",
        "claims": "list[ClaimBehind]",
        "opened_at": "str",
        "last_claim_at": "str",
        "review": "FindingNote | None",
        "looked_at_by": "NotRequired[list[str]]",
    },
)


CreatedKey = TypedDict(
    "CreatedKey",
    {
        "name": "str",
        "key": "str",
        "note": "str",
        "population": "str",
        "kind": "str",
    },
)


Key = TypedDict(
    "Key",
    {
        "name": "str",
        "prefix": "str",
        "kind": "str",
        "population": "str",
        "created_at": "str",
        "created_by": "str",
        "expires_at": "str | None",
        "rate": "int | None",
        "contact": "str | None",
        "paused": "bool",
        "reads_population": "bool",
        "revoked_at": "str | None",
        "revoked_by": "str | None",
        "status": "Literal[\"active\", \"paused\", \"expired\", \"revoked\"]",
        "last_used_at": "str | None",
    },
)


ChangedKey = TypedDict(
    "ChangedKey",
    {
        "name": "str",
        "prefix": "str",
        "status": "Literal[\"active\", \"paused\", \"expired\", \"revoked\"]",
        "expires_at": "str | None",
        "rate": "int | None",
        "contact": "str | None",
        "paused": "bool",
        "reads_population": "bool",
    },
)


RevokedKey = TypedDict(
    "RevokedKey",
    {
        "name": "str",
        "prefix": "str",
        "status": "Literal[\"revoked\"]",
        "revoked_at": "str",
        "revoked_by": "str",
    },
)


Operator = TypedDict(
    "Operator",
    {
        "name": "str",
        "scopes": "list[Literal[\"operate\", \"audit\", \"review\", \"metrics\"]]",
    },
)


CreatedWorkspace = TypedDict(
    "CreatedWorkspace",
    {
        "name": "str",
        "token": "str",
        "note": "str",
    },
)


Workspace = TypedDict(
    "Workspace",
    {
        "name": "str",
        "prefix": "str",
        "status": "Literal[\"active\", \"revoked\"]",
        "created_at": "str",
        "created_by": "str",
        "revoked_at": "str | None",
        "revoked_by": "str | None",
        "last_used_at": "str | None",
    },
)


RevokedWorkspace = TypedDict(
    "RevokedWorkspace",
    {
        "name": "str",
        "prefix": "str",
        "status": "Literal[\"revoked\"]",
        "revoked_at": "str",
        "revoked_by": "str",
    },
)


LabelResult = TypedDict(
    "LabelResult",
    {
        "claim_id": "str | None",
        "status": "Literal[\"accepted\", \"duplicate\", \"amended\", \"rejected\"]",
        "expected": "Literal[\"match\", \"no_match\"] | None",
        "verdict": "Literal[\"MATCH\", \"NO_MATCH\"] | None",
        "agrees": "bool | None",
        "reason": "NotRequired[str]",
        "stone_id": "NotRequired[str]",
    },
)


LabelCounts = TypedDict(
    "LabelCounts",
    {
        "accepted": "int",
        "duplicate": "int",
        "amended": "int",
        "rejected": "int",
    },
)


LabelResults = TypedDict(
    "LabelResults",
    {
        "results": "list[LabelResult]",
        "counts": "LabelCounts",
    },
)


MeasuredBounds = TypedDict(
    "MeasuredBounds",
    {
        "simulated": "Literal[True]",
        "note": "str",
        "model": "str",
        "seed": "int",
        "scans": "int",
        "cells": "list[dict[str, Any]]",
        "rehearsal": "list[dict[str, Any]]",
        "answers": "NotRequired[list[dict[str, Any]]]",
    },
)


LotBounds = TypedDict(
    "LotBounds",
    {
        "version": "str",
        "stamped": "str",
        "specified": "dict[str, Any]",
        "measured": "MeasuredBounds | None",
        "model": "str",
        "scope": "str",
        "workspace_scorers": "str",
    },
)


LotStone = TypedDict(
    "LotStone",
    {
        "stone": "str",
        "scans": "int",
    },
)


StonePair = TypedDict(
    "StonePair",
    {
        "a": "str",
        "b": "str",
    },
)


LookAlikes = TypedDict(
    "LookAlikes",
    {
        "share": "float",
        "usual_to": "float",
    },
)


LotDistance = TypedDict(
    "LotDistance",
    {
        "value": "float",
        "usual_to": "float",
    },
)


LotFit = TypedDict(
    "LotFit",
    {
        "usual": "bool",
        "look_alikes": "LookAlikes",
        "distance": "LotDistance",
        "says": "str",
    },
)


LotChange = TypedDict(
    "LotChange",
    {
        "what": "Literal[\"renamed\", \"session_type_corrected\", \"retired\"]",
        "to": "str | None",
        "at": "str",
    },
)


Lot = TypedDict(
    "Lot",
    {
        "lot_id": "str",
        "name": "str",
        "stones": "list[LotStone]",
        "session_type": "Literal[\"shaken\", \"table-up\", \"culet-focus\"]",
        "session_type_source": "Literal[\"declared\", \"estimated\"]",
        "twins": "list[StonePair]",
        "fit": "LotFit | None",
        "warnings": "list[str]",
        "unused": "NotRequired[list[dict[str, Any]]]",
        "model": "str",
        "bounds_version": "str",
        "to_do": "str | None",
        "status": "Literal[\"active\", \"retired\"]",
        "retired_at": "str | None",
        "changes": "list[LotChange]",
        "enrolled_at": "str",
    },
)


LotSummary = TypedDict(
    "LotSummary",
    {
        "lot_id": "str",
        "name": "str",
        "stones": "int",
        "session_type": "Literal[\"shaken\", \"table-up\", \"culet-focus\"]",
        "usual": "bool | None",
        "status": "Literal[\"active\", \"retired\"]",
        "retired_at": "str | None",
        "enrolled_at": "str",
        "checks": "int",
    },
)


LotCounts = TypedDict(
    "LotCounts",
    {
        "returned": "int",
        "confirmed": "int",
        "not_confirmed": "int",
        "members_unaccounted": "int",
    },
)


LotCheckSummary = TypedDict(
    "LotCheckSummary",
    {
        "check_id": "str",
        "session_type": "Literal[\"shaken\", \"table-up\", \"culet-focus\"]",
        "verdict": "str | None",
        "usual": "bool | None",
        "counts": "LotCounts",
        "not_confirmed": "list[str]",
        "checked_at": "str",
    },
)


LotWithChecks = TypedDict(
    "LotWithChecks",
    {
        "lot_id": "str",
        "name": "str",
        "stones": "list[LotStone]",
        "session_type": "Literal[\"shaken\", \"table-up\", \"culet-focus\"]",
        "session_type_source": "Literal[\"declared\", \"estimated\"]",
        "twins": "list[StonePair]",
        "fit": "LotFit | None",
        "warnings": "list[str]",
        "unused": "NotRequired[list[dict[str, Any]]]",
        "model": "str",
        "bounds_version": "str",
        "to_do": "str | None",
        "status": "Literal[\"active\", \"retired\"]",
        "retired_at": "str | None",
        "changes": "list[LotChange]",
        "enrolled_at": "str",
        "check_count": "int",
        "checks": "list[LotCheckSummary]",
    },
)


ReturnedStone = TypedDict(
    "ReturnedStone",
    {
        "stone": "str",
        "scans": "int",
        "outcome": "Literal[\"confirmed\", \"scan_again\", \"not_confirmed\"]",
        "why": "str | None",
        "confirmed": "bool",
        "member": "str | None",
        "score": "float",
        "bar": "float",
        "margin": "float",
        "probability": "float | None",
    },
)


LotMember = TypedDict(
    "LotMember",
    {
        "stone": "str",
        "accounted": "bool",
        "by": "str | None",
    },
)


WorkspaceScorer = TypedDict(
    "WorkspaceScorer",
    {
        "digest": "str",
        "approved_at": "str",
        "lots": "int",
        "twins": "list[StonePair]",
    },
)


MeasuredShare = TypedDict(
    "MeasuredShare",
    {
        "share": "float",
        "interval": "list[float]",
    },
)


OpenPlaces = TypedDict(
    "OpenPlaces",
    {
        "share": "float",
        "interval": "list[float]",
        "places": "int",
    },
)


FalseAccept = TypedDict(
    "FalseAccept",
    {
        "label": "float",
        "measured": "MeasuredShare | None",
        "own": "MeasuredShare | None",
        "open_places": "OpenPlaces | None",
    },
)


OwnBar = TypedDict(
    "OwnBar",
    {
        "bar": "float",
        "confirmed": "list[str]",
    },
)


LotCheck = TypedDict(
    "LotCheck",
    {
        "check_id": "str",
        "lot_id": "str",
        "scorer": "Literal[\"shipped\", \"workspace\"]",
        "session_type": "Literal[\"shaken\", \"table-up\", \"culet-focus\"]",
        "session_type_source": "Literal[\"declared\", \"estimated\"]",
        "verdict": "str | None",
        "stones": "list[ReturnedStone]",
        "members": "list[LotMember]",
        "counts": "LotCounts",
        "fit": "LotFit | None",
        "workspace_scorer": "WorkspaceScorer | None",
        "false_accept": "FalseAccept",
        "own_bar": "NotRequired[OwnBar]",
        "warnings": "list[str]",
        "unused": "NotRequired[list[dict[str, Any]]]",
        "scope": "str",
        "bounds_version": "str",
        "model": "str",
        "to_do": "str | None",
        "operator": "NotRequired[str]",
        "instrument": "NotRequired[str]",
        "checked_at": "str",
    },
)


Caught = TypedDict(
    "Caught",
    {
        "count": "int",
        "share": "float",
        "interval": "list[float]",
    },
)


Tried = TypedDict(
    "Tried",
    {
        "substitutes": "Literal[\"members\", \"cohort\", \"lots\"]",
        "caught": "Caught",
        "one_stone_false_accept": "float",
    },
)


FalseMatch = TypedDict(
    "FalseMatch",
    {
        "stone": "str",
        "times": "int",
    },
)


Rehearsal = TypedDict(
    "Rehearsal",
    {
        "rehearsal_id": "str",
        "lot_id": "str",
        "scorer": "Literal[\"shipped\", \"workspace\"]",
        "substitution": "float",
        "draws": "int",
        "seed": "int",
        "source": "Literal[\"cohort\"] | list[str]",
        "vacated": "int",
        "offered": "int",
        "caught": "Caught | None",
        "one_stone_false_accept": "float",
        "tried": "list[Tried]",
        "fit": "LotFit | None",
        "workspace_scorer": "WorkspaceScorer | None",
        "falsely_matched": "list[FalseMatch]",
        "invisible_swaps": "list[StonePair]",
        "cohort_flatters_by": "float | None",
        "notes": "list[str]",
        "scope": "str",
        "bounds_version": "str",
        "rehearsed_at": "str",
    },
)


CallSummary = TypedDict(
    "CallSummary",
    {
        "calls": "int",
        "repeats": "int",
        "by_status": "dict[str, Any]",
        "by_reason": "dict[str, Any]",
        "verdicts": "dict[str, Any]",
        "warnings": "dict[str, Any]",
        "rough_scans": "dict[str, Any]",
        "polish_scans": "dict[str, Any]",
        "latency_ms": "dict[str, Any]",
        "quantiles": "dict[str, Any]",
        "quantiles_over": "int",
    },
)


FindingCounts = TypedDict(
    "FindingCounts",
    {
        "kind": "Literal[\"probing\", \"multi_pass\"]",
        "key_kind": "Literal[\"production\", \"test\"]",
        "population": "str",
        "key": "str",
        "key_prefix": "str",
        "findings": "int",
        "open": "int",
        "breaches": "int",
    },
)


LabelAgreement = TypedDict(
    "LabelAgreement",
    {
        "reject_target": "float",
        "labelled": "int",
        "true_accept": "int",
        "false_accept": "int",
        "true_reject": "int",
        "false_reject": "int",
        "confirmed_right": "int",
        "confirmed_wrong": "int",
        "rejected_right": "int",
        "rejected_wrong": "int",
    },
)


BucketVerdicts = TypedDict(
    "BucketVerdicts",
    {
        "MATCH": "int",
        "NO_MATCH": "int",
    },
)


CallBucket = TypedDict(
    "CallBucket",
    {
        "from": "str",
        "calls": "int",
        "repeats": "int",
        "refused": "int",
        "verdicts": "BucketVerdicts",
        "match_share": "float | None",
    },
)


DriftingPopulation = TypedDict(
    "DriftingPopulation",
    {
        "population": "str",
        "since": "str",
        "measures": "list[str]",
    },
)


WorkspaceCounts = TypedDict(
    "WorkspaceCounts",
    {
        "created": "int",
        "revoked": "int",
    },
)


StoneCounts = TypedDict(
    "StoneCounts",
    {
        "enrolled": "int",
        "confirmed": "int",
        "not_confirmed": "int",
    },
)


LotActivity = TypedDict(
    "LotActivity",
    {
        "workspaces": "WorkspaceCounts",
        "enrolled": "int",
        "checked": "int",
        "rehearsed": "int",
        "stones": "StoneCounts",
    },
)


GaugeBand = TypedDict(
    "GaugeBand",
    {
        "gauge": "Literal[\"sharpness\", \"detail_residual\", \"locally_polynomial\"]",
        "refused_below": "float | None",
        "low": "float | None",
        "high": "float | None",
    },
)


TelemetrySummary = TypedDict(
    "TelemetrySummary",
    {
        "calls": "int",
        "repeats": "int",
        "by_status": "dict[str, Any]",
        "by_reason": "dict[str, Any]",
        "verdicts": "dict[str, Any]",
        "warnings": "dict[str, Any]",
        "rough_scans": "dict[str, Any]",
        "polish_scans": "dict[str, Any]",
        "latency_ms": "dict[str, Any]",
        "quantiles": "dict[str, Any]",
        "quantiles_over": "int",
        "from": "str",
        "to": "str",
        "replay": "CallSummary",
        "findings": "list[FindingCounts]",
        "label_agreement": "list[LabelAgreement]",
        "buckets": "NotRequired[list[CallBucket]]",
        "population": "NotRequired[str]",
        "drift": "list[DriftingPopulation]",
        "lots": "LotActivity",
        "queue": "dict[str, Any]",
        "gauge_bands": "list[GaugeBand]",
    },
)


TelemetryRecord = TypedDict(
    "TelemetryRecord",
    {
        "position": "str",
        "at": "str",
        "tag": "str",
        "status": "int",
        "count": "int",
        "request_id": "NotRequired[str]",
        "claim_id": "NotRequired[str]",
        "key": "NotRequired[ShownKey]",
        "population": "NotRequired[str]",
        "reason": "NotRequired[str]",
        "verdict": "NotRequired[Literal[\"MATCH\", \"NO_MATCH\"]]",
    },
)


ScanSetFacts = TypedDict(
    "ScanSetFacts",
    {
        "digest": "str",
        "scans": "int",
        "duplicates": "int",
        "short_coverage": "bool",
        "references": "list[str]",
        "sharpness": "float",
        "detail_residual": "float",
        "detail_residual_measured": "float | None",
        "locally_polynomial": "float",
    },
)


ReviewNote = TypedDict(
    "ReviewNote",
    {
        "note": "str",
        "outcome": "Literal[\"confirmed\", \"wrong\", \"inconclusive\", \"taken_back\"] | None",
        "operator": "str",
        "at": "str",
    },
)


ClaimRecord = TypedDict(
    "ClaimRecord",
    {
        "claim_id": "str",
        "status": "Literal[\"scored\", \"unfinished\"]",
        "submitted_at": "str",
        "scored_at": "NotRequired[str]",
        "request_id": "str",
        "key": "ShownKey",
        "population": "str",
        "transport": "Literal[\"json\", \"multipart\"]",
        "reject_target": "float",
        "model": "str",
        "engine": "NotRequired[str]",
        "rough": "ScanSetFacts",
        "polish": "ScanSetFacts",
        "verdict": "Literal[\"MATCH\", \"NO_MATCH\"] | None",
        "fused_score": "NotRequired[float]",
        "scorer": "NotRequired[Literal[\"raw\", \"population\"]]",
        "member_scores": "NotRequired[dict[str, Any]]",
        "member_cosines": "NotRequired[dict[str, Any]]",
        "threshold": "NotRequired[float]",
        "threshold_source": "NotRequired[str]",
        "expected_genuine_accept": "NotRequired[float | None]",
        "p_match_5050": "NotRequired[float]",
        "action": "Literal[\"accept\", \"review\", \"reject\"] | None",
        "action_reasons": "NotRequired[list[ActionReason]]",
        "warnings": "NotRequired[list[str]]",
        "warning_kinds": "NotRequired[list[Literal[\"uncalibrated_population\", \"unvalidated_expected_genuine_accept\", \"too_few_rough_scans\", \"duplicate_rough_scans\", \"multiple_stone_ids\", \"insufficient_coverage\", \"off_manifold\", \"locally_polynomial\", \"replay_flag_ignored\", \"experimental_rung\", \"other\"]]]",
        "latency_ms": "NotRequired[dict[str, Any]]",
        "repeats": "int",
        "label": "dict[str, Any] | None",
        "review": "ReviewNote | None",
        "shared_scans": "int | None",
        "findings": "list[Literal[\"probing\", \"multi_pass\"]]",
        "gauge_bands": "NotRequired[list[GaugeBand]]",
        "looked_at_by": "NotRequired[list[str]]",
        "history": "NotRequired[list[dict[str, Any]]]",
    },
)


ClaimRow = TypedDict(
    "ClaimRow",
    {
        "claim_id": "str",
        "status": "Literal[\"scored\", \"unfinished\"]",
        "submitted_at": "str",
        "key": "str",
        "population": "str",
        "reject_target": "float",
        "verdict": "Literal[\"MATCH\", \"NO_MATCH\"] | None",
        "fused_score": "float | None",
        "threshold": "float | None",
        "p_match_5050": "float | None",
        "action": "Literal[\"accept\", \"review\", \"reject\"] | None",
        "shared_scans": "int | None",
        "warnings": "list[Literal[\"uncalibrated_population\", \"unvalidated_expected_genuine_accept\", \"too_few_rough_scans\", \"duplicate_rough_scans\", \"multiple_stone_ids\", \"insufficient_coverage\", \"off_manifold\", \"locally_polynomial\", \"replay_flag_ignored\", \"experimental_rung\", \"other\"]]",
        "rough": "str | None",
        "polish": "str | None",
        "label": "Literal[\"match\", \"no_match\"] | None",
        "reviewed": "bool",
        "outcome": "Literal[\"confirmed\", \"wrong\", \"inconclusive\", \"taken_back\"] | None",
        "findings": "list[Literal[\"probing\", \"multi_pass\"]]",
    },
)


HygieneCheck = TypedDict(
    "HygieneCheck",
    {
        "check": "str",
        "meaning": "str",
        "advice": "str",
        "status": "Literal[\"ok\", \"attention\"]",
        "found": "int",
        "items": "list[dict[str, Any]]",
    },
)


Hygiene = TypedDict(
    "Hygiene",
    {
        "at": "str",
        "checks": "list[HygieneCheck]",
    },
)


VerdictCounts = TypedDict(
    "VerdictCounts",
    {
        "MATCH": "int",
        "NO_MATCH": "int",
    },
)


ClaimsOverview = TypedDict(
    "ClaimsOverview",
    {
        "calls": "int",
        "answered": "int",
        "repeats": "int",
        "refused": "int",
        "replays": "int",
        "verdicts": "VerdictCounts",
        "match_share": "float | None",
        "refusals": "dict[str, Any]",
        "whole_window": "bool",
    },
)


Total = TypedDict(
    "Total",
    {
        "total": "int",
        "total_exact": "bool",
    },
)


FindingsOverview = TypedDict(
    "FindingsOverview",
    {
        "open": "Total",
        "open_breaches": "Total",
        "opened": "Total",
    },
)


HygieneFound = TypedDict(
    "HygieneFound",
    {
        "check": "str",
        "found": "int",
    },
)


HygieneOverview = TypedDict(
    "HygieneOverview",
    {
        "at": "str | None",
        "found": "list[HygieneFound]",
    },
)


Alarms = TypedDict(
    "Alarms",
    {
        "drift": "list[DriftingPopulation]",
        "hygiene": "HygieneOverview",
        "not_obeyed": "int",
        "log_damaged": "int",
        "views_stopped": "list[str]",
    },
)


NextRung = TypedDict(
    "NextRung",
    {
        "reject_target": "float",
        "claims_needed": "int",
    },
)


MaturingPopulation = TypedDict(
    "MaturingPopulation",
    {
        "population": "str",
        "claims_held": "int",
        "ready": "list[float]",
        "next": "NextRung | None",
    },
)


MaturingPopulations = TypedDict(
    "MaturingPopulations",
    {
        "found": "int",
        "items": "list[MaturingPopulation]",
    },
)


PendingApproval = TypedDict(
    "PendingApproval",
    {
        "population": "str",
        "reject_target": "Literal[0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9] | None",
        "requested_by": "str",
        "at": "str",
    },
)


PendingApprovals = TypedDict(
    "PendingApprovals",
    {
        "found": "int",
        "items": "list[PendingApproval]",
    },
)


Overview = TypedDict(
    "Overview",
    {
        "from": "str",
        "to": "str",
        "claims": "ClaimsOverview",
        "reviews": "Total",
        "findings": "FindingsOverview",
        "alarms": "Alarms",
        "populations": "MaturingPopulations",
        "second_approvals": "PendingApprovals",
    },
)


OwnClaimRow = TypedDict(
    "OwnClaimRow",
    {
        "claim_id": "str",
        "status": "Literal[\"scored\", \"unfinished\"]",
        "submitted_at": "str",
        "reject_target": "float",
        "verdict": "Literal[\"MATCH\", \"NO_MATCH\"] | None",
        "fused_score": "float | None",
        "threshold": "float | None",
        "p_match_5050": "float | None",
        "action": "Literal[\"accept\", \"review\", \"reject\"] | None",
        "rough": "str | None",
        "polish": "str | None",
        "label": "Literal[\"match\", \"no_match\"] | None",
        "outcome": "Literal[\"confirmed\", \"wrong\", \"inconclusive\", \"taken_back\"] | None",
    },
)


OwnLabel = TypedDict(
    "OwnLabel",
    {
        "expected": "Literal[\"match\", \"no_match\"]",
        "at": "str",
    },
)


ReviewOutcome = TypedDict(
    "ReviewOutcome",
    {
        "outcome": "Literal[\"confirmed\", \"wrong\", \"inconclusive\", \"taken_back\"] | None",
        "at": "str",
    },
)


OwnClaim = TypedDict(
    "OwnClaim",
    {
        "claim_id": "str",
        "status": "Literal[\"scored\", \"unfinished\"]",
        "submitted_at": "str",
        "reject_target": "float",
        "answer": "Verification | None",
        "label": "OwnLabel | None",
        "review": "ReviewOutcome | None",
    },
)


StreamEvent = TypedDict(
    "StreamEvent",
    {
        "id": "str",
        "type": "str",
        "version": "int",
        "revision": "int",
        "position": "str",
        "recorded_at": "str",
        "data": "dict[str, Any]",
    },
)


Rebuilding = TypedDict(
    "Rebuilding",
    {
        "servedPosition": "str",
    },
)


View = TypedDict(
    "View",
    {
        "name": "str",
        "version": "int",
        "position": "str",
        "caughtUp": "bool",
        "rebuilding": "NotRequired[Rebuilding]",
        "failure": "NotRequired[str]",
    },
)


ViewList = TypedDict(
    "ViewList",
    {
        "views": "list[View]",
    },
)


Skipped = TypedDict(
    "Skipped",
    {
        "position": "str",
        "stream": "str",
        "type": "str",
        "views": "NotRequired[list[str]]",
        "reason": "str",
        "operator": "str",
        "at": "str",
    },
)


Liveness = TypedDict(
    "Liveness",
    {
        "status": "Literal[\"ok\"]",
    },
)


Engine = TypedDict(
    "Engine",
    {
        "engine": "str",
        "reason": "str",
        "candidates": "NotRequired[list[dict[str, Any]]]",
    },
)


NeededPart = TypedDict(
    "NeededPart",
    {
        "status": "Literal[\"ok\", \"unavailable\"]",
    },
)


ViewsPart = TypedDict(
    "ViewsPart",
    {
        "status": "Literal[\"ok\", \"stopped\"]",
    },
)


OperatorsPart = TypedDict(
    "OperatorsPart",
    {
        "status": "Literal[\"ok\", \"not_seen\"]",
    },
)


LogCheckPart = TypedDict(
    "LogCheckPart",
    {
        "status": "Literal[\"running\", \"sound\", \"damaged\", \"failed\"]",
    },
)


LogOutputPart = TypedDict(
    "LogOutputPart",
    {
        "status": "Literal[\"ok\", \"dropping\"]",
    },
)


ReadinessParts = TypedDict(
    "ReadinessParts",
    {
        "event_log": "NeededPart",
        "disk": "NeededPart",
        "model": "NeededPart",
        "scoring": "NeededPart",
        "views": "ViewsPart",
        "operators": "NotRequired[OperatorsPart]",
        "log_check": "NotRequired[LogCheckPart]",
        "log_output": "NotRequired[LogOutputPart]",
    },
)


Readiness = TypedDict(
    "Readiness",
    {
        "status": "Literal[\"ok\", \"degraded\", \"unavailable\"]",
        "version": "str",
        "model": "str | None",
        "engine": "Engine",
        "parts": "ReadinessParts",
    },
)


EventLogDetail = TypedDict(
    "EventLogDetail",
    {
        "status": "Literal[\"ok\", \"unavailable\"]",
        "reason": "NotRequired[str]",
        "position": "NotRequired[str]",
    },
)


DiskDetail = TypedDict(
    "DiskDetail",
    {
        "status": "Literal[\"ok\", \"unavailable\"]",
        "reason": "NotRequired[str]",
    },
)


ModelDetail = TypedDict(
    "ModelDetail",
    {
        "status": "Literal[\"ok\", \"unavailable\"]",
        "reason": "NotRequired[str]",
        "digest": "NotRequired[str]",
        "installed": "list[str]",
    },
)


ScoringDetail = TypedDict(
    "ScoringDetail",
    {
        "status": "Literal[\"ok\", \"unavailable\"]",
        "reason": "NotRequired[str]",
        "waiting": "NotRequired[int]",
        "active": "NotRequired[int]",
        "workers": "NotRequired[int]",
    },
)


LadderDetail = TypedDict(
    "LadderDetail",
    {
        "model": "str",
        "ladder_digest": "str",
        "in_card": "bool",
    },
)


LogTaken = TypedDict(
    "LogTaken",
    {
        "position": "str",
        "operator": "str",
        "reason": "str",
        "at": "str",
    },
)


DamagedRow = TypedDict(
    "DamagedRow",
    {
        "position": "str",
        "stream": "str",
        "revision": "int",
        "type": "str",
        "problem": "str",
    },
)


LogSealDetail = TypedDict(
    "LogSealDetail",
    {
        "secrets": "list[str]",
        "taken": "LogTaken | None",
        "damaged": "int",
        "damaged_rows": "list[DamagedRow]",
    },
)


DamagedEvent = TypedDict(
    "DamagedEvent",
    {
        "position": "str",
        "stream": "str | None",
        "revision": "int | None",
        "type": "str | None",
        "problem": "str",
    },
)


LogCheckDetail = TypedDict(
    "LogCheckDetail",
    {
        "status": "Literal[\"running\", \"sound\", \"damaged\", \"failed\"]",
        "checked": "str | None",
        "head": "str | None",
        "resumed_at": "str | None",
        "whole_at": "str | None",
        "damaged": "int",
        "damage": "list[DamagedEvent]",
        "reason": "NotRequired[str]",
    },
)


LogOutputDetail = TypedDict(
    "LogOutputDetail",
    {
        "status": "Literal[\"ok\", \"dropping\"]",
        "dropped": "int",
    },
)


MissingModel = TypedDict(
    "MissingModel",
    {
        "population": "str",
        "model": "str",
    },
)


NotObeyedEvent = TypedDict(
    "NotObeyedEvent",
    {
        "position": "str",
        "stream": "str",
        "revision": "int",
        "type": "str",
        "population": "str",
        "problem": "str",
    },
)


CalibrationDetail = TypedDict(
    "CalibrationDetail",
    {
        "models_not_installed": "list[MissingModel]",
        "not_obeyed": "int",
        "not_obeyed_events": "list[NotObeyedEvent]",
    },
)


HealthParts = TypedDict(
    "HealthParts",
    {
        "event_log": "EventLogDetail",
        "disk": "DiskDetail",
        "model": "ModelDetail",
        "scoring": "ScoringDetail",
        "ladders": "list[LadderDetail]",
        "views": "list[View]",
        "operators": "NotRequired[OperatorsPart]",
        "log_seal": "LogSealDetail",
        "log_check": "NotRequired[LogCheckDetail]",
        "log_output": "NotRequired[LogOutputDetail]",
        "calibration": "NotRequired[CalibrationDetail]",
    },
)


HealthDetail = TypedDict(
    "HealthDetail",
    {
        "version": "str",
        "engine": "Engine",
        "parts": "HealthParts",
    },
)

class Operations:
    """The service's operations. `_send` and `_pages` are the client's."""

    def _send(self, method: str, path: str, **more: Any) -> Any:
        raise NotImplementedError

    def _pages(self, path: str, **more: Any) -> Iterator[Any]:
        raise NotImplementedError

    def show_paths(self) -> Paths:
        """Find the contract. GET /"""
        return self._send("GET", "/", as_="nobody")

    def show_contract(self) -> Summary:
        """The contract in short. GET /api/v1"""
        return self._send("GET", "/api/v1", as_="nobody")

    def check_liveness(self) -> Liveness:
        """Is the process up? GET /health/live"""
        return self._send("GET", "/health/live", as_="nobody")

    def check_readiness(self) -> Readiness:
        """Would a claim be served now? GET /health/ready"""
        return self._send("GET", "/health/ready", as_="nobody")

    def read_health(self) -> HealthDetail:
        """Details of readiness for operators: log, disk, queue, views, models. GET /health/detail"""
        return self._send("GET", "/health/detail", as_="operator")

    def list_own_claims(self, *, limit: int | None = None, since: str | None = None) -> Iterator[OwnClaimRow]:
        """The claims of the key, newest first. GET /api/v1/verify-match"""
        return self._pages("/api/v1/verify-match", as_="apiKey", query={"limit": limit, "since": since})

    def get_own_claim(self, claim_id: str) -> OwnClaim:
        """One claim of the key: the stored answer, its label, and what a review came to. GET /api/v1/verify-match/{claim_id}"""
        return self._send("GET", f"/api/v1/verify-match/{quote(claim_id, safe='')}", as_="apiKey")

    def create_key(self, *, name: str, expires_at: str | None = None, rate: int | None = None, contact: str | None = None, reads_population: bool | None = None, population: str | None = None, kind: Literal["production", "test"] | None = None, idempotency_key: str | None = None) -> CreatedKey:
        """Create an API key. POST /api/v1/keys"""
        return self._send("POST", "/api/v1/keys", as_="operator", headers={"Idempotency-Key": idempotency_key}, body={"name": name, "expires_at": expires_at, "rate": rate, "contact": contact, "reads_population": reads_population, "population": population, "kind": kind})

    def list_keys(self, *, limit: int | None = None) -> Iterator[Key]:
        """List keys. GET /api/v1/keys"""
        return self._pages("/api/v1/keys", as_="operator", query={"limit": limit})

    def change_key(self, key_prefix: str, *, expires_at: str | None = None, rate: int | None = None, contact: str | None = None, reads_population: bool | None = None, paused: bool | None = None) -> ChangedKey:
        """Pause or resume a key, or change its end, its rate, its contact or what it reads. PATCH /api/v1/keys/{key_prefix}"""
        return self._send("PATCH", f"/api/v1/keys/{quote(key_prefix, safe='')}", as_="operator", body={"expires_at": expires_at, "rate": rate, "contact": contact, "reads_population": reads_population, "paused": paused})

    def revoke_key(self, key_prefix: str) -> RevokedKey:
        """Revoke a key, at once and for good. DELETE /api/v1/keys/{key_prefix}"""
        return self._send("DELETE", f"/api/v1/keys/{quote(key_prefix, safe='')}", as_="operator")

    def show_operator(self) -> Operator:
        """Name and scopes of the operator key that asks. GET /api/v1/operators/me"""
        return self._send("GET", "/api/v1/operators/me", as_="operator")

    def show_overview(self, *, from_: str | None = None, to: str | None = None) -> Overview:
        """Counts of a window of claims, and what waits or alarms now, in one answer. GET /api/v1/overview"""
        return self._send("GET", "/api/v1/overview", as_="operator", query={"from": from_, "to": to})

    def list_claims(self, *, limit: int | None = None, key: str | None = None, key_kind: Literal["production", "test"] | None = None, population: str | None = None, verdict: Literal["MATCH", "NO_MATCH"] | None = None, reject_target: float | None = None, label: Literal["match", "no_match", "none"] | None = None, reference: str | None = None, search: str | None = None, from_: str | None = None, to: str | None = None, finding: Literal["probing", "multi_pass"] | None = None, status: Literal["scored", "unfinished"] | None = None, action: Literal["accept", "review", "reject"] | None = None, p_min: float | None = None, p_max: float | None = None, warning: Literal["uncalibrated_population", "unvalidated_expected_genuine_accept", "too_few_rough_scans", "duplicate_rough_scans", "multiple_stone_ids", "insufficient_coverage", "off_manifold", "locally_polynomial", "replay_flag_ignored", "experimental_rung", "other"] | None = None, reviewed: bool | None = None, as_of: str | None = None, sort: Literal["time", "p_match_5050", "distance"] | None = None) -> Iterator[ClaimRecord]:
        """The ledger of claims, newest first. GET /api/v1/claims"""
        return self._pages("/api/v1/claims", as_="operator", query={"limit": limit, "key": key, "key_kind": key_kind, "population": population, "verdict": verdict, "reject_target": reject_target, "label": label, "reference": reference, "search": search, "from": from_, "to": to, "finding": finding, "status": status, "action": action, "p_min": p_min, "p_max": p_max, "warning": warning, "reviewed": reviewed, "as_of": as_of, "sort": sort})

    def list_claims_page(self, *, limit: int | None = None, cursor: str | None = None, key: str | None = None, key_kind: Literal["production", "test"] | None = None, population: str | None = None, verdict: Literal["MATCH", "NO_MATCH"] | None = None, reject_target: float | None = None, label: Literal["match", "no_match", "none"] | None = None, reference: str | None = None, search: str | None = None, from_: str | None = None, to: str | None = None, finding: Literal["probing", "multi_pass"] | None = None, status: Literal["scored", "unfinished"] | None = None, action: Literal["accept", "review", "reject"] | None = None, p_min: float | None = None, p_max: float | None = None, warning: Literal["uncalibrated_population", "unvalidated_expected_genuine_accept", "too_few_rough_scans", "duplicate_rough_scans", "multiple_stone_ids", "insufficient_coverage", "off_manifold", "locally_polynomial", "replay_flag_ignored", "experimental_rung", "other"] | None = None, reviewed: bool | None = None, as_of: str | None = None, sort: Literal["time", "p_match_5050", "distance"] | None = None, total: bool | None = None) -> dict[str, Any]:
        """One page of it: items, next_cursor, and with total=True how many there are on all (total, total_exact). GET /api/v1/claims"""
        return self._send("GET", "/api/v1/claims", as_="operator", query={"limit": limit, "cursor": cursor, "key": key, "key_kind": key_kind, "population": population, "verdict": verdict, "reject_target": reject_target, "label": label, "reference": reference, "search": search, "from": from_, "to": to, "finding": finding, "status": status, "action": action, "p_min": p_min, "p_max": p_max, "warning": warning, "reviewed": reviewed, "as_of": as_of, "sort": sort, "total": total})

    def list_claim_rows(self, *, limit: int | None = None, key: str | None = None, key_kind: Literal["production", "test"] | None = None, population: str | None = None, verdict: Literal["MATCH", "NO_MATCH"] | None = None, reject_target: float | None = None, label: Literal["match", "no_match", "none"] | None = None, reference: str | None = None, search: str | None = None, from_: str | None = None, to: str | None = None, finding: Literal["probing", "multi_pass"] | None = None, status: Literal["scored", "unfinished"] | None = None, action: Literal["accept", "review", "reject"] | None = None, p_min: float | None = None, p_max: float | None = None, warning: Literal["uncalibrated_population", "unvalidated_expected_genuine_accept", "too_few_rough_scans", "duplicate_rough_scans", "multiple_stone_ids", "insufficient_coverage", "off_manifold", "locally_polynomial", "replay_flag_ignored", "experimental_rung", "other"] | None = None, reviewed: bool | None = None, as_of: str | None = None, sort: Literal["time", "p_match_5050", "distance"] | None = None) -> Iterator[ClaimRow]:
        """The same ledger in short: a row of a table for each claim. GET /api/v1/claims/rows"""
        return self._pages("/api/v1/claims/rows", as_="operator", query={"limit": limit, "key": key, "key_kind": key_kind, "population": population, "verdict": verdict, "reject_target": reject_target, "label": label, "reference": reference, "search": search, "from": from_, "to": to, "finding": finding, "status": status, "action": action, "p_min": p_min, "p_max": p_max, "warning": warning, "reviewed": reviewed, "as_of": as_of, "sort": sort})

    def list_claim_rows_page(self, *, limit: int | None = None, cursor: str | None = None, key: str | None = None, key_kind: Literal["production", "test"] | None = None, population: str | None = None, verdict: Literal["MATCH", "NO_MATCH"] | None = None, reject_target: float | None = None, label: Literal["match", "no_match", "none"] | None = None, reference: str | None = None, search: str | None = None, from_: str | None = None, to: str | None = None, finding: Literal["probing", "multi_pass"] | None = None, status: Literal["scored", "unfinished"] | None = None, action: Literal["accept", "review", "reject"] | None = None, p_min: float | None = None, p_max: float | None = None, warning: Literal["uncalibrated_population", "unvalidated_expected_genuine_accept", "too_few_rough_scans", "duplicate_rough_scans", "multiple_stone_ids", "insufficient_coverage", "off_manifold", "locally_polynomial", "replay_flag_ignored", "experimental_rung", "other"] | None = None, reviewed: bool | None = None, as_of: str | None = None, sort: Literal["time", "p_match_5050", "distance"] | None = None, total: bool | None = None) -> dict[str, Any]:
        """One page of it: items, next_cursor, and with total=True how many there are on all (total, total_exact). GET /api/v1/claims/rows"""
        return self._send("GET", "/api/v1/claims/rows", as_="operator", query={"limit": limit, "cursor": cursor, "key": key, "key_kind": key_kind, "population": population, "verdict": verdict, "reject_target": reject_target, "label": label, "reference": reference, "search": search, "from": from_, "to": to, "finding": finding, "status": status, "action": action, "p_min": p_min, "p_max": p_max, "warning": warning, "reviewed": reviewed, "as_of": as_of, "sort": sort, "total": total})

    def get_claim(self, claim_id: str) -> ClaimRecord:
        """One claim with its whole history. GET /api/v1/claims/{claim_id}"""
        return self._send("GET", f"/api/v1/claims/{quote(claim_id, safe='')}", as_="operator")

    def review_claim(self, claim_id: str, *, note: str, outcome: Literal["confirmed", "wrong", "inconclusive", "taken_back"] | None = None) -> ClaimRecord:
        """Record the review of a claim. POST /api/v1/claims/{claim_id}/review"""
        return self._send("POST", f"/api/v1/claims/{quote(claim_id, safe='')}/review", as_="operator", body={"note": note, "outcome": outcome})

    def read_metrics(self) -> str:
        """Metrics of this process for Prometheus. GET /metrics"""
        return self._send("GET", "/metrics", as_="operator", accept="text")

    def show_models(self) -> Models:
        """The model that decides, the shadow, and the cost of a switch. GET /api/v1/model"""
        return self._send("GET", "/api/v1/model", as_="operator")

    def switch_model(self, *, model: str, reason: str, accept_uncalibrated: bool | None = None) -> Models:
        """Make another installed model the live one. POST /api/v1/model/switch"""
        return self._send("POST", "/api/v1/model/switch", as_="operator", body={"model": model, "reason": reason, "accept_uncalibrated": accept_uncalibrated})

    def list_calibrations(self, *, limit: int | None = None, model: str | None = None) -> Iterator[Calibration]:
        """Ladders of all populations, with proposals. GET /api/v1/calibration"""
        return self._pages("/api/v1/calibration", as_="operator", query={"limit": limit, "model": model})

    def get_calibration(self, population: str, *, as_of: str | None = None, model: str | None = None) -> Calibration | CalibrationHistory:
        """The ladder of a population, with proposals. GET /api/v1/calibration/{population}"""
        return self._send("GET", f"/api/v1/calibration/{quote(population, safe='')}", as_="operator", query={"as_of": as_of, "model": model})

    def get_calibration_scores(self, population: str, *, model: str | None = None) -> PopulationScores:
        """Histograms of a population’s scores: genuine claims, and wrong ones derived from them. GET /api/v1/calibration/{population}/scores"""
        return self._send("GET", f"/api/v1/calibration/{quote(population, safe='')}/scores", as_="operator", query={"model": model})

    def get_calibration_history(self, population: str, *, as_of: str | None = None, model: str | None = None) -> CalibrationHistory:
        """Every decision with its operator, and the state at a time. GET /api/v1/calibration/{population}/history"""
        return self._send("GET", f"/api/v1/calibration/{quote(population, safe='')}/history", as_="operator", query={"as_of": as_of, "model": model})

    def approve_threshold(self, population: str, reject_target: float, *, reason: str, proposal_digest: str) -> CalibratedRung:
        """Approve the population’s own threshold for a rung. POST /api/v1/calibration/{population}/rungs/{reject_target}/approve"""
        return self._send("POST", f"/api/v1/calibration/{quote(population, safe='')}/rungs/{reject_target:.2f}/approve", as_="operator", body={"reason": reason, "proposal_digest": proposal_digest})

    def withdraw_threshold(self, population: str, reject_target: float, *, reason: str, model: str | None = None) -> CalibratedRung:
        """Return a rung to the shipped default. POST /api/v1/calibration/{population}/rungs/{reject_target}/withdraw"""
        return self._send("POST", f"/api/v1/calibration/{quote(population, safe='')}/rungs/{reject_target:.2f}/withdraw", as_="operator", body={"reason": reason, "model": model})

    def try_threshold(self, population: str, reject_target: float, *, model: str | None = None, threshold: float | None = None) -> DryRun:
        """List the past claims that a threshold would have decided differently. POST /api/v1/calibration/{population}/rungs/{reject_target}/dry-run"""
        return self._send("POST", f"/api/v1/calibration/{quote(population, safe='')}/rungs/{reject_target:.2f}/dry-run", as_="operator", body={"model": model, "threshold": threshold}, repeatable=True)

    def get_scorer(self, population: str) -> ScorerRecord:
        """The scorer of a population, with a proposal and what it would bring. GET /api/v1/calibration/{population}/scorer"""
        return self._send("GET", f"/api/v1/calibration/{quote(population, safe='')}/scorer", as_="operator")

    def approve_scorer(self, population: str, *, reason: str, proposal_digest: str) -> ScorerRecord:
        """Approve the population’s own scorer. POST /api/v1/calibration/{population}/scorer/approve"""
        return self._send("POST", f"/api/v1/calibration/{quote(population, safe='')}/scorer/approve", as_="operator", body={"reason": reason, "proposal_digest": proposal_digest})

    def withdraw_scorer(self, population: str, *, reason: str) -> ScorerRecord:
        """Return a population to raw scores. POST /api/v1/calibration/{population}/scorer/withdraw"""
        return self._send("POST", f"/api/v1/calibration/{quote(population, safe='')}/scorer/withdraw", as_="operator", body={"reason": reason})

    def try_scorer(self, population: str, *, reject_target: float | None = None) -> ScorerDryRun:
        """List the past claims that the proposed scorer would have decided differently. POST /api/v1/calibration/{population}/scorer/dry-run"""
        return self._send("POST", f"/api/v1/calibration/{quote(population, safe='')}/scorer/dry-run", as_="operator", body={"reject_target": reject_target}, repeatable=True)

    def get_audit_bundle(self, population: str) -> bytes:
        """The evidence behind the approvals of a population, as one zip. GET /api/v1/calibration/{population}/audit.zip"""
        return self._send("GET", f"/api/v1/calibration/{quote(population, safe='')}/audit.zip", as_="operator", accept="bytes")

    def get_lot_audit_bundle(self, token_prefix: str) -> bytes:
        """The evidence behind the approvals of a workspace’s lot scorers, as one zip. GET /api/lotscan/workspaces/{token_prefix}/scorer/audit.zip"""
        return self._send("GET", f"/api/lotscan/workspaces/{quote(token_prefix, safe='')}/scorer/audit.zip", as_="operator", accept="bytes")

    def list_drift(self, *, limit: int | None = None, population: str | None = None) -> Iterator[Drift]:
        """Recent claims of each population against its baseline. GET /api/v1/drift"""
        return self._pages("/api/v1/drift", as_="operator", query={"limit": limit, "population": population})

    def list_findings(self, *, limit: int | None = None, kind: Literal["probing", "multi_pass"] | None = None, key: str | None = None, key_kind: Literal["production", "test"] | None = None, population: str | None = None, status: Literal["open", "reviewed"] | None = None, breach: bool | None = None, reference: str | None = None, from_: str | None = None, to: str | None = None) -> Iterator[Finding]:
        """Findings for review, latest first. GET /api/v1/findings"""
        return self._pages("/api/v1/findings", as_="operator", query={"limit": limit, "kind": kind, "key": key, "key_kind": key_kind, "population": population, "status": status, "breach": breach, "reference": reference, "from": from_, "to": to})

    def list_findings_page(self, *, limit: int | None = None, cursor: str | None = None, kind: Literal["probing", "multi_pass"] | None = None, key: str | None = None, key_kind: Literal["production", "test"] | None = None, population: str | None = None, status: Literal["open", "reviewed"] | None = None, breach: bool | None = None, reference: str | None = None, from_: str | None = None, to: str | None = None, total: bool | None = None) -> dict[str, Any]:
        """One page of it: items, next_cursor, and with total=True how many there are on all (total, total_exact). GET /api/v1/findings"""
        return self._send("GET", "/api/v1/findings", as_="operator", query={"limit": limit, "cursor": cursor, "kind": kind, "key": key, "key_kind": key_kind, "population": population, "status": status, "breach": breach, "reference": reference, "from": from_, "to": to, "total": total})

    def get_finding(self, id: str) -> Finding:
        """One finding with its latest 1,000 claims. GET /api/v1/findings/{id}"""
        return self._send("GET", f"/api/v1/findings/{quote(id, safe='')}", as_="operator")

    def review_finding(self, id: str, *, note: str, outcome: Literal["explained", "client_asked", "key_revoked", "no_matter", "confirmed", "wrong", "inconclusive", "taken_back"] | None = None) -> Finding:
        """Mark a finding as reviewed. POST /api/v1/findings/{id}/review"""
        return self._send("POST", f"/api/v1/findings/{quote(id, safe='')}/review", as_="operator", body={"note": note, "outcome": outcome})

    def check_hygiene(self) -> Hygiene:
        """Faults of practice that no single claim shows, each with its meaning and advice. GET /api/v1/hygiene"""
        return self._send("GET", "/api/v1/hygiene", as_="operator")

    def summarise_calls(self, *, from_: str | None = None, to: str | None = None, population: str | None = None, key: str | None = None, key_kind: Literal["production", "test"] | None = None, bucket: Literal["hour", "day"] | None = None) -> TelemetrySummary:
        """Calls of a window: statuses, verdicts, warnings, latency, scores, gauges, findings, labels, queue. GET /api/telemetry/summary"""
        return self._send("GET", "/api/telemetry/summary", as_="operator", query={"from": from_, "to": to, "population": population, "key": key, "key_kind": key_kind, "bucket": bucket})

    def list_calls(self, *, limit: int | None = None, from_: str | None = None, to: str | None = None, population: str | None = None, key: str | None = None, key_kind: Literal["production", "test"] | None = None, tag: Literal["verify_match", "verify_match_replay", "refused_at_the_edge"] | None = None, status: int | None = None, reason: str | None = None, verdict: Literal["MATCH", "NO_MATCH"] | None = None, warning: Literal["uncalibrated_population", "unvalidated_expected_genuine_accept", "too_few_rough_scans", "duplicate_rough_scans", "multiple_stone_ids", "insufficient_coverage", "off_manifold", "locally_polynomial", "replay_flag_ignored", "experimental_rung", "other"] | None = None, claim_id: str | None = None, request_id: str | None = None) -> Iterator[TelemetryRecord]:
        """Records of calls, refused ones too, latest first. GET /api/telemetry/events"""
        return self._pages("/api/telemetry/events", as_="operator", query={"limit": limit, "from": from_, "to": to, "population": population, "key": key, "key_kind": key_kind, "tag": tag, "status": status, "reason": reason, "verdict": verdict, "warning": warning, "claim_id": claim_id, "request_id": request_id})

    def list_views(self) -> ViewList:
        """The read models: how far each is, and where one has stopped. GET /api/v1/views"""
        return self._send("GET", "/api/v1/views", as_="operator")

    def skip_event(self, *, position: str, reason: str) -> Skipped:
        """Make the views skip an event that they cannot read. POST /api/v1/views/skip"""
        return self._send("POST", "/api/v1/views/skip", as_="operator", body={"position": position, "reason": reason})

    def read_stream(self, stream: str, *, limit: int | None = None) -> Iterator[StreamEvent]:
        """Events of one stream of the log, oldest first. GET /api/v1/streams/{stream}"""
        return self._pages(f"/api/v1/streams/{quote(stream, safe='')}", as_="operator", query={"limit": limit})

    def create_workspace(self, *, name: str) -> CreatedWorkspace:
        """Create a workspace of the lot product. POST /api/lotscan/workspaces"""
        return self._send("POST", "/api/lotscan/workspaces", as_="operator", body={"name": name})

    def list_workspaces(self, *, limit: int | None = None) -> Iterator[Workspace]:
        """List workspaces. GET /api/lotscan/workspaces"""
        return self._pages("/api/lotscan/workspaces", as_="operator", query={"limit": limit})

    def revoke_workspace(self, token_prefix: str) -> RevokedWorkspace:
        """Revoke a workspace’s token, at once and for good. DELETE /api/lotscan/workspaces/{token_prefix}"""
        return self._send("DELETE", f"/api/lotscan/workspaces/{quote(token_prefix, safe='')}", as_="operator")

    def get_lot_scorer(self, token_prefix: str) -> LotScorerRecord:
        """The lot scorer of a workspace, with a proposal and what it would bring. GET /api/lotscan/workspaces/{token_prefix}/scorer"""
        return self._send("GET", f"/api/lotscan/workspaces/{quote(token_prefix, safe='')}/scorer", as_="operator")

    def approve_lot_scorer(self, token_prefix: str, *, reason: str, proposal_digest: str) -> LotScorerRecord:
        """Approve the workspace’s own lot scorer. POST /api/lotscan/workspaces/{token_prefix}/scorer/approve"""
        return self._send("POST", f"/api/lotscan/workspaces/{quote(token_prefix, safe='')}/scorer/approve", as_="operator", body={"reason": reason, "proposal_digest": proposal_digest})

    def withdraw_lot_scorer(self, token_prefix: str, *, reason: str) -> LotScorerRecord:
        """Return a workspace to the shipped lot scorer. POST /api/lotscan/workspaces/{token_prefix}/scorer/withdraw"""
        return self._send("POST", f"/api/lotscan/workspaces/{quote(token_prefix, safe='')}/scorer/withdraw", as_="operator", body={"reason": reason})

    def show_bounds(self) -> LotBounds:
        """Bounds and exclusions of lot checks. GET /api/lotscan/bounds"""
        return self._send("GET", "/api/lotscan/bounds", as_="workspace")

    def list_lots(self, *, limit: int | None = None) -> Iterator[LotSummary]:
        """List the workspace’s lots. GET /api/lotscan/lots"""
        return self._pages("/api/lotscan/lots", as_="workspace", query={"limit": limit})

    def get_lot(self, lot_id: str) -> LotWithChecks:
        """A lot and its checks. GET /api/lotscan/lots/{lot_id}"""
        return self._send("GET", f"/api/lotscan/lots/{quote(lot_id, safe='')}", as_="workspace")

    def change_lot(self, lot_id: str, *, name: str | None = None, session_type: Literal["shaken", "table-up", "culet-focus"] | None = None) -> Lot:
        """Rename a lot, or correct its declared session type. PATCH /api/lotscan/lots/{lot_id}"""
        return self._send("PATCH", f"/api/lotscan/lots/{quote(lot_id, safe='')}", as_="workspace", body={"name": name, "session_type": session_type})

    def retire_lot(self, lot_id: str) -> Lot:
        """Retire a lot: it is read as before, and no longer checked. DELETE /api/lotscan/lots/{lot_id}"""
        return self._send("DELETE", f"/api/lotscan/lots/{quote(lot_id, safe='')}", as_="workspace")

    def list_lot_checks(self, lot_id: str, *, limit: int | None = None) -> Iterator[LotCheckSummary]:
        """List the checks of a lot. GET /api/lotscan/lots/{lot_id}/checks"""
        return self._pages(f"/api/lotscan/lots/{quote(lot_id, safe='')}/checks", as_="workspace", query={"limit": limit})

    def get_lot_check(self, lot_id: str, check_id: str) -> LotCheck:
        """A check, as it was answered. GET /api/lotscan/lots/{lot_id}/checks/{check_id}"""
        return self._send("GET", f"/api/lotscan/lots/{quote(lot_id, safe='')}/checks/{quote(check_id, safe='')}", as_="workspace")

    def draw_lot_check(self, lot_id: str, check_id: str) -> bytes:
        """The tray of a check, as a picture that fits a page. GET /api/lotscan/lots/{lot_id}/checks/{check_id}/tray.svg"""
        return self._send("GET", f"/api/lotscan/lots/{quote(lot_id, safe='')}/checks/{quote(check_id, safe='')}/tray.svg", as_="workspace", accept="bytes")

    def report_lot_check(self, lot_id: str, check_id: str) -> str:
        """A check as a page to be printed. GET /api/lotscan/lots/{lot_id}/checks/{check_id}/report"""
        return self._send("GET", f"/api/lotscan/lots/{quote(lot_id, safe='')}/checks/{quote(check_id, safe='')}/report", as_="workspace", accept="text")

    def rehearse_lot(self, lot_id: str, *, substitution: float | None = None, seed: int | None = None, draws: int | None = None, source: Literal["cohort"] | Sequence[str] | None = None) -> Rehearsal:
        """How much of a substitution on this lot would be caught? POST /api/lotscan/lots/{lot_id}/rehearse"""
        return self._send("POST", f"/api/lotscan/lots/{quote(lot_id, safe='')}/rehearse", as_="workspace", body={"substitution": substitution, "seed": seed, "draws": draws, "source": source}, repeatable=True)

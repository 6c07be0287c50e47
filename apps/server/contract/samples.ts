/**
 * Calls of both clients, by operation, as the contract shows them. tools/story.ts runs the TypeScript ones against a service
 * and records what they sent and got; test/samples.spec.ts holds the Python ones to the same operations.
 */
type Sample = readonly [typescript: string, python: string];

/** A call that was made, and its answer, shortened. */
export interface Example {
  /** With its query. */
  path: string;
  body?: unknown;
  /** Fields of a form; a file begins with @. */
  form?: (readonly [name: string, value: string])[];
  status: number;
  /** None of bytes. */
  answer?: unknown;
}

export const SAMPLES: Record<string, Sample> = {
  showPaths: ['await client.paths()', 'client.show_paths()'],
  showContract: ['await client.summary()', 'client.show_contract()'],
  checkLiveness: ['await client.liveness()', 'client.check_liveness()'],
  checkReadiness: ['await client.readiness()', 'client.check_readiness()'],
  readHealth: ['await client.health()', 'client.read_health()'],
  readMetrics: ['await client.metrics()', 'client.read_metrics()'],
  verifyMatch: ['await client.verify({ rough, polish })', 'client.verify_files(rough, polish)'],
  labelClaims: [
    "for await (const { counts } of client.label([{ claim_id: claimId, expected: 'match' }])) console.log(counts)",
    'for results in client.label([{"claim_id": claim_id, "expected": "match"}]): print(results["counts"])',
  ],
  listOwnClaims: [
    "for await (const claim of client.ownClaims({ since: '2026-11-01T00:00:00Z' })) console.log(claim.claim_id, claim.verdict)",
    'for claim in client.list_own_claims(since="2026-11-01T00:00:00Z"): print(claim["claim_id"], claim["verdict"])',
  ],
  getOwnClaim: ['await client.ownClaim(claimId)', 'client.get_own_claim(claim_id)'],
  createKey: [
    "await client.createKey({ name: 'laboratory', population: 'antwerp' })",
    'client.create_key(name="laboratory", population="antwerp")',
  ],
  listKeys: [
    'for await (const key of client.keys()) console.log(key.prefix, key.last_used_at)',
    'for key in client.list_keys(): print(key["prefix"], key["last_used_at"])',
  ],
  revokeKey: ['await client.revokeKey(keyPrefix)', 'client.revoke_key(key_prefix)'],
  showOperator: ['await client.operator()', 'client.show_operator()'],
  showOverview: ['await client.overview()', 'client.show_overview()'],
  listClaims: [
    "for await (const claim of client.claims({ action: 'review', reviewed: false })) console.log(claim.claim_id)",
    'for claim in client.list_claims(action="review", reviewed=False): print(claim["claim_id"])',
  ],
  listClaimRows: [
    "for await (const row of client.claimRows({ sort: 'distance', reviewed: false })) console.log(row.claim_id, row.verdict)",
    'for row in client.list_claim_rows(sort="distance", reviewed=False): print(row["claim_id"], row["verdict"])',
  ],
  streamClaims: [
    "for await (const { claim } of client.claimStream({ after: '0' })) { console.log(claim.claim_id, claim.verdict); break; }",
    'for event_id, row in client.stream_claims(): print(event_id, row["claim_id"], row["verdict"])',
  ],
  getClaim: ['await client.claim(claimId)', 'client.get_claim(claim_id)'],
  reviewClaim: [
    "await client.reviewClaim(claimId, { note: 'measured again: the same stone', outcome: 'wrong' })",
    'client.review_claim(claim_id, note="measured again: the same stone", outcome="wrong")',
  ],
  listFindings: [
    "for await (const finding of client.findings({ status: 'open' })) console.log(finding.id, finding.kind)",
    'for finding in client.list_findings(status="open"): print(finding["id"], finding["kind"])',
  ],
  getFinding: ['await client.finding(findingId)', 'client.get_finding(finding_id)'],
  reviewFinding: [
    "await client.reviewFinding(findingId, { note: 'two roughs of one parcel were mixed up', outcome: 'explained' })",
    'client.review_finding(finding_id, note="two roughs of one parcel were mixed up", outcome="explained")',
  ],
  checkHygiene: ['await client.hygiene()', 'client.check_hygiene()'],
  listCalls: [
    'for await (const call of client.telemetry({ status: 400 })) console.log(call.request_id, call.reason)',
    'for call in client.list_calls(status=400): print(call["request_id"], call["reason"])',
  ],
  summariseCalls: [
    "await client.telemetrySummary({ population: 'antwerp' })",
    'client.summarise_calls(population="antwerp")',
  ],
  listDrift: [
    'for await (const one of client.drift()) console.log(one.population, one.status)',
    'for one in client.list_drift(): print(one["population"], one["status"])',
  ],
  showModels: ['await client.models()', 'client.show_models()'],
  switchModel: [
    "await client.switchModel({ model, reason: 'confirms more of our own stones', accept_uncalibrated: true })",
    'client.switch_model(model=model, reason="confirms more of our own stones", accept_uncalibrated=True)',
  ],
  listCalibrations: [
    'for await (const one of client.calibrations()) console.log(one.population)',
    'for one in client.list_calibrations(): print(one["population"])',
  ],
  getCalibration: ["await client.calibration('antwerp')", 'client.get_calibration("antwerp")'],
  getCalibrationScores: ["await client.calibrationScores('antwerp')", 'client.get_calibration_scores("antwerp")'],
  readStream: [
    "for await (const event of client.stream('calibration-antwerp')) console.log(event.type, event.recorded_at)",
    'for event in client.read_stream("calibration-antwerp"): print(event["type"], event["recorded_at"])',
  ],
  getCalibrationHistory: ["await client.calibrationHistory('antwerp')", 'client.get_calibration_history("antwerp")'],
  getAuditBundle: ["await client.auditBundle('antwerp')", 'client.get_audit_bundle("antwerp")'],
  approveThreshold: [
    "await client.approve('antwerp', 0.98, { reason: 'enough claims', proposalDigest })",
    'client.approve_threshold("antwerp", 0.98, reason="enough claims", proposal_digest=proposal_digest)',
  ],
  withdrawThreshold: [
    "await client.withdraw('antwerp', 0.98, { reason: 'the spectrometer was exchanged' })",
    'client.withdraw_threshold("antwerp", 0.98, reason="the spectrometer was exchanged")',
  ],
  tryThreshold: ["await client.tryThreshold('antwerp', 0.98, {})", 'client.try_threshold("antwerp", 0.98)'],
  getScorer: ["await client.scorer('antwerp')", 'client.get_scorer("antwerp")'],
  approveScorer: [
    "await client.approveScorer('antwerp', { reason: 'confirms more of our own stones', proposalDigest })",
    'client.approve_scorer("antwerp", reason="confirms more of our own stones", proposal_digest=proposal_digest)',
  ],
  withdrawScorer: [
    "await client.withdrawScorer('antwerp', { reason: 'the spectrometer was exchanged' })",
    'client.withdraw_scorer("antwerp", reason="the spectrometer was exchanged")',
  ],
  tryScorer: [
    "await client.tryScorer('antwerp', { reject_target: 0.98 })",
    'client.try_scorer("antwerp", reject_target=0.98)',
  ],
  listViews: ['await client.views()', 'client.list_views()'],
  skipEvent: [
    "await client.skipEvent({ position, reason: 'written by a newer version that was taken back' })",
    'client.skip_event(position=position, reason="written by a newer version that was taken back")',
  ],
  createWorkspace: ["await client.createWorkspace('trader')", 'client.create_workspace(name="trader")'],
  listWorkspaces: [
    'for await (const workspace of client.workspaces()) console.log(workspace.name)',
    'for workspace in client.list_workspaces(): print(workspace["name"])',
  ],
  revokeWorkspace: ['await client.revokeWorkspace(tokenPrefix)', 'client.revoke_workspace(token_prefix)'],
  getLotScorer: ['await client.lotScorer(tokenPrefix)', 'client.get_lot_scorer(token_prefix)'],
  getLotAuditBundle: ['await client.lotAuditBundle(tokenPrefix)', 'client.get_lot_audit_bundle(token_prefix)'],
  approveLotScorer: [
    "await client.approveLotScorer(tokenPrefix, { reason: 'it catches more of our own lots', proposalDigest })",
    'client.approve_lot_scorer(token_prefix, reason="it catches more of our own lots", proposal_digest=proposal_digest)',
  ],
  withdrawLotScorer: [
    "await client.withdrawLotScorer(tokenPrefix, { reason: 'another supplier' })",
    'client.withdraw_lot_scorer(token_prefix, reason="another supplier")',
  ],
  showBounds: ['await client.lotBounds()', 'client.show_bounds()'],
  enrolLot: ["await client.enrolLot('spring', { files })", 'client.enrol_lot("spring", files)'],
  listLots: [
    'for await (const lot of client.lots()) console.log(lot.lot_id, lot.name)',
    'for lot in client.list_lots(): print(lot["lot_id"], lot["name"])',
  ],
  getLot: ['await client.lot(lotId)', 'client.get_lot(lot_id)'],
  changeLot: [
    "await client.changeLot(lotId, { name: 'spring, second part' })",
    'client.change_lot(lot_id, name="spring, second part")',
  ],
  retireLot: ['await client.retireLot(lotId)', 'client.retire_lot(lot_id)'],
  listLotChecks: [
    'for await (const check of client.lotChecks(lotId)) console.log(check.check_id)',
    'for check in client.list_lot_checks(lot_id): print(check["check_id"])',
  ],
  getLotCheck: ['await client.lotCheck(lotId, checkId)', 'client.get_lot_check(lot_id, check_id)'],
  drawLotCheck: ['await client.lotCheckTray(lotId, checkId)', 'client.draw_lot_check(lot_id, check_id)'],
  reportLotCheck: ['await client.lotCheckReport(lotId, checkId)', 'client.report_lot_check(lot_id, check_id)'],
  checkLot: ['await client.checkLot(lotId, { files })', 'client.check_lot(lot_id, files)'],
  rehearseLot: [
    'await client.rehearseLot(lotId, { substitution: 0.2, seed: 7 })',
    'client.rehearse_lot(lot_id, substitution=0.2, seed=7)',
  ],
};

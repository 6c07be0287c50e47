/* Generated from the OpenAPI document: UPDATE_DOCS=1 npm test -- client */

export interface Queries {
  listKeys: {
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
  };
  listClaims: {
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
    /**
     * name or prefix of the key
     */
    key?: string;
    /**
     * population
     */
    population?: string;
    /**
     * verdict
     */
    verdict?: 'MATCH' | 'NO_MATCH';
    /**
     * rung
     */
    reject_target?: 0.99 | 0.98 | 0.97 | 0.96 | 0.95 | 0.94 | 0.93 | 0.92 | 0.91 | 0.9;
    /**
     * ground truth
     */
    label?: 'match' | 'no_match' | 'none';
    /**
     * stone reference of either side
     */
    reference?: string;
    /**
     * submitted at or after
     */
    from?: string;
    /**
     * submitted before
     */
    to?: string;
    /**
     * claims behind a finding
     */
    finding?: 'probing' | 'multi_pass';
    /**
     * unfinished: submitted, and no verdict was stored
     */
    status?: 'scored' | 'unfinished';
    /**
     * p_match_5050 at least
     */
    p_min?: number;
    /**
     * whether an operator has noted something of the claim
     */
    reviewed?: 'true' | 'false';
    /**
     * as the ledger was then
     */
    as_of?: string;
  };
  listCalibrations: {
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
    /**
     * digest of an installed model; the live one by default
     */
    model?: string;
  };
  getCalibration: {
    /**
     * what was live then
     */
    as_of?: string;
    /**
     * digest of an installed model; the live one by default
     */
    model?: string;
  };
  getCalibrationHistory: {
    /**
     * what was live then
     */
    as_of?: string;
    /**
     * digest of an installed model; the live one by default
     */
    model?: string;
  };
  listDrift: {
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
    /**
     * population
     */
    population?: string;
  };
  listFindings: {
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
    /**
     * kind
     */
    kind?: 'probing' | 'multi_pass';
    /**
     * name or prefix of a key behind it
     */
    key?: string;
    /**
     * test keys are counted apart
     */
    key_kind?: 'production' | 'test';
    /**
     * population
     */
    population?: string;
    /**
     * reviewed: nothing came to it since an operator reviewed it
     */
    status?: 'open' | 'reviewed';
    /**
     * a panel of roughs probed with a production key
     */
    breach?: 'true' | 'false';
    /**
     * stone reference of the polish
     */
    reference?: string;
    /**
     * opened at or after
     */
    from?: string;
    /**
     * opened before
     */
    to?: string;
  };
  summariseCalls: {
    /**
     * ended at or after
     */
    from?: string;
    /**
     * ended before
     */
    to?: string;
    /**
     * population
     */
    population?: string;
    /**
     * name or prefix of the key
     */
    key?: string;
    /**
     * test keys apart
     */
    key_kind?: 'production' | 'test';
  };
  listCalls: {
    /**
     * ended at or after
     */
    from?: string;
    /**
     * ended before
     */
    to?: string;
    /**
     * population
     */
    population?: string;
    /**
     * name or prefix of the key
     */
    key?: string;
    /**
     * test keys apart
     */
    key_kind?: 'production' | 'test';
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
    /**
     * verify_match_replay: replays
     */
    tag?: 'verify_match' | 'verify_match_replay' | 'refused_at_the_edge';
    /**
     * HTTP status
     */
    status?: number;
    /**
     * kind of the refusal
     */
    reason?: string;
    /**
     * verdict
     */
    verdict?: 'MATCH' | 'NO_MATCH';
    /**
     * kind of a warning
     */
    warning?:
      | 'uncalibrated_population'
      | 'unvalidated_expected_genuine_accept'
      | 'too_few_rough_scans'
      | 'duplicate_rough_scans'
      | 'multiple_stone_ids'
      | 'insufficient_coverage'
      | 'off_manifold'
      | 'locally_polynomial'
      | 'replay_flag_ignored'
      | 'experimental_rung'
      | 'other';
    /**
     * the claim
     */
    claim_id?: string;
    /**
     * the request
     */
    request_id?: string;
  };
  listWorkspaces: {
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
  };
  listLots: {
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
  };
  listLotChecks: {
    /**
     * items a page
     */
    limit?: number;
    /**
     * next_cursor of the page before
     */
    cursor?: string;
  };
}

/** Method, path and credential of each operation. */
export const OPERATIONS = {
  showPaths: ['GET', '/', undefined],
  showContract: ['GET', '/api/v1', undefined],
  checkLiveness: ['GET', '/health/live', undefined],
  checkReadiness: ['GET', '/health/ready', undefined],
  readHealth: ['GET', '/health/detail', 'operator'],
  verifyMatch: ['POST', '/api/v1/verify-match', 'client'],
  labelClaims: ['POST', '/api/v1/expected', 'client'],
  createKey: ['POST', '/api/v1/keys', 'operator'],
  listKeys: ['GET', '/api/v1/keys', 'operator'],
  revokeKey: ['DELETE', '/api/v1/keys/{key_prefix}', 'operator'],
  listClaims: ['GET', '/api/v1/claims', 'operator'],
  getClaim: ['GET', '/api/v1/claims/{claim_id}', 'operator'],
  reviewClaim: ['POST', '/api/v1/claims/{claim_id}/review', 'operator'],
  readMetrics: ['GET', '/metrics', 'operator'],
  showModels: ['GET', '/api/v1/model', 'operator'],
  switchModel: ['POST', '/api/v1/model/switch', 'operator'],
  listCalibrations: ['GET', '/api/v1/calibration', 'operator'],
  getCalibration: ['GET', '/api/v1/calibration/{population}', 'operator'],
  getCalibrationHistory: ['GET', '/api/v1/calibration/{population}/history', 'operator'],
  getAuditBundle: ['GET', '/api/v1/calibration/{population}/audit.zip', 'operator'],
  approveThreshold: ['POST', '/api/v1/calibration/{population}/rungs/{reject_target}/approve', 'operator'],
  withdrawThreshold: ['POST', '/api/v1/calibration/{population}/rungs/{reject_target}/withdraw', 'operator'],
  tryThreshold: ['POST', '/api/v1/calibration/{population}/rungs/{reject_target}/dry-run', 'operator'],
  getScorer: ['GET', '/api/v1/calibration/{population}/scorer', 'operator'],
  approveScorer: ['POST', '/api/v1/calibration/{population}/scorer/approve', 'operator'],
  withdrawScorer: ['POST', '/api/v1/calibration/{population}/scorer/withdraw', 'operator'],
  tryScorer: ['POST', '/api/v1/calibration/{population}/scorer/dry-run', 'operator'],
  listDrift: ['GET', '/api/v1/drift', 'operator'],
  listFindings: ['GET', '/api/v1/findings', 'operator'],
  getFinding: ['GET', '/api/v1/findings/{id}', 'operator'],
  reviewFinding: ['POST', '/api/v1/findings/{id}/review', 'operator'],
  checkHygiene: ['GET', '/api/v1/hygiene', 'operator'],
  summariseCalls: ['GET', '/api/telemetry/summary', 'operator'],
  listCalls: ['GET', '/api/telemetry/events', 'operator'],
  listViews: ['GET', '/api/v1/views', 'operator'],
  skipEvent: ['POST', '/api/v1/views/skip', 'operator'],
  createWorkspace: ['POST', '/api/lotscan/workspaces', 'operator'],
  listWorkspaces: ['GET', '/api/lotscan/workspaces', 'operator'],
  revokeWorkspace: ['DELETE', '/api/lotscan/workspaces/{token_prefix}', 'operator'],
  showBounds: ['GET', '/api/lotscan/bounds', 'workspace'],
  enrolLot: ['POST', '/api/lotscan/lots', 'workspace'],
  listLots: ['GET', '/api/lotscan/lots', 'workspace'],
  getLot: ['GET', '/api/lotscan/lots/{lot_id}', 'workspace'],
  changeLot: ['PATCH', '/api/lotscan/lots/{lot_id}', 'workspace'],
  retireLot: ['DELETE', '/api/lotscan/lots/{lot_id}', 'workspace'],
  listLotChecks: ['GET', '/api/lotscan/lots/{lot_id}/checks', 'workspace'],
  getLotCheck: ['GET', '/api/lotscan/lots/{lot_id}/checks/{check_id}', 'workspace'],
  drawLotCheck: ['GET', '/api/lotscan/lots/{lot_id}/checks/{check_id}/tray.svg', 'workspace'],
  reportLotCheck: ['GET', '/api/lotscan/lots/{lot_id}/checks/{check_id}/report', 'workspace'],
  checkLot: ['POST', '/api/lotscan/lots/{lot_id}/check', 'workspace'],
  rehearseLot: ['POST', '/api/lotscan/lots/{lot_id}/rehearse', 'workspace'],
} as const;

export type Operation = keyof typeof OPERATIONS;

/** What may be asked of a listing. */
export type Query<O extends keyof Queries> = Queries[O];

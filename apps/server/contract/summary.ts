/** GET /api/v1: the contract in short. */

import { limits } from '#config/limits';
import { RETRY_ADVICE } from '#kit/http/problem';
import { scopeVersion } from '#science/calibration/asset';
import { DEFAULT_REJECT_TARGET, isExperimental, RUNGS } from '#science/calibration/ladder';
import { SCAN_FILES } from '#science/spectra/names';
import type { Summary } from './contract.dto.js';

export interface Served {
  version: string;
  engine: string;
  model: string;
  scope: string;
  keys: Pick<Summary, 'audit_keys' | 'receipt_keys'>;
}

export function contractSummary({ version, engine, model, scope, keys }: Served): Summary {
  return {
    service: 'match-verification',
    version,
    engine,
    model,
    endpoint: 'POST /api/v1/verify-match',
    auth: 'header X-Api-Key, issued by the operator',
    scope,
    scope_version: scopeVersion(scope),
    inputs: {
      multipart: {
        rough_files: `required, repeatable: ${SCAN_FILES}`,
        polish_files: 'required, repeatable: as rough_files',
        rough_stone_id: 'optional: your reference, in place of the one in the names of the files',
        polish_stone_id: 'as rough_stone_id',
        reject_target: `optional: one of reject_targets, default ${DEFAULT_REJECT_TARGET}`,
      },
      json: {
        rough: `{wavenumbers: [N], spectra: [[N], ...], stone_id?}: N at least ${limits.minPoints}, 1 to ${limits.jsonSpectra} spectra`,
        polish: 'as rough',
        reject_target: `optional: one of reject_targets, default ${DEFAULT_REJECT_TARGET}`,
      },
    },
    reject_targets: RUNGS,
    default_reject_target: DEFAULT_REJECT_TARGET,
    expected_results: {
      endpoint: 'POST /api/v1/expected',
      purpose: 'label claims with their ground truth after the verdict',
      body: '[{claim_id, expected: "match" | "no_match", stone_id?, note?}, ...] or {items: [...]}',
      max_per_call: limits.labels,
      advisory: 'labels never move a threshold; only an operator does',
    },
    experimental_reject_targets: RUNGS.filter(isExperimental),
    experimental_note:
      'experimental rungs are for measurement, not for quotation; each answer on one carries a warning',
    notes: [
      `Validation is done rough side first. ${RETRY_ADVICE}`,
      'Send the unprocessed export, 492 to 5989 cm^-1, at least 3 rough scans (6 recommended).',
      'Decide on verdict, not on p_match_5050, which assumes as many true as false claims.',
      'NO_MATCH means that the claim is not supported; it does not prove that the polish came from none of your roughs.',
      'Figures rest on simulated stones. On other stones, real ones included, the service errs more often in both ' +
        'directions: set your own thresholds; better, train your own model.',
      'The contract in full: /api/v1/openapi.json, rendered at /api/v1/docs.',
    ],
    ...keys,
  };
}

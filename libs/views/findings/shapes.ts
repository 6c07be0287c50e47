/** Findings as they are answered. */
import { type Static, Type } from 'typebox';
import { FINDINGS, KEY_KINDS, one, orNull } from '#domain';
import { integer, references, reviewNote, rung, said, shownKey, time, verdict } from '../shapes.js';

const digest16 = 'first 16 hex digits';

const evidence = Type.Object(
  {
    by: one('key', 'population'),
    keys: Type.Array(Type.String(), { description: 'names' }),
    roughs: integer('that the key by itself, or the keys together, claimed or were confirmed for'),
    claims: integer('claims behind that'),
  },
  { $id: 'FindingEvidence' },
);
const polishSets = Type.Object(
  { digests: Type.Array(Type.String(), { description: `${digest16} of each` }), references },
  { $id: 'PolishSets' },
);
const shownScanSet = Type.Object({ digest: said(digest16), references }, { $id: 'ShownScanSet' });
const claimBehind = Type.Object(
  {
    claim_id: said('the claim'),
    submitted_at: time(),
    reject_target: rung,
    verdict,
    fused_score: Type.Number({ description: 'score' }),
    label: orNull(one('match', 'no_match')),
    rough: shownScanSet,
    polish: shownScanSet,
  },
  { $id: 'ClaimBehind' },
);
export type ClaimBehind = Static<typeof claimBehind>;

export const findingRecord = Type.Object(
  {
    id: said('the finding'),
    kind: one(...FINDINGS),
    status: one('open', 'reviewed'),
    key: shownKey,
    keys: Type.Array(shownKey, {
      description: 'all whose claims are behind it; key is the one whose claim opened it',
    }),
    population: said('population of the keys'),
    evidence: Type.Array(evidence, {
      description: 'key: one by itself; population: its production keys together',
    }),
    breach: orNull(said('the operating rule, where a production key broke it by probing a panel of roughs')),
    polish: polishSets,
    roughs: integer('roughs claimed, or confirmed, for the polish'),
    claims_total: integer('claims behind it'),
    claims: Type.Array(claimBehind, { description: 'latest first' }),
    opened_at: time(),
    last_claim_at: time(),
    review: orNull(reviewNote),
  },
  { $id: 'Finding' },
);
export type FindingRecord = Static<typeof findingRecord>;

export const findingCounts = Type.Object(
  {
    kind: one(...FINDINGS),
    key_kind: one(...KEY_KINDS),
    population: said('population of the key'),
    key: said('its name'),
    key_prefix: said('its prefix'),
    findings: integer('opened in the window'),
    open: integer('not reviewed'),
    breaches: integer('panels of roughs probed with a production key'),
  },
  { $id: 'FindingCounts' },
);
export type FindingCounts = Static<typeof findingCounts>;

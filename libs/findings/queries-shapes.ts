/** Findings as they are answered. */
import { type Static, Type } from 'typebox';
import { one, orNull } from '#domain/schemas';
import { FINDINGS, KEY_KINDS } from '#domain/shapes';
import {
  findingNote,
  integer,
  lookedAtBy,
  number,
  references,
  rung,
  shownKey,
  string,
  texts,
  time,
  verdict,
} from '#kit/views/shapes';

const digest16 = 'first 16 hex digits';

const evidence = Type.Object(
  {
    by: one('key', 'population'),
    keys: texts('names'),
    roughs: integer('that the key by itself, or the keys together, claimed or were confirmed for'),
    claims: integer('claims behind that'),
  },
  { $id: 'FindingEvidence' },
);
const polishSets = Type.Object({ digests: texts(`${digest16} of each`), references }, { $id: 'PolishSets' });
const shownScanSet = Type.Object({ digest: string(digest16), references }, { $id: 'ShownScanSet' });
const claimBehind = Type.Object(
  {
    claim_id: string('the claim'),
    submitted_at: time(),
    reject_target: rung,
    verdict,
    fused_score: number('score'),
    label: orNull(one('match', 'no_match')),
    rough: shownScanSet,
    polish: shownScanSet,
  },
  { $id: 'ClaimBehind' },
);
export type ClaimBehind = Static<typeof claimBehind>;

export const findingRecord = Type.Object(
  {
    id: string('the finding'),
    kind: one(...FINDINGS),
    status: one('open', 'reviewed'),
    key: shownKey,
    keys: Type.Array(shownKey, { description: 'all whose claims are behind it; key is the one whose claim opened it' }),
    population: string('population of the keys'),
    evidence: Type.Array(evidence, { description: 'key: one by itself; population: its production keys together' }),
    breach: orNull(string('the operating rule, where a production key tried one polish against three or more roughs')),
    rule: Type.With(one('same_scans', 'same_reference', 'likeness'), {
      description: 'the surest by which two roughs were claimed for one polish; likeness is a question, no proof',
    }),
    cosine: orNull(
      number('of the two most alike polishes that were claimed for different roughs; null unless the rule is likeness'),
    ),
    polish: polishSets,
    roughs: integer('roughs claimed, or confirmed, for the polish'),
    claims_total: integer('claims behind it'),
    claims: Type.Array(claimBehind, { description: 'latest first' }),
    opened_at: time(),
    last_claim_at: time(),
    review: orNull(findingNote),
    looked_at_by: lookedAtBy,
  },
  { $id: 'Finding' },
);
export type FindingRecord = Static<typeof findingRecord>;

export const findingCounts = Type.Object(
  {
    kind: one(...FINDINGS),
    key_kind: one(...KEY_KINDS),
    population: string('population of the key'),
    key: string('its name'),
    key_prefix: string('its prefix'),
    findings: integer('opened in the window'),
    open: integer('not reviewed'),
    breaches: integer('panels of roughs probed with a production key'),
  },
  { $id: 'FindingCounts' },
);
export type FindingCounts = Static<typeof findingCounts>;

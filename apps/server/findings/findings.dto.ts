/** Findings in the contract. */
import { FINDINGS, type Finding as FindingKind, VERDICTS } from '#domain';
import { FINDING_LISTING } from '#views';
import { ReviewNote } from '../claims/claims.dto.js';
import { EXPECTED } from '../expected/expected.dto.js';
import { Integer, Nested, Numeric, nullable, OneOf, Text, Texts, Time } from '../http/dto.js';
import { pageQueryOf } from '../http/listing-query.js';
import { ShownKey } from '../keys/keys.dto.js';
import { RUNGS } from '../verify-match/verify-match.dto.js';

export class FindingsQuery extends pageQueryOf(FINDING_LISTING) {}

export class FindingEvidence {
  @OneOf(['key', 'population']) by!: 'key' | 'population';
  @Texts('names') keys!: string[];
  @Integer('that the key by itself, or the keys together, claimed or were confirmed for') roughs!: number;
  @Integer('claims behind that') claims!: number;
}

export class PolishSets {
  @Texts('first 16 hex digits of each') digests!: string[];
  @Texts('stone references') references!: string[];
}

export class ShownScanSet {
  @Text('first 16 hex digits') digest!: string;
  @Texts('stone references') references!: string[];
}

export class ClaimBehind {
  @Text('the claim') claim_id!: string;
  @Time('when') submitted_at!: string;
  @OneOf(RUNGS) reject_target!: number;
  @OneOf(VERDICTS) verdict!: string;
  @Numeric('score') fused_score!: number;
  @OneOf(EXPECTED, undefined, nullable) label!: string | null;
  @Nested(() => ShownScanSet) rough!: ShownScanSet;
  @Nested(() => ShownScanSet) polish!: ShownScanSet;
}

export class Finding {
  @Text('the finding') id!: string;
  @OneOf(FINDINGS) kind!: FindingKind;
  @OneOf(['open', 'reviewed']) status!: 'open' | 'reviewed';
  @Nested(() => ShownKey) key!: ShownKey;
  @Nested(() => [ShownKey], 'all whose claims are behind it; key is the one whose claim opened it') keys!: ShownKey[];
  @Text('population of the keys') population!: string;
  @Nested(() => [FindingEvidence], 'key: one by itself; population: its production keys together')
  evidence!: FindingEvidence[];
  @Text('the operating rule, where a production key broke it by probing a panel of roughs', nullable)
  breach!: string | null;
  @Nested(() => PolishSets) polish!: PolishSets;
  @Integer('roughs claimed, or confirmed, for the polish') roughs!: number;
  @Integer('claims behind it') claims_total!: number;
  @Nested(() => [ClaimBehind], 'latest first') claims!: ClaimBehind[];
  @Time('when') opened_at!: string;
  @Time('when') last_claim_at!: string;
  @Nested(() => ReviewNote, undefined, nullable) review!: ReviewNote | null;
}

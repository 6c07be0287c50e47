/** Telemetry in the contract. */
import { FINDINGS, KEY_KINDS, VERDICTS, type Verdict } from '#domain';
import { CALL_LISTING, CALL_SUMMARY } from '#views';
import { GaugeBand } from '../claims/claims.dto.js';
import {
  Dictionary,
  deprecated,
  Integer,
  Nested,
  Numeric,
  nullable,
  OneOf,
  optional,
  Text,
  Texts,
  Time,
} from '../http/dto.js';
import { pageQueryOf, queryOf } from '../http/listing-query.js';
import { ShownKey } from '../keys/keys.dto.js';
import { RUNGS } from '../verify-match/verify-match.dto.js';

export class SummaryQuery extends queryOf(CALL_SUMMARY) {}
export class RecordsQuery extends pageQueryOf(CALL_LISTING) {}

const Counts = (description: string) => Dictionary('integer', description);
const Quantiles = () => Dictionary(undefined, 'count, least, p05, p50, p95, p99, most by name');

export class CallSummary {
  @Integer('calls that ended') calls!: number;
  @Integer('of these, claims sent again') repeats!: number;
  @Counts('by HTTP status') by_status!: Record<string, number>;
  @Counts('refused calls by reason') by_reason!: Record<string, number>;
  @Counts('repeats left out') verdicts!: Record<string, number>;
  @Counts('by kind') warnings!: Record<string, number>;
  @Counts('claims by number of rough scans') rough_scans!: Record<string, number>;
  @Counts('the same of polish scans') polish_scans!: Record<string, number>;
  @Quantiles() latency_ms!: object;
  @Quantiles() quantiles!: object;
  @Integer('number of latest calls behind the quantiles') quantiles_over!: number;
}

export class FindingCounts {
  @OneOf(FINDINGS) kind!: string;
  @OneOf(KEY_KINDS) key_kind!: string;
  @Text('population of the key') population!: string;
  @Text('its name') key!: string;
  @Text('its prefix') key_prefix!: string;
  @Integer('opened in the window') findings!: number;
  @Integer('not reviewed') open!: number;
  @Integer('panels of roughs probed with a production key') breaches!: number;
}

export class DriftingPopulation {
  @Text('drifts at present, whatever the window') population!: string;
  @Time('end of the window of claims that the episode began with') since!: string;
  @Texts('measures that differ') measures!: string[];
}

export class LabelAgreement {
  @OneOf(RUNGS) reject_target!: number;
  @Integer('labelled claims') labelled!: number;
  @Integer('MATCH, labelled match') true_accept!: number;
  @Integer('MATCH, labelled no_match') false_accept!: number;
  @Integer('NO_MATCH, labelled no_match') true_reject!: number;
  @Integer('NO_MATCH, labelled match') false_reject!: number;
  @Integer('as true_accept, its name from now on', deprecated) confirmed_right!: number;
  @Integer('as false_accept, its name from now on', deprecated) confirmed_wrong!: number;
  @Integer('as true_reject, its name from now on', deprecated) rejected_right!: number;
  @Integer('as false_reject, its name from now on', deprecated) rejected_wrong!: number;
}

export class WorkspaceCounts {
  @Integer('in the window') created!: number;
  @Integer('in the window') revoked!: number;
}

export class StoneCounts {
  @Integer('members of the lots enrolled') enrolled!: number;
  @Integer('returned stones confirmed as members') confirmed!: number;
  @Integer('returned stones that were not') not_confirmed!: number;
}

export class LotActivity {
  @Nested(() => WorkspaceCounts) workspaces!: WorkspaceCounts;
  @Integer('lots') enrolled!: number;
  @Integer('returns') checked!: number;
  @Integer('rehearsals') rehearsed!: number;
  @Nested(() => StoneCounts) stones!: StoneCounts;
}

export class BucketVerdicts {
  @Integer('claims confirmed') MATCH!: number;
  @Integer('claims not confirmed') NO_MATCH!: number;
}

export class CallBucket {
  @Time('start of the hour or day, UTC') from!: string;
  @Integer('calls that ended; replays left out') calls!: number;
  @Integer('of these, claims sent again') repeats!: number;
  @Integer('calls without a verdict') refused!: number;
  @Nested(() => BucketVerdicts, 'repeats left out') verdicts!: BucketVerdicts;
  @Numeric('share of MATCH; null without a verdict', nullable) match_share!: number | null;
}

export class TelemetrySummary extends CallSummary {
  @Time('start of the window') from!: string;
  @Time('end of the window') to!: string;
  @Nested(() => CallSummary, 'replays, counted apart') replay!: CallSummary;
  @Nested(() => [FindingCounts]) findings!: FindingCounts[];
  @Nested(() => [DriftingPopulation]) drift!: DriftingPopulation[];
  @Nested(() => [LabelAgreement]) label_agreement!: LabelAgreement[];
  @Nested(() => LotActivity, 'the lot product in the window, of all workspaces') lots!: LotActivity;
  @Dictionary(undefined, 'waiting and running jobs, and the workers') queue!: object;
  @Nested(() => [GaugeBand], 'what the gauges of a side are judged by') gauge_bands!: readonly GaugeBand[];
  @Nested(() => [CallBucket], 'with bucket: oldest first, empty ones too', optional) buckets?: CallBucket[];
}

export class TelemetryRecord {
  @Text('place in the log') position!: string;
  @Time('when') at!: string;
  @Text('verify_match, verify_match_replay or refused_at_the_edge') tag!: string;
  @Integer('HTTP status') status!: number;
  @Integer('calls that the record stands for') count!: number;
  @Text('the request', optional) request_id?: string;
  @Text('the claim', optional) claim_id?: string;
  @Nested(() => ShownKey, undefined, optional) key?: ShownKey;
  @Text('population of the key', optional) population?: string;
  @Text('kind of the refusal', optional) reason?: string;
  @OneOf(VERDICTS, undefined, optional) verdict?: Verdict;
}

/** Telemetry in the contract. */
import { FINDINGS, type KeyKind, type Verdict } from '#domain';
import { WARNING_KINDS } from '#matching';
import { type CallQuery, type CallRecordQuery, TAGS, type Tag } from '#views';
import {
  Cursor,
  deprecated,
  Limit,
  Named,
  Of,
  OneOf,
  OptionalOneOf,
  OptionalText,
  OptionalTime,
  OptionalWhole,
  optional,
  Text,
  Texts,
  Time,
  Whole,
} from '../http/dto.js';
import { KEY_KINDS, ShownKey } from '../keys/keys.dto.js';
import { RUNGS, VERDICTS } from '../verify-match/verify-match.dto.js';

export class SummaryQuery implements CallQuery {
  @OptionalTime('ended at or after')
  from?: string;

  @OptionalTime('ended before')
  to?: string;

  @OptionalText('population')
  population?: string;

  @OptionalText('name or prefix of the key')
  key?: string;

  @OptionalOneOf(KEY_KINDS, 'test keys apart')
  key_kind?: KeyKind;
}

export class RecordsQuery extends SummaryQuery implements CallRecordQuery {
  @Limit()
  limit = 100;

  @Cursor()
  cursor?: string;

  @OptionalOneOf(TAGS, 'verify_match_replay: replays')
  tag?: Tag;

  @OptionalWhole(100, 599, 'HTTP status')
  status?: number;

  @OptionalText('kind of the refusal', 64)
  reason?: string;

  @OptionalOneOf(VERDICTS, 'verdict')
  verdict?: Verdict;

  @OptionalOneOf(WARNING_KINDS, 'kind of a warning')
  warning?: string;

  @OptionalText('the claim', 128)
  claim_id?: string;

  @OptionalText('the request', 128)
  request_id?: string;
}

const Counts = (description: string) => Named('integer', description);
const Quantiles = () => Named(undefined, 'count, least, p05, p50, p95, p99, most by name');

export class CallSummary {
  @Whole('calls that ended') calls!: number;
  @Whole('of these, claims sent again') repeats!: number;
  @Counts('by HTTP status') by_status!: Record<string, number>;
  @Counts('refused calls by reason') by_reason!: Record<string, number>;
  @Counts('repeats left out') verdicts!: Record<string, number>;
  @Counts('by kind') warnings!: Record<string, number>;
  @Counts('claims by number of rough scans') rough_scans!: Record<string, number>;
  @Counts('the same of polish scans') polish_scans!: Record<string, number>;
  @Quantiles() latency_ms!: object;
  @Quantiles() quantiles!: object;
  @Whole('latest calls that quantiles are taken of') quantiles_over!: number;
}

export class FindingCounts {
  @OneOf(FINDINGS) kind!: string;
  @OneOf(KEY_KINDS) key_kind!: string;
  @Text('the key’s') population!: string;
  @Text('its name') key!: string;
  @Text('its prefix') key_prefix!: string;
  @Whole('opened in the window') findings!: number;
  @Whole('not reviewed') open!: number;
  @Whole('panels of roughs probed with a production key') breaches!: number;
}

export class DriftingPopulation {
  @Text('drifts at present, whatever the window') population!: string;
  @Time('end of the window of claims that the episode began with') since!: string;
  @Texts('measures that differ') measures!: string[];
}

export class LabelAgreement {
  @OneOf(RUNGS) reject_target!: number;
  @Whole('claims with a label') labelled!: number;
  @Whole('MATCH, labelled match') true_accept!: number;
  @Whole('MATCH, labelled no_match') false_accept!: number;
  @Whole('NO_MATCH, labelled no_match') true_reject!: number;
  @Whole('NO_MATCH, labelled match') false_reject!: number;
  @Whole('as true_accept, its name from now on', deprecated) confirmed_right!: number;
  @Whole('as false_accept, its name from now on', deprecated) confirmed_wrong!: number;
  @Whole('as true_reject, its name from now on', deprecated) rejected_right!: number;
  @Whole('as false_reject, its name from now on', deprecated) rejected_wrong!: number;
}

export class WorkspaceCounts {
  @Whole('in the window') created!: number;
  @Whole('in the window') revoked!: number;
}

export class StoneCounts {
  @Whole('members of the lots enrolled') enrolled!: number;
  @Whole('returned stones confirmed as members') confirmed!: number;
  @Whole('returned stones that were not') not_confirmed!: number;
}

export class LotActivity {
  @Of(() => WorkspaceCounts) workspaces!: WorkspaceCounts;
  @Whole('lots') enrolled!: number;
  @Whole('returns') checked!: number;
  @Whole('rehearsals') rehearsed!: number;
  @Of(() => StoneCounts) stones!: StoneCounts;
}

export class TelemetrySummary extends CallSummary {
  @Time('begin of the window') from!: string;
  @Time('its end') to!: string;
  @Of(() => CallSummary, 'replays, counted apart') replay!: CallSummary;
  @Of(() => [FindingCounts]) findings!: FindingCounts[];
  @Of(() => [DriftingPopulation]) drift!: DriftingPopulation[];
  @Of(() => [LabelAgreement]) label_agreement!: LabelAgreement[];
  @Of(() => LotActivity, 'the lot product in the window, of all workspaces') lots!: LotActivity;
  @Named(undefined, 'waiting and running jobs, and the workers') queue!: object;
}

export class TelemetryRecord {
  @Text('place in the log') position!: string;
  @Time('when') at!: string;
  @Text('verify_match, verify_match_replay or refused_at_the_edge') tag!: string;
  @Whole('HTTP status') status!: number;
  @Whole('calls that the record stands for') count!: number;
  @Text('the request', optional) request_id?: string;
  @Text('the claim', optional) claim_id?: string;
  @Of(() => ShownKey, undefined, optional) key?: ShownKey;
  @Text('the key’s', optional) population?: string;
  @Text('kind of the refusal', optional) reason?: string;
  @OneOf(VERDICTS, undefined, optional) verdict?: Verdict;
}

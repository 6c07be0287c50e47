/** The overview in the contract. */
import type { CallOutline, Total as Count } from '#views';
import {
  Dictionary,
  Flag,
  Integer,
  Nested,
  Numeric,
  nullable,
  OneOf,
  OptionalTime,
  Text,
  Texts,
  Time,
} from '../http/dto.js';
import { DriftingPopulation } from '../telemetry/telemetry.dto.js';
import { RUNGS } from '../verify-match/verify-match.dto.js';

export class OverviewQuery {
  @OptionalTime('start of the window; 24 hours before its end by default')
  from?: string;

  @OptionalTime('end of the window; now by default')
  to?: string;
}

export class Total implements Count {
  @Integer('how many; 10,000 at most') total!: number;
  @Flag('false: there are more than 10,000') total_exact!: boolean;
}

export class VerdictCounts {
  @Integer('claims') MATCH!: number;
  @Integer('claims') NO_MATCH!: number;
}

export class ClaimsOverview implements CallOutline {
  @Integer('calls of the window that ended; replays left out') calls!: number;
  @Integer('answered with a verdict') answered!: number;
  @Integer('of these, claims sent again') repeats!: number;
  @Integer('refused') refused!: number;
  @Nested(() => VerdictCounts, 'repeats left out') verdicts!: VerdictCounts;
  @Numeric('share of MATCH; null without a verdict', nullable) match_share!: number | null;
  @Dictionary('integer', 'refused calls by reason') refusals!: Record<string, number>;
  @Flag('false: the window holds more than 100,000 records of calls, and only its latest 100,000 are counted')
  whole_window!: boolean;
}

export class FindingsOverview {
  @Nested(() => Total, 'not reviewed as they stand now') open!: Total;
  @Nested(() => Total, 'of these, panels of roughs probed with a production key') open_breaches!: Total;
  @Nested(() => Total, 'opened in the window') opened!: Total;
}

export class HygieneFound {
  @Text('name of the check') check!: string;
  @Integer('what was found') found!: number;
}

export class HygieneOverview {
  @Time('when the checks were last made; null: not since the start', nullable) at!: string | null;
  @Nested(() => [HygieneFound], 'checks that ask for attention') found!: HygieneFound[];
}

export class Alarms {
  @Nested(() => [DriftingPopulation]) drift!: DriftingPopulation[];
  @Nested(() => HygieneOverview) hygiene!: HygieneOverview;
  @Integer('calibration events that decide nothing, because the service could not have written them')
  not_obeyed!: number;
  @Texts('views that have stopped') views_stopped!: string[];
}

export class NextRung {
  @OneOf(RUNGS) reject_target!: number;
  @Integer('claims that the rung needs') claims_needed!: number;
}

export class MaturingPopulation {
  @Text('the population') population!: string;
  @Integer('counted claims under the live model') claims_held!: number;
  @OneOf(RUNGS, 'rungs with enough claims and no approval', { isArray: true }) ready!: number[];
  @Nested(() => NextRung, 'the next rung, from 80% of its claims on', nullable) next!: NextRung | null;
}

export class MaturingPopulations {
  @Integer('populations') found!: number;
  @Nested(() => [MaturingPopulation], 'by name', { maxItems: 100 }) items!: MaturingPopulation[];
}

export class PendingApproval {
  @Text('the population') population!: string;
  @OneOf(RUNGS, 'null: the population’s own scorer', nullable) reject_target!: number | null;
  @Text('operator') requested_by!: string;
  @Time('when') at!: string;
}

export class PendingApprovals {
  @Integer('requests') found!: number;
  @Nested(() => [PendingApproval], 'oldest first', { maxItems: 100 }) items!: PendingApproval[];
}

export class Overview {
  @Time('start of the window') from!: string;
  @Time('end of the window') to!: string;
  @Nested(() => ClaimsOverview, 'of the window') claims!: ClaimsOverview;
  @Nested(() => Total, 'NO_MATCH with p_match_5050 of 0.60 or more, and not reviewed') reviews!: Total;
  @Nested(() => FindingsOverview) findings!: FindingsOverview;
  @Nested(() => Alarms, 'as they stand now') alarms!: Alarms;
  @Nested(() => MaturingPopulations, 'near or past the claims that a rung needs') populations!: MaturingPopulations;
  @Nested(() => PendingApprovals, 'approvals that wait for a second operator') second_approvals!: PendingApprovals;
}

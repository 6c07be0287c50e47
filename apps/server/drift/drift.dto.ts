/** Drift in the contract. */
import { DRIFT_LIMIT, DRIFT_MEASURES } from '#calibration';
import { Flag, Numeric, nullable, Of, OneOf, OptionalText, PageQuery, Text, Time, Whole } from '../http/dto.js';
import { RUNGS } from '../verify-match/verify-match.dto.js';

export class DriftQuery extends PageQuery {
  @OptionalText('population')
  population?: string;
}

export const DriftStatus = (more?: { nullable: true }) =>
  OneOf(
    ['drifting', 'differs_from_shipped', 'steady', 'gathering', 'no_baseline'],
    'differs_from_shipped: nothing is approved, and recent claims are not like those of the shipped asset; gathering: no ' +
      'window is full yet; no_baseline: the asset holds none and nothing is approved',
    more,
  );
export const DriftSource = (more?: { nullable: true }) =>
  OneOf(['approved', 'shipped'], 'claims behind the newest approval; until there is one, the shipped asset', more);

export class DriftBaseline {
  @DriftSource() source!: string;
  @OneOf(RUNGS, undefined, nullable) reject_target!: number | null;
  @Time('when', nullable) approved_at!: string | null;
  @Whole('claims that it is made of') claims!: number;
  @Text('place in the log after which windows begin') position!: string;
}

export class DriftMeasure {
  @OneOf(DRIFT_MEASURES) measure!: string;
  @Numeric('Anderson-Darling statistic of window against baseline') statistic!: number;
  @Flag(`whether it exceeds ${DRIFT_LIMIT}`) drifted!: boolean;
  @Numeric('median of the baseline') baseline_median!: number;
  @Numeric('median of the window') window_median!: number;
  @Numeric('from median to median, in standard deviations of the baseline', nullable) shift!: number | null;
}

export class DriftWindow {
  @Whole('place in the log of its first claim') from!: number;
  @Whole('the same of its last') to!: number;
  @Time('when that was made') until!: string;
  @Whole('claims in it') claims!: number;
  @Of(() => [DriftMeasure]) measures!: DriftMeasure[];
}

export class Drift {
  @Text('the population') population!: string;
  @Text('digest of the live model') model!: string;
  @DriftStatus() status!: string;
  @Flag('whether it drifts from a baseline of its own') alarm!: boolean;
  @Of(() => DriftBaseline) baseline!: DriftBaseline;
  @Whole('claims of a window; windows do not overlap') window_claims!: number;
  @Whole('windows held against the baseline, each once') windows!: number;
  @Whole('claims towards the next one') waiting!: number;
  @Of(() => DriftWindow, 'the window that the present episode began with', nullable) began!: DriftWindow | null;
  @Of(() => DriftWindow, 'the latest window', nullable) latest!: DriftWindow | null;
}

/** A population's drift as it is answered. */
import { type Static, Type } from 'typebox';
import { one, orNull } from '#domain/schemas';
import { flag, integer, number, rung, string, texts, time } from '#kit/views/shapes';
import { DRIFT_LIMIT, DRIFT_MEASURES } from '#science/calibration/drift';

export const driftStatus = Type.With(one('drifting', 'differs_from_shipped', 'steady', 'gathering', 'no_baseline'), {
  description:
    'differs_from_shipped: nothing is approved, and recent claims are not like those of the shipped asset; gathering: no ' +
    'window is full yet; no_baseline: the asset holds none and nothing is approved',
});
export const driftSource = Type.With(one('approved', 'shipped'), {
  description: 'claims behind the newest approval; until there is one, the shipped asset',
});

const baseline = Type.Object(
  {
    source: driftSource,
    reject_target: orNull(rung),
    approved_at: Type.With(orNull(Type.String({ format: 'date-time' })), { description: 'when' }),
    claims: integer('claims that it is made of'),
    position: string('place in the log after which windows begin'),
  },
  { $id: 'DriftBaseline' },
);
const measure = Type.Object(
  {
    measure: one(...DRIFT_MEASURES),
    statistic: number('Anderson-Darling statistic of window against baseline'),
    drifted: flag(`whether it exceeds ${DRIFT_LIMIT}`),
    baseline_median: number('median of the baseline'),
    window_median: number('median of the window'),
    shift: Type.With(orNull(Type.Number()), {
      description: 'from median to median, in standard deviations of the baseline',
    }),
  },
  { $id: 'DriftMeasure' },
);
const window = Type.Object(
  {
    from: integer('place in the log of its first claim'),
    to: integer('the same of its last'),
    until: time('when that was made'),
    claims: integer('claims in it'),
    measures: Type.Array(measure),
  },
  { $id: 'DriftWindow' },
);

const band = Type.Object(
  {
    measure: one(...DRIFT_MEASURES),
    p05: number('5% of the baseline lie below'),
    p95: number('5% of the baseline lie above'),
  },
  { $id: 'DriftBand' },
);
const pastMeasure = Type.Object(
  {
    measure: one(...DRIFT_MEASURES),
    drifted: flag(`whether its statistic exceeds ${DRIFT_LIMIT}`),
    window_median: number('median of the window'),
    shift: orNull(number('from median to median, in standard deviations of the baseline')),
  },
  { $id: 'PastDriftMeasure' },
);
const pastWindow = Type.Object(
  { until: time('when its last claim was made'), claims: integer('claims in it'), measures: Type.Array(pastMeasure) },
  { $id: 'PastDriftWindow' },
);
const episode = Type.Object(
  {
    began: time('last claim of the window that it began with'),
    ended: time('last claim of the window that it ended with'),
    measures: Type.Array(one(...DRIFT_MEASURES), { description: 'measures that differed when it began' }),
  },
  { $id: 'DriftEpisode' },
);

export const drift = Type.Object(
  {
    population: string('the population'),
    model: string('digest of the live model'),
    status: driftStatus,
    alarm: flag('whether it drifts from a baseline of its own'),
    baseline,
    window_claims: integer('claims of a window; windows do not overlap'),
    windows: integer('windows compared with the baseline, each once'),
    waiting: integer('claims towards the next one'),
    began: Type.With(orNull(window), { description: 'the window that the present episode began with' }),
    latest: Type.With(orNull(window), { description: 'the latest window' }),
    limit: number('statistic beyond which a measure has drifted'),
    bands: Type.Array(band, { description: 'of the baseline of the latest window; empty before the first one' }),
    history: Type.Array(pastWindow, { description: 'the latest 50 windows against this baseline, oldest first' }),
    episodes: Type.Array(episode, { description: 'the latest 50 that are over, against this baseline, oldest first' }),
  },
  { $id: 'Drift' },
);
export type Drift = Static<typeof drift>;

export const driftingPopulation = Type.Object(
  {
    population: string('drifts at present, whatever the window'),
    since: time('end of the window of claims that the episode began with'),
    measures: texts('measures that differ'),
  },
  { $id: 'DriftingPopulation' },
);

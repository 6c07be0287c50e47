import { fold } from '#domain/decider';
import type { DriftChange } from '#science/calibration/drift';
import { evolveCalibration, type RungApproved, type RungWithdrawn, uncalibrated } from './events.js';
import { type DriftBaseline, decideDrift, driftBaseline, evolveDrift, noDrift } from './events-drift.js';

const shipped: DriftBaseline = {
  source: 'shipped',
  model: 'a'.repeat(64),
  reject_target: null,
  approved_at: null,
  claims: 10_000,
  position: '0',
};
const approved: DriftBaseline = {
  ...shipped,
  source: 'approved',
  reject_target: 0.99,
  approved_at: 'at',
  position: '70',
};
/** The baseline of an earlier approval, or of one that stands again. */
const earlier: DriftBaseline = { ...approved, position: '7' };
const change = (type: DriftChange['type'], to: number): DriftChange => ({
  type,
  window: { from: to - 9, to, until: 'then', claims: 100, measures: [] },
});
const seen = (baseline: DriftBaseline, ...changes: DriftChange[]) => ({
  population: 'lab-a',
  baseline,
  changes,
  at: 'now',
});
const episode = [change('began', 200), change('ended', 500)];
const types = (events: { type: string }[]) => events.map(({ type }) => type);

describe('drift', () => {
  it('is recorded once, by however many watches and however often they start again', () => {
    const first = decideDrift(noDrift, seen(earlier, episode[0]));
    expect(first).toMatchObject([
      { type: 'DriftBegan', data: { population: 'lab-a', baseline: earlier, window: { to: 200 } } },
    ]);
    const open = fold(evolveDrift, noDrift, first);
    expect(open.open).toEqual(first[0].data);
    expect(decideDrift(open, seen(earlier, episode[0]))).toEqual([]);
    // A watch that is behind adds nothing either.
    expect(decideDrift(open, seen(earlier))).toEqual([]);
    const second = decideDrift(open, seen(earlier, ...episode));
    expect(types(second)).toEqual(['DriftEnded']);
    const ended = fold(evolveDrift, open, second);
    expect(ended.open).toBeUndefined();
    expect(decideDrift(ended, seen(earlier, ...episode))).toEqual([]);
    expect(types(decideDrift(ended, seen(earlier, ...episode, change('began', 900))))).toEqual(['DriftBegan']);
  });

  it('records what came between two looks', () => {
    expect(types(decideDrift(noDrift, seen(earlier, ...episode, change('began', 900))))).toEqual([
      'DriftBegan',
      'DriftEnded',
      'DriftBegan',
    ]);
  });

  it('ends where another baseline holds, against which windows count from nothing', () => {
    const open = fold(evolveDrift, noDrift, decideDrift(noDrift, seen(earlier, change('began', 900))));
    const events = decideDrift(open, seen(approved));
    expect(events).toEqual([
      { type: 'DriftEnded', version: 1, data: { population: 'lab-a', baseline: earlier, window: null, at: 'now' } },
    ]);
    const after = fold(evolveDrift, open, events);
    expect(decideDrift(after, seen(approved))).toEqual([]);
    // An earlier window than the last one recorded, but against the new baseline.
    expect(types(decideDrift(after, seen(approved, change('began', 300))))).toEqual(['DriftBegan']);
  });

  it('records nothing of the past again when an approval is withdrawn, but what stands', () => {
    const past = fold(evolveDrift, noDrift, decideDrift(noDrift, seen(earlier, ...episode)));
    const between = fold(evolveDrift, past, decideDrift(past, seen(approved, change('began', 900))));
    const back = decideDrift(between, seen(earlier, ...episode));
    expect(back).toMatchObject([{ type: 'DriftEnded', data: { baseline: approved, window: null } }]);

    const open = fold(evolveDrift, noDrift, decideDrift(noDrift, seen(earlier, episode[0])));
    const away = fold(evolveDrift, open, decideDrift(open, seen(approved)));
    const again = decideDrift(away, seen(earlier, episode[0]));
    expect(again).toMatchObject([{ type: 'DriftBegan', data: { baseline: earlier, window: { to: 200 } } }]);
    expect(decideDrift(fold(evolveDrift, away, again), seen(earlier, episode[0]))).toEqual([]);
  });

  it('neither begins nor ends against the shipped baseline, which an honest population may differ from', () => {
    expect(decideDrift(noDrift, seen(shipped, ...episode, change('began', 900)))).toEqual([]);
    // Recorded by an earlier release: it stays as it is, and an approval ends it.
    const data = { population: 'lab-a', baseline: shipped, window: change('began', 200).window, at: 'then' };
    const open = fold(evolveDrift, noDrift, [{ type: 'DriftBegan', version: 1, data }]);
    expect(decideDrift(open, seen(shipped, ...episode))).toEqual([]);
    expect(decideDrift(open, seen(approved))).toMatchObject([
      { type: 'DriftEnded', data: { baseline: shipped, window: null } },
    ]);
  });
});

describe('the baseline', () => {
  const { model } = shipped;
  const approval = (reject_target: number, position: string, of = model) =>
    ({
      type: 'RungApproved',
      version: 3,
      data: {
        population: 'lab-a',
        reject_target,
        scorer: null,
        at: `at ${position}`,
        proposal: { model: of, claims: 40, position },
      },
    }) as RungApproved;
  const withdrawal = {
    type: 'RungWithdrawn',
    version: 3,
    data: { reject_target: 0.98, model, scorer: null },
  } as RungWithdrawn;
  const baselineAfter = (...events: (RungApproved | RungWithdrawn)[]) =>
    driftBaseline(fold(evolveCalibration, uncalibrated, events), model, 10_000);

  it('is the newest approval that stands under the model, or the shipped asset', () => {
    expect(baselineAfter()).toEqual(shipped);
    expect(baselineAfter(approval(0.99, '70', 'b'.repeat(64)))).toEqual(shipped);
    const newest = {
      source: 'approved',
      model,
      reject_target: 0.98,
      approved_at: 'at 110',
      claims: 40,
      position: '110',
    };
    expect(baselineAfter(approval(0.99, '70'), approval(0.98, '110'))).toEqual(newest);
    expect(baselineAfter(approval(0.98, '110'), approval(0.99, '70'))).toEqual(newest);
    expect(baselineAfter(approval(0.99, '70'), approval(0.98, '110'), withdrawal)).toMatchObject({
      reject_target: 0.99,
    });
    expect(baselineAfter(approval(0.98, '110'), withdrawal)).toEqual(shipped);
  });
});

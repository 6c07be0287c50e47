import { SCORER_METHOD } from '#science/calibration/scorer/method';
import { uncalibrated } from './events.js';
import { ScorerDecisions, type ScorerDecisionsDependencies } from './scorer-decisions.js';

const log = { info: jest.fn(), error: jest.fn() };
/** Of a population whose fit makes so many groups of the claims that are held. */
function decisionsOver(held: { claims: number; groups: number }) {
  const latest = jest.fn(async () => ({ scorer: {}, claims: held.claims, figures: { groups: held.groups } }));
  const live = { model: { digest: 'm' }, scorers: { method: SCORER_METHOD, latest } };
  const decisions = new ScorerDecisions({
    evidence: { held: () => held.claims },
    ladders: { read: async () => ({ state: uncalibrated }) },
    models: { live: async () => live },
    logger: log,
  } as unknown as ScorerDecisionsDependencies);
  return { decisions, latest, live };
}

describe('a scorer that the service proposes', () => {
  it('is fitted again once so many claims more are held as groups were missing, and said once', async () => {
    const held = { claims: 9, groups: 9 };
    const { decisions, latest, live } = decisionsOver(held);
    /** Whether a fit was made, and whether it was said. */
    const at = async (claims: number, groups: number) => {
      Object.assign(held, { claims, groups });
      const before = latest.mock.calls.length;
      const said = await decisions.propose('lab');
      return [latest.mock.calls.length - before, said];
    };
    expect(await at(9, 9)).toEqual([0, false]);
    // Ten claims on seven stones: three groups are missing.
    expect(await at(10, 7)).toEqual([1, false]);
    for (const claims of [10, 11, 12]) expect(await at(claims, 10)).toEqual([0, false]);
    expect(await at(13, 9)).toEqual([1, false]);
    expect(await at(14, 10)).toEqual([1, true]);
    expect(log.info).toHaveBeenCalledTimes(1);
    // The next one is of 30 groups.
    for (const claims of [14, 33]) expect(await at(claims, 30)).toEqual([0, false]);
    expect(await at(34, 28)).toEqual([1, false]);
    expect(await at(35, 30)).toEqual([0, false]);
    expect(await at(36, 30)).toEqual([1, true]);
    expect(log.info).toHaveBeenCalledTimes(2);

    // Under another model nothing was tried.
    live.model = { digest: 'another' };
    expect(await at(100, 100)).toEqual([1, true]);
  });
});

import { checkLot, enrol } from '../check.js';
import type { LotModel } from '../model.js';
import { shippedLotModel } from '../shipped.js';
import { FIRST_TRADER, type MadeLot, type MadeWish, madeLot, rescanned } from '../test/made-lots.js';
import { type CheckedHistory, type ProposedLotScorer, proposeLotScorer } from './propose.js';
import { lotScorerDigest, mapped, ScoringModels } from './scorer.js';

const model = shippedLotModel();
/** Of the scorer of six lots. */
const DIGEST = '8e1059061ec09db58c7cb0d66876cdb8e791f75892df6e5bd74b02a33037e2d9';
const lots = (count: number, wish: MadeWish = {}, from = 0): MadeLot[] =>
  Array.from({ length: count }, (_, i) => madeLot(from + i, wish));
const JUDGES = lots(4, {}, 10);

const confirmed = (by: LotModel, judges: readonly MadeLot[], map: (rows: Float32Array) => Float32Array) => {
  const counts = { genuine: 0, members: 0, caught: 0, strangers: 0 };
  for (const { members, returned, truth } of judges) {
    const { stones } = checkLot(by, enrol(by, map(members)), map(returned), 'shaken');
    for (const [i, is] of truth.entries()) {
      if (is === null) {
        counts.strangers++;
        if (stones[i].member === null) counts.caught++;
      } else {
        counts.members++;
        if (stones[i].member !== null) counts.genuine++;
      }
    }
  }
  return { genuine: counts.genuine / counts.members, caught: counts.caught / counts.strangers };
};
const shipped = (judges = JUDGES) => confirmed(model, judges, (rows) => rows);
const under = ({ scorer }: ProposedLotScorer, judges = JUDGES) =>
  confirmed(new ScoringModels(model, scorer).of(''), judges, (rows) => mapped(scorer.map, rows));

const proposed = (history: readonly CheckedHistory[]): ProposedLotScorer => {
  const outcome = proposeLotScorer(model, history);
  if ('reason' in outcome) throw new Error(outcome.reason);
  return outcome;
};
const refused = (history: readonly CheckedHistory[]): string => {
  const outcome = proposeLotScorer(model, history);
  if (!('reason' in outcome)) throw new Error(`proposed: ${JSON.stringify(outcome.figures)}`);
  return outcome.reason;
};

const history = lots(6);
const one = proposed(history);

describe('a workspace’s own scorer', () => {
  it('catches far more on parcels that it never saw, and confirms as many members', () => {
    const [before, after] = [shipped(), under(one)];
    expect(after.caught).toBeGreaterThan(before.caught + 0.2);
    expect(after.genuine).toBeGreaterThan(before.genuine - 0.05);
    const { figures, checks, rests_on } = one;
    expect(figures).toMatchObject({ lots: 6, members: 120, returned: 120, copies: 0 });
    expect(figures.caught.workspace).toBeGreaterThan(figures.caught.shipped + 0.15);
    expect(figures.one_stone_false_accept.workspace).toBeLessThan(figures.one_stone_false_accept.shipped - 0.2);
    expect(rests_on).toEqual(history.map(({ lot_id, check_id }) => ({ lot_id, check_id })));
    for (const { newly_confirmed, no_longer_confirmed, confirmed: both } of checks)
      expect(newly_confirmed.length - no_longer_confirmed.length).toBe(both.workspace - both.shipped);
  });

  it('is the same to the bit, wherever it is fitted', () => {
    // The bits are a promise: a stored scorer is held to them.
    expect(lotScorerDigest(model.digest, one.scorer)).toBe(DIGEST);
  });

  it('leaves a lot’s own stones out of what it is compared with', () => {
    const models = new ScoringModels(model, one.scorer);
    const all = models.of('none of them').cohort.length;
    expect(models.of(history[0].lot_id).cohort.length).toBe(all - history[0].members.length);
  });
});

describe('no scorer comes of', () => {
  it('too few lots', () => {
    expect(refused(lots(4))).toMatch(/needs 5 lots .* with 10 more members are confirmed: there are 4/);
  });

  it('checks of fewer than 10 stones', () => {
    const part = ({ stones, returned, ...lot }: MadeLot) => ({
      ...lot,
      stones: stones.slice(0, 9),
      returned: returned.slice(0, 9 * 96),
    });
    expect(refused([...lots(4), ...lots(3, {}, 4).map(part)])).toMatch(/there are 4/);
  });

  it('returns that are mostly foreign', () => {
    expect(refused([...lots(2), ...lots(4, { exchanged: 20 }, 2)])).toMatch(
      /most of what came back seems to belong to no lot/,
    );
  });

  it('copies of one lot, or the same stones scanned again', () => {
    const [first] = lots(1);
    const copies = Array.from({ length: 6 }, (_, i) => ({ ...first, lot_id: `copy ${i}` }));
    expect(refused(copies)).toMatch(/there is 1, and 5 more of stones that stand in another lot/);
    const whole = lots(3, { exchanged: 0 });
    expect(refused([...whole, ...whole.map((lot, i) => rescanned(lot, `again ${i}`))])).toMatch(
      /there are 3, and 3 more/,
    );
  });

  it('lots for which today’s scorer is better', () => {
    // A scorer of theirs would catch no more than a model that was made for them.
    const home = one.scorer;
    const models = new ScoringModels(model, home);
    const mine = lots(6, {}, 6).map((lot) => ({
      ...lot,
      members: mapped(home.map, lot.members),
      returned: mapped(home.map, lot.returned),
    }));
    const outcome = proposeLotScorer(models.of(''), mine);
    expect('reason' in outcome && outcome.reason).toMatch(/today’s scorer is better or as good/);
  });
});

describe('a scorer comes as well of', () => {
  it.each<[string, () => CheckedHistory[]]>([
    ['two traders’ stones', () => [...lots(3), ...lots(3, {}, FIRST_TRADER)]],
    [
      'session types declared otherwise',
      () => lots(5).map((lot, i) => ({ ...lot, session_type: i % 2 ? 'shaken' : 'table-up' })),
    ],
    ['a return that is wholly foreign among five', () => [...lots(5), ...lots(1, { exchanged: 20 }, 5)]],
  ])('%s', (_name, history) => {
    const [before, after] = [shipped(), under(proposed(history()))];
    expect(after.caught).toBeGreaterThan(before.caught + 0.15);
    expect(after.genuine).toBeGreaterThan(before.genuine - 0.08);
  });
});

import { ThreadPool } from '#kit/threads/pool';
import { scrambled } from '#science/numerics/test/scrambled';
import { ClaimEvidence, VECTOR_LENGTH } from '../evidence.js';
import { REJECT_TARGETS } from '../ladder.js';
import { groupsOf, rowOfBank } from './bank.js';
import { readScorer, scorerBytes } from './bytes.js';
import { fitScorer, type ScorerFigures } from './fit.js';
import { loadScorerLadders, type ScorerLadders } from './ladders.js';
import type { ScorerMap } from './map.js';
import { measureUnderScorer } from './measure.js';
import { SCORER_METHOD, type ScorerMethod, scorerMethodFor } from './method.js';
import { PopulationScorer } from './scorer.js';
import { madeWorlds } from './test/made.js';
import { sharesOf, weightsOf } from './weights.js';

const MODEL = 'm'.repeat(64);
const ENCODERS = ['one', 'two'];
const STONES = 48;
const pool = new ThreadPool({ threads: 2 });
afterAll(() => pool.close());

/** A stone's side: traits of the stone in a few directions, and much scatter within a pair in two others. */
function side(stone: number, salt: number): Float32Array {
  const traits = scrambled(97 * stone + 11);
  const scatter = scrambled(100_003 * salt + 31 * stone + 7);
  const out = new Float32Array(VECTOR_LENGTH * ENCODERS.length);
  for (let from = 0; from < out.length; from += VECTOR_LENGTH) {
    let squares = 0;
    for (let i = from; i < from + VECTOR_LENGTH; i++) {
      const at = i - from;
      out[i] = at < 12 ? traits() : at < 14 ? 3 * scatter() : 0.04 * scatter();
      squares += out[i] * out[i];
    }
    for (let i = from; i < from + VECTOR_LENGTH; i++) out[i] /= Math.sqrt(squares);
  }
  return out;
}

const parts = (vectors: Float32Array) =>
  ENCODERS.map((_, e) => vectors.slice(e * VECTOR_LENGTH, (e + 1) * VECTOR_LENGTH));

function evidenceOf(pairs: [rough: number, polish: number, salt?: number][]): ClaimEvidence {
  const evidence = new ClaimEvidence('lab', MODEL, ENCODERS);
  for (const [i, [rough, polish, salt = 1]] of pairs.entries())
    evidence.add({
      claimId: `clm_${i}`,
      rough: { digest: `r${rough}.${salt}`, references: [] },
      polish: { digest: `p${polish}`, references: [] },
      roughVectors: side(rough, salt),
      polishVectors: side(polish, 2),
    });
  return evidence;
}

const source = { population: 'calibration', seed: 1, first_stone: 0, stones: 10, refused: 0 };

const ladders: ScorerLadders = {
  schema: 1,
  method: SCORER_METHOD,
  model_digest: MODEL,
  source: { bank: source, judged: source, draws: 1 },
  worlds: madeWorlds(ENCODERS.length),
  banks: [10, 30].map((groups) => ({
    groups,
    rungs: REJECT_TARGETS.map((reject_target, i) => ({
      reject_target,
      threshold: (groups === 10 ? 0.7 : 0.1) + i / 100,
      expected_genuine_accept: 0.9,
    })),
    p_match_5050: { scores: [-0.1, 0.3], probabilities: [0.1, 0.9] },
  })),
};

const fitted = async (evidence: ClaimEvidence, keyOf = (_: number) => 'key') => {
  const made = await fitScorer(evidence, evidence.size, keyOf, ladders, pool, () => 0.9);
  if ('reason' in made) throw new Error(made.reason);
  return made;
};
const honest = Array.from({ length: STONES }, (_, i): [number, number] => [i, i]);

let scorer: PopulationScorer;
let figures: ScorerFigures;
beforeAll(async () => {
  ({ scorer, figures } = await fitted(evidenceOf(honest)));
});

describe('a scorer of a population', () => {
  it('tells stones apart that raw scores do not', () => {
    const at98 = figures.rungs.find(({ reject_target }) => reject_target === 0.98)!;
    expect(figures).toMatchObject({ claims: STONES, groups: STONES, curve: 'shipped', ece: null });
    expect(at98.confirmed_mapped).toBeGreaterThan(at98.confirmed_raw + 0.3);
    const fused = (rough: number, polish: number) => scorer.score(parts(side(rough, 1)), parts(side(polish, 2))).fused;
    expect(fused(101, 101)).toBeGreaterThan(fused(101, 102) + 0.2);
  });

  it('has the same bytes each time, and scores the same once loaded', async () => {
    const again = await fitted(evidenceOf(honest));
    expect(again.scorer.digest).toBe(scorer.digest);
    const loaded = PopulationScorer.load(scorer.bytes.slice());
    expect(loaded.digest).toBe(scorer.digest);
    expect([loaded.model, loaded.groups, loaded.encoders]).toEqual([MODEL, STONES, ENCODERS]);
    const claim = [parts(side(70, 1)), parts(side(70, 2))] as const;
    const score = scorer.score(...claim);
    expect(loaded.score(...claim)).toEqual(score);
    expect(score.fused).toBeCloseTo((score.members[0] + score.members[1]) / 2, 12);
  });

  it('scores tables as it scores claims, those of its own stones too', () => {
    const stones = [3, 7, 90, 91];
    const rows = (salt: number) => {
      const table = new Float32Array(stones.length * VECTOR_LENGTH * ENCODERS.length);
      for (const [i, stone] of stones.entries()) table.set(side(stone, salt), i * VECTOR_LENGTH * ENCODERS.length);
      return table;
    };
    const table = scorer.core.table(rows(1), rows(2));
    for (const [i, polish] of stones.entries())
      for (const [j, rough] of stones.entries())
        expect(table[i * stones.length + j]).toBeCloseTo(
          scorer.score(parts(side(rough, 1)), parts(side(polish, 2))).fused,
          5,
        );
  });

  it('gives thresholds that its population keeps, new claims included', async () => {
    const evidence = evidenceOf(Array.from({ length: 140 }, (_, i) => [i, i]));
    const measured = await measureUnderScorer(evidence, 140, scorer, pool);
    expect(measured).toMatchObject({ claims: 140, roughs: 140, polishes: 140, pairs: 140 * 139, reason: null });
    const at98 = measured.rungs.find(({ reject_target }) => reject_target === 0.98)!;
    expect(at98.wrong_per_1000).toBeLessThanOrEqual(20);
    expect(at98.wrong_per_1000).toBeGreaterThan(18);
    let accepted = 0;
    for (let i = 0; i < 400; i++) {
      const claim = [parts(side(300 + i, 1)), parts(side(301 + i, 2))] as const;
      if (scorer.score(...claim).fused > at98.threshold) accepted++;
    }
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(25);
    expect(at98.interval[0]).toBeLessThan(at98.threshold);
    expect(at98.interval[1]).toBeGreaterThan(at98.threshold);
  });

  it('takes its rungs from the ladder for its size', () => {
    expect(scorer.entry(0.98)).toEqual({
      reject_target: 0.98,
      threshold: 0.18,
      threshold_source: 'shipped-default: calibration population (simulated), scorers of 30 stones',
      expected_genuine_accept: 0.9,
    });
    expect(scorer.curve.probabilities).toEqual([0.1, 0.9]);
  });

  it('refuses to load what is cut short, longer, or changed beyond its bounds', () => {
    const { bytes } = scorer;
    const changed = (change: (copy: Buffer) => void) => {
      const copy = Buffer.from(bytes);
      change(copy);
      return () => PopulationScorer.load(copy);
    };
    expect(() => PopulationScorer.load(bytes.subarray(0, bytes.length - 4))).toThrow(/another size/);
    expect(() => PopulationScorer.load(Buffer.concat([bytes, Buffer.alloc(4)]))).toThrow(/another size/);
    expect(() => PopulationScorer.load(new Uint8Array(3))).toThrow(/no scorer/);
    expect(changed((copy) => copy.writeFloatLE(Number.NaN, copy.length - 8))).toThrow(/no number/);
    expect(changed((copy) => copy.writeFloatLE(3, copy.length - 8))).toThrow(/length one/);
    const text = Buffer.from(bytes).toString('latin1');
    expect(changed((copy) => copy.write('9', text.indexOf('"groups":[0,1') + 10))).toThrow(/numbered in order/);
  });
});

describe('a scorer of few claims', () => {
  const FEW = 12;
  const claims = [
    [side(70, 1), side(70, 2)],
    [side(70, 1), side(71, 2)],
  ] as const;
  let early: PopulationScorer;
  beforeAll(async () => {
    ({ scorer: early } = await fitted(evidenceOf(honest.slice(0, FEW))));
  });

  /** Of each encoder the cosine of two sides, mapped and brought to length one. */
  const cosines = (map: ScorerMap, a: Float32Array, b: Float32Array, sides: ['rough' | 'polish', 'rough' | 'polish']) =>
    ENCODERS.map((_, e) => {
      const [x, y] = [a, b].map((vectors, at) => {
        const centred = parts(vectors)[e].map((value, i) => value - map[e][sides[at]][i]);
        const count = map[e].rows.length / VECTOR_LENGTH;
        if (count === 0) return [...centred];
        return Array.from({ length: count }, (_, row) =>
          centred.reduce((sum, value, i) => sum + map[e].rows[row * VECTOR_LENGTH + i] * value, 0),
        );
      });
      return x.reduce((sum, value, i) => sum + value * y[i], 0) / Math.hypot(...x) / Math.hypot(...y);
    });
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it('has directions, and a norm that counts for as much as its groups do', () => {
    expect(early.entry(0.98).threshold_source).toContain('scorers of 10 stones');
    const { parts: of } = readScorer(early.bytes);
    const own = FEW / 20;
    for (const [rough, polish] of claims) {
      const best = (side: Float32Array, name: 'rough' | 'polish', other: 'rough' | 'polish') =>
        Math.max(
          ...Array.from({ length: FEW }, (_, claim) =>
            mean(cosines(of.maps[0], side, rowOfBank(of.bank, other, claim), [name, other])),
          ),
        );
      const norms = best(rough, 'rough', 'polish') + best(polish, 'polish', 'rough');
      const byHand =
        mean(cosines(of.maps[0], rough, polish, ['rough', 'polish'])) - (own * norms) / 2 - 0.83 * (1 - own);
      expect(early.score(parts(rough), parts(polish)).fused).toBeCloseTo(byHand, 5);
      expect(early.core.table(rough, polish)[0]).toBeCloseTo(byHand, 5);
    }
    const [genuine, wrong] = claims.map(([rough, polish]) => early.score(parts(rough), parts(polish)).fused);
    expect(genuine).toBeGreaterThan(wrong + 0.2);
  });

  it('is drawn towards the worlds of its ladders', async () => {
    const others = { ...ladders, worlds: madeWorlds(ENCODERS.length, 20) };
    const made = await fitScorer(
      ...([evidenceOf(honest.slice(0, FEW)), FEW, () => 'key', others, pool, () => 0.9] as const),
    );
    if ('reason' in made) throw new Error(made.reason);
    expect(made.scorer.digest).not.toBe(early.digest);
    const lengths = [early, made.scorer].map(({ bytes }) => readScorer(bytes).parts.maps[0][0].rough);
    expect(lengths[0]).toEqual(lengths[1]);
  });

  it('of the fourth method takes the mean off and nothing else', () => {
    const method: ScorerMethod = 'population-scorer/4';
    const { header, parts: of } = readScorer(early.bytes);
    const maps = of.maps.map((map) => map.map((one) => ({ ...one, rows: new Float32Array(0) })));
    const directions = maps.map((map) => map.map(() => 0));
    const bytes = scorerBytes({ ...header, method, directions }, { ...of, method, maps });
    const former = PopulationScorer.load(bytes);
    for (const [rough, polish] of claims) {
      const byHand = mean(cosines(maps[0], rough, polish, ['rough', 'polish']));
      expect(former.score(parts(rough), parts(polish)).fused).toBeCloseTo(byHand, 6);
      expect(former.core.table(rough, polish)[0]).toBeCloseTo(byHand, 6);
    }
    const now = scorerBytes({ ...header, directions }, { ...of, maps });
    expect(() => PopulationScorer.load(now)).toThrow(/no map/);
  });
});

it.each([STONES, 12])(
  'leaves out what its bank holds of a claim: beside %i stones a wrong pair claimed ten times gains nothing',
  async (stones) => {
    const wrong = Array.from({ length: 10 }, (_, i): [number, number, number] => [200, 201, 10 + i]);
    const { scorer: clean } = await fitted(evidenceOf(honest.slice(0, stones)));
    const { scorer: misled } = await fitted(evidenceOf([...honest.slice(0, stones), ...wrong]));
    const claim = [parts(side(200, 30)), parts(side(201, 2))] as const;
    const genuine = misled.score(parts(side(210, 1)), parts(side(210, 2))).fused;
    expect(misled.score(...claim).fused).toBeLessThan(genuine - 0.2);
    expect(Math.abs(misled.score(...claim).fused - clean.score(...claim).fused)).toBeLessThan(0.1);
  },
);

it('has one best score less in the norms for each neighbour that is no scan of the claim, unless it is of the first method', async () => {
  const stones = 62;
  const turned = (by: number) => {
    const out = side(0, 1);
    for (let from = 0; from < out.length; from += VECTOR_LENGTH) {
      for (let i = from; i < from + VECTOR_LENGTH; i++) out[i] *= Math.cos(by);
      out[from + VECTOR_LENGTH - 1] += Math.sin(by);
      const length = Math.hypot(...out.subarray(from, from + VECTOR_LENGTH));
      for (let i = from; i < from + VECTOR_LENGTH; i++) out[i] /= length;
    }
    return out;
  };
  // The last stone's rough is no neighbour of the first one's; one that lies between them is of both.
  const evidence = evidenceOf(Array.from({ length: stones - 1 }, (_, i) => [i, i]));
  const last = { rough: { digest: 'r', references: [] }, polish: { digest: 'p', references: [] } };
  evidence.add({ claimId: 'clm_last', ...last, roughVectors: turned(0.32), polishVectors: side(70, 2) });
  // The maps are the same: a method says how they score.
  const of = readScorer((await fitted(evidence)).scorer.bytes);
  const [before, now] = (['population-scorer/1', 'population-scorer/2'] as const).map((method) =>
    PopulationScorer.load(scorerBytes({ ...of.header, method }, { ...of.parts, method })),
  );
  expect([before.groups, now.groups]).toEqual([stones, stones]);
  const scores = (rough: Float32Array) =>
    [before, now].map((scorer) => {
      const { fused } = scorer.score(parts(rough), parts(side(80, 2)));
      expect(scorer.core.table(rough, side(80, 2))[0]).toBeCloseTo(fused, 5);
      return fused;
    });
  const [withTwo, withOne] = scores(turned(0.16));
  expect(withOne).toBeLessThan(withTwo - 0.001);
  for (const rough of [side(0, 1), side(90, 1)]) expect(new Set(scores(rough)).size).toBe(1);
});

it.each([
  ['single scans', { pooled: false, centred: false }, ['population-scorer/1', 'population-scorer/2'], 1],
  ['pooled scans', { pooled: true, centred: false }, ['population-scorer/3'], 2],
  ['pooled scans less a centre', { pooled: true, centred: true }, ['population-scorer/5'], 1],
] as const)(
  'sides with a cosine of 0.975 are neighbours or not where vectors are of %s',
  (_, model, methods, count) => {
    expect(methods).toContain(scorerMethodFor(model));
    const vectors = [0, Math.acos(0.975)].map((angle) => {
      const vector = new Float32Array(VECTOR_LENGTH);
      [vector[0], vector[1]] = [Math.cos(angle), Math.sin(angle)];
      return vector;
    });
    const rows = Float32Array.from([...vectors[0], ...vectors[1]]);
    const bank = { claims: 2, encoders: 1, rough: rows, polish: rows };
    for (const method of methods) expect(new Set(groupsOf(bank, method)).size).toBe(count);
  },
);

it('says where one map does not serve two laboratories in one population', async () => {
  /** The traits that distinguish one laboratory's stones vary within the pairs of the other. */
  const vectors = (stone: number, salt: number, swapped: boolean) => {
    const [traits, scatter] = [scrambled(97 * stone + 11), scrambled(100_003 * salt + 31 * stone + 7)];
    const one = Array.from({ length: VECTOR_LENGTH }, (_, at) => {
      if (at >= 24) return 0.04 * scatter();
      return at < 12 === swapped ? scatter() : traits();
    });
    const unit = one.map((value) => value / Math.hypot(...one));
    return Float32Array.from(unit);
  };
  const figuresOf = async (laboratories: number) => {
    const evidence = new ClaimEvidence('lab', MODEL, ['one']);
    const keyOf = (claim: number) => `key ${claim % laboratories}`;
    for (let i = 0; i < 80; i++) {
      const set = (name: string) => ({ digest: `${name}${i}`, references: [] });
      const [roughVectors, polishVectors] = [1, 2].map((salt) => vectors(i, salt, i % laboratories === 1));
      evidence.add({ claimId: `clm_${i}`, rough: set('r'), polish: set('p'), roughVectors, polishVectors });
    }
    return (await fitted(evidence, keyOf)).figures;
  };
  expect(await figuresOf(1)).toMatchObject({ one_map_serves_all: true, laboratories: [{ key: 'key 0', groups: 80 }] });
  const mixed = await figuresOf(2);
  expect(mixed.one_map_serves_all).toBe(false);
  for (const { groups, confirmed_raw, confirmed_mapped } of mixed.laboratories) {
    expect(groups).toBe(40);
    expect(confirmed_mapped).toBeLessThan(confirmed_raw - 0.3);
  }
});

it('makes no scorer of too few stones, however often they were sent', async () => {
  const evidence = evidenceOf(Array.from({ length: 60 }, (_, i): [number, number] => [i % 9, i % 9]));
  const made = await fitScorer(
    evidence,
    60,
    () => 'key',
    ladders,
    pool,
    () => 0.9,
  );
  expect(made).toEqual({ reason: 'too few groups of claims' });
});

it('weighs a group once, and no key more than half where others bring enough', () => {
  const groups = Int32Array.of(...Array.from({ length: 100 }, (_, i) => i), 0, 0, 0);
  const keys = [...groups.keys()].map((claim) => (claim >= 60 && claim < 100 ? 'b' : 'a'));
  const weights = weightsOf(groups, keys, 30);
  expect(weights[0]).toBeCloseTo(weights[1] / 4, 12);
  const shares = sharesOf(weights, keys);
  expect(shares.get('a')).toBeCloseTo(shares.get('b')!, 9);
  const few = keys.map((_, claim) => (claim === 70 ? 'b' : 'a'));
  expect(weightsOf(groups, few, 30)[1]).toBe(1);
});

describe('the ladders of scorers', () => {
  it('are read for their model alone, complete and rising', () => {
    const of = { digest: MODEL, encoders: ENCODERS };
    expect(loadScorerLadders(JSON.stringify(ladders), of)).toEqual(ladders);
    const changed = (change: Partial<ScorerLadders>) => () =>
      loadScorerLadders(JSON.stringify({ ...ladders, ...change }), of);
    expect(() => loadScorerLadders(JSON.stringify(ladders), { ...of, digest: 'n'.repeat(64) })).toThrow(
      /another model/,
    );
    expect(() => loadScorerLadders('{', of)).toThrow(/valid JSON/);
    expect(changed({ method: 'other/1' as ScorerMethod })).toThrow(/method/);
    expect(changed({ worlds: undefined })).toThrow(/covariances/);
    const { covariances } = ladders.worlds!;
    const cut = { ...covariances[0], across: covariances[0].across.slice(0, -8) };
    for (const few of [covariances.slice(1), [covariances[0], cut]])
      expect(changed({ worlds: { source, covariances: few } })).toThrow(/covariances/);
    expect(changed({ banks: [] })).toThrow(/incomplete/);
    const [bank] = ladders.banks;
    expect(changed({ banks: [{ ...bank, rungs: bank.rungs.slice(1) }] })).toThrow(/every rung/);
    expect(changed({ banks: [{ ...bank, rungs: bank.rungs.map((r, i) => ({ ...r, threshold: -i / 9 })) }] })).toThrow(
      /falls/,
    );
  });
});

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { ThreadPool } from '#kit/threads/pool';
import { scrambled } from '#science/numerics/test/scrambled';
import { ClaimEvidence, type CountedClaim, VECTOR_LENGTH } from './evidence.js';
import { measurePopulation, suffices } from './proposal.js';

const pool = new ThreadPool({ threads: 2 });
afterAll(() => pool.close());

const LENGTH = VECTOR_LENGTH;
const ENCODERS = ['one', 'two'];

/** Numbers in -1..1 from a seed. */
const random = (seed: number) => scrambled(seed * 2654435761);

/** Vectors of a stone: a few common directions and its own, one unit row per encoder. */
function vectors(stone: number, noise = 0, salt = 0): Float32Array {
  const out = new Float32Array(LENGTH * ENCODERS.length);
  for (const [e] of ENCODERS.entries()) {
    const next = random(17 * stone + e + 1);
    const other = random(100_003 * salt + stone + 7 * e + 5);
    const values = Array.from({ length: LENGTH }, (_, i) => next() * (i < 12 ? 1 : 0.02) + noise * other());
    const norm = Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
    for (let i = 0; i < LENGTH; i++) out[e * LENGTH + i] = values[i] / norm;
  }
  return out;
}

const hex = (text: string) => createHash('sha256').update(text).digest('hex');

interface Shape {
  rough: number;
  polish: number;
  roughReference?: string;
  polishReference?: string;
}

const claimOf = ({ rough, polish, roughReference, polishReference }: Shape, i: number): CountedClaim => ({
  claimId: `clm_${i}`,
  rough: { digest: hex(`rough ${rough}`), references: roughReference === undefined ? [] : [roughReference] },
  polish: { digest: hex(`polish ${polish}`), references: polishReference === undefined ? [] : [polishReference] },
  roughVectors: vectors(rough, 0.2, 1),
  polishVectors: vectors(polish, 0.2, 2),
});

/** Two sets that share `common` of one direction; the rest of each is in a direction of its own. */
function simpleClaim(stone: number, common: number): CountedClaim {
  let state = stone;
  const vectors = () => {
    const values = new Float32Array(LENGTH * ENCODERS.length);
    for (let from = 0; from < values.length; from += LENGTH) {
      let squares = 0;
      for (let i = from + 1; i < from + LENGTH; i++) {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        values[i] = (mixed ^ (mixed >>> 14)) / 2 ** 31;
        squares += values[i] * values[i];
      }
      const scale = Math.sqrt((1 - common * common) / squares);
      for (let i = from + 1; i < from + LENGTH; i++) values[i] *= scale;
      values[from] = common;
    }
    return values;
  };
  const side = (name: string) => ({ digest: `${name}${stone}`, references: [] });
  return {
    claimId: `clm_${stone}`,
    rough: side('r'),
    polish: side('p'),
    roughVectors: vectors(),
    polishVectors: vectors(),
  };
}

function evidenceOf(claims: CountedClaim[]): ClaimEvidence {
  const evidence = new ClaimEvidence('lab', 'm'.repeat(64), ENCODERS);
  for (const claim of claims) evidence.add(claim);
  return evidence;
}

/** The method's page, word by word, with all pairs in memory and everything in float64. */
function byThePage(claims: CountedClaim[]) {
  const score = (a: Float32Array, b: Float32Array) => {
    let sum = 0;
    for (let e = 0; e < ENCODERS.length; e++) {
      let c = 0;
      for (let i = 0; i < LENGTH; i++) c += a[e * LENGTH + i] * b[e * LENGTH + i];
      sum += c;
    }
    return sum / ENCODERS.length;
  };
  const base = (reference: string) => reference.replace(/\.[0-9]+$/, '');
  const group = (side: 'rough' | 'polish') => {
    const stones: { first: Float32Array; digests: string[]; bases: string[]; claims: number[] }[] = [];
    claims.forEach((claim, i) => {
      const { digest, references } = claim[side];
      const own = claim[side === 'rough' ? 'roughVectors' : 'polishVectors'];
      const stone =
        stones.find((s) => s.digests.includes(digest)) ??
        stones.find((s) => references.some((r) => s.bases.includes(base(r)))) ??
        stones.find((s) => score(s.first, own) > 0.9995) ??
        stones[stones.push({ first: own, digests: [], bases: [], claims: [] }) - 1];
      if (!stone.digests.includes(digest)) stone.digests.push(digest);
      for (const r of references) if (!stones.some((s) => s.bases.includes(base(r)))) stone.bases.push(base(r));
      stone.claims.push(i);
    });
    return stones;
  };
  const roughs = group('rough');
  const polishes = group('polish');
  const pairs: { u: number; v: number; s: number }[] = [];
  for (const p of polishes)
    roughs.forEach((q, v) => {
      const share = (a: unknown[], b: unknown[]) => a.some((one) => b.includes(one));
      if (share(p.claims, q.claims) || share(p.bases, q.bases) || share(p.digests, q.digests)) return;
      const u = roughs.findIndex((r) => r.claims.includes(p.claims[0]));
      pairs.push({ u, v, s: score(p.first, q.first) });
    });
  const sorted = pairs.map(({ s }) => s).sort((a, b) => a - b);
  const at = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1];
  const rung = (percent: number) => {
    const t = at(percent);
    const a = pairs.filter(({ s }) => s > t).length / pairs.length;
    let squares = 0;
    for (let unit = 0; unit < roughs.length; unit++) {
      const touching = pairs.filter(({ u, v }) => u === unit || v === unit);
      const d = touching.filter(({ s }) => s > t).length - a * touching.length;
      squares += d * d;
    }
    return { threshold: t, wrong_per_1000: 1000 * a, standard_error: Math.sqrt(squares) / pairs.length };
  };
  return { roughs: roughs.length, polishes: polishes.length, pairs: pairs.length, rung };
}

async function expectThePage(shapes: Shape[]): Promise<void> {
  const claims = shapes.map(claimOf);
  const evidence = evidenceOf(claims);
  const known = {};
  await measurePopulation(evidence, Math.ceil(claims.length / 2), pool, () => 0.5, known);
  const measured = await measurePopulation(evidence, claims.length, pool, () => 0.5, known);
  const page = byThePage(claims);
  expect([measured.roughs, measured.polishes, measured.pairs]).toEqual([page.roughs, page.polishes, page.pairs]);
  for (const { reject_target, threshold, wrong_per_1000, standard_error, interval } of measured.rungs) {
    const expected = page.rung(Math.round(reject_target * 100));
    expect({ threshold, wrong_per_1000, standard_error }).toEqual(expected);
    expect(interval[0]).toBeLessThanOrEqual(threshold);
    expect(interval[1]).toBeGreaterThanOrEqual(threshold);
  }
  expect(measured.rungs.length > 0).toBe(page.pairs > 0);
}

describe('measurePopulation', () => {
  it('finds what the page of the method says, to the last bit', async () => {
    await expectThePage(Array.from({ length: 90 }, (_, i) => ({ rough: i, polish: i })));
  });

  it('does so for mixed-up, repeated and referenced sets', async () => {
    const set = fc.integer({ min: 0, max: 25 });
    const reference = fc.option(fc.constantFrom('A', 'A.1', 'B', 'B.2', 'C', 'C.1.2'), { nil: undefined });
    const shape = fc.record({ rough: set, polish: set, roughReference: reference, polishReference: reference });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(shape, { selector: (s) => `${s.rough} ${s.polish}`, minLength: 1 }),
        expectThePage,
      ),
      { numRuns: 40 },
    );
  });

  it('takes slightly changed copies for one stone, across blocks too', async () => {
    const plain = Array.from({ length: 300 }, (_, i) => claimOf({ rough: i, polish: i }, i));
    const copies = plain.slice(0, 40).map((claim, i) => {
      const roughVectors = claim.roughVectors.slice();
      roughVectors[i] += 1e-4;
      return { ...claimOf({ rough: 1000 + i, polish: i }, 1000 + i), roughVectors };
    });
    const evidence = evidenceOf([...plain, ...copies]);
    const measured = await measurePopulation(evidence, 340, pool, () => 0.5);
    expect(measured).toMatchObject({ roughs: 300, polishes: 300, pairs: 300 * 299 });
    const alone = await measurePopulation(evidenceOf(plain), 300, pool, () => 0.5);
    expect(measured.rungs.map((rung) => rung.threshold)).toEqual(alone.rungs.map((rung) => rung.threshold));
  });

  it('gives the same from any beginning of the same claims, from known stones and on any number of threads', async () => {
    const claims = Array.from({ length: 120 }, (_, i) => claimOf({ rough: i % 100, polish: i }, i));
    const evidence = evidenceOf(claims);
    const known = {};
    const early = await measurePopulation(evidence, 80, pool, () => 0.5, known);
    const late = await measurePopulation(evidence, 120, pool, () => 0.5, known);
    const single = new ThreadPool({ threads: 1 });
    expect(await measurePopulation(evidenceOf(claims.slice(0, 80)), 80, single, () => 0.5)).toEqual(early);
    expect(await measurePopulation(evidenceOf(claims), 120, single, () => 0.5)).toEqual(late);
    expect(await measurePopulation(evidence, 80, single, () => 0.5, known)).toEqual(early);
    await single.close();
  });

  it.each([
    ['as expected', 0],
    ['elsewhere than every third stone says', 3],
  ])('gives the same of many stones, whose quantiles are guessed first, where they lie %s', async (_, apart) => {
    const many = Array.from({ length: 2100 }, (_, i) => simpleClaim(i, apart > 0 && i % apart === 0 ? 0.6 : 0.3));
    const evidence = evidenceOf(many);
    const known = {};
    await measurePopulation(evidence, 1500, pool, () => 0.5, known);
    const alone = await measurePopulation(evidence, 2100, pool, () => 0.5);
    expect(alone).toMatchObject({ roughs: 2100, polishes: 2100, pairs: 2100 * 2099 });
    expect(await measurePopulation(evidence, 2100, pool, () => 0.5, known)).toEqual(alone);
  });

  it('makes no threshold where nearly all pairs score the same', async () => {
    const many = Array.from({ length: 2100 }, (_, i) => simpleClaim(i, 0.9996));
    expect(await measurePopulation(evidenceOf(many), 2100, pool, () => 0.5)).toMatchObject({
      rungs: [],
      reason: 'scores too concentrated',
    });
  });

  it('has nothing to say of one stone', async () => {
    const evidence = evidenceOf([claimOf({ rough: 1, polish: 1 }, 0)]);
    expect(await measurePopulation(evidence, 1, pool, () => 0.5)).toMatchObject({
      rungs: [],
      reason: 'no wrong pairs',
    });
  });
});

describe('enough claims', () => {
  const measured = (claims: number, stones = claims) => ({ claims, roughs: stones, polishes: stones }) as never;
  it('is what the contract says, from as many stones as half of them', () => {
    expect([suffices(0.99, measured(39)), suffices(0.99, measured(40))]).toEqual([false, true]);
    expect([suffices(0.98, measured(75, 37)), suffices(0.98, measured(75, 38))]).toEqual([false, true]);
    expect([suffices(0.92, measured(1199)), suffices(0.92, measured(1200))]).toEqual([false, true]);
  });
  it('is never there for 0.91 and 0.90', () => {
    expect([suffices(0.91, measured(1e6)), suffices(0.9, measured(1e6))]).toEqual([false, false]);
  });
});

describe('digests', () => {
  const claims = Array.from({ length: 5 }, (_, i) => claimOf({ rough: i, polish: i, roughReference: 'Ü"1' }, i));
  it('are those of the page', () => {
    const json = (value: unknown) => Buffer.from(JSON.stringify(value));
    const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
    const model = 'm'.repeat(64);
    let h = sha256(json(['mvs-evidence/1', 'lab', model, ENCODERS]));
    for (const { claimId, rough, polish, roughVectors, polishVectors } of claims) {
      const bytes = [roughVectors, polishVectors].map((v) => new Uint8Array(v.buffer, v.byteOffset, v.byteLength));
      const line = json([claimId, rough.digest, polish.digest, rough.references, polish.references]);
      h = sha256(h, line, Buffer.from('\n'), ...bytes);
    }
    const evidence = evidenceOf(claims);
    expect(evidence.digest()).toBe(h.toString('hex'));
    const proposal = sha256(
      json(['mvs-proposal/1', 'cross-pairs/1', 'lab', model, '0.98', 3, 5, h.toString('hex')]),
    ).toString('hex');
    expect(evidence.proposalDigest(0.98, 3)).toBe(proposal);
  });

  it('stand when newer claims come, and fall with a decision', () => {
    const evidence = evidenceOf(claims.slice(0, 3));
    const digest = evidence.proposalDigest(0.98, 0);
    for (const claim of claims.slice(3)) evidence.add(claim);
    expect(evidence.claimsBehind(digest, 0.98, 0)).toBe(3);
    expect(evidence.claimsBehind(digest, 0.98, 1)).toBeUndefined();
    expect(evidence.claimsBehind(digest, 0.97, 0)).toBeUndefined();
  });

  it('change with any bit of any vector', () => {
    const [first, ...rest] = claims;
    const roughVectors = first.roughVectors.slice();
    new Uint8Array(roughVectors.buffer)[77] ^= 1;
    expect(evidenceOf([{ ...first, roughVectors }, ...rest]).digest()).not.toBe(evidenceOf(claims).digest());
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ThreadPool } from '#kit/threads/pool';
import { KeptResults } from '#kit/views/kept-results';
import type { CalibrationAsset } from '#science/calibration/asset';
import { REJECT_TARGETS } from '#science/calibration/ladder';
import type { CountedRow, EvidenceView } from './queries-evidence.js';
import { Proposals } from './queries-proposals.js';

const asset = {
  source: { population: 'none' },
  rungs: REJECT_TARGETS.map((reject_target) => ({ reject_target, threshold: 0.5 })),
} as unknown as CalibrationAsset;
const model = { digest: 'm'.repeat(64), encoders: [{ name: 'one' }] } as never;

/** Populations of one encoder's vectors, and a note of each read: how many claims the reader had already. */
function view(held: Record<string, number>) {
  const reads: Record<string, number[]> = {};
  const claim = (ordinal: number): CountedRow => {
    const vector = (side: number) =>
      Float32Array.from({ length: 256 }, (_, i) => Math.sin((i + 1) * (ordinal + side / 3)) / Math.sqrt(128));
    const side = (name: string) => ({ digest: `${name}${ordinal}`, references: [] });
    return {
      ordinal,
      position: String(100 + ordinal),
      claimId: `clm_${ordinal}`,
      at: '',
      key: 'lab',
      rough: side('r'),
      polish: side('p'),
      roughVectors: vector(1),
      polishVectors: vector(2),
    };
  };
  const view: Pick<EvidenceView, 'held' | 'counted' | 'populations'> = {
    populations: () => Object.keys(held),
    held: (population) => held[population],
    async counted(population, _model, _encoders, after, limit) {
      reads[population] = [...(reads[population] ?? []), after];
      return Array.from({ length: Math.min(limit, held[population] - after) }, (_, i) => claim(after + i + 1));
    },
  };
  return { reads, view: view as EvidenceView };
}

const pool = new ThreadPool({ threads: 1 });
afterAll(() => pool.close());
afterEach(() => {
  jest.restoreAllMocks();
});

describe('Proposals', () => {
  it('reads no claim again for what it measured, and lets go of claims that nobody asks for', async () => {
    const held = { a: 80, b: 50 };
    const { reads, view: evidence } = view(held);
    const proposals = new Proposals(evidence, model, asset, pool);
    const first = (await proposals.latest('a'))!;
    expect(first).toMatchObject({ claims: 80, position: '180' });
    expect(await proposals.latest('a')).toBe(first);
    const { digest } = proposals.facts('a', first, 0.98, 0)!;
    expect(await proposals.find('a', digest, 0.98, 0)).toEqual(proposals.facts('a', first, 0.98, 0));
    expect(reads.a).toEqual([0, 25, 50, 75]);
    held.a = 90;
    expect(await proposals.latest('a')).toMatchObject({ claims: 90 });
    expect(reads.a).toEqual([0, 25, 50, 75, 80]);

    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 3_600_000);
    await proposals.latest('b');
    held.a = 95;
    expect(await proposals.latest('a')).toMatchObject({ claims: 95 });
    expect(reads.a).toEqual([0, 25, 50, 75, 80, 0, 25, 50, 75]);
    // A proposal that an operator saw before can still be approved.
    expect(await proposals.find('a', digest, 0.98, 0)).toMatchObject({ claims: 80, digest });
    expect(await proposals.find('a', digest, 0.98, 1)).toBeUndefined();
  });

  it('measures nothing again after a start, unless the claims are others', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mvs-results-'));
    const { view: evidence } = view({ a: 80 });
    const started = (of: EvidenceView) =>
      new Proposals(of, model, asset, pool, new KeptResults(directory, { given: ['s'.repeat(32)], log: 'one' }));
    try {
      const before = (await started(evidence).latest('a'))!;
      const run = jest.spyOn(pool, 'run');
      const again = started(evidence);
      expect(await again.latest('a')).toEqual(before);
      expect(again.facts('a', before, 0.98, 0)).toBeDefined();
      expect(run).not.toHaveBeenCalled();
      const others = {
        held: () => 80,
        counted: async (...asked: Parameters<EvidenceView['counted']>) =>
          (await evidence.counted(...asked)).map((one) => ({
            ...one,
            rough: { ...one.rough, digest: `x${one.ordinal}` },
          })),
      };
      expect((await started(others as never).latest('a'))!.evidence_digest).not.toBe(before.evidence_digest);
      expect(run).toHaveBeenCalled();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

import { simdCompute } from '#science/compute/cpu-engines';
import { encodeSides, type PlacedModel, placeModel } from '#science/matching/encoder';
import { modelOf } from '#science/matching/model';
import { invented, inventedSpectra } from '#science/matching/test/model';
import { REFERENCE_POINTS } from '#science/spectra/axis';
import { endings } from '../../../../test/endings.js';
import { until } from '../../../../test/until.js';
import type { ScoringJob, ScoringQueue } from '../port.js';

/** The model that the queues under test hold: two small untrained encoders. */
export const testedModel = () => modelOf('tested', [invented('first', 1, 64), invented('second', 2, 64)]);

export interface ScoringQueueUnderTest {
  queue: ScoringQueue;
  dispose(): Promise<void>;
}

/**
 * Checks that every adapter of the scoring queue port must pass.
 * @param create makes a queue with at least one worker that holds `testedModel()`
 */
export function describeScoringQueue(
  name: string,
  create: (options: { maxWaiting: number }) => Promise<ScoringQueueUnderTest>,
): void {
  describe(`scoring queue: ${name}`, () => {
    const model = testedModel();
    let placed: PlacedModel;
    let tested: ScoringQueueUnderTest;
    const soon = { timeoutMs: 60_000 };
    const atEnd = endings();
    const jobOf = (seed: number, roughCount = 3, polishCount = 1): ScoringJob => {
      const few = inventedSpectra(8, seed);
      const spectra = new Float32Array((roughCount + polishCount) * REFERENCE_POINTS);
      for (let at = 0; at < spectra.length; at += few.length) spectra.set(few.subarray(0, spectra.length - at), at);
      return { model: model.digest, roughCount, polishCount, spectra };
    };
    const truth = async ({ roughCount, polishCount, spectra }: ScoringJob) => {
      const [rough, polish] = await encodeSides(placed, spectra.slice(), [roughCount, polishCount]);
      return { rough, polish };
    };
    const plain = (vectors: Float32Array[]) => vectors.map((vector) => [...vector]);
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => ({ name: 'nothing was thrown', reason: undefined }),
        ({ name, reason }) => ({ name, reason }),
      );

    beforeAll(async () => {
      placed = await placeModel(model, simdCompute());
      tested = await create({ maxWaiting: 500 });
    });
    afterAll(() => tested.dispose());

    it('answers both sides of a job as unit vectors of every encoder, and says which model and engine', async () => {
      const job = jobOf(1);
      const expected = await truth(job);
      const scored = await tested.queue.score(job, soon);
      expect(plain(scored.rough)).toEqual(plain(expected.rough));
      expect(plain(scored.polish)).toEqual(plain(expected.polish));
      expect({ model: scored.model, engine: scored.engine }).toEqual({ model: model.digest, engine: 'simd' });
    });

    it('answers each of many jobs at once with its own vectors, bit for bit as alone', async () => {
      const jobs = Array.from({ length: 40 }, (_, i) => jobOf(i + 1, 1 + (i % 6), 1 + (i % 2)));
      const expected = await Promise.all(jobs.map(truth));
      const scored = await Promise.all(jobs.map((job) => tested.queue.score(job, soon)));
      for (const [i, sides] of scored.entries()) {
        expect(plain(sides.rough)).toEqual(plain(expected[i].rough));
        expect(plain(sides.polish)).toEqual(plain(expected[i].polish));
      }
    });

    it('leaves nothing of the spectra with the caller', async () => {
      const job = jobOf(7);
      await tested.queue.score(job, soon);
      // Zeroed, or moved away whole.
      expect([...(job.spectra.length > 0 ? job.spectra : [0])].every((value) => value === 0)).toBe(true);
    });

    it('refuses a job of another model', async () => {
      const failed = await failure(tested.queue.score({ ...jobOf(1), model: 'f'.repeat(64) }, soon));
      expect(failed).toEqual({ name: 'ScoringUnavailable', reason: 'other_model' });
    });

    it('gives up what takes too long and goes on', async () => {
      // Over before anything can be done, on any machine.
      const failed = await failure(tested.queue.score(jobOf(1, 255, 1), { timeoutMs: 0 }));
      expect(failed).toEqual({ name: 'ScoringUnavailable', reason: 'timed_out' });
      expect((await tested.queue.score(jobOf(2), soon)).rough).toHaveLength(2);
    });

    it('gives up what its caller gives up, before and while it waits, and goes on', async () => {
      const stop = new AbortController();
      const waiting = tested.queue.score(jobOf(1, 255, 1), { ...soon, signal: stop.signal });
      setImmediate(() => stop.abort());
      expect((await failure(waiting)).name).toBe('JobCancelled');
      expect((await failure(tested.queue.score(jobOf(1), { ...soon, signal: stop.signal }))).name).toBe('JobCancelled');
      expect((await tested.queue.score(jobOf(2), soon)).rough).toHaveLength(2);
    });

    it('says who works and that nothing is left in hand', async () => {
      // A job that was given up may still be running where it cannot be stopped.
      await until(async () => {
        const { waiting, active } = await tested.queue.state();
        return waiting + active === 0;
      });
      const { workers } = await tested.queue.state();
      expect(workers.length).toBeGreaterThan(0);
      for (const worker of workers) {
        expect(worker).toEqual({ id: expect.any(String), engine: 'simd', models: [model.digest] });
      }
    });

    it('answers a shadow model’s jobs with the same bits, and refuses them first', async () => {
      const job = jobOf(3);
      const expected = await truth(job);
      const again = (shadow: boolean) => tested.queue.score({ ...job, spectra: job.spectra.slice(), shadow }, soon);
      const many = Array.from({ length: 400 }, () => again(true));
      const first = again(false);
      const refused = (await Promise.all(many.map(failure))).filter(({ reason }) => reason !== undefined);
      expect(refused.length).toBeGreaterThan(0);
      expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['full']));
      for (const scored of [first, many[0]]) expect(plain((await scored).rough)).toEqual(plain(expected.rough));
    });

    it('refuses at once what exceeds its depth, and answers the rest', async () => {
      const small = atEnd(await create({ maxWaiting: 4 }), (made) => made.dispose());
      const jobs = Array.from({ length: 30 }, (_, i) => jobOf(i + 1, 60, 1));
      const ends = jobs.map((job) => failure(small.queue.score(job, soon)));
      const reasons = (await Promise.all(ends)).map(({ reason }) => reason ?? 'answered');
      expect(new Set(reasons)).toEqual(new Set(['answered', 'full']));
      expect(reasons.filter((reason) => reason === 'answered').length).toBeGreaterThanOrEqual(4);
    });

    it('fails what is in hand when it closes, and refuses what comes after', async () => {
      const closing = atEnd(await create({ maxWaiting: 100 }), (made) => made.dispose());
      const jobs = Array.from({ length: 10 }, (_, i) => jobOf(i + 1, 200, 1));
      const ends = jobs.map((job) => failure(closing.queue.score(job, soon)));
      await closing.queue.close();
      const failed = await Promise.all(ends);
      expect(failed.some(({ reason }) => reason === 'closed')).toBe(true);
      expect((await failure(closing.queue.score(jobOf(1), soon))).reason).toBe('closed');
    });
  });
}

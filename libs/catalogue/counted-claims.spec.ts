import { streams } from '#domain/streams';
import { keyOf, TestLog } from '#kit/views/test/log';
import { CountedClaims } from './counted-claims.js';

const stone = (name: string) => ({ rough: { stone: name }, polish: { stone: name } });

describe('counted claims', () => {
  it('are counted once each, also where a claim or its verdict stands twice in the log', () => {
    const log = new TestLog();
    const [first, second] = [log.claim(stone('A')), log.claim(stone('B'))];
    const stream = streams.claim(keyOf('lab-a').id, first);
    const of = (id: string, type: string) =>
      log.events.find((event) => event.type === type && event.stream === streams.claim(keyOf('lab-a').id, id))!;
    const [submitted, scored] = [of(first, 'ClaimSubmitted'), of(first, 'ClaimScored')];
    const { polish } = of(second, 'ClaimSubmitted').data as { polish: object };
    // The claim again, now on a pair that no claim is of, and its verdict again.
    log.append(stream, { ...submitted, data: { ...submitted.data, polish } });
    log.append(stream, scored);
    log.claim(stone('B'));
    log.claim(stone('D'));
    const { population, model } = { population: 'lab-a', model: (submitted.data as { model: string }).model };
    const claims = new CountedClaims([{ population, model, claims: 9 }]);
    for (const event of log.events) claims.take(event);
    const scores = log.events.filter(({ type }) => type === 'ClaimScored');
    // Of A, B, A again, B again and D.
    const places = [0, 1, 4].map((n) => scores[n].position);
    expect([1, 2, 3, 4].map((n) => claims.claimAt(population, model, n))).toEqual([...places, undefined]);
  });
});

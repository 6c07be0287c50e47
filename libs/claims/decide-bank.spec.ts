import fc from 'fast-check';
import { faultOf } from '#domain/guard';
import { testOf } from '#domain/test/given';
import { decodeVector, encodeVector } from '#domain/vectors';
import { bankDecider } from './decide-bank.js';
import { type BankEvent, type BankedSet, bankEvents } from './events-bank.js';

const vector = Float32Array.from({ length: 256 }, (_, i) => Math.fround(i / 300 - 0.4));
const set: BankedSet = {
  population: 'lab-a',
  model: 'c'.repeat(64),
  digest: 'a'.repeat(64),
  side: 'rough',
  scans: 6,
  references: ['1001'],
  vectors: { a: encodeVector(vector), b: encodeVector(vector) },
  by: 'claim',
  claim_id: 'clm_1',
  at: 'T1',
};
const at = '2026-11-20T10:00:03.000Z';
const banked: BankEvent = { type: 'ScanSetBanked', version: 1, data: set };
const { given, logOf } = testOf(bankDecider);

it.each([
  ['claim', 'bank-lab%2Da-(M)-(D)', true],
  ['claim', 'claim-k-clm_1', true],
  ['claim', 'claim-k-clm_2', false],
  ['claim', 'labels-clm_1', false],
  ['replay', 'bank-lab%2Da-(M)-(D)', true],
  ['replay', 'bank-lab%2Da-(M)-(M)', false],
  ['replay', 'claim-k-clm_1', false],
] as const)('a set of a %s belongs into the stream %s: %s', (by, stream, belongs) => {
  const named = stream.replaceAll('(M)', set.model).replace('(D)', set.digest);
  expect(bankEvents.ScanSetBanked.belongs(named, { ...set, by })).toBe(belongs);
});

describe('scan-set bank', () => {
  it('given nothing, when banked, then it is', () => {
    expect(given().when(set)).toEqual({ events: [banked] });
    expect(given(banked).state).toEqual({ status: 'banked', set });
  });

  it('given a banked set, when it comes again by whatever way, then nothing is written', () => {
    expect(given(banked).when({ ...set, by: 'replay', claim_id: 'clm_2', at: 'T2' })).toEqual({ events: [] });
  });

  it.each([{}, { a: '' }, { a: 'AAAA' }, { a: set.vectors.a, b: Buffer.alloc(1024, 0xff).toString('base64') }])(
    'lets nothing into the log that is no vectors',
    (vectors) => {
      const { schema } = bankEvents.ScanSetBanked;
      expect(faultOf(schema, { ...set, at }, 'data')).toBe(undefined);
      expect(faultOf(schema, { ...set, at, vectors }, 'data')).toMatch(/at data\.vectors/);
    },
  );

  it('keeps one record under any sequence', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (claims) => {
        const log = logOf(claims.map((claim_id) => ({ ...set, claim_id })));
        expect(log.map(({ data }) => data.claim_id)).toEqual(claims.slice(0, 1));
      }),
    );
  });

  it('gives vectors back bit for bit', () => {
    const finite = fc.float32Array({ minLength: 256, maxLength: 256, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, (values) => {
        const back = decodeVector(encodeVector(values))!;
        expect(Buffer.from(back.buffer).equals(Buffer.from(values.buffer, values.byteOffset, values.byteLength))).toBe(
          true,
        );
      }),
    );
    expect(() => encodeVector(new Float32Array(255))).toThrow(RangeError);
  });

  it('takes nothing for a vector that is none', () => {
    const floats = (count: number, last = 1) => Buffer.from(Float32Array.from({ length: count }, () => last).buffer);
    const ofBytes = (bytes: number) => Buffer.alloc(bytes).toString('base64');
    expect(decodeVector(floats(256).toString('base64'))).toEqual(new Float32Array(256).fill(1));
    for (const bytes of [0, 1020, 1023, 1025, 1026, 1028, 2048, 100_000])
      expect(decodeVector(ofBytes(bytes))).toBe(undefined);
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      expect(decodeVector(floats(256, odd).toString('base64'))).toBe(undefined);
    // An earlier vector is not taken for a missing one.
    expect([decodeVector(''), decodeVector('no base64: é')]).toEqual([undefined, undefined]);
  });
});

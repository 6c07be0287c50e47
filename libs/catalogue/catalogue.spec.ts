import fc from 'fast-check';
import { isOwnStream, streamPrefixes, streams } from '#domain/streams';
import { admissionFault } from './admission.js';
import { catalogue } from './catalogue.js';
import { dataOf, type EventType, sampleOf } from './test/arbitrary.js';
import { createUpcast, isKnownEvent, upcast, upcasters } from './upcast.js';

describe('catalogue of events', () => {
  it('has a step for every version that is no longer written', () => {
    for (const [type, { version }] of Object.entries(catalogue)) expect(upcasters[type]?.length ?? 0).toBe(version - 1);
    expect(Object.keys(upcasters).filter((type) => !Object.hasOwn(catalogue, type))).toEqual([]);
  });

  it('knows its own events and no others', () => {
    expect(isKnownEvent({ type: 'ClaimScored', version: 2 })).toBe(true);
    expect(isKnownEvent({ type: 'ClaimScored', version: 99 })).toBe(false);
    expect(isKnownEvent({ type: 'toString', version: 1 })).toBe(false);
  });
});

describe('admission to the log', () => {
  const key = { id: '00ff00ff00ff00ff', name: 'x', kind: 'production', population: 'x' };
  const created = { ...sampleOf('KeyCreated'), key };
  const approved = sampleOf('RungApproved');
  const fault = (type: EventType, data: Record<string, unknown>, stream = streams.key(key.id)) =>
    admissionFault(stream, { type, version: catalogue[type].version, data });

  it('lets an event in with exactly its members, in its newest version, in a stream of its own', () => {
    expect(fault('KeyCreated', created)).toBeUndefined();
    expect(fault('KeyCreated', created, 'key-0000000000000000')).toBe('belongs into a stream key-{key id}');
    expect(admissionFault('edge', { type: 'Surprise', version: 1, data: {} })).toBe('is of an unknown type');
    expect(admissionFault('edge', { type: 'toString', version: 1, data: {} })).toBe('is of an unknown type');
    expect(admissionFault('edge', { type: 'KeyCreated', version: 0, data: created })).toMatch(/^is of version 0, not/);
  });

  it.each<[string, Record<string, unknown>]>([
    ['has none of production, test at data.key.kind', { key: { ...key, kind: null } }],
    ['lacks data.key.kind', { key: { ...key, kind: undefined } }],
    ['has another text than may be at data.key.name', { key: { ...key, name: '\ud800' } }],
    ['has another text than may be at data.key.population', { key: { ...key, population: 'a\u202eb' } }],
    ['has a text of 65 characters at data.key.name', { key: { ...key, name: 'x'.repeat(65) } }],
    ['holds data.key.event, which is no member of it', { key: { ...key, event: 1 } }],
    ['holds data."a b", which is no member of it', { 'a b': 1 }],
    ['has no text at data.operator', { operator: null }],
  ])('refuses a key that %s', (sentence, change) => {
    expect(fault('KeyCreated', { ...created, ...change })).toBe(sentence);
  });

  it('takes every text that the clock gives for a time, and none that is no time', () => {
    const named = (at: string) => fault('KeyCreated', { ...created, at });
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(named(date.toISOString())).toBeUndefined();
        },
      ),
    );
    expect(named('2028-02-29T23:59:59Z')).toBeUndefined();
    for (const at of [
      '2026-99-01T00:00:00.000Z',
      '2026-02-30T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-01-00T00:00:00Z',
    ])
      expect(named(at)).toBe('has another text than may be at data.at');
    for (const at of ['2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z', '2026-01-01T00:00:60Z', '12026-01-01T00:00:00Z'])
      expect(named(at)).toBe('has another text than may be at data.at');
    fc.assert(fc.property(dataOf('KeyCreated'), ({ at }) => expect(Date.parse(String(at))).not.toBeNaN()));
  });

  const refused = { ...sampleOf('ClaimRefused'), key, rough: { scans: 3 }, latency_ms: { read: 1 } };
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`stage${i}`, 1]));

  it.each<[string, Record<string, unknown>]>([
    ['has the number -1 at data.status', { status: -1 }],
    ['has the number 1.5 at data.status', { status: 1.5 }],
    ['has no number at data.status', { status: Number.NaN }],
    ['has neither true nor false at data.replay', { replay: 'true' }],
    ['has no object at data.rough', { rough: null }],
    ['has no list at data.rough.references', { rough: { references: {} } }],
    ['has a list of 4097 at data.rough.references', { rough: { references: Array(4097).fill('a') } }],
    ['has no text at data.rough.references.1', { rough: { references: ['a', null] } }],
    ['holds data.rough.event, which is no member of it', { rough: { event: 1 } }],
    ['holds data."a/b~c", which is no member of it', { 'a/b~c': 1 }],
    ['has the number -1 at data.status', { status: -1, ...many }],
    ['has a member of an impossible name at data.latency_ms', { latency_ms: { 'a b': 1 } }],
    ['has a member of an impossible name at data.latency_ms', { latency_ms: JSON.parse('{"__proto__": 1}') }],
    ['has 65 members at data.latency_ms', { latency_ms: many }],
  ])('refuses a refusal that %s', (sentence, change) => {
    expect(fault('ClaimRefused', { ...refused, ...change }, streams.telemetry(key.id))).toBe(sentence);
  });

  it('refuses an approval with a member of a reserved name, and no decision has one', () => {
    const stream = streams.calibration(String(approved.population));
    expect(fault('RungApproved', approved, stream)).toBeUndefined();
    for (const name of ['event', 'revision', 'type', 'stream'])
      expect(fault('RungApproved', { ...approved, [name]: 'RungWithdrawn' }, stream)).toMatch(/which is no member/);
    for (const type of ['ApprovalRequested', 'RungApproved', 'RungWithdrawn'] as const)
      for (const name of ['event', 'revision']) expect(catalogue[type].schema.properties).not.toHaveProperty(name);
  });
});

describe('upcasting', () => {
  const lift = createUpcast({
    Renamed: [({ old, ...rest }) => ({ ...rest, middle: old }), ({ middle, ...rest }) => ({ ...rest, now: middle })],
  });

  it('takes every step from the stored version on', () => {
    expect(lift({ type: 'Renamed', version: 1, data: { old: 1, kept: 2 } })).toEqual({
      type: 'Renamed',
      version: 3,
      data: { now: 1, kept: 2 },
    });
    expect(lift({ type: 'Renamed', version: 2, data: { middle: 1 } })).toEqual({
      type: 'Renamed',
      version: 3,
      data: { now: 1 },
    });
  });

  it('says of old sides what version 1 kept, and not what it did not', () => {
    const side = (digest: string) => ({ digest, scans: 3, detail_residual: -0.45 });
    const of = (polish: string) =>
      upcast({ type: 'ClaimSubmitted', version: 1, data: { rough: side('a'), polish: side(polish) } });
    expect(of('b')).toEqual({
      type: 'ClaimSubmitted',
      version: 2,
      data: {
        rough: { ...side('a'), detail_residual_measured: null },
        polish: { ...side('b'), detail_residual_measured: null },
        shared_scans: null,
        ladder_digest: null,
      },
    });
    expect(of('a').data.shared_scans).toBe(3);
  });

  it('leaves alone what is newest, newer or unknown', () => {
    for (const event of [
      { type: 'Renamed', version: 3, data: { now: 1 } },
      { type: 'Renamed', version: 4, data: { later: 1 } },
      { type: 'Other', version: 1, data: {} },
      { type: 'constructor', version: 1, data: {} },
    ]) {
      expect(lift(event)).toBe(event);
    }
  });
});

describe('names of streams', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

  it('keep lab-a apart from lab-a2 and from lab', () => {
    const stream = streams.bank('lab-a2', 'm', 'd');
    expect(stream.startsWith(streamPrefixes.bank('lab-a2'))).toBe(true);
    expect(stream.startsWith(streamPrefixes.bank('lab-a'))).toBe(false);
    expect(stream.startsWith(streamPrefixes.bank('lab'))).toBe(false);
    expect(streams.bank('lab', 'a-m', 'd').startsWith(streamPrefixes.bank('lab-a'))).toBe(false);
  });

  it('distinguish those of the service from those of others', () => {
    for (const { stream } of Object.values(catalogue).filter(({ stream }) => stream !== 'any'))
      expect([stream, isOwnStream(stream)]).toEqual([stream, true]);
    for (const stream of ['edge-x', 'orders-1', 'keys', 'claim'])
      expect([stream, isOwnStream(stream)]).toEqual([stream, false]);
  });

  it('are as different as what they name, and no prefix of one population holds another', () => {
    fc.assert(
      fc.property(fc.tuple(name, name, name), fc.tuple(name, name, name), (a, b) => {
        expect(streams.bank(...a) === streams.bank(...b)).toBe(a.join('\0') === b.join('\0'));
        expect(streams.bank(...a).startsWith(streamPrefixes.bank(b[0]))).toBe(a[0] === b[0]);
        expect(streams.claim(a[0], a[1]).startsWith(streamPrefixes.claimsOf(b[0]))).toBe(a[0] === b[0]);
      }),
    );
  });
});

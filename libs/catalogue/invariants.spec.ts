import type { Chain } from '#domain/approval';
import type { LoggedEvent } from '#domain/logged';
import { catalogue } from './catalogue.js';
import { LogInvariants, spectrumIn } from './invariants.js';
import { type EventType, sampleOf } from './test/arbitrary.js';

const KEY = { id: '00ff00ff00ff00ff', name: 'lab-a', kind: 'production', population: 'lab-a' };
const WORKSPACE = { id: '00ff00ff00ff00ff', name: 'lots' };
const event = (stream: string, revision: number, type: EventType, data: Record<string, unknown> = {}): LoggedEvent => ({
  stream,
  revision: BigInt(revision),
  position: 1n,
  type,
  version: catalogue[type].version,
  data: { ...sampleOf(type), ...data },
});
const counted = event('edge', 0, 'RefusalsCounted');
const claim = `claim-${KEY.id}-clm_1`;
const submitted = event(claim, 0, 'ClaimSubmitted', { claim_id: 'clm_1', key: KEY });
const scored = event(claim, 1, 'ClaimScored', { claim_id: 'clm_1' });
const repeated = event(claim, 2, 'ClaimRepeated', { claim_id: 'clm_1' });
const shadow = event(claim, 3, 'ClaimShadowScored', { claim_id: 'clm_1' });
const labelled = event(`labels-${KEY.id}`, 0, 'ClaimLabelled', { claim_id: 'clm_1' });

/** No chain that anything could carry: calibration streams have a suite of their own. */
const chain: Chain<LoggedEvent> = { beginning: () => '', after: () => '' };
const problems = (...events: LoggedEvent[]) => {
  const invariants = new LogInvariants({ calibration: chain, lotScorer: chain }, [], () => '');
  return events.flatMap((one) => invariants.check(one));
};

describe('invariants of a log', () => {
  it('hold for a claim with its label', () => {
    expect(problems(submitted, scored, repeated, shadow, labelled)).toEqual([]);
  });

  it('from the middle of a log on leave out what rests on events before it, and nothing else', () => {
    const from = (events: LoggedEvent[]) => {
      const invariants = new LogInvariants({ calibration: chain, lotScorer: chain }, [], () => '', true);
      return events.flatMap((one) => invariants.check(one));
    };
    const lot = event(`lot-${WORKSPACE.id}-lot_1`, 3, 'LotRetired', { workspace: WORKSPACE, lot_id: 'lot_1' });
    const all = [submitted, scored, repeated, shadow, labelled, lot];
    for (const i of all.keys()) expect(from(all.slice(i))).toEqual([]);
    expect(from([repeated, { ...shadow, revision: 4n }])).toEqual(['has revision 4 where 3 comes next']);
    expect(from([{ ...counted, data: { ...counted.data, count: undefined } }])).toEqual(['lacks data.count']);
    expect(from([submitted, scored, { ...scored, revision: 2n }])).toEqual(['scores a claim that was scored before']);
  });

  it.each<[string, LoggedEvent[]]>([
    ['has revision 2 where 1 comes next', [submitted, { ...scored, revision: 2n }]],
    ['has revision 1 where 0 comes next', [event('edge', 1, 'RefusalsCounted')]],
    ['is of the unknown type Surprise', [{ ...counted, type: 'Surprise' }]],
    ['is of version 99, which is unknown', [{ ...counted, version: 99 }]],
    ['holds data.event, which is no member of it', [{ ...counted, data: { ...counted.data, event: 'RungWithdrawn' } }]],
    ['lacks data.count', [{ ...counted, data: { ...counted.data, count: undefined } }]],
    ['has none of 401, 429 at data.status', [{ ...counted, data: { ...counted.data, status: null } }]],
    ['scores a claim that was never submitted', [{ ...scored, revision: 0n }]],
    ['scores a claim that was scored before', [submitted, scored, { ...scored, revision: 2n }]],
    ['submits a claim that was submitted before', [submitted, { ...submitted, revision: 1n }]],
    ['belongs into a stream claim-{key id}-{claim id}', [{ ...submitted, stream: `claim-${KEY.id}-clm_2` }]],
    ['belongs into a stream claim-{key id}-{claim id}', [{ ...submitted, stream: 'claim-ff00ff00ff00ff00-clm_1' }]],
    ['belongs into a stream key-{key id}', [event(`key-${KEY.id}`, 0, 'KeyRevoked', { key_id: 'another' })]],
    ['belongs into a stream workspace-{workspace id}', [event('workspace-1', 0, 'WorkspaceCreated')]],
    ['belongs into a stream lot-{workspace id}-{lot id}', [event('lot-1-2', 0, 'LotEnrolled')]],
    ['belongs into a stream finding-{finding id}', [event('finding-1', 0, 'FindingReviewed')]],
    ['belongs into a stream model', [event('edge', 0, 'ModelSwitched')]],
    ['belongs into a stream drift-{population}', [event('drift-1', 0, 'DriftBegan')]],
    ['repeats a claim that was never scored', [submitted, { ...repeated, revision: 1n }]],
    ['holds a score by a shadow of a claim that was never scored', [submitted, { ...shadow, revision: 1n }]],
    ['labels a claim that was never scored', [submitted, labelled]],
    [
      'is of a lot that was never enrolled',
      [event(`lotcheck-${WORKSPACE.id}-2`, 0, 'LotChecked', { workspace: WORKSPACE, check_id: '2' })],
    ],
  ])('%s', (sentence, events) => {
    expect(problems(...events)).toEqual([sentence]);
  });

  it('go on after an event that cannot be read', () => {
    const invariants = new LogInvariants({ calibration: chain, lotScorer: chain }, [], () => '');
    invariants.unreadable(claim, 0n);
    // It may have submitted the claim.
    expect(invariants.check(scored)).toEqual([]);
    expect(invariants.check({ ...repeated, revision: 5n })).toEqual(['has revision 5 where 2 comes next']);
    expect(invariants.streams).toBe(1);
  });
});

function wave(points: number): number[] {
  return Array.from({ length: points }, (_, i) => Math.round(1e6 * Math.sin(i)) / 1e6);
}

describe('a spectrum-like payload', () => {
  it('is reported of an event besides its other faults', () => {
    expect(problems({ ...counted, data: { ...counted.data, rough: wave(50) } })).toEqual([
      'holds data.rough, which is no member of it',
      'holds 50 numbers at data.rough, like a spectrum',
    ]);
  });

  const base64 = (floats: number) => Buffer.from(new Float32Array(wave(floats)).buffer).toString('base64');
  it.each<[string, unknown]>([
    ['a list of numbers', wave(50)],
    ['a typed array as JSON writes it', JSON.parse(JSON.stringify(new Float32Array(wave(671))))],
    ['points', wave(60).map((y, x) => [x, y])],
    ['named points', wave(60).map((y, x) => ({ x, y }))],
    ['numbers as texts', wave(60).map(String)],
    [
      'two columns of text',
      wave(60)
        .map((y, x) => `${x},${y}`)
        .join('\n'),
    ],
    ['one column of text', wave(60).join(' ')],
    ['base64 of a scan', base64(671)],
    ['deep inside', { a: [{ b: { c: wave(50) } }] }],
  ])('is %s', (_, value) => {
    expect(spectrumIn({ value }, 'data')).toMatch(/^holds .* at data[.]value/);
  });

  it.each<[string, unknown]>([
    ['a vector of 256 float32', base64(256)],
    ['a short list', wave(49)],
    ['a curve that only rises', wave(200).toSorted((a, b) => a - b)],
    ['records with names', wave(200).map((score, i) => ({ claim_id: `clm_${i}`, score }))],
    ['a long note', 'The stone was measured again on 3 machines; see report 12. '.repeat(60)],
    ['digests', Array.from({ length: 80 }, () => 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')],
  ])('is not %s', (_, value) => {
    expect(spectrumIn(value, 'data')).toBeUndefined();
  });
});

/** The verifiers know every event of a bundle as the catalogue has it: its newest version and all of its members. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { catalogue } from '#catalogue/catalogue';
import { type Data, dataOf, type EventType } from '#catalogue/test/arbitrary';
import { PYTHON, withPython } from './test/second-verifier.js';
import { VERIFIER, VERIFIER_PARTS } from './writing.js';

const SAMPLES = 60;

interface Grammar {
  EVENTS: Record<string, unknown[]>;
  checkEvent(file: string, line: number, event: object): void;
}
let grammar: Grammar;
beforeAll(async () => {
  grammar = await import(pathToFileURL(join(VERIFIER_PARTS, 'grammar.mjs')).href);
});

/** The catalogue's newest form has null where an older event was upcasted: a bundle holds events as they were stored. */
const asWritten = (data: Data): Data => ('chain' in data ? { ...data, chain: 'c'.repeat(64) } : data);
/** Numbers of the size that measurements have, and times as the service writes them: the bundle's grammar takes no others. */
const measured = (name: string, value: unknown) => {
  if (name === 'at' && typeof value === 'string') return '2026-11-01T00:00:00.000Z';
  if (typeof value !== 'number') return value;
  return Math.abs(value) > 1e9 ? 1 : Math.round(value * 1e4) / 1e4;
};
/** Data as the service writes them, and the same with one member too many or too few. */
function samplesOf(type: EventType): { data: Data; sound: boolean }[] {
  const sound = fc
    .sample(dataOf(type), { numRuns: SAMPLES, seed: 11 })
    .map((data) => JSON.parse(JSON.stringify(asWritten(data)), measured));
  const [first] = sound;
  const less = Object.fromEntries(Object.entries(first).slice(1));
  return [
    ...sound.map((data) => ({ data, sound: true })),
    { data: { ...first, another: 1 }, sound: false },
    { data: less, sound: false },
  ];
}
const types = () => Object.keys(grammar.EVENTS) as EventType[];

describe('the events that the verifiers know', () => {
  it('are the catalogue’s to verify.mjs, in as many versions and with the same members', () => {
    expect(types()).toEqual(
      expect.arrayContaining(['ApprovalRequested', 'RungApproved', 'RungWithdrawn', 'ClaimSubmitted']),
    );
    for (const type of types()) {
      const { version } = catalogue[type];
      expect([type, grammar.EVENTS[type].length]).toEqual([type, version]);
      const place = { stream: 's', revision: 0, id: '00000000-0000-7000-8000-000000000000', type, version };
      for (const { data, sound } of samplesOf(type)) {
        const check = () => grammar.checkEvent('f', 1, { ...place, recorded_at: '2026-11-01T00:00:00.000Z', data });
        if (sound) expect(check).not.toThrow();
        else expect(check).toThrow(type);
      }
    }
  });

  (withPython ? it : it.skip)('and the same to verify.py (needs python3 with numpy)', () => {
    const samples = Object.fromEntries(types().map((type) => [type, samplesOf(type)]));
    const script = [
      'import json, sys',
      'sys.path.insert(0, sys.argv[1])',
      'import verify',
      'samples = json.load(sys.stdin)',
      'found = {one: {"versions": len(all), "faults": [all[-1](each["data"], one) for each in samples.get(one, [])]}',
      '         for one, all in verify.DATA.items()}',
      'print(json.dumps(found))',
    ].join('\n');
    const input = JSON.stringify(samples);
    const { stdout, stderr } = spawnSync(PYTHON, ['-B', '-c', script, dirname(VERIFIER)], {
      ...{ input, encoding: 'utf8', maxBuffer: 1 << 26 },
    });
    expect(stderr).toBe('');
    const found: Record<string, { versions: number; faults: (string | null)[] }> = JSON.parse(stdout);
    expect(Object.keys(found).sort()).toEqual(types().sort());
    for (const type of types()) {
      expect([type, found[type].versions]).toEqual([type, catalogue[type].version]);
      const expected = samples[type].map(({ sound }) => (sound ? null : expect.stringContaining(type)));
      expect(found[type].faults).toEqual(expected);
    }
  });
});

/** Requests that nobody means well with: request `n` of a seed is the same on every run, so that a fault can be sent again. */
import { POPULATIONS, Random, simulateStone, stoneFiles } from '#simulator';
import { zipOf } from '../../apps/server/test/zip.js';

export interface HostileRequest {
  n: number;
  /** Its kind, for the report. */
  kind: string;
  /** Head and body as they go onto the wire. */
  bytes: Buffer;
  /** All at once, in pieces with pauses, cut off on the way, or several behind each other on one connection. */
  delivery: 'plain' | 'slow' | 'aborted' | 'pipelined';
}

const BOUNDARY = 'soak-boundary';
const TOKENS = [
  'NaN',
  '1e999',
  'null',
  '-',
  '[[',
  '"',
  '\r\n',
  `\r\n--${BOUNDARY}`,
  'PK\u0003\u0004',
  '\0\0\0\0',
  '\u00ff\u00ff\u00ff\u007f',
];

interface Material {
  json: Buffer[];
  files: { name: string; data: Buffer }[];
}

/** The originals of all mutations: sound bodies and files of every format. */
export async function makeMaterial(seed: number): Promise<Material> {
  const stones = [0, 1].map((stone) => simulateStone(POPULATIONS.calibration, seed, stone, { roughScans: 2 }));
  const of = (format: 'csv' | 'dpt' | 'opus' | 'json') =>
    stones.flatMap((stone) => stoneFiles(stone, format)).map(({ name, data }) => ({ name, data: Buffer.from(data) }));
  const files = [...of('csv').slice(0, 3), ...of('dpt').slice(0, 2), ...of('opus')];
  const zips = [files.slice(0, 3), files.slice(-3)].map(async (packed, i) => ({
    name: `${i}.zip`,
    data: Buffer.from(await zipOf(packed)),
  }));
  return { json: of('json').map(({ data }) => data), files: [...files, ...(await Promise.all(zips))] };
}

export function hostileRequest(seed: number, n: number, material: Material, apiKey: string): HostileRequest {
  const random = new Random('soak', seed, n);
  const [kind, make] = random.pick(KINDS);
  const { path = '/api/v1/verify-match', method = 'POST', headers = {}, body } = make(random, material);
  const delivery = random.pick(['plain', 'plain', 'plain', 'plain', 'slow', 'aborted', 'pipelined'] as const);
  const whole = { 'X-Api-Key': apiKey, 'Content-Length': String(body.length), ...headers };
  const once = (last: boolean) => {
    const lines = Object.entries(last ? { ...whole, Connection: 'close' } : whole).map(
      ([name, v]) => `${name}: ${v}\r\n`,
    );
    return Buffer.concat([
      Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: soak\r\n${lines.join('')}\r\n`, 'latin1'),
      body,
    ]);
  };
  const bytes = delivery === 'pipelined' ? Buffer.concat([once(false), once(false), once(true)]) : once(true);
  return { n, kind, bytes, delivery };
}

interface Parts {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body: Buffer;
}
type Make = (random: Random, material: Material) => Parts;

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
const NO_BODY = Buffer.alloc(0);

const form = (files: { field: string; name: string; data: Buffer }[]): Buffer =>
  Buffer.concat([
    ...files.flatMap(({ field, name, data }) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n`),
      data,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);

/** A side of one or two files each, one of them as `change` leaves it. */
function formWith(random: Random, { files }: Material, change: (file: Buffer) => Buffer): Buffer {
  const parts = ['rough_files', 'rough_files', 'polish_files'].map((field) => ({ field, ...random.pick(files) }));
  const at = random.below(parts.length);
  return form(parts.map((part, i) => (i === at ? { ...part, data: change(part.data) } : part)));
}

const KINDS: [kind: string, make: Make][] = [
  ['sound JSON', (random, { json }) => ({ headers: JSON_TYPE, body: random.pick(json) })],
  ['sound files', (random, material) => ({ headers: FORM_TYPE, body: formWith(random, material, (file) => file) })],
  ['mutated JSON', (random, { json }) => ({ headers: JSON_TYPE, body: mutated(random, random.pick(json)) })],
  ['mutated JSON', (random, { json }) => ({ headers: JSON_TYPE, body: mutated(random, random.pick(json)) })],
  ['random JSON', (random) => ({ headers: JSON_TYPE, body: Buffer.from(JSON.stringify(junk(random, 0))) })],
  [
    'mutated file',
    (random, material) => ({ headers: FORM_TYPE, body: formWith(random, material, (file) => mutated(random, file)) }),
  ],
  [
    'mutated file',
    (random, material) => ({ headers: FORM_TYPE, body: formWith(random, material, (file) => mutated(random, file)) }),
  ],
  [
    'mutated multipart',
    (random, material) => ({
      headers: FORM_TYPE,
      body: mutated(
        random,
        formWith(random, material, (file) => file),
      ),
    }),
  ],
  [
    'random bytes',
    (random) => ({ headers: random.pick([JSON_TYPE, FORM_TYPE]), body: randomBytes(random, random.below(5000)) }),
  ],
  [
    'says gzip',
    (random, { json }) => ({ headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, body: random.pick(json) }),
  ],
  [
    'another type',
    (random) => ({
      headers: { 'Content-Type': random.pick(['text/csv', 'x', '', 'multipart/form-data']) },
      body: randomBytes(random, 100),
    }),
  ],
  [
    'wrong length',
    (random, { json }) => {
      const body = random.pick(json);
      const length = body.length + random.pick([-1, -1000, -body.length]);
      return { headers: { ...JSON_TYPE, 'Content-Length': random.chance(0.9) ? String(length) : 'x' }, body };
    },
  ],
  [
    'labels',
    (random) => ({ path: '/api/v1/expected', headers: JSON_TYPE, body: Buffer.from(JSON.stringify(junk(random, 0))) }),
  ],
  [
    'operator route',
    (random) => ({
      method: random.pick(['GET', 'POST', 'DELETE']),
      path: random.pick(['/api/v1/keys', '/api/v1/claims?limit=x', '/api/v1/keys/%00']),
      headers: { 'X-Svc-Admin': 'guess' },
      body: NO_BODY,
    }),
  ],
  [
    'another route',
    (random) => ({
      method: random.pick(['GET', 'PUT', 'PATCH', 'OPTIONS', 'HEAD']),
      path: `/${encodeURI(random.pick(['', 'api/v1', '../etc/passwd', 'api/v1/docs/..%2f', 'health/ready', 'é'.repeat(200)]))}`,
      body: NO_BODY,
    }),
  ],
  [
    'odd header',
    (random) => ({
      headers: {
        ...JSON_TYPE,
        [random.pick(['X-Request-Id', 'X-Svc-Replay', 'Accept', 'Expect'])]: 'x'.repeat(random.below(9000)),
      },
      body: Buffer.from('{}'),
    }),
  ],
];

const randomBytes = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));

function mutated(random: Random, sound: Buffer): Buffer {
  let bytes = Buffer.from(sound);
  for (let edits = 1 + random.below(4); edits > 0 && bytes.length > 0; edits--) {
    const at = random.below(bytes.length);
    const length = random.pick([1, 4, 64, 4096]);
    const [before, range, after] = [
      bytes.subarray(0, at),
      bytes.subarray(at, at + length),
      bytes.subarray(at + length),
    ];
    const edit = random.below(6);
    if (edit === 0) bytes[at] = random.below(256);
    else if (edit === 1) bytes = Buffer.concat([before, after]);
    else if (edit === 2) bytes = Buffer.concat([before, range, range, after]);
    else if (edit === 3) bytes = before;
    else if (edit === 4) bytes = Buffer.concat([before, Buffer.from(random.pick(TOKENS), 'latin1'), range, after]);
    else bytes = Buffer.concat([before, randomBytes(random, Math.min(range.length, 64)), after]);
  }
  return bytes;
}

const NAMES = [
  'rough',
  'polish',
  'wavenumbers',
  'spectra',
  'stone_id',
  'reject_target',
  'items',
  'claim_id',
  'expected',
  '__proto__',
  '',
];

function junk(random: Random, depth: number): unknown {
  const kind = random.below(depth > 4 ? 4 : 6);
  if (kind === 0) return random.normal() * 1e3;
  if (kind === 1) return random.pick(['match', '0.98', '', '\u0000', 'x'.repeat(300)]);
  if (kind === 2) return random.pick([null, true, false, 0, -1, 0.98]);
  if (kind === 3) return Array.from({ length: random.below(80) }, (_, i) => 400 + i * 8 + random.uniform());
  const parts = Array.from({ length: random.below(6) }, () => junk(random, depth + 1));
  return kind === 4 ? parts : Object.fromEntries(parts.map((part) => [random.pick(NAMES), part]));
}

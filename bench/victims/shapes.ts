/** What attackers send and readers ask, by name. */
import { zip } from '#science/spectra/test/zip';
import { POPULATIONS, simulateStone } from '#simulator';

export interface Body {
  path: string;
  type: string;
  bytes: Buffer;
  /** The bytes are chunks already. */
  chunked?: boolean;
  /** Sent by so many at once, in place of 32. */
  senders?: number;
}

const BYTES = 20_000_000;
const CLAIM = '/api/v1/verify-match';
const BOUNDARY = 'a'.repeat(70);

/** So much of a text, again and again. */
const filled = (text: string, before = '', after = '') =>
  Buffer.concat([Buffer.from(before), Buffer.alloc(BYTES, text), Buffer.from(after)]);
const multipart = (bytes: Buffer, boundary = 'x'): Body => ({
  path: CLAIM,
  type: `multipart/form-data; boundary=${boundary}`,
  bytes,
});
const json = (bytes: Buffer, path = CLAIM): Body => ({ path, type: 'application/json', bytes });
const FILE = 'Content-Disposition: form-data; name="rough_files"; filename="a.csv"\r\n\r\n';
const file = (text: string, boundary = 'x') =>
  multipart(filled(text, `--${boundary}\r\n${FILE}`, `\r\n--${boundary}--`), boundary);

/** A directory of 400,000 entries that are not there. */
function zipDirectory(): Buffer {
  const entry = Buffer.alloc(50);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(4, 28);
  const count = Math.floor(BYTES / entry.length);
  const directory = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(count * entry.length, entry)]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(0xffff, 8);
  end.writeUInt16LE(0xffff, 10);
  end.writeUInt32LE(count * entry.length, 12);
  end.writeUInt32LE(4, 16);
  return Buffer.concat([directory, end]);
}

/** A scan file of so many points: those of the simulator joined by lines, with noise. */
function manyPoints(
  { wavenumbers, absorbance }: { wavenumbers: Float64Array; absorbance: Float64Array },
  points: number,
) {
  const last = wavenumbers.length - 1;
  const lines = Array.from({ length: points }, (_, i) => {
    const at = Math.min((i * last) / (points - 1), last - 1e-9);
    const [k, part] = [Math.floor(at), at % 1];
    const between = (of: Float64Array) => of[k] + part * (of[k + 1] - of[k]);
    return `${between(wavenumbers).toFixed(4)},${(between(absorbance) + 0.004 * (Math.random() - 0.5)).toFixed(6)}`;
  });
  return lines.join('\n');
}

/** A zip a side. @param lying how many more entries of the directory lie on the first one's bytes */
function zipsOf(scans: number, points: number, lying = 0): Body {
  const stone = simulateStone(POPULATIONS.calibration, 5, 1);
  const parts = (['rough', 'polish'] as const).flatMap((side) => {
    const own = stone[side];
    const entries = Array.from({ length: scans }, (_, i) => ({
      name: `s_${side}_${i}.csv`,
      content: manyPoints(own[i % own.length], points),
    }));
    const more = Array.from({ length: lying }, (_, i) => ({ ...entries[0], name: `s_${side}_x${i}.csv`, at: 0 }));
    const head = `--x\r\nContent-Disposition: form-data; name="${side}_files"; filename="${side}.zip"\r\n\r\n`;
    return [head, zip([...entries, ...more]), '\r\n'];
  });
  return { ...multipart(Buffer.concat([...parts, '--x--'].map((part) => Buffer.from(part as string)))), senders: 4 };
}

/** Of 32 senders at once, 20 MB each; of zips of scans 4. */
export const BODIES: Record<string, (() => Body) | undefined> = {
  'parts of nothing': () => multipart(filled('--x\r\n\r\n\r\n')),
  'parts without a field': () => multipart(filled('--x\r\nA: b\r\n\r\n\r\n')),
  'small fields': () => multipart(filled('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n')),
  'small files': () => multipart(filled(`--x\r\n${FILE}1\r\n`)),
  'a header without an end': () => multipart(filled('A: b\r\n', '--x\r\n')),
  'no boundary at all': () => multipart(filled('\r\n--')),
  'a content of almost boundaries': () => file(`\r\n--${BOUNDARY.slice(1)}b`, BOUNDARY),
  'a content of the boundary’s end': () => file('a', `b${BOUNDARY.slice(1)}`),
  'a content of line breaks': () => file('\r\n'),
  'a file of zeros': () => file('\0'),
  'a file of numbers': () => file('500,1\n'),
  'a directory of a zip': () =>
    multipart(Buffer.concat([Buffer.from(`--x\r\n${FILE}`), zipDirectory(), Buffer.from('\r\n--x--')])),
  'zips of 64 scans a side of 50 000 points': () => zipsOf(64, 50_000),
  'zips of 250 entries on one of 50 000 points': () => zipsOf(1, 50_000, 249),
  'JSON: lists in lists': () => json(filled('[')),
  'JSON: a claim of numbers': () => json(filled('1,', '{"rough":{"wavenumbers":[', '1]}}')),
  'labels: a list in a list': () => json(filled('1,', '[[', '1]]'), '/api/v1/expected'),
  'labels: one text': () => json(filled('a', '["', '"]'), '/api/v1/expected'),
  'labels: many of nothing': () => json(filled('{},', '[', '{}]'), '/api/v1/expected'),
  'chunks of one byte': () => ({ ...json(filled('1\r\n \r\n')), chunked: true }),
};

/** Of eight readers without a pause. */
export const READS: Record<string, string | undefined> = {
  'the contract': '/api/v1/openapi.json',
  'the contract in short': '/api/v1',
  overview: '/api/v1/overview',
  findings: '/api/v1/findings?limit=1000&total=true',
  'a page of claims': '/api/v1/claims?limit=1000&total=true',
  'a page of claims in short': '/api/v1/claims/rows?limit=1000&total=true',
  'claims that wait': '/api/v1/claims/rows?verdict=NO_MATCH&p_min=0.6&reviewed=false&sort=p_match_5050',
  'summary of calls': '/api/telemetry/summary?from=2020-01-01T00:00:00Z&bucket=day',
  'a page of calls': '/api/telemetry/events?limit=1000',
  hygiene: '/api/v1/hygiene',
  drift: '/api/v1/drift',
  calibration: '/api/v1/calibration',
  'a population': '/api/v1/calibration/antwerp',
  keys: '/api/v1/keys',
  workspaces: '/api/lotscan/workspaces',
  model: '/api/v1/model',
  views: '/api/v1/views',
  health: '/health/detail',
  metrics: '/metrics',
};

export const IDLE = '250 idle connections of the victim’s address';

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { upcast } from '#catalogue/upcast';
import type { EventReader } from '#kit/log/port';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { auditRoot, isPopulation, prepareBundle } from './bundle.js';
import { changeEvents, filesOfZip, removeFolder, writeFiles } from './test/forge.js';
import { POPULATION, SHADOW, writeLog } from './test/population.js';
import { PYTHON, SECOND, secondVerifier, withPython } from './test/second-verifier.js';
import { NoBundle, verifyBundle } from './unpack.js';
import { MANIFEST, VERIFIER } from './writing.js';
import { zipOfPrepared } from './zip.js';

const second = secondVerifier();

const PARTS = [
  ...['approvals', 'bundle', 'eigen', 'fit', 'grammar', 'lotfit', 'lots', 'lotscore', 'mapped'],
  ...['method', 'node', 'rungs', 'scorer', 'signature', 'text', 'zip'],
];

let folder: string;
let reader: EventReader;
let root: string;
const at = (...parts: string[]) => join(folder, ...parts);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-audit-spec-'));
  await writeLog(at('log'));
  reader = openSqliteEventReader({ directory: at('log'), upcast });
  const { zip, done } = await zipOfPrepared(await prepareBundle({ reader, population: POPULATION, seals: undefined }));
  [root] = await Promise.all([done, pipeline(zip, createWriteStream(at('bundle.zip')))]);
  const packed = await openPromise(at('bundle.zip'), { autoClose: false });
  for await (const entry of packed.eachEntry()) {
    mkdirSync(dirname(at('bundle', entry.fileName)), { recursive: true });
    await pipeline(await packed.openReadStreamPromise(entry), createWriteStream(at('bundle', entry.fileName)));
  }
  packed.close();
});
afterAll(async () => {
  await reader?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  code: number | null;
  out: string;
  error: string;
}
const run = (program: string, args: string[], cwd = at('bundle')): Answer => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  return { code: status, out: stdout, error: stderr };
};
const listing = () => JSON.parse(readFileSync(at('bundle', 'decisions.json'), 'utf8'));
const roots = () =>
  `root digest ${root}\nchain root ${listing().chain_root}\nnot signed: nothing shows that a service wrote its events\n`;
const node = (...args: string[]) => run(process.execPath, ['verify.mjs', ...args]);
const python = (...args: string[]) => run(PYTHON, [SECOND, ...args]);
const files = () =>
  readdirSync(at('bundle'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(at('bundle').length + 1));

/** What verify.mjs runs, without a program for each. */
const own = async (cwd = at('bundle')): Promise<Answer> => {
  const { code, says, remarks } = await verifyBundle(cwd);
  return { code, out: says, error: remarks };
};

/** Runs `work` while the file has other bytes. */
async function changed<T>(file: string, change: (bytes: Buffer) => Buffer, work: () => T | Promise<T>): Promise<T> {
  const bytes = readFileSync(at('bundle', file));
  writeFileSync(at('bundle', file), change(Buffer.from(bytes)));
  try {
    return await work();
  } finally {
    writeFileSync(at('bundle', file), bytes);
  }
}
const flipped = (place: number) => (bytes: Buffer) => {
  bytes[Math.floor(place * (bytes.length - 1))] ^= 1;
  return bytes;
};

/** The bundle with every approval's proposal changed and all hashes made to fit, as a forger would. */
async function forged(
  change: (proposal: Record<string, unknown>) => void,
  verify: (cwd: string) => Answer | Promise<Answer>,
) {
  const files = await filesOfZip(at('bundle.zip'));
  changeEvents(files, ({ type, data }) => {
    if (type === 'RungApproved') change(data.proposal);
  });
  const cwd = writeFiles(files);
  try {
    return await verify(cwd);
  } finally {
    removeFolder(cwd);
  }
}

const FORGERIES: [field: string, forgery: unknown][] = [
  ['threshold', 0.1],
  ['wrong_per_1000', 9],
  ['evidence_digest', '0'.repeat(64)],
  ['digest', '0'.repeat(64)],
  ['pairs', 7],
  ['expected_genuine_accept', 1],
];

describe('an audit bundle', () => {
  it('is found sound by its own verifier, with the root digest or without', () => {
    expect(node()).toEqual({ code: 0, out: 'OK\n', error: roots() });
    expect(node(root)).toMatchObject({ code: 0 });
    expect(root).toBe(
      createHash('sha256')
        .update(readFileSync(at('bundle', MANIFEST)))
        .digest('hex'),
    );
  });

  it('is the same for the same log', async () => {
    expect(await auditRoot({ reader, population: POPULATION, seals: undefined })).toBe(root);
  });

  it('passes over events that stand in streams of others', async () => {
    const withStrays: Pick<EventReader, 'readAll' | 'readStream'> = {
      readStream: (stream, options) => reader.readStream(stream, options),
      async *readAll(options) {
        for await (const event of reader.readAll(options)) {
          yield event;
          if (/^(claim|bank)-/.test(event.stream)) yield { ...event, stream: `${event.stream}0` };
        }
      },
    };
    expect(await auditRoot({ reader: withStrays as EventReader, population: POPULATION, seals: undefined })).toBe(root);
  });

  it('holds what approvals rest on and nothing else: no key, no other population', () => {
    const { models, decisions } = listing();
    expect(models).toEqual([
      { model: 'a'.repeat(64), encoders: ['one', 'two'], claims: 120 },
      { model: SHADOW, encoders: ['one', 'two'], claims: 42 },
    ]);
    expect(decisions.map(({ event }: { event: string }) => event)).toEqual([
      'RungApproved',
      'RungApproved',
      'RungWithdrawn',
      'RungApproved',
      'RungApproved',
    ]);
    // Scored as shadow from the last claim to the first.
    const [first, second] = readFileSync(at('bundle', 'evidence', SHADOW, 'claims.ndjson'), 'utf8').split('\n');
    expect(JSON.parse(first).claim_id > JSON.parse(second).claim_id).toBe(true);
    expect(decisions[1].proposal.expected_genuine_accept).toEqual(expect.any(Number));
    const events = readFileSync(at('bundle', 'events.ndjson'), 'utf8');
    expect(events).not.toMatch(/secret_sha256|elsewhere/);
    const report = readFileSync(at('bundle', 'report.html'), 'utf8');
    expect(report.match(/<svg/g)).toHaveLength(12);
    expect(report).not.toContain('<script');
  });

  it('shows what the labels said at the time of each approval, and which claims came after', () => {
    const report = readFileSync(at('bundle', 'report.html'), 'utf8');
    const said = [...report.matchAll(/are (\d+ of \d+) claims labelled match and (\d+ of \d+) labelled no match/g)];
    // The first label was amended after the first approval.
    expect(said.map(([, match, noMatch]) => [match, noMatch])).toEqual([
      ['1 of 1', '0 of 1'],
      ['0 of 0', '1 of 2'],
      ['0 of 0', '1 of 2'],
      ['0 of 0', '0 of 1'],
    ]);
    expect([...report.matchAll(/(\d+) claims after them/g)].map(([, claims]) => claims)).toEqual([
      '51',
      '11',
      '11',
      '3',
    ]);
    const events = readFileSync(at('bundle', 'events.ndjson'), 'utf8');
    expect(events.match(/"type":"ClaimLabelled"|"type":"LabelAmended"/g)).toHaveLength(3);
  });

  it('fails with another root digest, with an argument that is none, and without a manifest', () => {
    expect(node('0'.repeat(64))).toMatchObject({ code: 1, out: expect.stringContaining(root) });
    expect(node('x')).toMatchObject({ code: 2, out: '' });
    expect(run(process.execPath, [VERIFIER], folder)).toMatchObject({ code: 2, out: '' });
  });

  it('fails with any byte changed, and names the file', async () => {
    expect(files().sort()).toEqual([
      'decisions.json',
      'events.ndjson',
      `evidence/${'a'.repeat(64)}/claims.ndjson`,
      `evidence/${'a'.repeat(64)}/vectors.f32`,
      `evidence/${SHADOW}/claims.ndjson`,
      `evidence/${SHADOW}/vectors.f32`,
      MANIFEST,
      'method.md',
      'report.html',
      'verify.mjs',
      ...PARTS.map((part) => `verify/${part}.mjs`),
    ]);
    for (const file of files())
      for (const place of [0, 0.37, 1].slice(0, file === MANIFEST ? 3 : 2)) {
        // The bundle's own verifier may be what was changed: the program's looks at it.
        const answer = await changed(file, flipped(place), () => own());
        expect({ file, place, code: answer.code }).toEqual({ file, place, code: 1 });
        if (file !== MANIFEST) expect(answer.out).toContain(file);
        else expect(answer.out).not.toBe('');
      }
  });

  it('fails with a file more, a file less, and a manifest in another form', async () => {
    expect((await changed('decisions.json', (bytes) => bytes.subarray(1), node)).code).toBe(1);
    writeFileSync(at('bundle', 'more.txt'), 'x');
    expect(node()).toMatchObject({ code: 1, out: expect.stringContaining('more.txt') });
    rmSync(at('bundle', 'more.txt'));
    const compact = (bytes: Buffer) => Buffer.from(JSON.stringify(JSON.parse(bytes.toString())));
    expect(await changed(MANIFEST, compact, node)).toMatchObject({
      code: 1,
      out: expect.stringContaining('canonical'),
    });
  });

  it.each(FORGERIES)('fails where a %s was forged with all hashes made to fit', async (field, forgery) => {
    const forge = (proposal: Record<string, unknown>) => {
      proposal[field] = forgery;
    };
    const answer = await forged(forge, own);
    expect(answer).toMatchObject({ code: 1, out: expect.stringContaining(`: ${field} is `) });
    if (withPython) expect(await forged(forge, (cwd) => second([], cwd))).toMatchObject({ code: 1 });
  });

  it('knows the populations of the log', async () => {
    expect(await isPopulation(reader, POPULATION)).toBe(true);
    expect(await isPopulation(reader, 'elsewhere')).toBe(true);
    expect(await isPopulation(reader, 'nowhere')).toBe(false);
    const { zip, done } = await zipOfPrepared(
      await prepareBundle({ reader, population: 'elsewhere', seals: undefined }),
    );
    await Promise.all([done, pipeline(zip, createWriteStream(at('empty.zip')))]);
    expect(await verifyBundle(at('empty.zip'))).toMatchObject({ code: 0, says: 'OK\n' });
  });
});

describe('the second verifier, in Python with numpy', () => {
  (withPython ? it : it.skip)('comes to the same', async () => {
    expect(python(root)).toEqual({ code: 0, out: 'OK\n', error: roots() });
    expect(python('0'.repeat(64))).toMatchObject({ code: 1, out: expect.stringContaining(root) });
    expect(python('x').code).toBe(2);
    expect(run(PYTHON, [SECOND], folder)).toMatchObject({ code: 2, out: '' });
    for (const file of [MANIFEST, `evidence/${'a'.repeat(64)}/vectors.f32`])
      expect(await changed(file, flipped(0.6), () => python())).toMatchObject({
        code: 1,
        out: expect.stringContaining(file === MANIFEST ? '' : file),
      });
  });
});

describe('a bundle as a zip', () => {
  it('is found sound', async () => {
    expect(await verifyBundle(at('bundle.zip'), { root })).toEqual({
      code: 0,
      says: 'OK\n',
      remarks: roots(),
    });
    expect(await verifyBundle(at('bundle.zip'), { root: '0'.repeat(64) })).toMatchObject({ code: 1 });
  });

  it('fails with a byte changed anywhere, be it in a file, between the files or behind them', async () => {
    const bytes = readFileSync(at('bundle.zip'));
    const zip = await openPromise(at('bundle.zip'));
    const starts: number[] = [];
    for await (const entry of zip.eachEntry()) starts.push(entry.relativeOffsetOfLocalHeader);
    zip.close();
    const directory = bytes.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    // Time of a local header, mode in the directory, the end's comment length; and bytes of contents.
    const places = [starts[1] + 10, starts[2] + 200, starts[starts.length - 1] - 5, directory + 38, bytes.length - 1];
    for (const place of [...places, bytes.length]) {
      const copy = Buffer.concat([bytes, Buffer.from(place === bytes.length ? 'x' : '')]);
      copy[place] ^= 1;
      writeFileSync(at('changed.zip'), copy);
      const { code, says } = await verifyBundle(at('changed.zip')).catch((error) => {
        if (!(error instanceof NoBundle)) throw error;
        return { code: 2, says: error.message };
      });
      expect({ place, code }).toEqual({ place, code: place >= bytes.length - 1 ? 2 : 1 });
      expect(says).toMatch(/\w/);
    }
  });

  it('is none where it is no zip, another zip or not there', async () => {
    writeFileSync(at('text.zip'), 'no zip at all, but long enough to hold the end of one');
    await expect(verifyBundle(at('text.zip'))).rejects.toThrow(/it is no zip/);
    await expect(verifyBundle(at('none.zip'))).rejects.toThrow(/ENOENT/);
  });
});

/** Bundles that a forger or a broken tool may make: every verifier says the same of them, and none of them hangs. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { program } from '../../test/programs.js';
import { isApproval } from './test/changes.js';
import {
  changeEvents,
  eventsOf,
  type Files,
  filesOfZip,
  oldBundle,
  putEvents,
  removeFolder,
  writeFiles,
} from './test/forge.js';
import { HOSTILE } from './test/hostile-bundles.js';
import { PYTHON, SECOND, secondVerifier, withPython } from './test/second-verifier.js';
import { NoBundle, verifyBundle } from './unpack.js';
import { VERIFIER } from './writing.js';
import { zipOf } from './zip.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const sources = join(root, relative(join(root, 'dist'), here), 'test');
const second = secondVerifier();

let place: string;
let sound: Files;
let old: Files;

const copyOf = (files: Files): Files => new Map(files);

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'mvs-hostile-'));
  oldBundle(sources, join(place, 'old.zip'));
  old = await filesOfZip(join(place, 'old.zip'));
  sound = copyOf(old);
  const events = eventsOf(sound);
  // The last decision as it is written today.
  events.findLast(isApproval)!.version = 2;
  putEvents(sound, events);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Said {
  code: number;
  says: string;
}
const run = (program: string, args: string[], cwd: string) =>
  new Promise<Said>((resolve) => {
    execFile(program, args, { cwd, timeout: 60_000 }, (error, out, errors) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, says: `${out}${code === 0 ? '' : errors}` });
    });
  });
const bySecond = async (args: string[], cwd: string): Promise<Said[]> => {
  if (!withPython) return [];
  const { code, out, error } = await second(args, cwd);
  return [{ code, says: `${out}${code === 0 ? '' : error}` }];
};
/** By both verifiers as programs of their own. */
const inFolder = async (folder: string, ...args: string[]) => [
  await run(process.execPath, [VERIFIER, ...args], folder),
  ...(await bySecond(args, folder)),
];
/** The same without a program for what verify.mjs runs. */
const within = async (folder: string, continues?: string): Promise<Said[]> => [
  await verifyBundle(folder, { continues }),
  ...(await bySecond(continues === undefined ? [] : ['--continues', continues], folder)),
];
const asZip = async (files: Files, options = {}): Promise<Said> => {
  const file = join(place, 'one.zip');
  const { zip, done } = await zipOf(async (sink) => {
    async function* pieces(content: Buffer) {
      yield content;
    }
    for (const [path, content] of files) await sink(path, pieces(content));
  });
  await Promise.all([done, pipeline(zip, createWriteStream(file))]);
  return verifyBundle(file, options);
};
/** The answers of all three, as exit codes; and their sentences. */
async function verdicts(files: Files) {
  const folder = writeFiles(files);
  try {
    const said = [...(await within(folder)), await asZip(files)];
    return { codes: said.map(({ code }) => code), says: said.map(({ says }) => says) };
  } finally {
    removeFolder(folder);
  }
}
const ALL = (code: number) => Array.from({ length: withPython ? 3 : 2 }, () => code);

describe('a bundle', () => {
  it('is sound for all verifiers, be it of today or of before', async () => {
    expect(await verdicts(sound)).toMatchObject({ codes: ALL(0) });
    expect(await verdicts(old)).toMatchObject({ codes: ALL(0) });
    const { code, says } = await verifyBundle(join(place, 'old.zip'));
    expect({ code, says }).toEqual({ code: 0, says: 'OK\n' });
  });

  it.each(HOSTILE)('with %s is refused by all', async (_, change) => {
    const files = copyOf(sound);
    change(files);
    const { codes, says } = await verdicts(files);
    expect({ codes, says }).toEqual({ codes: ALL(1), says });
    for (const sentence of says) expect(sentence).toMatch(/^[ -~\n]+\n$/);
  });

  const tree: [string, (at: (path: string) => string) => void][] = [
    ['a folder more', (at) => mkdirSync(at('more'))],
    ['a folder more among the evidence', (at) => mkdirSync(at(`evidence/${'a'.repeat(64)}/more`))],
    [
      'a folder in place of a file',
      (at) => {
        rmSync(at('method.md'));
        mkdirSync(at('method.md'));
      },
    ],
    ['folders in folders', (at) => mkdirSync(at('a/'.repeat(400)), { recursive: true })],
    [
      'a named pipe for a file',
      (at) => {
        rmSync(at('method.md'));
        execFileSync('mkfifo', [at('method.md')]);
      },
    ],
    [
      'a named pipe for the manifest',
      (at) => {
        rmSync(at('manifest.json'));
        execFileSync('mkfifo', [at('manifest.json')]);
      },
    ],
    ['a named pipe more', (at) => execFileSync('mkfifo', [at('pipe')])],
    [
      'a link for a file',
      (at) => {
        renameSync(at('method.md'), join(place, 'method.md'));
        symlinkSync(join(place, 'method.md'), at('method.md'));
      },
    ],
    [
      'a link to a device',
      (at) => {
        rmSync(at('method.md'));
        symlinkSync('/dev/zero', at('method.md'));
      },
    ],
    ['a link to a folder', (at) => symlinkSync('/', at('root'))],
    ['a name that is no UTF-8', (at) => writeFileSync(Buffer.concat([Buffer.from(at('x')), Buffer.from([0xff])]), 'x')],
  ];
  it.each(tree)('with %s is refused by both that read folders', async (_, change) => {
    const folder = writeFiles(sound);
    try {
      change((path) => join(folder, path));
      const said = await inFolder(folder);
      expect({ codes: said.map(({ code }) => code), said }).toEqual({ codes: ALL(1).slice(1), said });
    } finally {
      removeFolder(folder);
    }
  });

  const isRoot = process.getuid?.() === 0;
  (isRoot ? it : it.skip)('with a device is refused by both that read folders', async () => {
    const folder = writeFiles(sound);
    try {
      rmSync(join(folder, 'method.md'));
      const made = spawnSync('mknod', [join(folder, 'method.md'), 'c', '1', '5']).status === 0;
      expect((await inFolder(folder)).map(({ code }) => code)).toEqual(ALL(1).slice(1));
      expect(existsSync(join(folder, 'method.md'))).toBe(made);
    } finally {
      removeFolder(folder);
    }
  });
});

describe('a file that is no bundle', () => {
  const onPath = async (path: string) => {
    const mvs = program('mvs');
    return Promise.all([
      run(process.execPath, [VERIFIER, path], place),
      run(process.execPath, [mvs, 'audit', 'verify', path], place),
      ...(withPython ? [run(PYTHON, [SECOND, path], place)] : []),
    ]);
  };

  it('gets a sentence and 2 from all', async () => {
    mkdirSync(join(place, 'empty'), { recursive: true });
    writeFileSync(join(place, 'text.zip'), 'no zip at all, and long enough to be one');
    for (const path of ['empty', 'text.zip', 'nowhere', '/dev/null']) {
      const said = await onPath(path);
      expect({ path, codes: said.map(({ code }) => code), said }).toEqual({ path, codes: ALL(2), said });
      for (const { says } of said) expect(says).toMatch(/^(cannot read|mvs): [ -~]+\n$/);
    }
  });

  it('is told apart from a verifier that lacks its parts', async () => {
    const alone = join(place, 'alone.mjs');
    cpSync(VERIFIER, alone);
    const { code, says } = await run(process.execPath, [alone, '.'], place);
    expect([code, says]).toEqual([2, expect.stringMatching(/^cannot read: .*verify/)]);
  });

  (withPython ? it : it.skip)('is told apart from a verifier that lacks its library', async () => {
    const { code, says } = await run(PYTHON, ['-S', SECOND, '.'], place);
    expect([code, says]).toEqual([2, expect.stringMatching(/^cannot run: numpy is missing .*install it/)]);
  });

  it('is told from a bundle, which all take as a folder and as a zip', async () => {
    const folder = writeFiles(sound);
    await asZip(sound);
    for (const path of [folder, join(place, 'one.zip')])
      expect((await onPath(path)).map(({ code }) => code)).toEqual(ALL(0));
    removeFolder(folder);
    const changed = copyOf(sound);
    changed.set('method.md', Buffer.from('another'));
    await asZip(changed);
    expect((await onPath(join(place, 'one.zip'))).map(({ code }) => code)).toEqual(ALL(1));
  });
});

describe('a chain root noted earlier', () => {
  /** The bundle as it was before its last decision, and another one that went on otherwise. */
  it('is held to a newer bundle, which has to continue it', async () => {
    const { chain_root } = JSON.parse(sound.get('decisions.json')!.toString());
    const roots: string[] = [];
    const events = eventsOf(sound);
    const files = copyOf(sound);
    const decisions = events.filter(({ stream }) => stream.startsWith('calibration-'));
    for (let n = 0; n <= decisions.length; n++) {
      putEvents(
        files,
        events.filter((one) => !decisions.slice(n).includes(one)),
      );
      roots.push(JSON.parse(files.get('decisions.json')!.toString()).chain_root);
    }
    expect(roots.at(-1)).toBe(chain_root);
    const folder = writeFiles(sound);
    const another = copyOf(sound);
    changeEvents(another, ({ type, data }) => {
      if (type === 'ApprovalRequested') data.reason = 'a reason put in later';
    });
    const rewritten = writeFiles(another);
    try {
      for (const noted of roots) {
        expect((await within(folder, noted)).map(({ code }) => code)).toEqual(ALL(0).slice(1));
        expect(await asZip(sound, { continues: noted })).toMatchObject({ code: 0 });
      }
      // It is sound by itself: nothing but the root reveals it.
      expect((await within(rewritten)).map(({ code }) => code)).toEqual(ALL(0).slice(1));
      for (const noted of roots.slice(1)) {
        const said = await within(rewritten, noted);
        expect(said.map(({ code }) => code)).toEqual(ALL(1).slice(1));
        expect(said[0].says).toContain(noted);
        expect(await asZip(another, { continues: noted })).toMatchObject({ code: 1 });
      }
      expect((await inFolder(folder, '--continues', 'x')).map(({ code }) => code)).toEqual(ALL(2).slice(1));
    } finally {
      removeFolder(folder);
      removeFolder(rewritten);
    }
  });
});

/** A zip of stored entries; `at` puts an entry in the directory where another one's bytes stand. */
function rawZip(entries: { name: string; content?: Buffer; at?: number; size?: number; method?: number }[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = Buffer.alloc(0), at, size = content.length, method = 0 } of entries) {
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(method, 10);
    header.writeUInt32LE(method === 0 ? size : content.length, 20);
    header.writeUInt32LE(size, 24);
    header.writeUInt16LE(name.length, 28);
    header.writeUInt32LE(at ?? offset, 42);
    directory.push(header, Buffer.from(name));
    if (at !== undefined) continue;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(content.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);
    parts.push(local, Buffer.from(name), content);
    offset += 30 + name.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

describe('a zip', () => {
  const megabyte = Buffer.alloc(1 << 20);
  const zips: [string, Parameters<typeof rawZip>[0], RegExp][] = [
    [
      'whose entries overlap',
      [
        { name: 'manifest.json', content: megabyte },
        ...Array.from({ length: 900 }, (_, i) => ({ name: `e${i}`, at: 0, size: 1 << 20 })),
      ],
      /overlaps/,
    ],
    [
      'that declares more than it holds',
      [{ name: 'manifest.json', content: megabyte, size: 1 << 30 }],
      /no zip|damaged|cannot be read|larger/,
    ],
    ['that unpacks', [{ name: 'manifest.json', content: Buffer.from('x'), size: 1 << 30, method: 8 }], /compressed/],
    ['that holds a file twice', [{ name: 'manifest.json' }, { name: 'manifest.json' }], /twice/],
    ['with a path out of its folder', [{ name: '../manifest.json' }], /damaged/],
    [
      'with a file beside a folder of its name',
      [{ name: 'a' }, { name: 'a/b' }, { name: 'manifest.json' }],
      /canonical/,
    ],
    ['without a manifest', [{ name: 'a' }], /manifest/],
    ['with a thousand and one files', Array.from({ length: 1001 }, (_, i) => ({ name: `e${i}` })), /more files/],
  ];
  it.each(zips)('%s is refused in a sentence', async (_, entries, says) => {
    const file = join(place, 'raw.zip');
    writeFileSync(file, rawZip(entries));
    const before = process.memoryUsage().rss;
    const answer = await verifyBundle(file).catch((error) => {
      if (!(error instanceof NoBundle)) throw error;
      return { code: 2, says: error.message };
    });
    expect(answer.code).toBeGreaterThan(0);
    expect(answer.says).toMatch(says);
    expect(process.memoryUsage().rss - before).toBeLessThan(500 << 20);
  });

  it('that is a named pipe, a folder or a device is refused and not waited for', async () => {
    const pipe = join(place, 'pipe.zip');
    execFileSync('mkfifo', [pipe]);
    for (const file of [pipe, '/dev/zero']) await expect(verifyBundle(file)).rejects.toThrow(/no regular file/);
    await expect(verifyBundle(place)).rejects.toThrow(/no manifest.json here/);
  });

  it('with an entry for a folder is refused', async () => {
    const files: Files = new Map([...sound, ['more/', Buffer.alloc(0)]]);
    const entries = [...files].map(([name, content]) => ({ name, content }));
    const file = join(place, 'raw.zip');
    writeFileSync(file, rawZip(entries));
    expect(await verifyBundle(file)).toMatchObject({ code: 1, says: expect.stringContaining('more/') });
  });
});

describe('the verifier’s core', () => {
  it('imports nothing of Node, so that a browser runs it, with a hash of its own', async () => {
    const core = await import(join(dirname(VERIFIER), 'verify', 'bundle.mjs'));
    const { readFileSync } = await import('node:fs');
    const seen = new Set<string>();
    const walk = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      expect(text).not.toMatch(/node:|\bBuffer\b|\bprocess\b|\brequire\b/);
      for (const [, name] of text.matchAll(/from '(\.[^']+)'/g)) walk(join(dirname(file), name));
    };
    walk(join(dirname(VERIFIER), 'verify', 'bundle.mjs'));
    expect(seen.size).toBe(14);
    const files = {
      sizes: new Map([...sound].map(([path, content]) => [path, content.length])),
      folders: [],
      async *pieces(path: string) {
        yield new Uint8Array(sound.get(path)!);
      },
    };
    const subtle = async (pieces: AsyncIterable<Uint8Array>) => {
      const parts: Uint8Array[] = [];
      for await (const piece of pieces) parts.push(piece);
      const digest = await crypto.subtle.digest('SHA-256', Buffer.concat(parts));
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    };
    const { chain_root } = JSON.parse(sound.get('decisions.json')!.toString());
    expect(await core.verify(files, subtle)).toMatchObject({ chain: chain_root });
  });
});

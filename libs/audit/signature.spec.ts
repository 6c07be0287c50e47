/** Signed bundles, and what a forger makes of them: every verifier says the same. */
import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { cpSync, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'libsql';
import { chainRoot } from '#calibration/chain';
import { upcast } from '#catalogue/upcast';
import { streams } from '#domain/streams';
import { newEventId } from '#kit/log/event-id';
import { secretId } from '#kit/log/seal';
import { auditKeys } from '#kit/log/signing-key';
import { openSqliteEventReader, openSqliteEventStore } from '#kit/log/sqlite/store';
import { MODEL } from '#kit/views/test/log';
import { auditRoot, prepareBundle } from './bundle.js';
import {
  changeEvents,
  eventsOf,
  type Files,
  filesOfZip,
  type Line,
  putEvents,
  refit,
  removeFolder,
  writeFiles,
} from './test/forge.js';
import { POPULATION, writeLog } from './test/population.js';
import { PYTHON, secondVerifier, withPython } from './test/second-verifier.js';
import { verifyBundle } from './unpack.js';
import { type Sealing, SIGNATURE, signatureOf, VERIFIER } from './writing.js';
import { zipOfPrepared } from './zip.js';

const second = secondVerifier();

const SECRET = 'a secret of the service: 0123456789abcdef';
const KEY = auditKeys({ given: [SECRET] })[0].public_key;
const FORGERS = 'a secret of a forger: fedcba9876543210';
const FORGERS_KEY = auditKeys({ given: [FORGERS] })[0].public_key;
const ALL_SEALED: Sealing = { given: [SECRET], isTaken: () => false };

let place: string;
let events = 0;
/** Of one log: signed, and written without a secret. */
let signed: Files;
let plain: Files;

async function exported(name: string, given?: Sealing | 'its own', directory = join(place, 'log')): Promise<Files> {
  const reader = openSqliteEventReader({ directory, upcast });
  const seals = given === 'its own' ? reader.seals : given;
  const file = join(place, name);
  try {
    const { zip, done } = await zipOfPrepared(await prepareBundle({ reader, population: POPULATION, seals }));
    const [root] = await Promise.all([done, pipeline(zip, createWriteStream(file))]);
    expect(await auditRoot({ reader, population: POPULATION, seals })).toBe(root);
  } finally {
    await reader.close();
  }
  return filesOfZip(file);
}

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'mvs-signature-'));
  await writeLog(join(place, 'log'));
  signed = await exported('signed.zip', ALL_SEALED);
  plain = await exported('plain.zip');
  events = signed.get('events.ndjson')!.toString().split('\n').length - 1;
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Of the service's own verifier, which verify.mjs is, and of verify.py. */
async function answers(files: Files, key?: string) {
  const folder = writeFiles(files);
  const args = key === undefined ? [folder] : [folder, '--key', key.toUpperCase()];
  try {
    const { signed_by: _, ...own } = await verifyBundle(folder, { key });
    if (!withPython) return [own];
    const { code, out: says, error: remarks } = await second(args);
    return [own, { code, says, remarks }];
  } finally {
    removeFolder(folder);
  }
}
const each = (answer: object) => Array.from({ length: withPython ? 2 : 1 }, () => expect.objectContaining(answer));

/** The bundle with another manifest or signature. */
function changed(change: (files: Files) => void): Files {
  const files = new Map(signed);
  change(files);
  return files;
}
const resign = (files: Files, secret: string) =>
  files.set(SIGNATURE, signatureOf(files.get('manifest.json')!, secret) as Buffer);
const resealed = (files: Files, seals: object | undefined) => {
  const manifest = { ...JSON.parse(files.get('manifest.json')!.toString()), seals };
  files.set('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
};
const written = (change: (signature: { key: string; signature: string }) => object) => (files: Files) => {
  const after = change(JSON.parse(files.get(SIGNATURE)!.toString()));
  files.set(SIGNATURE, Buffer.from(`${JSON.stringify(after)}\n`));
};
const flipped = (hex: string) => `${hex[0] === '0' ? '1' : '0'}${hex.slice(1)}`;

describe('a signed bundle', () => {
  it('is found sound by every verifier, which names the key and how its events were sealed', async () => {
    const remarks = expect.stringContaining(
      `\nsigned by ${KEY}\nevents: ${events} sealed, 0 taken by an operator as they stood, 0 without a seal\n`,
    );
    expect(await answers(signed)).toEqual(each({ code: 0, says: 'OK\n', remarks }));
    expect(await answers(signed, KEY)).toEqual(each({ code: 0, says: 'OK\n', remarks }));
    expect(await verifyBundle(join(place, 'signed.zip'), { key: KEY })).toMatchObject({ code: 0, signed_by: KEY });
    const program = (key: string) => {
      const args = [VERIFIER, join(place, 'signed.zip'), '--key', key];
      const { status: code, stdout: says, stderr: remarks } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      return { code, says, remarks };
    };
    expect(program(KEY)).toEqual({ code: 0, says: 'OK\n', remarks });
    expect(program(FORGERS_KEY)).toMatchObject({ code: 1 });
  });

  it('is refused where another key was expected', async () => {
    const says = `${SIGNATURE}: is by the key ${KEY}, not ${FORGERS_KEY}\n`;
    expect(await answers(signed, FORGERS_KEY)).toEqual(each({ code: 1, says }));
  });

  it('is named unsigned where the signature is missing, and refused where a key was expected', async () => {
    for (const files of [plain, changed((files) => files.delete(SIGNATURE))]) {
      const remarks = expect.stringContaining('\nnot signed: nothing shows that a service wrote its events\n');
      expect(await answers(files)).toEqual(each({ code: 0, says: 'OK\n', remarks }));
      expect(await answers(files, KEY)).toEqual(
        each({ code: 1, says: `${SIGNATURE}: is missing: the bundle is not signed\n` }),
      );
    }
  });

  it('is by the forger’s own key where a forger signs it: nobody takes that for the service’s', async () => {
    const forged = changed((files) => {
      changeEvents(files, ({ data }) => {
        if ('reason' in data) data.reason = 'as it pleased';
      });
      resign(files, FORGERS);
    });
    const remarks = expect.stringContaining(`\nsigned by ${FORGERS_KEY}\n`);
    expect(await answers(forged)).toEqual(each({ code: 0, remarks }));
    expect(await answers(forged, KEY)).toEqual(each({ code: 1, says: expect.stringContaining(FORGERS_KEY) }));
  });

  const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
  const little = (hex: string) => BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`);
  const asLittle = (number: bigint) =>
    Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex');
  const FORGERIES: [name: string, change: (files: Files) => void][] = [
    [
      'another reason, all hashes made to fit',
      (files) =>
        changeEvents(files, ({ data }) => {
          if ('reason' in data) data.reason = 'as it pleased';
        }),
    ],
    ['other counts of seals', (files) => resealed(files, { sealed: events - 1, taken: 0, unsealed: 1 })],
    ['a changed signature', written((one) => ({ ...one, signature: flipped(one.signature) }))],
    ['a changed key', written((one) => ({ ...one, key: flipped(one.key) }))],
    ['the signature under another key', written((one) => ({ ...one, key: FORGERS_KEY }))],
    [
      'a second number for the same signature',
      written((one) => ({
        ...one,
        signature: one.signature.slice(0, 64) + asLittle(little(one.signature.slice(64)) + ORDER),
      })),
    ],
    [
      'a key that everything is signed by',
      written((one) => ({ ...one, key: `01${'0'.repeat(62)}`, signature: `01${'0'.repeat(126)}` })),
    ],
    ['a key that is no point', written((one) => ({ ...one, key: `02${'0'.repeat(62)}` }))],
    ['a key in a second form', written((one) => ({ ...one, key: `f0${'f'.repeat(60)}7f` }))],
    ['a member too many', written((one) => ({ ...one, by: 'me' }))],
    ['a member too few', written(({ key, signature }) => ({ key, signature }))],
    ['another algorithm', written((one) => ({ ...one, algorithm: 'none' }))],
    ['its members in another order', written(({ key, signature }) => ({ key, algorithm: 'Ed25519', signature }))],
    ['a key in capitals', written((one) => ({ ...one, key: one.key.toUpperCase() }))],
    ['a line that is cut', (files) => files.set(SIGNATURE, files.get(SIGNATURE)!.subarray(0, -1))],
    ['no bytes', (files) => files.set(SIGNATURE, Buffer.alloc(0))],
    ['a megabyte', (files) => files.set(SIGNATURE, Buffer.alloc(1 << 20, 'x'))],
    [
      'a manifest that names it',
      (files) => {
        const manifest = JSON.parse(files.get('manifest.json')!.toString());
        manifest.files.push({ bytes: 1, path: SIGNATURE, sha256: '0'.repeat(64) });
        manifest.files.sort((a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1));
        files.set('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
        resign(files, SECRET);
      },
    ],
    [
      'nothing said of seals',
      (files) => {
        resealed(files, undefined);
        resign(files, SECRET);
      },
    ],
    [
      'seals of other events',
      (files) => {
        resealed(files, { sealed: events + 1, taken: 0, unsealed: 0 });
        resign(files, SECRET);
      },
    ],
  ];
  it.each(FORGERIES)('with %s is refused by every verifier', async (_, change) => {
    const found = await answers(changed(change));
    expect(found).toEqual(each({ code: 1, says: expect.stringMatching(/^(signature|manifest)\.json: [ -~]+\n$/) }));
  });

  it('verifies as before under the hashes of another manifest, where it is signed again', async () => {
    const files = changed((files) => {
      files.set('report.html', Buffer.from('another report'));
      refit(files);
      resign(files, SECRET);
    });
    expect(await answers(files, KEY)).toEqual(each({ code: 0 }));
  });
});

describe('the seals in a manifest', () => {
  it('are counted by what operators took as it stood', async () => {
    const half = await exported('half.zip', { ...ALL_SEALED, isTaken: (position) => position <= 40n });
    const { seals } = JSON.parse(half.get('manifest.json')!.toString());
    expect(seals).toEqual({ sealed: expect.any(Number), taken: expect.any(Number), unsealed: 0 });
    expect(seals.taken).toBeGreaterThan(0);
    expect(seals.sealed + seals.taken).toBe(events);
  });

  it('let a chained decision leave out the places of rows that are no events, and none that was not chained', async () => {
    const moved = (which: (event: Line) => boolean) =>
      changed((files) => {
        const all = eventsOf(files);
        for (const event of all.slice(all.findIndex(which)))
          if (event.stream.startsWith('calibration-')) event.revision += 2;
        putEvents(files, all);
        resign(files, SECRET);
      });
    const decides = ({ stream }: Line) => stream.startsWith('calibration-');
    const chained = moved((event) => decides(event) && event.version > 1);
    expect(await answers(chained, KEY)).toEqual(each({ code: 0, says: 'OK\n' }));
    const says = expect.stringContaining('is not that of events.ndjson');
    const former = new Map(chained);
    resealed(former, undefined);
    former.delete(SIGNATURE);
    expect(await answers(former)).toEqual(each({ code: 1, says }));
    expect(await answers(moved((event) => decides(event) && event.version === 1))).toEqual(each({ code: 1, says }));
  });

  it('stand in a bundle without a signature too, where there is no secret', async () => {
    const files = await exported('secretless.zip', { ...ALL_SEALED, given: [] });
    expect(files.has(SIGNATURE)).toBe(false);
    expect(files.get('manifest.json')).toEqual(signed.get('manifest.json'));
  });
});

describe('a bundle of a log with rows by another hand', () => {
  let directory: string;
  const own = streams.calibration(POPULATION);
  beforeEach(() => {
    directory = mkdtempSync(join(place, 'log-of-two-hands-'));
    cpSync(join(place, 'log'), directory, { recursive: true });
  });
  /** Copies a stream's first row, its seal too, to its end or to that of another one. */
  const forge = (stream: string, to = stream) => {
    const db = new Database(join(directory, 'events.db'));
    const { lastInsertRowid } = db
      .prepare(
        'INSERT INTO events (stream, revision, id, type, version, recorded_at, metadata, data, before, seal) ' +
          'SELECT ?, (SELECT coalesce(max(revision), -1) + 1 FROM events WHERE stream = ?), ?, type, version, recorded_at, metadata, data, before, seal ' +
          'FROM events WHERE stream = ? AND revision = 0',
      )
      .run(to, to, newEventId(), stream);
    db.close();
    return String(lastInsertRowid);
  };

  it('is that of the log without them where they stand in other streams', async () => {
    const before = await exported('one-hand.zip', 'its own', directory);
    const db = new Database(join(directory, 'events.db'));
    const all = (db.prepare('SELECT DISTINCT stream FROM events').raw().all() as [string][]).map(([stream]) => stream);
    db.close();
    forge(all.find((stream) => stream.startsWith('claim-'))!);
    forge(own, streams.calibration('another population'));
    const after = await exported('two-hands.zip', 'its own', directory);
    expect(after).toEqual(before);
  });

  it('is refused where one stands in the stream of its population, until that is disowned', async () => {
    const position = forge(own);
    const refused = { name: 'UnreadableEvent', stream: own, position: BigInt(position) };
    await expect(exported('refused.zip', 'its own', directory)).rejects.toMatchObject(refused);
    let store = await openSqliteEventStore({ directory, upcast });
    const at = '2026-11-24T12:00:00.000Z';
    const disowned = { rows: [{ position, stream: own }], operator: 'anna', reason: 'seen', at };
    await store.append(streams.log(), [{ id: newEventId(), type: 'RowsDisowned', version: 1, data: disowned }], 'any');
    await store.close();
    store = await openSqliteEventStore({ directory, upcast });
    const decisions = (await store.readStream(own)).filter(({ type }) => type !== 'NoEvent');
    const data = {
      ...{ population: POPULATION, reject_target: 0.98, model: MODEL, operator: 'anna', reason: 'after the row' },
      ...{ at, scorer: null, chain: chainRoot(POPULATION, decisions) },
    };
    await store.append(own, [{ id: newEventId(), type: 'RungWithdrawn', version: 3, data }], 'any');
    const [last] = await store.readStream(own, { direction: 'backwards', limit: 1 });
    expect([decisions.length, last.revision]).toEqual([5, 6n]);
    const [{ public_key: key }] = auditKeys(store.seals);
    await store.close();
    const files = await exported('disowned.zip', 'its own', directory);
    const seals = { sealed: events + 1, taken: 0, unsealed: 0 };
    expect(JSON.parse(files.get('manifest.json')!.toString()).seals).toEqual(seals);
    expect(await answers(files, key)).toEqual(each({ code: 0, says: 'OK\n' }));
  });
});

describe('a key', () => {
  it('follows from its secret, by HKDF and RFC 8032 as another program computed them', () => {
    const secrets = [SECRET, FORGERS];
    const keys = auditKeys({ given: secrets });
    expect(keys).toEqual([KEY, FORGERS_KEY].map((public_key, i) => ({ id: secretId(secrets[i]), public_key })));
    expect(KEY).toBe('56732ce1d9162697868994603ad4698c85a6dd342de529e275867ecc910a02c4');
    expect(signatureOf(Buffer.from('{}\n'), SECRET)).toEqual(signatureOf(Buffer.from('{}\n'), SECRET));
  });

  (withPython ? it : it.skip)('is used by verify.py as by OpenSSL, the samples of RFC 8032 among them', () => {
    // RFC 8032, section 7.1, tests 1 to 3.
    const RFC: [key: string, message: string, signature: string][] = [
      [
        'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
        '',
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
      ],
      [
        '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
        '72',
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      ],
      [
        'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
        'af82',
        '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
      ],
    ];
    const samples = RFC.flatMap(([key, message, signature]) => [
      { key, message, signature },
      { key, message: `${message}00`, signature },
    ]);
    for (let i = 0; i < 20; i++) {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const message = Buffer.from(`message ${i}`);
      const key = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url').toString('hex');
      const signature = sign(null, message, privateKey);
      if (i % 2) signature[(7 * i) % 64] ^= 1 << (i % 8);
      samples.push({ key, message: message.toString('hex'), signature: signature.toString('hex') });
    }
    const bytes = (hex: string) => Buffer.from(hex, 'hex');
    const byOpenSsl = samples.map(({ key, message, signature }) => {
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes(key).toString('base64url') };
      return verify(null, bytes(message), createPublicKey({ key: jwk, format: 'jwk' }), bytes(signature));
    });
    const script = [
      'import json, sys',
      'sys.path.insert(0, sys.argv[1])',
      'import verify',
      'of = lambda one: [bytes.fromhex(one[member]) for member in ("key", "signature", "message")]',
      'print(json.dumps([verify.signs(*of(one)) for one in json.load(sys.stdin)]))',
    ].join('\n');
    const input = JSON.stringify(samples);
    const { stdout, stderr } = spawnSync(PYTHON, ['-B', '-c', script, dirname(VERIFIER)], { input, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(byOpenSsl);
    expect(byOpenSsl.slice(0, 6)).toEqual([true, false, true, false, true, false]);
    expect(byOpenSsl.filter(Boolean).length).toBe(13);
  });
});

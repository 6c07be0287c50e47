import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POPULATION, writeLog } from '#audit/test/population';
import { mvs as runMvs } from './test/mvs.js';

const env = { ...process.env, EVENTSTORE_URL: '' };
const mvs = (...args: string[]) => runMvs(['audit', ...args], { env });

describe('mvs audit', () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mvs-audit-cli-'));
    await writeLog(at('log'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('exports a signed bundle that verifies, by its root digest and key too, until a byte is changed', async () => {
    const exported = await mvs('export', POPULATION, '--data', at('log'), '--out', at('a.zip'));
    expect(exported).toMatchObject({ code: 0, error: '' });
    const [, root, key] = /root digest ([0-9a-f]{64})\nSigned by ([0-9a-f]{64})\n$/.exec(exported.out)!;
    const signature = `signed by ${key}\nevents: \\d+ sealed, 0 taken by an operator as they stood, 0 without a seal`;
    const error = expect.stringMatching(new RegExp(`^root digest ${root}\nchain root [0-9a-f]{64}\n${signature}\n$`));
    const sound = { code: 0, out: 'OK\n', error };
    expect(await mvs('verify', at('a.zip'))).toEqual(sound);
    expect(await mvs('verify', at('a.zip'), root.toUpperCase())).toEqual(sound);
    expect(await mvs('verify', at('a.zip'), '0'.repeat(64))).toMatchObject({ code: 1 });
    expect(await mvs('verify', at('a.zip'), '--key', key.toUpperCase())).toEqual(sound);
    expect(await mvs('verify', at('a.zip'), '--key', root)).toMatchObject({
      code: 1,
      out: expect.stringContaining(key),
    });
    const bytes = readFileSync(at('a.zip'));
    bytes[bytes.indexOf('claims.ndjson') + 500] ^= 1;
    writeFileSync(at('b.zip'), bytes);
    expect(await mvs('verify', at('b.zip'))).toMatchObject({
      code: 1,
      out: expect.stringContaining('claims.ndjson: '),
    });
  });

  it('names a bundle by its population, day, position and chain root', async () => {
    mkdirSync(at('names'));
    const before = process.cwd();
    process.chdir(at('names'));
    const exported = await mvs('export', POPULATION, '--data', at('log')).finally(() => process.chdir(before));
    const [name, ...more] = readdirSync(at('names'));
    const { out: root } = await mvs('root', POPULATION, '--data', at('log'));
    expect([name, more]).toEqual([
      expect.stringMatching(new RegExp(`^audit-lab_a_-2026-11-01-[0-9]+-${root.slice(0, 12)}\\.zip$`)),
      [],
    ]);
    expect(exported.out).toContain(`Wrote ${name}, `);
    expect((await mvs('verify', join(at('names'), name), '--continues', root.trim())).code).toBe(0);
  });

  it('prints the chain root, and says whether it continues an earlier one', async () => {
    const now = await mvs('root', POPULATION, '--data', at('log'));
    const asJson = JSON.parse((await mvs('root', POPULATION, '--data', at('log'), '--json')).out);
    expect(asJson).toEqual({ population: POPULATION, root: now.out.trim(), sound: true });
    expect(now).toEqual({ code: 0, out: expect.stringMatching(/^[0-9a-f]{64}\n$/), error: '' });
    const beginning = createHash('sha256')
      .update(JSON.stringify(['mvs-calibration-chain/1', POPULATION]))
      .digest('hex');
    for (const earlier of [now.out.trim(), beginning, beginning.toUpperCase()])
      expect(await mvs('root', POPULATION, '--data', at('log'), '--continues', earlier)).toEqual(now);
    const another = await mvs('root', POPULATION, '--data', at('log'), '--continues', '0'.repeat(64));
    expect(another).toEqual({
      ...{ code: 1, out: now.out },
      error: expect.stringMatching(/^mvs: .* do not continue 0{64}: their past is another\n$/),
    });
    expect((await mvs('root', 'nowhere', '--data', at('log'))).code).toBe(2);
    expect((await mvs('root', POPULATION, '--data', at('log'), '--continues', 'x')).code).toBe(3);
  });

  it('says in one sentence what is wrong', async () => {
    const nowhere = await mvs('export', 'nowhere', '--data', at('log'), '--out', at('c.zip'));
    expect(nowhere).toEqual({ code: 2, out: '', error: 'mvs: the log has no population nowhere\n' });
    const unwritable = await mvs('export', POPULATION, '--data', at('log'), '--out', join(at('none'), 'c.zip'));
    expect(unwritable).toMatchObject({ code: 3, out: '', error: expect.stringMatching(/^mvs: .* cannot be written/) });
    expect(existsSync(at('c.zip'))).toBe(false);
    const none = await mvs('verify', process.execPath);
    expect(none).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringMatching(/^mvs: .* is no audit bundle: .*\n$/),
    });
    expect(await mvs('verify', at('a.zip'), 'root')).toMatchObject({ code: 3 });
    expect(await mvs('verify', at('a.zip'), '--key', 'key')).toMatchObject({ code: 3 });
  });
});

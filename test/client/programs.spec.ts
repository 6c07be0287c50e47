/**
 * Two programs written from the packages' READMEs, each package installed into an empty folder, against a service behind a
 * proxy that misbehaves on purpose.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POPULATIONS, simulateStone, stoneFiles } from '#simulator';
import { TestService } from '../../apps/server/test/fixture.js';
import { FAULTS, FaultProxy } from './fault-proxy.js';
import { installPackage, installWheel, pipIsHere, python, root } from './packed.js';

const folder = mkdtempSync(join(tmpdir(), 'mvs-programs-'));
const scans = join(folder, 'scans');
const one = join(folder, 'one');
let service: TestService;
let proxy: FaultProxy;
let project: string;
let wheel: string;
const hasPip = pipIsHere();

beforeAll(async () => {
  for (const path of [scans, one]) mkdirSync(path);
  for (const stone of [0, 1, 2])
    for (const { name, data } of stoneFiles(simulateStone(POPULATIONS.calibration, 5, stone), 'csv')) {
      writeFileSync(join(scans, name), data);
      if (stone === 0) writeFileSync(join(one, name), data);
    }
  service = await TestService.start();
  proxy = await FaultProxy.before(service.address);
  project = installPackage(folder);
  copyFileSync(join(root, 'test/client/programs/morning.mjs'), join(project, 'morning.mjs'));
  if (hasPip) wheel = installWheel(folder);
});
afterEach(() => {
  proxy.faults.length = 0;
});
afterAll(async () => {
  await proxy?.close();
  await service?.stop();
  rmSync(folder, { recursive: true });
});

interface Line {
  stone?: string;
  verdict?: string;
  error?: string;
  what?: string;
  labels?: { accepted: number; duplicate: number };
  attempts?: number;
}

const clients = [
  { client: 'TypeScript', here: true, command: () => [process.execPath, join(project, 'morning.mjs')], seconds: 1000 },
  {
    client: 'Python',
    here: hasPip,
    command: () => [python, join(root, 'test/client/programs/morning.py')],
    seconds: 1,
  },
];

for (const { client, here, command, seconds } of clients) {
  const work = (scanFolder: string, options: { retries?: number; timeout?: number } = {}) =>
    new Promise<Line[]>((resolve, reject) => {
      const { retries = 3, timeout = 60 } = options;
      const [program, file] = command();
      const env = {
        ...{ PATH: process.env.PATH, PYTHONPATH: wheel, MATCH_URL: proxy.url, MATCH_API_KEY: service.apiKey },
        ...{ RETRIES: String(retries), TIMEOUT: String(timeout * seconds) },
      };
      execFile(program, [file, scanFolder], { env }, (error, out, err) => {
        if (error) return reject(new Error(err));
        // A key begins with its prefix, which listings show: the rest is the secret.
        if ((out + err).includes(service.apiKey.slice(-20))) return reject(new Error('the key was printed'));
        const lines = out.split('\n').filter((line) => line.startsWith('{"'));
        resolve(lines.map((line) => JSON.parse(line)));
      });
    });

  (here ? describe : describe.skip)(`in ${client}`, () => {
    it('submits a folder and labels it while the service is busy, away and cut off', async () => {
      proxy.faults.push('429', 'cut', '503 until a date', 'pass', 'reset', '502');
      const lines = await work(scans);
      expect(lines.slice(0, 3).map(({ verdict }) => verdict)).toEqual(Array(3).fill(expect.stringMatching(/MATCH$/)));
      const { accepted, duplicate } = lines[3].labels!;
      expect(accepted + duplicate).toBe(3);
      expect(lines[4].attempts).toBe(4 + 5);
    });

    it.each(FAULTS)('%s is %s', async (fault, error, again) => {
      proxy.faults.push(fault);
      const options = fault === 'slow' ? { retries: 0, timeout: 1 } : { retries: 0 };
      const [claim] = await work(one, options);
      expect([claim.error, typeof claim.what]).toEqual([error, 'string']);
      if (!again || fault === 'slow') return;
      proxy.faults.push(fault);
      expect((await work(one, { retries: 1 }))[0].verdict).toMatch(/MATCH$/);
    });

    it('a call that may not be sent twice is sent once, whatever retries are left', async () => {
      proxy.faults.push('500');
      const before = proxy.requests.length;
      const [claim] = await work(one);
      expect(claim.error).toBe('ServiceFault');
      expect(proxy.requests.slice(before).filter((one) => one.includes('verify-match'))).toHaveLength(1);
    });
  });
}

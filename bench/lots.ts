/** Lots: how long enrolment, check and rehearsal take, what they cost, and what they do to the event loop. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { upperMedian } from '#science/numerics/quantile';
import { Client } from '../apps/server/test/client.js';
import { type LotFile, sentLot, Trader } from '../apps/server/test/lots.js';
import { zipOf } from '../apps/server/test/zip.js';
import { printMachine, startService } from './load.js';

const REPEATS = 15;

/** The same scans with a trace of another noise, so that nothing was seen before. */
function fresh(files: LotFile[], n: number): LotFile[] {
  return files.map(({ name, data }) => {
    const text = new TextDecoder().decode(data);
    return { name, data: new TextEncoder().encode(text.replace(/(\d)\n/, `$1${String(n).padStart(3, '0')}1\n`)) };
  });
}

export async function run(): Promise<void> {
  printMachine();
  const directory = mkdtempSync(join(tmpdir(), 'mvs-lots-'));
  const service = await startService(directory);
  try {
    const client = new Client();
    client.address = service.bases[0];
    client.operatorKey = service.operator;
    const trader = await Trader.in(client, 'bench');
    const lot = sentLot(0, { stones: 60 });
    const small = sentLot(0, { stones: 10 });
    const idOf = async (files: LotFile[], name: string) => (await trader.enrol(files, { name })).body.lot_id;
    const [large, ten] = [await idOf(lot.enrol, 'sixty'), await idOf(small.enrol, 'ten')];
    const zipped = async (n: number) => [{ name: 'lot.zip', data: await zipOf(fresh(lot.back, n)) }];
    const calls: [string, (n: number) => Promise<() => Promise<{ status: number; body: unknown }>>][] = [
      ['check of 60 x 3 scans', async (n) => () => trader.check(large, fresh(lot.back, n))],
      [
        'the same as one zip',
        async (n) => {
          const files = await zipped(n + 100);
          return () => trader.check(large, files);
        },
      ],
      ['the same check again', async () => () => trader.check(large, fresh(lot.back, 0))],
      ['check of 10 x 3 scans', async (n) => () => trader.check(ten, fresh(small.back, n))],
      ['enrolment of 60 x 3 scans', async (n) => () => trader.enrol(fresh(lot.enrol, n), { name: `lot ${n}` })],
      ['rehearsal of 200 draws on 60', async (n) => () => trader.rehearse(large, { seed: n })],
      [
        'rehearsal of 2,000 draws on 60',
        async (n) => () => trader.rehearse(large, { seed: n, draws: 2000, substitution: 0.4 }),
      ],
    ];
    console.log('\n| call | p50 ms | most ms | CPU ms | loop delay p99, most ms |\n|---|---:|---:|---:|---:|');
    for (const [name, prepare] of calls) {
      await (await prepare(999))();
      const before = await service.vitals!();
      const took: number[] = [];
      for (let n = 0; n < REPEATS; n++) {
        const call = await prepare(n);
        const began = performance.now();
        const { status, body } = await call();
        took.push(performance.now() - began);
        if (status > 201) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
      }
      const { loopP99, loopMax, cpuMs } = await service.vitals!();
      console.log(
        `| ${name} | ${upperMedian(took).toFixed(0)} | ${Math.max(...took).toFixed(0)} | ${((cpuMs - before.cpuMs) / REPEATS).toFixed(0)} | ${loopP99.toFixed(1)}, ${loopMax.toFixed(1)} |`,
      );
    }
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

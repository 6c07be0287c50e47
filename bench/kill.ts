import { killRounds } from '../apps/server/test/killing.js';

/** kill -9 of the serving process under load, at random points. A figure follows; a fault ends the bench as failed. */
export async function run(): Promise<void> {
  const rounds = Number(process.env.MVS_BENCH_ROUNDS ?? 200);
  const began = performance.now();
  const report = await killRounds(rounds, Number(process.env.MVS_BENCH_SEED ?? 2), (round) => {
    if ((round + 1) % 20 === 0) console.log(`${round + 1} of ${rounds} kills`);
  });
  console.log(`
| kills | verdicts answered before a kill | cut off | of these in the log already | slowest start | faults |
|---|---|---|---|---|---|
| ${report.rounds} | ${report.answered} | ${report.cutOff} | ${report.foundInLog} | ${report.slowestStartMs} ms | ${report.faults.length} |

${Math.round((performance.now() - began) / 1000)} s in all.`);
  for (const fault of report.faults) console.error(fault);
  if (report.faults.length > 0) process.exitCode = 1;
}

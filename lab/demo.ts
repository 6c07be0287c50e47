/** npm start: the server, and three simulated claims sent to it over HTTP, with its answers for a newcomer to read. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCAN_FILES } from '#science/spectra/names';
import { run } from '../apps/server/run.js';
import type { Service } from '../apps/server/service.js';
import { fillSample, post, SAMPLE, SAMPLE_STONES, sideOf } from './sample.js';
import { movingAverage, POPULATIONS, simulateStone } from './simulator/index.js';

const WITH_POPULATION = '--with-population';
/** All others are the service's. */
const args = process.argv.slice(2).filter((argument) => argument !== WITH_POPULATION);

const SEED = 20261120;
const say = (...lines: string[]) => console.log(lines.join('\n'));

/** Smoothing, which no client should do to a scan. */
const smoothed = movingAverage(7);

type Side = ReturnType<typeof sideOf>;

/** The demo key of this data directory, made at the first start and kept in a file that only its owner can read. */
async function demoKey({ address, secrets, directory }: Service): Promise<string | undefined> {
  const file = join(directory, 'demo.env');
  if (existsSync(file)) return /^(?:export )?MVS_DEMO_KEY=(\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (!secrets) return undefined;
  const admin = { 'x-svc-admin': secrets.operatorKey };
  for (const name of ['demo', `demo ${new Date().toISOString()}`]) {
    const { status, body } = await post(`${address}/api/v1/keys`, admin, { name, population: 'demo', kind: 'test' });
    if (status !== 201) continue;
    writeFileSync(file, `export MVS_DEMO_KEY=${body.key}\n`, { mode: 0o600, flag: 'wx' });
    return String(body.key);
  }
  return undefined;
}

async function show(service: Service): Promise<void> {
  const { address, secrets, directory } = service;
  say('', `Serving on ${address}, contract at ${address}/api/v1/docs`);
  if (secrets) say(`Operator key and replay token: ${secrets.file}`);
  if (existsSync(join(directory, 'log.secret')))
    say(`Secret of the event log's seals: ${join(directory, 'log.secret')}; keep a copy of it with backups`);
  say(`Console for operators: ${address}/console, which asks for the operator key`);
  const key = await demoKey(service);
  if (!key) {
    say('No demo key: operator keys are configured, so create a key of your own (POST /api/v1/keys).');
    return;
  }
  const [one, two] = [0, 1].map((stone) => simulateStone(POPULATIONS.calibration, SEED, stone));
  const [polish, other] = [one, two].map(({ id, polish }) => sideOf(`${id}.1`, polish));
  const claims: [string, Side, Side][] = [
    ['a genuine claim', sideOf(one.id, one.rough), polish],
    // One rough with two polishes: one polish with two roughs would be a finding.
    ['a mixed-up claim', sideOf(one.id, one.rough), other],
    ['a smoothed claim', sideOf(one.id, one.rough.map(smoothed)), polish],
  ];
  say('', 'Three simulated claims:');
  for (const [what, rough, polish] of claims) {
    const { status, body } = await post(`${address}/api/v1/verify-match`, { 'x-api-key': key }, { rough, polish });
    const answer =
      status === 200
        ? `${body.verdict}, fused_score ${Number(body.fused_score).toFixed(3)}, threshold ${body.threshold}, p_match_5050 ${Number(body.p_match_5050).toFixed(3)}`
        : body.detail;
    say(`  ${what.padEnd(17)} ${status}  ${answer}`);
  }
  if (process.argv.includes(WITH_POPULATION)) await withPopulation(service);
  else
    say(
      '',
      `npm start -- ${WITH_POPULATION}   also fills a population of ${SAMPLE_STONES} simulated stones, to try approvals on`,
    );
  say(
    '',
    `Your own files (${SCAN_FILES}):`,
    `  . ${join(directory, 'demo.env')}`,
    `  curl -H "X-Api-Key: $MVS_DEMO_KEY" -F rough_files=@ROUGH.0 -F polish_files=@POLISH.0 ${address}/api/v1/verify-match`,
    '',
    `Ctrl-C ends the service; what it stored stays in ${directory}/ for the next start.`,
  );
}

/** The population for approvals, scorer, drift and bundle. */
async function withPopulation(service: Service): Promise<void> {
  const began = Date.now();
  say('', `Filling the population "${SAMPLE}" with ${SAMPLE_STONES} simulated stones ...`);
  const answered = await fillSample(service, (answered) => {
    if (answered % 30 === 0) say(`  ${answered} of ${SAMPLE_STONES} claims answered`);
  });
  if (answered === undefined) say('  Not filled: operator keys are configured, so no key can be made here.');
  else {
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    say(`  ${seconds} s. Simulated, all of it: ${service.address}/console/calibration/${SAMPLE}`);
  }
}

await show(await run({ logLevel: 'warn', args }));

/** A population of simulated stones in a service, so that approvals, scorers, drift and bundles can be tried. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../apps/server/service.js';
import { POPULATIONS, type SimulatedScan, simulateStone } from './simulator/index.js';

export const SAMPLE = 'sample';
/** As many as the first four rungs and a scorer need. */
export const SAMPLE_STONES = 120;
const SEED = 20261124;
/** Claims on their way at a time. */
const AT_ONCE = 4;

/** Every stone, and the key, is called simulated: so is every row, page and bundle that names one. */
const KEY_NAME = 'simulated stones';
const stoneName = (stone: number) => `SIMULATED-${String(stone + 1).padStart(3, '0')}`;

export const sideOf = (stone_id: string, scans: SimulatedScan[]) => ({
  stone_id,
  wavenumbers: [...scans[0].wavenumbers],
  spectra: scans.map(({ absorbance }) => [...absorbance]),
});

export async function post(url: string, headers: Record<string, string>, body: unknown) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A live key of the population, made once and kept in a file that only its owner can read. */
async function sampleKey({ address, secrets, directory }: Service): Promise<string | undefined> {
  const file = join(directory, 'sample.env');
  if (existsSync(file)) return /^(?:export )?MVS_SAMPLE_KEY=(\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (!secrets) return undefined;
  const admin = { 'x-svc-admin': secrets.operatorKey };
  for (const name of [KEY_NAME, `${KEY_NAME} ${new Date().toISOString()}`]) {
    const { status, body } = await post(`${address}/api/v1/keys`, admin, { name, population: SAMPLE });
    if (status !== 201) continue;
    writeFileSync(file, `export MVS_SAMPLE_KEY=${body.key}\n`, { mode: 0o600, flag: 'wx' });
    return String(body.key);
  }
  return undefined;
}

/**
 * Sends a true claim on each stone; a population that is there already is sent again and stays as it is.
 * @param said after each claim, how many were answered
 * @returns number of claims answered; nothing where no key could be made
 * @throws Error where a claim is refused
 */
export async function fillSample(service: Service, said: (answered: number) => void): Promise<number | undefined> {
  const key = await sampleKey(service);
  if (key === undefined) return undefined;
  let [next, answered] = [0, 0];
  const send = async () => {
    while (next < SAMPLE_STONES) {
      const stone = next++;
      const { rough, polish } = simulateStone(POPULATIONS.calibration, SEED, stone);
      const name = stoneName(stone);
      const claim = { rough: sideOf(name, rough), polish: sideOf(`${name}.1`, polish) };
      const { status, body } = await post(`${service.address}/api/v1/verify-match`, { 'x-api-key': key }, claim);
      if (status !== 200) throw new Error(`the claim on ${name} was refused with ${status}: ${body.detail}`);
      said(++answered);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return answered;
}

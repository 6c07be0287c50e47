/** Claims under load while pieces of the production profile are killed at random; then what must be true is checked. */
import { POPULATIONS, Random, simulateStone } from '#simulator';
import { type Answer, examine } from './examine.js';
import { type Production, startProduction } from './production.js';

export interface FaultReport {
  faults: Record<string, number>;
  acknowledged: number;
  /** Requests that were answered 503 or not at all, and sent again. */
  retried: number;
  /** Everything that should not be; empty when all holds. */
  broken: string[];
}

const CLIENTS = 6;
const STONES = 40;

/** @param signal aborted, it ends the faults early; what must hold is examined all the same */
export async function runFaults(
  count: number,
  seed: number,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<FaultReport> {
  const random = new Random('faults', seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.uniform() * from.length)];
  const production = await startProduction();
  try {
    await production.ready();
    const key = await createKey(production);
    const bodies = Array.from({ length: STONES }, (_, stone) => bodyOf(stone));
    const acknowledged = new Map<string, Answer>();
    const faults: Record<string, number> = {};
    let retried = 0;
    let running = true;
    let next = 0;
    const broken: string[] = [];

    const client = async () => {
      while (running) {
        const serial = next++;
        const body = claimOf(bodies, serial);
        for (;;) {
          const answer = await send(pick(production.apis), key, body);
          if (answer) {
            const known = acknowledged.get(answer.claim_id);
            if (known && known.verdict !== answer.verdict) broken.push(`two verdicts of ${answer.claim_id}`);
            acknowledged.set(answer.claim_id, answer);
            break;
          }
          retried++;
          await new Promise((resolve) => setTimeout(resolve, 50));
          if (!running) break;
        }
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);

    const kinds = [...production.programs.map(({ name }) => name), 'redis', 'cut store', 'cut redis', 'cut redis'];
    for (let n = 0; n < count && !signal?.aborted; n++) {
      await new Promise((resolve) => setTimeout(resolve, 100 + 400 * random.uniform()));
      const kind = pick(kinds);
      faults[kind] = (faults[kind] ?? 0) + 1;
      if (kind === 'cut store') production.cutStore();
      else if (kind === 'cut redis') await production.cutRedis();
      else await production.crash(kind);
      if (n % 10 === 9) {
        // Now and then all is well again: recovery needs no restart.
        await production.ready();
        say(`${n + 1} of ${count} faults, ${acknowledged.size} claims acknowledged, ${retried} requests sent again`);
      }
    }
    await production.ready();
    running = false;
    await Promise.all(clients);
    const ordinates = bodies.map(({ ordinate }) => ordinate);
    broken.push(...(await examine(production, [...acknowledged.values()], ordinates)));
    return { faults, acknowledged: acknowledged.size, retried, broken };
  } finally {
    await production.stop();
  }
}

async function send(api: string, key: string, body: string): Promise<Answer | undefined> {
  try {
    const answer = await fetch(`${api}/api/v1/verify-match`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body,
      signal: AbortSignal.timeout(40_000),
    });
    if (answer.status === 200) return (await answer.json()) as Answer;
    if (answer.status !== 503) throw new Error(`unexpected ${answer.status}: ${await answer.text()}`);
    await answer.text();
  } catch (error) {
    if ((error as Error).message.startsWith('unexpected')) throw error;
  }
  return undefined;
}

async function createKey({ apis, operator }: Production): Promise<string> {
  const answer = await fetch(`${apis[0]}/api/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...operator },
    body: JSON.stringify({ name: `faults-${Date.now()}` }),
  });
  return ((await answer.json()) as { key: string }).key;
}

interface Body {
  rough: object;
  polish: { wavenumbers: number[]; spectra: number[][] };
  /** A submitted value as text that nothing else is likely to hold. */
  ordinate: string;
}

function bodyOf(stone: number): Body {
  const { id, rough, polish } = simulateStone(POPULATIONS.calibration, 31, stone, { roughScans: 3 });
  const side = (scans: typeof rough) => ({
    stone_id: id,
    wavenumbers: [...scans[0].wavenumbers],
    spectra: scans.map(({ absorbance }) => [...absorbance]),
  });
  return { rough: side(rough), polish: side(polish), ordinate: String(polish[0].absorbance[100]) };
}

/** Distinct claims: the serial number moves one ordinate of the polish. Every ninth names another stone's rough. */
function claimOf(bodies: Body[], serial: number): string {
  const { polish } = bodies[serial % bodies.length];
  const { rough } = bodies[(serial + (serial % 9 === 8 ? 1 : 0)) % bodies.length];
  const [first, ...others] = polish.spectra;
  const moved = [...first];
  moved[300] += 1e-7 * (1 + Math.floor(serial / bodies.length));
  return JSON.stringify({ rough, polish: { ...polish, spectra: [moved, ...others] } });
}

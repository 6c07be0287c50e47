/** Claims under load while pieces of the production profile are killed at random; then what must be true is checked. */
import { setTimeout } from 'node:timers/promises';
import type { Role } from '#config/environment';
import type { Side } from '#science/spectra/refusal';
import { POPULATIONS, Random, simulateStone } from '#simulator';
import { Ordinates } from '../../apps/server/test/ordinates.js';
import { type Answer, type Examined, examine } from './examine.js';
import { type Production, startProduction } from './production.js';
import { chooseStones, mixtureOf } from './stones.js';

export interface FaultReport extends Examined {
  faults: Record<string, number>;
  acknowledged: number;
  /** Requests that were answered 503 or not at all, and sent again. */
  retried: number;
}

/** Replicas that share the work, and one that holds the views. */
export const BY_ROLE: readonly Role[] = ['claims', 'claims', 'operators'];
/** Of each replica for claims, by default. */
const CLIENTS = 3;
const STONES = 40;
/** Claims until findings of both kinds are due. */
const ENOUGH = 100;
/** For the last claims to be answered, once all is well. */
const PATIENCE_MS = 60_000;

interface FaultOptions {
  count: number;
  seed: number;
  say?(line: string): void;
  /** Of the event log's double, 1 or 3. */
  nodes?: number;
  /** Of the api replicas. */
  roles?: readonly Role[];
  /** Of each replica for claims. */
  clients?: number;
  /** Aborted, it ends the faults early; what must hold is examined all the same. */
  signal?: AbortSignal;
}

export async function runFaults({
  count,
  seed,
  say = () => {},
  nodes,
  roles,
  clients = CLIENTS,
  signal,
}: FaultOptions): Promise<FaultReport> {
  const random = new Random('faults', seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.uniform() * from.length)];
  const production = await startProduction({}, nodes, roles);
  try {
    await production.ready();
    const { key, name } = await createKey(production);
    const ordinates = new Ordinates();
    const { stones, twice } = await chooseStones(simulate, STONES);
    const bodies = stones.map((stone) => bodyOf(stone, stone === twice.stone ? twice.other : undefined, ordinates));
    const acknowledged = new Map<string, Answer>();
    const faults: Record<string, number> = {};
    let retried = 0;
    let running = true;
    /** When a claim that was begun is given up, which no fault delays any more. */
    let patience = Number.POSITIVE_INFINITY;
    let next = 0;
    const broken: string[] = [];

    const client = async () => {
      while (running) {
        const serial = next++;
        const body = claimOf(bodies, serial);
        for (;;) {
          const answer = await send(pick(production.forClaims), key, body);
          if (answer) {
            const known = acknowledged.get(answer.claim_id);
            if (known && known.verdict !== answer.verdict) broken.push(`two verdicts of ${answer.claim_id}`);
            acknowledged.set(answer.claim_id, answer);
            break;
          }
          retried++;
          await setTimeout(50);
          if (performance.now() > patience) break;
        }
      }
    };
    const load = Promise.all(Array.from({ length: clients * production.forClaims.length }, client));
    load.catch(() => {});

    const kinds = [...production.faults.keys()];
    for (let n = 0; n < count && !signal?.aborted; n++) {
      await setTimeout(100 + 400 * random.uniform());
      const kind = pick(kinds);
      faults[kind] = (faults[kind] ?? 0) + 1;
      await production.faults.get(kind)?.();
      if (n % 10 === 9) {
        // Now and then all is well again: recovery needs no restart.
        await production.ready();
        say(`${n + 1} of ${count} faults, ${acknowledged.size} claims acknowledged, ${retried} requests sent again`);
      }
    }
    await production.ready();
    while (acknowledged.size < ENOUGH) await Promise.race([setTimeout(100), load]);
    running = false;
    patience = performance.now() + PATIENCE_MS;
    await load;
    broken.push(...production.died);
    const examined = await examine(production, name, [...acknowledged.values()], ordinates);
    broken.push(...examined.broken);
    return { faults, acknowledged: acknowledged.size, retried, findings: examined.findings, broken };
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

async function createKey({ forOperators, operator }: Production): Promise<{ key: string; name: string }> {
  const name = `faults-${Date.now()}`;
  const answer = await fetch(`${forOperators[0]}/api/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...operator },
    body: JSON.stringify({ name }),
  });
  const { key } = (await answer.json()) as { key: string };
  return { key, name };
}

type SentSide = { stone_id: string; wavenumbers: number[]; spectra: number[][] };

interface Body {
  rough: SentSide;
  polish: SentSide;
  /** Another rough that the polish is confirmed for. */
  second?: SentSide;
}

const simulate = (stone: number) => simulateStone(POPULATIONS.calibration, 31, stone, { roughScans: 3 });

/**
 * @param mixed the stone whose rough makes a second rough together with its own, if any
 * @param ordinates gets all that is sent, and what it is interpolated to
 */
function bodyOf(stone: number, mixed: number | undefined, ordinates: Ordinates): Body {
  const { id, rough, polish } = simulate(stone);
  const sideOf = (side: Side, scans: typeof rough, stone_id = id): SentSide => {
    ordinates.addSide(side, scans);
    return {
      stone_id,
      wavenumbers: [...scans[0].wavenumbers],
      spectra: scans.map(({ absorbance }) => [...absorbance]),
    };
  };
  const body = { rough: sideOf('rough', rough), polish: sideOf('polish', polish) };
  if (mixed === undefined) return body;
  return { ...body, second: sideOf('rough', mixtureOf(rough, simulate(mixed).rough), `${id}B`) };
}

/**
 * Distinct claims: the serial number moves one ordinate of the polish. Every ninth names another stone's rough, except in the odd rounds
 * of the stone that has two roughs, so that findings of both kinds are due for the first hundred.
 */
function claimOf(bodies: Body[], serial: number): string {
  const [stone, round] = [serial % bodies.length, Math.floor(serial / bodies.length)];
  const { rough: own, polish, second } = bodies[stone];
  const wrong = bodies[(stone + 1) % bodies.length].rough;
  const rough = second && round % 2 === 1 ? second : serial % 9 === 8 ? wrong : own;
  const [first, ...others] = polish.spectra;
  const moved = [...first];
  moved[300] += 1e-7 * (1 + round);
  return JSON.stringify({ rough, polish: { ...polish, spectra: [moved, ...others] } });
}

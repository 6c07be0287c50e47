/** Kills the serving process again and again under load, and compares what is left with what was answered. */
import { isDeepStrictEqual } from 'node:util';
import { invariantsOf } from '#audit/valid-decisions';
import type { ScoringResult, Submission } from '#claims/events';
import type { Verification } from '#claims/verification';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { adviceOf } from '#science/matching/action';
import { Random } from '#simulator';
import type { JsonClaim } from './client.js';
import { claimOf } from './fixture.js';
import { ServingProcess } from './process.js';

export interface KillReport {
  rounds: number;
  /** Claims whose verdict was answered before a kill. */
  answered: number;
  /** Claims that a kill left without an answer; each was sent again after it. */
  cutOff: number;
  /** Claims among those that the log held already, submitted or even scored. */
  foundInLog: number;
  slowestStartMs: number;
  /** Everything found wrong, in sentences. */
  faults: string[];
}

const CLIENTS = 8;
const STONES = 6;
/** The kill comes after so many answers at most, and so long after the last of them, at random. */
const MAX_ANSWERS = 40;
const MAX_MS = 20;

/** One claim sent, and what came of it: its answer, or nothing. */
interface Sent {
  claim: JsonClaim;
  /** The reference under which the polish of a claim that was cut off was sent. */
  reference?: string;
  answered?: Verification;
  cutOff?: boolean;
}

export async function killRounds(rounds: number, seed: number, onRound?: (round: number) => void): Promise<KillReport> {
  const random = new Random('kill', seed);
  const report: KillReport = { rounds, answered: 0, cutOff: 0, foundInLog: 0, slowestStartMs: 0, faults: [] };
  const stones = Array.from({ length: STONES }, (_, stone) => claimOf(stone));
  const serving = await ServingProcess.start({ environment: { MVS_LOG_LEVEL: 'info' } });
  const all: Sent[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const sent = await load(serving, stones, all.length, killPoint(random), report);
      all.push(...sent);
      const began = performance.now();
      try {
        await serving.open();
      } catch (error) {
        report.faults.push(`round ${round}: the next start fails: ${(error as Error).message}`);
        return report;
      }
      report.slowestStartMs = Math.max(report.slowestStartMs, Math.round(performance.now() - began));
      await retry(serving, sent, report, round);
      onRound?.(round);
    }
    await holdLedgerTo(serving, all, report);
    const status = await serving.end('SIGTERM');
    if (status !== 0) report.faults.push(`the orderly end has status ${status}`);
    await holdLogTo(serving.data, all, report);
    return report;
  } finally {
    await serving.remove();
  }
}

interface KillPoint {
  answers: number;
  afterMs: number;
}
const killPoint = (random: Random): KillPoint => ({
  answers: random.below(MAX_ANSWERS),
  afterMs: random.between(0, MAX_MS),
});

/** No two claims are of the same scan sets. */
function numbered(stones: JsonClaim[], n: number): JsonClaim {
  const { rough, polish } = stones[n % stones.length];
  const moved = (spectra: number[][]) => [[spectra[0][0] + n * 1e-9, ...spectra[0].slice(1)], ...spectra.slice(1)];
  const side = (of: JsonClaim['rough']) => ({ ...of, spectra: moved(of.spectra) });
  return { rough: side(rough), polish: side(polish) };
}

async function load(
  serving: ServingProcess,
  stones: JsonClaim[],
  from: number,
  point: KillPoint,
  report: KillReport,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  let killed: Promise<unknown> | undefined;
  let answers = 0;
  const count = () => {
    if (answers++ !== point.answers) return;
    setTimeout(() => {
      killed = serving.end('SIGKILL');
    }, point.afterMs);
  };
  count();
  const client = async () => {
    while (!killed) {
      const one: Sent = { claim: numbered(stones, from + sent.length) };
      sent.push(one);
      const answer = await serving.verify(one.claim).catch(() => undefined);
      if (answer) count();
      if (answer?.status === 200) one.answered = answer.body;
      else if (answer) report.faults.push(`under load a claim is answered ${answer.status}: ${answer.body.detail}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await killed;
  for (const one of sent) {
    one.cutOff = !one.answered;
    if (one.cutOff) report.cutOff++;
    else report.answered++;
  }
  return sent;
}

/** The same claims once more, those that were cut off under other references: what was answered is answered again, the others are finished. */
async function retry(serving: ServingProcess, sent: Sent[], report: KillReport, round: number): Promise<void> {
  const left = sent.entries();
  const client = async () => {
    for (const [n, one] of left) {
      if (one.cutOff) one.claim.polish.stone_id = one.reference = `R${round}N${n}.1`;
      const { status, body } = await serving.verify(one.claim);
      if (status !== 200) report.faults.push(`a retry is answered ${status}: ${JSON.stringify(body)}`);
      else if (one.answered && !isDeepStrictEqual(body, one.answered)) {
        report.faults.push(
          `claim ${one.answered.claim_id} is answered otherwise after the kill: ${JSON.stringify(body)}`,
        );
      } else one.answered = body;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function holdLogTo(directory: string, all: Sent[], report: KillReport): Promise<void> {
  const reader = openSqliteEventReader({ directory });
  const invariants = await invariantsOf(reader);
  const scored = new Map<string, ScoringResult>();
  const shared = new Map<string, number>();
  const bySets = new Map<string, string>();
  const requests = new Map<string, Set<string>>();
  for await (const event of reader.readAll()) {
    for (const fault of invariants.check(event)) report.faults.push(`event ${event.position} ${fault}`);
    if (/^Claim(Submitted|Scored|Repeated)$/.test(event.type)) {
      const { claim_id, request_id } = event.data as unknown as Submission;
      requests.set(claim_id, (requests.get(claim_id) ?? new Set()).add(request_id));
    }
    if (event.type === 'ClaimScored') {
      const scoring = event.data as unknown as ScoringResult;
      scored.set(scoring.claim_id, scoring);
    }
    if (event.type === 'ClaimSubmitted') {
      const { claim_id, rough, polish, shared_scans } = event.data as unknown as Submission;
      shared.set(claim_id, shared_scans ?? 0);
      const sets = `${rough.digest} ${polish.digest}`;
      if (bySets.has(sets)) report.faults.push(`claims ${bySets.get(sets)} and ${claim_id} are of the same scan sets`);
      bySets.set(sets, claim_id);
    }
  }
  await reader.close();
  for (const { answered, cutOff } of all) {
    // Two requests are in its history: the one that was cut off, and the retry.
    if (cutOff && answered && requests.get(answered.claim_id)?.size === 2) report.foundInLog++;
    const stored = answered && scored.get(answered.claim_id);
    const { receipt, stone_ids, ...verdict }: Partial<Verification> = answered ?? {};
    const advice = stored && adviceOf(stored.result, shared.get(stored.claim_id)!, stored.action_reasons);
    const kept = stored && { ...stored.result, ...advice };
    // References are those of the call that was answered.
    if (answered && !(receipt && stone_ids && isDeepStrictEqual(kept, verdict)))
      report.faults.push(`claim ${answered.claim_id} was answered and is not so stored`);
  }
  if (bySets.size !== all.length) report.faults.push(`${all.length} claims were sent, the log holds ${bySets.size}`);
}

async function holdLedgerTo(serving: ServingProcess, all: Sent[], report: KillReport): Promise<void> {
  const verdicts = new Map<string, string>();
  for (let cursor = ''; ; ) {
    const path = `/api/v1/claims?limit=1000${cursor}`;
    const { body } = await serving.call('GET', path, { headers: serving.operator });
    for (const { claim_id, verdict } of body.items) verdicts.set(claim_id, verdict);
    if (!body.next_cursor) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  const missing = all.filter(({ answered }) => answered && verdicts.get(answered.claim_id) !== answered.verdict);
  if (missing.length > 0) report.faults.push(`the ledger lacks ${missing.length} verdicts that were answered`);
  for (const { reference, answered } of all) {
    if (reference === undefined) continue;
    const { body } = await serving.call('GET', `/api/v1/claims?reference=${reference}`, { headers: serving.operator });
    if (body.items.length !== 1 || body.items[0].claim_id !== answered?.claim_id)
      report.faults.push(`claim ${answered?.claim_id} is not found by ${reference}, which its second call sent`);
  }
  if (verdicts.size !== all.length)
    report.faults.push(`${all.length} claims were sent, the ledger has ${verdicts.size}`);
}

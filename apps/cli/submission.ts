import { setTimeout as sleep } from 'node:timers/promises';
import {
  Aborted,
  Authentication,
  ConnectionFailed,
  decide,
  InvalidRequest,
  type MatchVerification,
  PermissionDenied,
  RateLimited,
  ServiceError,
  ServiceFault,
  Unavailable,
  type Verification,
} from '#client';
import { escapeControls, type Unused } from '#science/spectra/refusal';
import { type Claim, emptyFilesOf, type PairFinder, readClaim, stampOf } from './claim-files.js';
import { isOfFileSystem, oneSentence } from './exit.js';
import { tellUnused } from './files.js';
import type { Pace } from './pace.js';
import { type PairFiles, requirePairs } from './pairs.js';
import { printError } from './print.js';
import { showProgress } from './progress.js';
import type { AnswerTable } from './table.js';
import { NOT_SENT, Tally } from './tally.js';

export const COLUMNS = [
  'pair',
  'stone',
  'verdict',
  'action',
  'p_match_5050',
  'warnings',
  'claim_id',
  'rough_files',
  'polish_files',
  'code',
  'file',
  'fix',
  'action_reasons',
] as const;

/** In place of a verdict. */
export const REFUSED = 'REFUSED';

/** One answer: a verdict, or REFUSED with what to mend. `pair` is the digest of the files' names and contents. */
export type Row = Record<(typeof COLUMNS)[number], string>;

/** Truth about stones, by their names. */
export type Truth = ReadonlyMap<string, 'match' | 'no_match'>;

export interface SubmissionOptions {
  findPairs: PairFinder;
  table: AnswerTable<Row>;
  /** Makes one attempt a call. */
  service: MatchVerification;
  truth: Truth;
  /** The rung of each claim; the service's default where it is left out. */
  rejectTarget?: number;
  /** Sends again what the table holds as refused. */
  refusedAgain?: boolean;
  /** Waited for before each claim. */
  pace: Pace;
  watch: boolean;
  /** Between two looks of a watch. */
  everyMs: number;
  /** Told of each new row, once it is on the disk. */
  answered(row: Row): void;
}

export interface Outcome {
  /** Pairs of the folder that are held as refused. */
  refused: number;
  /** Pairs of the folder that have no answer, and labels that met a fault of the service. */
  left: number;
  stopped: boolean;
}

/** Refusals of what was sent; every other status is about the key, the address or the service. */
const OF_THE_CLAIM = [400, 413, 415, 422];

/** The run goes on within the longest of them after the service is back. */
const PAUSES_MS = { first: 500, longest: 4_000 };
/** Between two lines about the same outage. */
const SAID_AGAIN_MS = 60_000;
/** Looks of a watch that see an empty file before it is named: one that is being copied is not. */
const EMPTY_LOOKS = 3;

/** Sends the pairs of a folder one after another; each answer is on the disk before the next pair is sent. */
export class Submission {
  readonly #rows = new Map<string, Row>();
  readonly tally = new Tally();
  readonly #emptySightings = new Map<string, number>();
  readonly #labelled = new Set<string>();
  readonly #told = new Set<string>();
  #faultyLabels = 0;
  /** Stamps of pairs that need no further look in this run. */
  readonly #settled = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #cutting = new AbortController();

  constructor(private readonly options: SubmissionOptions) {}

  /** Ends the run after the claim in flight; called again, at once. Sending that claim again answers the same claim_id. */
  stop(): void {
    if (this.#stopped) this.#cutting.abort();
    else printError('mvs: stopping after the claim in flight; once more stops at once');
    this.#stopping.abort();
  }

  /** @throws Error in a sentence where going on makes no sense: the key is refused, the address is no service's */
  async run(): Promise<Outcome> {
    const { table, refusedAgain = false } = this.options;
    const rows = table.open();
    const kept = refusedAgain ? rows.filter(({ verdict }) => verdict !== REFUSED) : rows;
    if (kept.length < rows.length) table.replace(kept);
    for (const row of kept) this.#rows.set(row.pair, row);
    const left = (this.options.watch ? await this.#watch() : await this.#sendAll()) + this.#faultyLabels;
    return { refused: this.tally.refused, left, stopped: this.#stopped };
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #sendAll(): Promise<number> {
    const { pairs, incomplete, unused } = await this.options.findPairs();
    this.#tell(unused);
    requirePairs({ pairs, incomplete, unused });
    for (const stone of incomplete) this.tally.leave(stone, 'only one side is there');
    for (const { stone } of pairs) this.tally.leave(stone, NOT_SENT);
    const bar = showProgress('claims', pairs.length);
    let left = pairs.length;
    try {
      for (const pair of pairs) {
        if (this.#stopped) break;
        if ((await this.#send(pair)) === 'answered') left--;
        bar.advance();
      }
    } finally {
      bar.stop();
    }
    await this.#label();
    return left;
  }

  /** A pair is sent once two looks in a row saw the same files, sizes and times. */
  async #watch(): Promise<number> {
    let before = new Set<string>();
    let left = 0;
    let complaint = '';
    while (!this.#stopped) {
      const now = new Set<string>();
      try {
        const { pairs, unused } = await this.options.findPairs();
        this.#tell(unused);
        for (const pair of pairs) {
          if (this.#stopped) break;
          const stamp = await stampOf(pair);
          if (stamp === undefined) await this.#nameEmpty(pair);
          if (stamp === undefined || this.#settled.has(stamp)) continue;
          now.add(stamp);
          if (!before.has(stamp)) continue;
          const end = await this.#send(pair, stamp);
          if (end !== 'later') this.#settled.add(stamp);
          if (end === 'failed') left++;
        }
        complaint = '';
      } catch (error) {
        // A share that is away comes back; a table of answers that cannot be written is the end.
        if (!isOfFileSystem(error) || error.path === this.options.table.file) throw error;
        const sentence = `mvs: ${oneSentence(error)}; waiting`;
        if (sentence !== complaint) printError(sentence);
        complaint = sentence;
      }
      before = now;
      await this.#label();
      await this.#pause(this.options.everyMs);
    }
    return left;
  }

  /** Once of each file in a run, of the folder or of a claim. */
  #tell(unused: readonly Unused[]): void {
    tellUnused(unused.filter(({ file }) => !this.#told.has(file)));
    for (const { file } of unused) this.#told.add(file);
  }

  /** A file that stays without a byte is named once, and waited for all the same. */
  async #nameEmpty(pair: PairFiles): Promise<void> {
    for (const path of await emptyFilesOf(pair)) {
      const looks = (this.#emptySightings.get(path) ?? 0) + 1;
      this.#emptySightings.set(path, looks);
      const why = `${path} has 0 bytes: copy it again`;
      this.tally.leave(pair.stone, why);
      if (looks === EMPTY_LOOKS) printError(`mvs: ${pair.stone}: ${why}; it is waited for`);
    }
  }

  /** @param stamp that the files must still have once they are read */
  async #send(pair: PairFiles, stamp?: string): Promise<'answered' | 'failed' | 'later'> {
    let claim: Claim;
    try {
      claim = await readClaim(pair, this.options.rejectTarget);
    } catch (error) {
      const why = oneSentence(error);
      printError(`mvs: ${pair.stone}: ${why}`);
      this.tally.leave(pair.stone, why);
      return 'later';
    }
    if (stamp !== undefined && (await stampOf(pair)) !== stamp) return 'later';
    try {
      this.tally.leave(pair.stone, 'the run ended while it was on its way');
      this.tally.answer(pair.stone, this.#rows.get(claim.digest) ?? (await this.#ask(pair.stone, claim)));
      return 'answered';
    } catch (error) {
      if (error instanceof Aborted) return 'later';
      if (!(error instanceof ServiceFault)) throw error;
      const why = `a fault of the service: report request ${error.requestId ?? 'of unknown name'}`;
      printError(`mvs: ${pair.stone}: ${why}`);
      this.tally.leave(pair.stone, why);
      return 'failed';
    }
  }

  async #ask(stone: string, claim: Claim): Promise<Row> {
    const { rough, polish, reference } = claim;
    const stoneIds = { rough: reference, polish: reference };
    const { service, rejectTarget, pace } = this.options;
    let row: Row;
    try {
      const answer = await this.#patiently(async () => {
        // An interrupt in between ends the run as one in the midst of a call does.
        await pace(this.#stopping.signal).catch(() => {
          throw new Aborted('stopped');
        });
        return service.verify({ rough, polish, rejectTarget, stoneIds }, { signal: this.#cutting.signal });
      });
      this.#tell((answer.unused ?? []).map(({ file, reason }) => ({ file: `${stone}: ${file}`, reason })));
      row = rowOf(stone, claim, answer);
    } catch (error) {
      const ofTheClaim = error instanceof InvalidRequest && OF_THE_CLAIM.includes(error.status);
      // A proxy has no codes: only its 413 says something of the claim.
      if (!ofTheClaim || !(error.code || error.status === 413)) throw error;
      row = refusalOf(stone, claim, error);
    }
    this.options.table.append([row]);
    this.#rows.set(row.pair, row);
    this.options.answered(row);
    return row;
  }

  /** Labels the claims of the table whose truth is known; one that was labelled before is a duplicate to the service. */
  async #label(): Promise<void> {
    const { truth, service } = this.options;
    const labels = [...this.#rows.values()].flatMap(({ claim_id, stone }) => {
      const expected = truth.get(stone);
      return claim_id && expected && !this.#labelled.has(claim_id) ? [{ claim_id, expected }] : [];
    });
    if (labels.length === 0 || this.#stopped) return;
    try {
      await this.#patiently(async () => {
        for await (const { counts, results } of service.label(labels, { signal: this.#cutting.signal })) {
          const said = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
          printError(`mvs: labels: ${said.join(', ')}`);
          for (const { status, claim_id, reason } of results) {
            if (status === 'rejected') printError(`mvs: the label of ${claim_id} is rejected: ${reason}`);
          }
        }
      });
    } catch (error) {
      if (error instanceof Aborted) return;
      if (!(error instanceof ServiceFault)) throw error;
      // Not in this run again; the claims that follow are answered all the same.
      printError(`mvs: labels: a fault of the service: report request ${error.requestId ?? 'of unknown name'}`);
      this.#faultyLabels += labels.length;
    }
    for (const { claim_id } of labels) this.#labelled.add(claim_id);
  }

  /** Calls until the service is there. @throws Aborted where the run is stopped meanwhile */
  async #patiently<T>(call: () => Promise<T>): Promise<T> {
    let said = { sentence: '', at: 0 };
    for (let pause = PAUSES_MS.first; ; pause = Math.min(PAUSES_MS.longest, pause * 2)) {
      try {
        return await call();
      } catch (error) {
        if (!isPassing(error)) throw endOf(error, this.options.table.file);
        const asked = error instanceof ServiceError ? (error.retryAfter ?? 0) * 1000 : 0;
        const wait = Math.max(asked, pause * (0.5 + Math.random() / 2));
        const sentence = oneSentence(error);
        if (sentence !== said.sentence || performance.now() - said.at > SAID_AGAIN_MS) {
          printError(
            `mvs: the service is away or busy (${sentence}); again in ${(wait / 1000).toFixed(1)} s, and so on`,
          );
          said = { sentence, at: performance.now() };
        }
        await this.#pause(wait);
        if (this.#stopped) throw new Aborted('stopped');
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof RateLimited ||
  error instanceof Unavailable ||
  error instanceof ConnectionFailed ||
  (error instanceof ServiceError && error.status === 408);

/** A refused key in a sentence that says what to do; every other error as it is. */
function endOf(error: unknown, table: string): unknown {
  if (!(error instanceof Authentication || error instanceof PermissionDenied)) return error;
  return new Error(
    `the key is refused (${error.message}); ${table} keeps what was answered: run it again with a valid key`,
  );
}

const named = (stone: string, { digest, rough, polish }: Claim) => {
  const names = (scans: { name: string }[]) => cell(scans.map(({ name }) => name).join(' | '));
  return { pair: digest, stone: cell(stone), rough_files: names(rough), polish_files: names(polish) };
};

const rowOf = (stone: string, claim: Claim, answer: Verification): Row => ({
  ...named(stone, claim),
  verdict: answer.verdict,
  action: decide(answer).action,
  p_match_5050: String(answer.p_match_5050),
  warnings: cell(answer.warnings.join(' | ')),
  claim_id: answer.claim_id,
  code: '',
  file: '',
  fix: '',
  action_reasons: answer.action_reasons?.map(({ code }) => code).join(' | ') ?? '',
});

const refusalOf = (stone: string, claim: Claim, error: InvalidRequest): Row => ({
  ...named(stone, claim),
  verdict: REFUSED,
  action: 'mend',
  p_match_5050: '',
  warnings: '',
  claim_id: '',
  code: error.code ?? String(error.status),
  file: cell(error.file ?? ''),
  fix: cell(error.detail),
  action_reasons: '',
});

/** On one line, as the table needs it. */
const cell = (text: string): string => escapeControls(text).replace(/[\n\t]/g, ' ');

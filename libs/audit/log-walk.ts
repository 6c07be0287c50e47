/** The one walk through a log: what `mvs events verify` and the check of a running service find. */
import type { LogDamage } from '#kit/log/damage';
import { LogCorrupt, type RecordedEvent, UnreadableEvent } from '#kit/log/port';
import { readThrough } from '#kit/log/read-through';
import type { DamagedRow, SealedReader } from '#kit/log/seal';
import { faultsOf } from '#kit/log/sqlite/check';
import { invariantsOf } from './valid-decisions.js';

/** Rows between two steps. */
const AT_ONCE = 256;
/** Before every place of a log, those that another hand chose among them. */
const BEFORE_ALL = BigInt(-Number.MAX_SAFE_INTEGER);

export interface WalkStep {
  /** All up to here has been looked at. */
  checked: bigint;
  /** Where the log ended when the walk began. */
  head: bigint;
  damage: LogDamage[];
  /** Damaged rows of the service's streams. */
  rows: DamagedRow[];
  /** Streams so far. */
  streams: number;
  /** The last event that was looked at. */
  last?: RecordedEvent;
}

export interface WalkOptions {
  /** Folder of a SQLite log. */
  directory?: string;
  onEvent?(event: RecordedEvent): void;
  /** Looks at events behind this place alone: rules about what stood before them are left out. */
  after?: bigint;
  /** Ends with this place in place of the log's last one. */
  upTo?: bigint;
  /** False where order, pages, indices and the newest event are looked at in another walk. */
  faults?: boolean;
  /** True of an event whose own fault is told elsewhere. */
  passes?(event: RecordedEvent): boolean;
}

/** @param reader a strict one @throws LogSecretMissing, StoreUnavailable */
export async function* walk(
  reader: SealedReader,
  { directory, onEvent, after, upTo, faults = true, passes = () => false }: WalkOptions = {},
): AsyncGenerator<WalkStep> {
  // Approvals from here on rest on claims that are not counted.
  const head = await reader.head();
  const last = upTo ?? head;
  let step: WalkStep = { checked: 0n, head, damage: [], rows: [], streams: 0 };
  try {
    const invariants = await invariantsOf(reader, after !== undefined);
    let rows = 0;
    for await (const read of readThrough(reader, { after: after ?? BEFORE_ALL })) {
      const { position, stream, revision, type } = read;
      if (position > last) break;
      step.checked = position > 0n ? position : 0n;
      if (read instanceof UnreadableEvent) {
        invariants.unreadable(stream, revision);
        step.rows.push({ position, stream, revision, type, problem: read.reason });
      } else if (reader.seals.isDisowned(position)) invariants.noEvent(stream, revision);
      else {
        const at = { position: String(position), stream, revision: Number(revision), type };
        const problems = invariants.check(read);
        if (!passes(read)) step.damage.push(...problems.map((problem) => ({ ...at, problem })));
      }
      if (!(read instanceof UnreadableEvent)) {
        onEvent?.(read);
        step.last = read;
      }
      step.streams = invariants.streams;
      if (++rows % AT_ONCE !== 0) continue;
      yield step;
      step = { ...step, damage: [], rows: [] };
    }
  } catch (error) {
    // Which pages are damaged is told below.
    if (!(error instanceof LogCorrupt && directory !== undefined)) throw error;
  }
  if (directory !== undefined && faults) step.damage.push(...faultsOf(directory, reader.seals));
  yield { ...step, checked: last };
}

/** One walk through a log: what `mvs events verify` and the check of a running service hold its events to, beyond bytes. */
import { streams } from '#domain/streams';
import type { LogDamage } from '#kit/log/damage';
import { LogSecretMissing, type RecordedEvent, UnreadableEvent } from '#kit/log/port';
import type { SealedReader } from '#kit/log/seal';
import { TakenCheck, type TakenFault } from '#kit/log/taken';
import { invariantsOf } from './valid-decisions.js';

export class LogWalk {
  private constructor(
    private readonly invariants: Awaited<ReturnType<typeof invariantsOf>>,
    private readonly taken: TakenCheck,
  ) {}

  /** @throws LogSecretMissing */
  static async of(reader: SealedReader): Promise<LogWalk> {
    const invariants = await invariantsOf(reader);
    const { missing, known } = reader.seals;
    if (missing.length > 0) throw new LogSecretMissing(missing);
    return new LogWalk(invariants, new TakenCheck(known?.taken ?? []));
  }

  get streams(): number {
    return this.invariants.streams;
  }

  /** Given every row in the log's order, as a reader that shows rows gives it. @returns mostly nothing */
  take(read: RecordedEvent | UnreadableEvent): LogDamage[] {
    if (!(read instanceof UnreadableEvent) && read.unsealed !== undefined) {
      this.invariants.noEvent(read.stream, read.revision);
      return [];
    }
    const faults = this.taken.take(read).map(asDamage);
    if (read instanceof UnreadableEvent) {
      this.invariants.unreadable(read.stream);
      return faults;
    }
    const { stream, revision, type } = read;
    const at = { position: String(read.position), stream, revision: Number(revision), type };
    return [...faults, ...this.invariants.check(read).map((problem) => ({ ...at, problem }))];
  }

  /** After the last row. */
  end(): LogDamage[] {
    return this.taken.end().map(asDamage);
  }
}

const asDamage = (fault: TakenFault): LogDamage => ({
  stream: streams.log(),
  revision: null,
  type: 'LogSealed',
  ...fault,
});

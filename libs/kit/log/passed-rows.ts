import type { RecordedEvent } from './port.js';

/** Rows that are no events, as far as they take revisions between events: any other changes nothing in an export. */
export class PassedRows {
  /** By stream: revisions. */
  readonly #rows = new Map<string, Set<bigint>>();
  /** By stream: the revision after its last event. */
  readonly #next = new Map<string, bigint>();
  readonly #gaps: { stream: string; from: bigint; to: bigint }[] = [];

  row({ stream, revision }: RecordedEvent): void {
    const known = this.#rows.get(stream);
    if (known) known.add(revision);
    else this.#rows.set(stream, new Set([revision]));
  }

  event({ stream, revision }: RecordedEvent): void {
    const from = this.#next.get(stream) ?? 0n;
    if (revision > from) this.#gaps.push({ stream, from, to: revision });
    this.#next.set(stream, revision + 1n);
  }

  /** At the end: a row's place in the log may be behind events that follow it in its stream. */
  between(): number {
    let found = 0;
    for (const { stream, from, to } of this.#gaps) {
      const rows = this.#rows.get(stream) ?? new Set();
      if (to - from > rows.size) for (const revision of rows) found += revision >= from && revision < to ? 1 : 0;
      else for (let revision = from; revision < to; revision++) found += rows.has(revision) ? 1 : 0;
    }
    return found;
  }
}

import type { EventReader } from '#kit/log/port';
import { CommandRefused } from '#kit/log/refused';
import type { EvidenceView } from './queries-evidence.js';

export interface EvidenceDependencies {
  store: Pick<EventReader, 'head'>;
  evidence: Pick<EvidenceView, 'waitFor'>;
  /** Longest wait for a view (ms). */
  viewWaitMs: number;
}

/**
 * A decision on evidence waits for all events stored before.
 * @throws CommandRefused (behind) after a bounded wait
 */
export async function evidenceCaughtUp({ store, evidence, viewWaitMs }: EvidenceDependencies): Promise<void> {
  if (!(await evidence.waitFor(await store.head(), viewWaitMs)))
    throw new CommandRefused('behind', 'the evidence has not caught up with the log');
}

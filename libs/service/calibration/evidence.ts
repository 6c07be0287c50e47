import type { EventReader } from '#event-store';
import type { EvidenceView } from '#views';
import { Refused } from '../refused.js';

export interface EvidenceNeeds {
  store: Pick<EventReader, 'head'>;
  evidence: Pick<EvidenceView, 'waitFor'>;
  /** Longest wait for a view (ms). */
  viewWaitMs: number;
}

/** What is decided on evidence waits for all that was stored before. @throws Refused (behind) after a bounded wait */
export async function evidenceCaughtUp({ store, evidence, viewWaitMs }: EvidenceNeeds): Promise<void> {
  if (!(await evidence.waitFor(await store.head(), viewWaitMs)))
    throw new Refused('behind', 'the evidence has not caught up with the log');
}

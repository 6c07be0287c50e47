/** The ports with spans and counts around them. */

import { withAppend } from '#kit/log/guarded';
import type { EventStore, NewEvent } from '#kit/log/port';
import type { Scoring } from '#kit/queue/port';
import type { Metrics } from './metrics.js';
import { inSpan } from './tracing.js';

export function observedStore(store: EventStore, metrics: Metrics): EventStore {
  const count = (events: readonly NewEvent[]) => {
    for (const { type, data } of events) {
      metrics.events.inc({ type });
      if (type !== 'ClaimScored') continue;
      const { verdict, reject_target } = (data as { result: { verdict: string; reject_target: number } }).result;
      metrics.verdicts.inc({ verdict, reject_target: reject_target.toFixed(2) });
    }
  };
  return withAppend(store, async (stream, events, expected) => {
    const end = metrics.appends.startTimer();
    const kind = stream.split('-', 1)[0];
    try {
      const appended = await inSpan('append', { 'mvs.stream': kind, 'mvs.events': events.length }, () =>
        store.append(stream, events, expected),
      );
      end({ outcome: 'stored' });
      count(events);
      return appended;
    } catch (error) {
      end({ outcome: (error as Error).name });
      throw error;
    }
  });
}

export function observedScoring(scoring: Scoring): Scoring {
  return {
    readAndScore: (upload, options) =>
      new Promise((resolve, reject) => {
        // The span lasts until the vectors are there; the caller goes on as soon as the upload is checked.
        inSpan('score', {}, async () => {
          const taken = await scoring.readAndScore(upload, options);
          resolve(taken);
          await taken.scored;
        }).catch(reject);
      }),
    score: (job, options) => scoring.score(job, options),
    state: () => scoring.state(),
    close: () => scoring.close(),
  };
}

/** The checks of a running service's log beyond bytes: those of `mvs events verify`, but for events that stop the views. */
import { recordedFault } from '#catalogue/admission';
import { UnreadableEvent } from '#kit/log/port';
import { readThrough } from '#kit/log/read-through';
import { type LogLook, paced } from '#kit/log/sqlite/check';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { invariantsOf } from './obeyed.js';

/** Events between two pauses. */
const AT_ONCE = 256;

/** Run by the log check's thread, over the log up to where it ended when this began. */
export const lookAtEvents: LogLook = async ({ directory }, stop, report) => {
  const reader = openSqliteEventReader({ directory });
  try {
    // Approvals from here on rest on claims that are not counted.
    const head = await reader.head();
    const invariants = await invariantsOf(reader);
    const goOn = paced(stop);
    let looked = 0;
    for await (const event of readThrough(reader)) {
      if (event.position > head) return;
      if (event instanceof UnreadableEvent) {
        invariants.unreadable(event.stream);
        continue;
      }
      const { position, stream, revision, type } = event;
      const at = { position: String(position), stream, revision: Number(revision), type };
      // An event that no view takes stops them, which health says until an operator lets it pass: not for ever here too.
      const taken = recordedFault(event) === undefined;
      const damage = invariants
        .check(event)
        .filter(() => taken)
        .map((problem) => ({ ...at, problem }));
      if (damage.length > 0) report(damage);
      if (++looked % AT_ONCE === 0 && !goOn()) return;
    }
  } finally {
    await reader.close();
  }
};

/** For `LogCheck`. */
export const EVENT_LOOK = { module: new URL('./log-look.js', import.meta.url), exportName: 'lookAtEvents' };

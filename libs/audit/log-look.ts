/** The checks of a running service's log beyond bytes: those of `mvs events verify`, but for events that stop the views. */
import { recordedFault } from '#catalogue/admission';
import { streams } from '#domain/streams';
import { UnreadableEvent } from '#kit/log/port';
import { readThrough } from '#kit/log/read-through';
import { type LogLook, paced } from '#kit/log/sqlite/check';
import { openSqliteEventReader } from '#kit/log/sqlite/store';
import { TakenCheck, type TakenFault } from '#kit/log/taken';
import { invariantsOf } from './obeyed.js';

/** Events between two pauses. */
const AT_ONCE = 256;

/** Run by the log check's thread, over the log up to where it ended when this began. */
export const lookAtEvents: LogLook = async (log, stop, report) => {
  const reader = openSqliteEventReader({ ...log, rows: true });
  try {
    // Approvals from here on rest on claims that are not counted.
    const head = await reader.head();
    const invariants = await invariantsOf(reader);
    const goOn = paced(stop);
    let looked = 0;
    const decisions = new TakenCheck(reader.seals.known?.taken ?? []);
    const broken = (faults: TakenFault[]) => {
      const at = { stream: streams.log(), revision: null, type: 'LogSealed' };
      if (faults.length > 0) report(faults.map((fault) => ({ ...at, ...fault })));
    };
    for await (const event of readThrough(reader)) {
      if (event.position > head) break;
      if (++looked % AT_ONCE === 0 && !goOn()) return;
      if (event instanceof UnreadableEvent) {
        broken(decisions.take(event));
        invariants.unreadable(event.stream);
        continue;
      }
      if (event.unsealed !== undefined) {
        invariants.noEvent(event.stream, event.revision);
        continue;
      }
      broken(decisions.take(event));
      const { position, stream, revision, type } = event;
      const at = { position: String(position), stream, revision: Number(revision), type };
      // An event that no view takes stops them, which health says until an operator lets it pass: not for ever here too.
      const taken = recordedFault(event) === undefined;
      const damage = invariants
        .check(event)
        .filter(() => taken)
        .map((problem) => ({ ...at, problem }));
      if (damage.length > 0) report(damage);
    }
    broken(decisions.end());
  } finally {
    await reader.close();
  }
};

/** For `LogCheck`. */
export const EVENT_LOOK = { module: new URL('./log-look.js', import.meta.url), exportName: 'lookAtEvents' };

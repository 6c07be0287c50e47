import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECTIONS } from '#catalogue/projections';
import { findingsProjection } from '#findings/view';
import { PoisonedEvent } from './projection.js';
import { dump, TestLog, viewOf } from './test/log.js';
import { gathering, seen } from './test/refusals.js';
import { ViewFile } from './view-file.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mvs-view-file-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('a view file', () => {
  const refusals = (...reasons: string[]) => {
    const log = new TestLog();
    for (const reason of reasons) log.append('edge', { type: 'RefusalsCounted', version: 1, data: { reason } });
    return log.events;
  };

  it('writes what it has gathered for a reader, and notifies whoever folds when that fails', () => {
    const file = new ViewFile(gathering, join(directory, 'file'));
    const [a, boom, c] = refusals('a', 'boom', 'c');
    file.take(a);
    expect(seen(file)).toEqual({ a: 1 });
    file.commit();
    file.take(boom);
    file.take(c);
    // The latest event is blamed until they are folded one by one.
    const blamed = `stopped at position ${c.position} (RefusalsCounted in stream edge): CHECK constraint failed`;
    expect(() => file.db).toThrow(blamed);
    file.reach(c.position + 1n);
    expect(file.position).toBe(a.position);
    expect(() => file.commit()).toThrow(blamed);
    file.take(c);
    file.commit();
    expect(seen(file)).toEqual({ a: 1, c: 1 });
    file.close();
  });

  it.each(PROJECTIONS.map((projection) => [projection.name, projection] as const))(
    '%s: takes or refuses a second submission of a claim alike, gathered with the first or not',
    (_, projection) => {
      const log = new TestLog();
      log.claim({ rough: { stone: 'R' }, polish: { stone: 'P' } });
      const at = log.events.findIndex(({ type }) => type === 'ClaimSubmitted');
      const [first, ...others] = log.events.splice(at);
      for (const { stream, ...event } of [first, first, ...others, first]) log.append(stream, event);
      const outcome = (batch: number) => {
        try {
          return dump(viewOf(projection, log.events, batch));
        } catch (error) {
          expect(error).toBeInstanceOf(PoisonedEvent);
          return 'refused';
        }
      };
      for (const batch of [2, 3, 1000]) expect(outcome(batch)).toEqual(outcome(1));
    },
  );

  it('is the same after a stop in the midst', () => {
    const log = new TestLog();
    for (let i = 0; i < 40; i++) {
      log.claim({
        rough: { stone: `R${i % 6}`, session: i % 2, angle: 0.1 },
        polish: { stone: `P${i % 5}`, session: i % 3, angle: 0.15 },
      });
    }
    const folder = join(directory, 'half');
    for (const part of [log.events.slice(0, 77), log.events]) {
      const file = new ViewFile(findingsProjection, folder);
      for (const event of part) if (event.position > file.position) file.take(event);
      file.commit();
      if (part === log.events) expect(dump(file)).toEqual(dump(viewOf(findingsProjection, log.events)));
      file.close();
    }
    expect(existsSync(folder)).toBe(true);
  });
});

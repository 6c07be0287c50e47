import { describe, expect, it } from '@jest/globals';
import {
  evolveCalibration,
  isObeyed,
  obeyCalibration,
  type RungApproved,
  streams,
  uncalibrated,
  upcast,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import { proposalOf, TestLog } from '../views/test/log.js';
import { CalibrationChains, chainRoot } from './chain.js';

const POPULATION = 'lab-a';
const stream = streams.calibration(POPULATION);
const decided = {
  population: POPULATION,
  reject_target: 0.98,
  operator: 'anna',
  reason: 'why',
  proposal: proposalOf(),
  requested_by: null,
};

/** A stream of before, which begins its chain with the third event. */
function written(): RecordedEvent[] {
  const log = new TestLog();
  for (let n = 0; n < 4; n++) {
    const chain = n < 2 ? {} : { chain: chainRoot(POPULATION, log.events) };
    log.append(stream, { type: 'RungApproved', version: n < 2 ? 1 : 2, data: { ...decided, at: log.now(), ...chain } });
  }
  return log.events;
}
const faults = (events: RecordedEvent[]) => {
  const chains = new CalibrationChains();
  return events.map((event) => chains.check(event) !== undefined);
};

describe('the chain of a calibration stream', () => {
  it('holds as it is written, also as a reader lifts it', () => {
    const events = written();
    expect(faults(events)).toEqual([false, false, false, false]);
    const lifted = events.map((event) => ({
      ...event,
      ...upcast(event),
      stored: { version: event.version, data: event.data },
    }));
    expect(chainRoot(POPULATION, lifted)).toBe(chainRoot(POPULATION, events));
    expect(faults(lifted)).toEqual([false, false, false, false]);
  });

  it('breaks at the next event where one was changed, taken away, or put in of an older version', () => {
    const [a, b, c, d] = written();
    const changed = { ...b, data: { ...b.data, reason: 'another' } };
    expect(faults([a, changed, c, d])).toEqual([false, false, true, true]);
    expect(faults([a, c, d])).toEqual([false, true, true]);
    expect(faults([a, b, c, { ...a, revision: 3n }])).toEqual([false, false, false, true]);
  });
});

describe('an approval that the service would not write', () => {
  const event = (data: object) =>
    upcast({ type: 'RungApproved', version: 1, data: data as Record<string, unknown> }) as unknown as RungApproved;
  const sound = { ...decided, at: '2026-11-01T00:00:00.000Z' };
  it.each([
    ['a member "event"', { ...sound, event: 'RungWithdrawn' }],
    ['a rung of 0.984', { ...sound, reject_target: 0.984 }],
    ['no proposal', { ...sound, proposal: undefined }],
  ])('with %s is not obeyed', (_, data) => {
    expect(isObeyed(event(sound))).toBe(true);
    expect(obeyCalibration(uncalibrated, event(sound))).toEqual(evolveCalibration(uncalibrated, event(sound)));
    expect(obeyCalibration(uncalibrated, event(data))).toBe(uncalibrated);
  });
});

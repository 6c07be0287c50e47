import type { RecordedEvent } from '#kit/log/port';
import { calibrationChain, chainRoot } from './chain.js';

const event: RecordedEvent = {
  ...{ id: '019aa0b0-0000-7000-8000-000000000001', type: 'RungWithdrawn', version: 2, data: { chain: 'c' } },
  ...{ stream: 'calibration-lab', revision: 0n, position: 7n, recordedAt: new Date('2026-11-01T00:00:00.000Z') },
};

it('is carried on over events as they stand in the log, wherever that is and whatever reads it', () => {
  const root = chainRoot('lab', [event]);
  // As docs/audit/chain.md writes it down, computed elsewhere.
  expect(root).toBe('134088baf1b32928d5ea0827ef4e8480b722ff0208a3d30ee3d76cfd0f34573d');
  expect(calibrationChain.after(calibrationChain.beginning('lab'), event)).toBe(root);
  expect(chainRoot('lab', [{ ...event, position: 9n }])).toBe(root);
  const { version, data } = event;
  const lifted = { ...event, version: 3, data: { ...data, more: null }, stored: { version, data } };
  expect(chainRoot('lab', [lifted])).toBe(root);
  expect(chainRoot('lab-b', [event])).not.toBe(root);
  expect(chainRoot('lab', [{ ...event, recordedAt: new Date(0) }])).not.toBe(root);
});

import { StreamStates } from './stream-states.js';

it('holds the last state of each of many streams', () => {
  const [states, expected] = [new StreamStates(), new Map<string, number>()];
  for (let n = 0; n < 60_000; n++) {
    const stream = `claim-${n % 25_000}-${'x'.repeat(n % 7)}`;
    states.set(stream, { revision: n, note: n % 255 });
    expected.set(stream, n);
  }
  expect(states.size).toBe(expected.size);
  const found = [...expected].filter(([stream, n]) => {
    const state = states.get(stream);
    return state?.revision === n && state.note === n % 255;
  });
  expect(found).toHaveLength(expected.size);
  expect(states.get('claim-1')).toBeUndefined();
});

import { expect, it } from '@jest/globals';
import { lines } from './progress.js';

it('tells a long run in a pipe now and then, and a short one not at all', () => {
  let now = 0;
  const run = (steps: number, milliseconds: number) => {
    const told: string[] = [];
    const progress = lines(
      'stones',
      steps,
      (line) => told.push(line),
      () => now,
    );
    for (let i = 0; i < steps; i++) {
      now += milliseconds;
      progress.advance();
    }
    progress.stop();
    return told;
  };
  expect(run(100, 10)).toEqual([]);
  expect(run(12, 1000)).toEqual(['mvs: stones 5/12', 'mvs: stones 10/12', 'mvs: stones 12/12']);
});

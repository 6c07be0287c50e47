import { lines } from './progress.js';

it('reports a long run in a pipe now and then, and a short one not at all', () => {
  let now = 0;
  const run = (steps: number, milliseconds: number) => {
    const written: string[] = [];
    const progress = lines(
      'stones',
      steps,
      (line) => written.push(line),
      () => now,
    );
    for (let i = 0; i < steps; i++) {
      now += milliseconds;
      progress.advance();
    }
    progress.stop();
    return written;
  };
  expect(run(100, 10)).toEqual([]);
  expect(run(12, 1000)).toEqual(['mvs: stones 5/12, 7 left', 'mvs: stones 10/12, 2 left', 'mvs: stones 12/12, 0 left']);
});

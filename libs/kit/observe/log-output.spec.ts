import { fileSink, LogOutput } from './log-output.js';

it('counts the lines that are not taken, and says once how many are missing', () => {
  const written: string[] = [];
  let full = false;
  const output = new LogOutput((line, taken) => {
    if (!full) written.push(line);
    taken(!full);
  });
  output.write('a\n');
  full = true;
  for (let i = 0; i < 3; i++) output.write('b\n');
  expect([output.dropped, output.dropping]).toEqual([3, true]);
  full = false;
  output.write('c\n');
  output.write('d\n');
  expect([output.dropped, output.dropping]).toEqual([3, false]);
  const [a, c, told, d] = written;
  expect([a, c, d]).toEqual(['a\n', 'c\n', 'd\n']);
  expect(JSON.parse(told)).toEqual({ level: 40, time: expect.any(Number), lines: 3, msg: 'log lines dropped' });
});

it('goes on saying what is missing where that line is not taken either', () => {
  const answers = [false, true, false, true, true];
  const written: string[] = [];
  const output = new LogOutput((line, taken) => {
    const yes = answers.shift() ?? true;
    if (yes) written.push(line);
    taken(yes);
  });
  for (const line of ['a\n', 'b\n']) output.write(line);
  expect([output.dropped, output.dropping]).toEqual([1, true]);
  output.write('c\n');
  expect([output.dropped, output.dropping]).toEqual([1, false]);
  expect(JSON.parse(written[2])).toMatchObject({ lines: 1 });
});

it('begins a line of its own after one that a full disk cut short', () => {
  let text = '';
  let room = 3;
  const sink = fileSink(-1, ((_file: number, bytes: Buffer, from = 0) => {
    if (room === 0) throw new Error('ENOSPC');
    const piece = bytes.subarray(from, from + room);
    text += piece;
    room -= piece.length;
    return piece.length;
  }) as never);
  const taken: boolean[] = [];
  for (const line of ['12345\n', '67\n']) sink(line, (yes) => taken.push(yes));
  room = 100;
  for (const line of ['89\n', '10\n']) sink(line, (yes) => taken.push(yes));
  expect([text, taken]).toEqual(['123\n89\n10\n', [false, false, true, true]]);
});

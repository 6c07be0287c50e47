import { readable } from './readable-log.js';

it('shows a log line to a person, and no control of what a client sent to the terminal', () => {
  const time = Date.UTC(2026, 10, 20, 9, 8, 7);
  const line = {
    level: 40,
    time,
    key: 'bench 1',
    file: 'a\u001b[2Jb',
    count: 3,
    parts: { a: 1 },
    msg: 'refused calls',
  };
  expect(readable(JSON.stringify(line))).toBe(
    '09:08:07 WARN  refused calls key=bench 1 file="a\\u001b[2Jb" count=3 parts={"a":1}',
  );
  const fault = { level: 50, time, err: { message: 'gone', stack: 'Error: gone\n    at x' }, msg: 'fault' };
  expect(readable(JSON.stringify(fault))).toBe('09:08:07 ERROR fault\n  Error: gone\n      at x');
});

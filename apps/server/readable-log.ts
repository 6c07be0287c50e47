/** Log lines for a person at a terminal. */
import pino from 'pino';

/** One JSON line of pino as a person reads it: time, level, message, then the members. */
export function readable(line: string): string {
  const { time, level, msg, err, ...members } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const name = pino.levels.labels[Number(level)] ?? String(level);
  const fields = Object.entries(members).map(([key, value]) => ` ${key}=${shown(value)}`);
  const { stack, message } = (err ?? {}) as { stack?: string; message?: string };
  const cause = err === undefined ? '' : `\n  ${(stack ?? message ?? shown(err)).replaceAll('\n', '\n  ')}`;
  return `${clock} ${name.toUpperCase().padEnd(5)} ${shown(msg ?? '')}${fields.join('')}${cause}`;
}

/** No control reaches the terminal: members may hold what a client sent. */
const shown = (value: unknown): string =>
  typeof value === 'string' && !/[\p{C}"=]/u.test(value) ? value : JSON.stringify(value);

import { randomUUID } from 'node:crypto';

/** A fresh UUID of version 7: its head is the time, so that ids of neighbours in the log are neighbours in its index. */
export function newEventId(now = Date.now()): string {
  const random = randomUUID();
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${random.slice(15)}`;
}

/** The descriptors that this process may have open, held to the connections that it is to take. */
import { readFileSync } from 'node:fs';
import type { Configuration } from '#config/environment';

/** Files, threads and connections to Redis and the log that are no client's. */
const OWN_DESCRIPTORS = 100;
/** With no bound of connections: what the clients of a proxy may need. */
const BEHIND_A_PROXY = 1024;

/** What is to be said of too few descriptors; undefined where they suffice. @param limits text of /proc/PID/limits */
export function shortOfDescriptors(
  limits: string,
  { connectionsPerAddress }: Pick<Configuration, 'connectionsPerAddress'>,
): { descriptors: number; needed: number; fix: string } | undefined {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  const descriptors = Number(soft ?? Number.POSITIVE_INFINITY);
  const needed = (connectionsPerAddress || BEHIND_A_PROXY) + OWN_DESCRIPTORS;
  if (descriptors >= needed) return undefined;
  const fewer = descriptors - OWN_DESCRIPTORS;
  const or = connectionsPerAddress > 0 && fewer > 0 ? `, or set MVS_MAX_CONNECTIONS=${fewer}` : '';
  return { descriptors, needed, fix: `allow more (ulimit -n ${needed}; systemd: LimitNOFILE)${or}` };
}

/** Of this process; '' where the system has no /proc. */
export function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}

/**
 * Where the check of the log goes on after a start, kept in a file beside `acknowledged.json`. It is no promise that what stands
 * before it is sound: each check goes over the whole log, and only begins there. A place that the log does not hold counts for
 * nothing.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { faultOf } from '#domain/guard';
import { type EventReader, original, type RecordedEvent, UnreadableEvent } from './port.js';
import { sha256Hex } from './secrets.js';
import { exportLine } from './transfer.js';

const whole = Type.String({ pattern: '^[0-9]{1,20}$' });
const checkedPlace = Type.Object({
  mvs_checked: Type.Literal(1),
  /** The last event of the log that was looked at, with a digest over it; null where the next check begins with the first. */
  event: Type.Union([
    Type.Null(),
    Type.Object({ position: whole, stream: Type.String(), revision: whole, digest: Type.String() }),
  ]),
  /** When the whole log had been gone over last, ISO 8601; null if never. */
  whole_at: Type.Union([Type.Null(), Type.String()]),
});
export type CheckedPlace = Static<typeof checkedPlace>;

export const NOWHERE: CheckedPlace = { mvs_checked: 1, event: null, whole_at: null };

export const checkedFile = (directory: string) => join(directory, 'checked.json');

/** `NOWHERE` where there is no file that can be used. */
export function readCheckedPlace(directory: string): CheckedPlace {
  try {
    const value: unknown = JSON.parse(readFileSync(checkedFile(directory), 'utf8'));
    return faultOf(checkedPlace, value, 'it') === undefined ? (value as CheckedPlace) : NOWHERE;
  } catch {
    return NOWHERE;
  }
}

/** A file that cannot be written costs the next check a longer way, and nothing else. */
export function writeCheckedPlace(directory: string, place: CheckedPlace): void {
  const file = checkedFile(directory);
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(place)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {}
}

export const placeOf = (event: RecordedEvent): CheckedPlace['event'] => ({
  position: String(event.position),
  stream: event.stream,
  revision: String(event.revision),
  digest: digestOf(event),
});

/** Place of the noted event, if the log holds it as it was. @throws StoreUnavailable */
export async function positionOf(reader: EventReader, { event }: CheckedPlace): Promise<bigint | undefined> {
  if (event === null) return undefined;
  try {
    const [found] = await reader.readStream(event.stream, { from: BigInt(event.revision), limit: 1 });
    const same = found && String(found.position) === event.position && digestOf(found) === event.digest;
    return same ? found.position : undefined;
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined;
    throw error;
  }
}

const digestOf = (event: RecordedEvent) => sha256Hex(exportLine(original(event)));

import type { EventOf } from '../catalogue.js';

/** Facts of calls that no claim's history holds. Nothing is decided on them. */
export type ClaimRefused = EventOf<'ClaimRefused'>;
export type ClaimReplayed = EventOf<'ClaimReplayed'>;
/** Calls refused before a key answered for them, or for coming too often: counted, so that a flood cannot fill the log. */
export type RefusalsCounted = EventOf<'RefusalsCounted'>;

export type TelemetryEvent = ClaimRefused | ClaimReplayed | RefusalsCounted;

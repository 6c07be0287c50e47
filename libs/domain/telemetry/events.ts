import type { KeyFacts } from '../api-key/events.js';
import type { ClaimResult, Latency, SideFacts, Submission } from '../claim/events.js';
import type { Happened } from '../decider.js';

/** Facts of calls that no claim's history holds. Nothing is decided on them. */
export type ClaimRefused = Happened<
  'ClaimRefused',
  2,
  {
    request_id: string;
    key: KeyFacts;
    transport?: Submission['transport'];
    status: number;
    /** The refusal's kind, not its text: a text may quote what was sent. */
    reason: string;
    side?: 'rough' | 'polish';
    reject_target?: number;
    replay?: boolean;
    /** The claim it left unfinished. */
    claim_id?: string;
    /** Of each side what could be read and measured, whichever of them was refused. */
    rough?: Partial<SideFacts>;
    polish?: Partial<SideFacts>;
    latency_ms: Latency;
    at: string;
  }
>;

export type ClaimReplayed = Happened<
  'ClaimReplayed',
  2,
  Submission & {
    tag: 'verify_match_replay';
    /** Whose credential let it through: an operator's name or `replay-token`. */
    authorised_by: string;
    result: ClaimResult;
    engine: string;
    latency_ms: Latency;
  }
>;

/** Calls refused before a key answered for them, or for coming too often: counted, so that a flood cannot fill the log. */
export type RefusalsCounted = Happened<
  'RefusalsCounted',
  1,
  { status: 401 | 429; reason: string; count: number; from: string; until: string }
>;

export type TelemetryEvent = ClaimRefused | ClaimReplayed | RefusalsCounted;

/**
 * Parameters of the listings, each once: the views' queries are typed by them, and the request classes, the contract with
 * both clients, and the options of `mvs views` are made from them. Page size and cursor belong to every listing.
 */
import { FINDINGS, KEY_KINDS, VERDICTS } from '#domain/shapes';
import { ACTIONS } from '#science/matching/action';
import { WARNING_KINDS } from '#science/matching/warnings';

interface Described {
  readonly says: string;
}
interface Text extends Described {
  readonly kind: 'text';
  readonly longest: number;
}
interface OneOf<T extends string> extends Described {
  readonly kind: 'one of';
  readonly values: readonly T[];
}
/** @property unset what the command's `--no-` form lists, where it has one */
interface Flag extends Described {
  readonly kind: 'flag';
  readonly unset?: string;
}
/** A time (ISO 8601), a rung such as 0.98, a share from 0 to 1, or an HTTP status. */
interface Plain<K extends 'time' | 'rung' | 'share' | 'status'> extends Described {
  readonly kind: K;
}

export type Parameter = Text | OneOf<string> | Flag | Plain<'time'> | Plain<'rung'> | Plain<'share'> | Plain<'status'>;
export type Parameters = Readonly<Record<string, Parameter>>;

type Value<P> =
  P extends OneOf<infer T> ? T : P extends Flag ? boolean : P extends Plain<'share' | 'status'> ? number : string;
/** The query of a listing; nothing is required. */
export type Asked<L> = { -readonly [N in keyof L]?: Value<L[N]> };

/** The page of a listing. */
export interface Paging {
  limit: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

const text = (says: string, longest = 256): Text => ({ kind: 'text', says, longest });
const oneOf = <T extends string>(says: string, values: readonly T[]): OneOf<T> => ({ kind: 'one of', says, values });
const flag = (says: string, unset?: string): Flag => ({ kind: 'flag', says, unset });
const time = (says: string): Plain<'time'> => ({ kind: 'time', says });
const share = (says: string): Plain<'share'> => ({ kind: 'share', says });

export const RUNG_PATTERN = /^0?[.]9[0-9]?0*$/;
const key = text('name or prefix of the key');
const population = text('population');
const verdict = oneOf('verdict', VERDICTS);
const total = flag('whether the answer says how many items there are on all pages, exact up to 10,000');

/** The orders in which claims may be sorted. */
export const CLAIM_SORTS = ['time', 'p_match_5050', 'distance'] as const;
export type ClaimSort = (typeof CLAIM_SORTS)[number];

export const CLAIM_LISTING = {
  key,
  key_kind: oneOf('claims under test keys, which do not count, or under production keys', KEY_KINDS),
  population,
  verdict,
  reject_target: { kind: 'rung', says: 'rung' },
  label: oneOf('ground truth', ['match', 'no_match', 'none']),
  reference: text('stone reference of either side'),
  search: text('start of the claim_id, or of a stone reference of either side, in any case'),
  from: time('submitted at or after'),
  to: time('submitted before'),
  finding: oneOf('claims behind a finding', FINDINGS),
  status: oneOf('unfinished: submitted, and no verdict was stored', ['scored', 'unfinished']),
  action: oneOf('recommended next step; review with reviewed=false is what waits for a person', ACTIONS),
  p_min: share('p_match_5050 at least'),
  p_max: share('p_match_5050 at most'),
  warning: oneOf('kind of a warning in its answer', WARNING_KINDS),
  reviewed: flag('whether an operator has reviewed the claim', 'claims without a note'),
  as_of: time('a past time: the ledger as it stood then'),
  sort: oneOf(
    'time: newest first; p_match_5050: most probable first; distance: nearest to the threshold first, claims with a ' +
      'verdict alone. Claims behind a finding are sorted by time alone.',
    CLAIM_SORTS,
  ),
  total,
} as const satisfies Parameters;

/** A caller's own claims. */
export const OWN_CLAIM_LISTING = { since: time('submitted at or after') } as const satisfies Parameters;

export const FINDING_LISTING = {
  kind: oneOf('kind', FINDINGS),
  key: text('name or prefix of a key behind it'),
  key_kind: oneOf('test keys are counted apart', KEY_KINDS),
  population,
  status: oneOf('reviewed: no claim has joined it since an operator reviewed it', ['open', 'reviewed']),
  breach: flag('a production key tried one polish against three or more roughs', 'findings that are no breach'),
  reference: text('stone reference of the polish'),
  from: time('opened at or after'),
  to: time('opened before'),
  total,
} as const satisfies Parameters;

/** Calls of a window. */
export const CALL_WINDOW = {
  from: time('ended at or after'),
  to: time('ended before'),
  population,
  key,
  key_kind: oneOf('test keys apart', KEY_KINDS),
} as const satisfies Parameters;

/** A summary's parts: spans of UTC. */
export const BUCKETS = ['hour', 'day'] as const;
export type Bucket = (typeof BUCKETS)[number];
export const MAX_BUCKETS = 1000;

export const CALL_SUMMARY = {
  ...CALL_WINDOW,
  bucket: oneOf(`also the calls of each hour or day (UTC) of the window, ${MAX_BUCKETS} at most`, BUCKETS),
} as const satisfies Parameters;

export const TAGS = ['verify_match', 'verify_match_replay', 'refused_at_the_edge'] as const;

export const CALL_LISTING = {
  ...CALL_WINDOW,
  tag: oneOf('verify_match_replay: replays', TAGS),
  status: { kind: 'status', says: 'HTTP status' },
  reason: text('kind of the refusal', 64),
  verdict,
  warning: oneOf('kind of a warning', WARNING_KINDS),
  claim_id: text('the claim', 128),
  request_id: text('the request', 128),
} as const satisfies Parameters;

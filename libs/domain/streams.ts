/** Heads of streams' names, and the names that are whole. */
const HEADS = [
  ...(['claim', 'bank', 'telemetry', 'labels', 'key', 'calibration', 'scorer', 'figure', 'finding'] as const),
  ...(['review', 'drift', 'lot', 'lotcheck', 'rehearsal', 'workspace', 'lotscorer', 'passedover'] as const),
] as const;
const WHOLE = ['edge', 'log', 'model', 'views'] as const;

type Head = (typeof HEADS)[number];

/**
 * Each part is encoded and followed by `-` or the end, so that no part can hold a separator and a prefix that ends in `-`
 * holds nothing of a name that merely begins alike (`lab-a`, `lab-a2`).
 */
const name = (head: Head, ...parts: string[]) => `${head}-${parts.map(part).join('-')}`;
const prefix = (head: Head, ...parts: string[]) => `${[head, ...parts.map(part)].join('-')}-`;
const whole = (text: (typeof WHOLE)[number]) => text;

export const streams = {
  key: (keyId: string) => name('key', keyId),
  claim: (keyId: string, claimId: string) => name('claim', keyId, claimId),
  labels: (keyId: string) => name('labels', keyId),
  bank: (population: string, model: string, digest: string) => name('bank', population, model, digest),
  calibration: (population: string) => name('calibration', population),
  /** The bytes of a population's own scorer. */
  scorer: (population: string, digest: string) => name('scorer', population, digest),
  /** Its calibration events that are rejected. */
  rejectedDecisions: (population: string) => name('passedover', population),
  /** The wrong claims that the shipped thresholds let through on it. */
  figure: (population: string) => name('figure', population),
  telemetry: (keyId: string) => name('telemetry', keyId),
  /** Calls that no key answers for. */
  edge: () => whole('edge'),
  finding: (findingId: string) => name('finding', findingId),
  /** Operators' notes on a claim. */
  review: (claimId: string) => name('review', claimId),
  /** The live model. */
  model: () => whole('model'),
  drift: (population: string) => name('drift', population),
  /** The log's own story: no export holds it. */
  log: () => whole('log'),
  /** Operators' decisions about views. */
  views: () => whole('views'),
  lot: (workspaceId: string, lotId: string) => name('lot', workspaceId, lotId),
  lotCheck: (workspaceId: string, checkId: string) => name('lotcheck', workspaceId, checkId),
  rehearsal: (workspaceId: string, rehearsalId: string) => name('rehearsal', workspaceId, rehearsalId),
  workspace: (workspaceId: string) => name('workspace', workspaceId),
  /** Operators' decisions about its own lot scorer. */
  lotScorer: (workspaceId: string) => name('lotscorer', workspaceId),
};

export const streamPrefixes = {
  keys: prefix('key'),
  claims: prefix('claim'),
  claimsOf: (keyId: string) => prefix('claim', keyId),
  labels: prefix('labels'),
  bank: (population: string, model?: string) => prefix('bank', population, ...(model === undefined ? [] : [model])),
  calibration: prefix('calibration'),
  figure: prefix('figure'),
  telemetry: prefix('telemetry'),
  lotScorer: prefix('lotscorer'),
  /** Streams of the lot product, all together. */
  lots: [prefix('lot'), prefix('lotcheck'), prefix('rehearsal'), prefix('workspace'), prefix('lotscorer')],
};

const OWN = new RegExp(`^(?:(?:${HEADS.join('|')})-|(?:${WHOLE.join('|')})$)`);

/** A log may be shared with other applications: their streams are ignored. */
export const isOwnStream = (stream: string): boolean => OWN.test(stream);

/** True if a stream's name ends with this part. */
export const endsWithPart = (stream: string, text: string): boolean => stream.endsWith(`-${part(text)}`);

/**
 * The population of a calibration stream.
 * @returns the empty name, which no population has, where the stream names none
 */
export function populationOf(stream: string): string {
  try {
    return decodeURIComponent(stream.slice(streamPrefixes.calibration.length));
  } catch {
    return '';
  }
}

/** Letters, digits, `_`, `.` and `~` stay; everything else is percent-encoded UTF-8. */
function part(text: string): string {
  return encodeURIComponent(text).replace(/[-!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

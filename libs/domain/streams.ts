/**
 * Names of streams. Each part is encoded and followed by `-` or the end, so that no part can hold a separator and a
 * prefix that ends in `-` holds nothing of a name that merely begins alike (`lab-a`, `lab-a2`).
 */
export const streams = {
  key: (keyId: string) => `key-${part(keyId)}`,
  claim: (keyId: string, claimId: string) => `claim-${part(keyId)}-${part(claimId)}`,
  labels: (keyId: string) => `labels-${part(keyId)}`,
  bank: (population: string, model: string, digest: string) =>
    `${streamPrefixes.bank(population, model)}${part(digest)}`,
  calibration: (population: string) => `calibration-${part(population)}`,
  /** The bytes of a population's own scorer. */
  scorer: (population: string, digest: string) => `scorer-${part(population)}-${part(digest)}`,
  /** What the shipped thresholds let through on it. */
  figure: (population: string) => `figure-${part(population)}`,
  telemetry: (keyId: string) => `telemetry-${part(keyId)}`,
  /** Calls that no key answers for. */
  edge: () => 'edge',
  finding: (findingId: string) => `finding-${part(findingId)}`,
  /** What operators noted of a claim. */
  review: (claimId: string) => `review-${part(claimId)}`,
  /** Which model is live. */
  model: () => 'model',
  drift: (population: string) => `drift-${part(population)}`,
  /** What operators decided about views. */
  views: () => 'views',
  lot: (workspaceId: string, lotId: string) => `lot-${part(workspaceId)}-${part(lotId)}`,
  lotCheck: (workspaceId: string, checkId: string) => `lotcheck-${part(workspaceId)}-${part(checkId)}`,
  rehearsal: (workspaceId: string, rehearsalId: string) => `rehearsal-${part(workspaceId)}-${part(rehearsalId)}`,
  workspace: (workspaceId: string) => `workspace-${part(workspaceId)}`,
};

export const streamPrefixes = {
  keys: 'key-',
  claims: 'claim-',
  claimsOf: (keyId: string) => `claim-${part(keyId)}-`,
  labels: 'labels-',
  bank: (population: string, model?: string) =>
    `bank-${part(population)}-${model === undefined ? '' : `${part(model)}-`}`,
  calibration: 'calibration-',
  telemetry: 'telemetry-',
};

const OWN =
  /^(?:(?:claim|bank|telemetry|labels|key|calibration|scorer|figure|finding|review|drift|lot|lotcheck|rehearsal|workspace)-|(?:edge|model|views)$)/;

/** A log may be shared with other applications: their streams are none of the service's business. */
export const isOwnStream = (name: string): boolean => OWN.test(name);

/** Whether a stream's name ends with this part. */
export const endsWithPart = (stream: string, text: string): boolean => stream.endsWith(`-${part(text)}`);

/** Of a calibration stream. @returns the empty name, which no population has, where the stream's is none */
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

/**
 * A log as the service writes it, of any length, for tests and benches: keys, claims with their banked scan sets,
 * repeats, refusals, replays, labels; some claims unfinished, some polishes tried against several roughs, a clock that
 * steps back. The same seed gives the same events.
 */
import { createHash } from 'node:crypto';
import { catalogue } from '#catalogue/catalogue';
import { claimId } from '#claims/decide';
import type { ClaimResult, SideFacts, Submission } from '#claims/events';
import { streams } from '#domain/streams';
import { encodeLotVector, encodeVector } from '#domain/vectors';
import { type KeyFacts, WITHOUT_END } from '#keys/events';
import type { NewEvent } from '#kit/log/port';

export type StreamEvent = NewEvent & { stream: string; revision: number; recordedAt: Date };

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const START = Date.parse('2026-01-05T08:00:00.000Z');
const KEYS = ['lab-a', 'lab-a2', 'trading house', 'cutter', 'trial'];
const RUNGS = [0.99, 0.98, 0.98, 0.98, 0.96, 0.94];
const REASONS = ['flat', 'noise_character', 'unparseable'];

/** A small generator of numbers in 0..1 (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @param claims how many are submitted; about three and a half events each
 * @param vectorsOf banked vectors by encoder; of random numbers where it is left out, none of them near another
 * @param model digest of the model that is said to have made them
 */
export function* generateStreams(
  claims: number,
  seed = 1,
  vectorsOf?: (side: 'rough' | 'polish') => Record<string, string>,
  model = sha256('model'),
): Generator<StreamEvent> {
  const next = random(seed);
  const revisions = new Map<string, number>();
  let clock = START;
  let made = 0;

  const event = (
    stream: string,
    type: keyof typeof catalogue,
    data: Record<string, unknown>,
    keep = false,
  ): StreamEvent => {
    made++;
    const revision = revisions.get(stream) ?? 0;
    // Only streams that are written to again need remembering.
    if (keep) revisions.set(stream, revision + 1);
    const tail = sha256(`${seed} ${made}`);
    // In the order of time, as the service's.
    const head = (0x01960000_0000 + made).toString(16).padStart(12, '0');
    const id = `${head.slice(0, 8)}-${head.slice(8)}-7${tail.slice(4, 7)}-8${tail.slice(7, 10)}-${tail.slice(10, 22)}`;
    const metadata = { correlationId: `request-${made}` };
    const { version } = catalogue[type];
    return { stream, revision, id, type, version, data, metadata, recordedAt: new Date(clock) };
  };
  const at = () => new Date(clock).toISOString();
  const tick = () => {
    // Now and then the clock is set back by up to a minute.
    clock += next() < 0.002 ? -Math.floor(60_000 * next()) : Math.floor(200 * next());
  };

  const keys: KeyFacts[] = KEYS.map((name) => ({
    id: sha256(name).slice(0, 16),
    name,
    kind: name === 'trial' ? 'test' : 'production',
    population: name === 'cutter' ? 'lab-a' : name,
  }));
  for (const key of keys) {
    tick();
    yield event(
      streams.key(key.id),
      'KeyCreated',
      { key, secret_sha256: sha256(key.id), life: WITHOUT_END, operator: 'anna', at: at() },
      true,
    );
  }

  const side = (reference: string, digest: string, scans: number): SideFacts => ({
    digest,
    scans,
    duplicates: next() < 0.02 ? 1 : 0,
    short_coverage: next() < 0.1,
    references: next() < 0.9 ? [reference] : [],
    sharpness: round(0.04 + 0.025 * next()),
    ...residuals(round(0.5 * next() - 0.25)),
    locally_polynomial: round(next()),
  });
  const vector = (): string => {
    const values = Float32Array.from({ length: 256 }, () => next() - 0.5);
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    return encodeVector(values.map((value) => value / length));
  };
  const latency = () => ({
    read: round(5 * next()),
    queue: round(3 * next()),
    encode: round(9 * next()),
    total: round(30 * next()),
  });

  for (let n = 0; n < claims; n++) {
    tick();
    const key = keys[Math.floor(next() * keys.length)];
    const request_id = `request-${n}`;
    if (next() < 0.04) {
      const reason = REASONS[Math.floor(next() * REASONS.length)];
      const refused = {
        request_id,
        key,
        transport: 'json',
        status: 422,
        reason,
        side: 'rough',
        latency_ms: latency(),
        at: at(),
      };
      yield event(streams.telemetry(key.id), 'ClaimRefused', refused, true);
    }
    // One polish in fifty comes again with another rough, as a prober sends it.
    const stone = next() < 0.02 && n > 0 ? n - 1 : n;
    const roughDigest = sha256(`rough ${seed} ${n}`);
    const polishDigest = sha256(`polish ${seed} ${stone}`);
    const rough = side(`R${n}`, roughDigest, 6);
    const polish = side(`R${stone}.1`, polishDigest, 1);
    const reject_target = RUNGS[Math.floor(next() * RUNGS.length)];
    const facts = {
      request_id,
      key,
      transport: next() < 0.5 ? ('json' as const) : ('multipart' as const),
      reject_target,
      model,
      ladder_revision: 'shipped',
      ladder_digest: 'd'.repeat(64),
      rough,
      polish,
      shared_scans: 0,
      at: at(),
    };
    const claim_id = claimId(sha256, facts);
    const submission: Submission = { claim_id, ...facts };
    const stream = streams.claim(key.id, claim_id);
    yield event(stream, 'ClaimSubmitted', { ...submission }, true);
    if (next() < 0.005) {
      revisions.delete(stream);
      continue;
    }
    for (const [name, { digest, scans, references }] of Object.entries({ rough, polish }) as [string, SideFacts][]) {
      tick();
      const vectors = vectorsOf?.(name as 'rough') ?? { one: vector(), two: vector() };
      const set = {
        population: key.population,
        model,
        digest,
        side: name,
        scans,
        references,
        vectors,
        by: 'claim',
        claim_id,
        at: at(),
      };
      yield event(stream, 'ScanSetBanked', set, true);
    }
    tick();
    const result = resultOf(claim_id, reject_target, rough, polish, next);
    const engine = 'simd';
    const scoring = { claim_id, request_id, result, action_reasons: null, engine, latency_ms: latency(), at: at() };
    yield event(stream, 'ClaimScored', scoring, true);
    if (next() < 0.03) {
      tick();
      const { transport } = facts;
      const sent = { transport, rough: rough.references, polish: polish.references };
      const again = { claim_id, request_id: `${request_id}-again`, sent, latency_ms: latency(), at: at() };
      yield event(stream, 'ClaimRepeated', again);
    }
    revisions.delete(stream);
    if (next() < 0.1) {
      tick();
      const { verdict } = result;
      const label = { expected: next() < 0.7 ? 'match' : 'no_match', stone_id: `R${n}`, request_id, at: at() };
      const agrees = (label.expected === 'match') === (verdict === 'MATCH');
      yield event(streams.labels(key.id), 'ClaimLabelled', { claim_id, verdict, agrees, label }, true);
      if (next() < 0.2) {
        tick();
        const other = { ...label, expected: label.expected === 'match' ? 'no_match' : 'match', at: at() };
        const amended = { claim_id, verdict, agrees: !agrees, label: other, previous: label };
        yield event(streams.labels(key.id), 'LabelAmended', amended, true);
      }
    }
    if (next() < 0.01) {
      tick();
      const until = at();
      const counted = { status: 401, reason: 'credential_api_key', count: 1 + (n % 7), from: until, until };
      yield event(streams.edge(), 'RefusalsCounted', counted, true);
    }
  }
  yield* lotsOf(event, at, tick, next);
  const [revoked] = keys;
  tick();
  yield event(streams.key(revoked.id), 'KeyRevoked', { key_id: revoked.id, operator: 'ben', at: at() }, true);
}

/** Two workspaces, one revoked, with a lot each that was checked and rehearsed. */
function* lotsOf(
  event: (stream: string, type: keyof typeof catalogue, data: Record<string, unknown>, keep?: boolean) => StreamEvent,
  at: () => string,
  tick: () => void,
  next: () => number,
): Generator<StreamEvent> {
  const model = sha256('lot model');
  for (const [n, name] of ['trader', 'another trader'].entries()) {
    const workspace = { id: sha256(name).slice(0, 16), name };
    const [lot_id, check_id, rehearsal_id] = ['lot', 'chk', 'reh'].map(
      (mark) => `${mark}_${sha256(mark + name).slice(0, 32)}`,
    );
    const call = () => {
      tick();
      return { lot_id, workspace, request_id: `lots-${n}`, model, latency_ms: { read: round(90 * next()) }, at: at() };
    };
    const { at: created } = call();
    const secret_sha256 = sha256(`${name} secret`);
    yield event(
      streams.workspace(workspace.id),
      'WorkspaceCreated',
      { workspace, secret_sha256, operator: 'anna', at: created },
      true,
    );
    const stone = (mark: string, i: number) => ({
      stone: `${mark}${i}`,
      scans: 3,
      digest: sha256(`${name} ${mark}${i}`),
      scan_digests: [0, 1, 2].map((scan) => sha256(`${name} ${mark}${i} ${scan}`)),
      vector: encodeLotVector(Float32Array.from({ length: 96 }, () => next() - 0.5)),
    });
    const members = Array.from({ length: 10 }, (_, i) => ({
      ...stone('M', i),
      cohort: round(next()),
      crowding: round(next()),
    }));
    const session = { session_type: 'shaken', session_type_source: 'declared' };
    const bounds_version = '2026-09-10';
    const fit = {
      usual: true,
      look_alikes: { share: 0.1, usual_to: 0.5 },
      distance: { value: 9.5, usual_to: 20 },
      says: 'The lot is like those that the bars were set on.',
    };
    const share = { share: 0.1, interval: [0.02, 0.3] };
    yield event(streams.lot(workspace.id, lot_id), 'LotEnrolled', {
      ...call(),
      ...{ name: 'spring', digest: sha256(`${name} enrolled`), stones: members, ...session },
      ...{ twins: [{ a: 'M0', b: 'M1' }], fit, warnings: [], bounds_version },
    });
    const returned = Array.from({ length: 3 }, (_, i) => stone('P', i));
    const stones = returned.map((one, i) => ({
      ...{
        stone: one.stone,
        scans: 3,
        outcome: i > 0 ? 'confirmed' : 'scan_again',
        why: i > 0 ? null : 'just below the bar',
      },
      ...{ confirmed: i > 0, member: i > 0 ? `M${i}` : null },
      ...{ score: round(9 * next()), bar: 5, margin: round(next()), probability: round(next()) },
    }));
    const counts = { returned: 3, confirmed: 2, not_confirmed: 1, members_unaccounted: 8 };
    const more = { warnings: [], scope: 'generated', bounds_version };
    const accounted = members.map((one, i) => {
      const by = i === 1 || i === 2 ? `P${i}` : null;
      return { stone: one.stone, accounted: by !== null, by };
    });
    yield event(streams.lotCheck(workspace.id, check_id), 'LotChecked', {
      ...call(),
      ...{ check_id, digest: sha256(`${name} returned`), stones: returned },
      result: {
        ...{
          ...session,
          verdict: '2 of 3 confirmed, 1 to be scanned again.',
          stones,
          members: accounted,
          counts,
          fit,
          workspace_scorer: null,
        },
        ...{ false_accept: { label: 0.1, measured: null, own: share, open_places: { places: 8, ...share } }, ...more },
      },
    });
    const wish = { substitution: 0.2, seed: 1, draws: 10, source: 'cohort' };
    yield event(streams.rehearsal(workspace.id, rehearsal_id), 'LotRehearsed', {
      ...call(),
      ...{ rehearsal_id, wish },
      result: {
        ...{ ...wish, vacated: 2, offered: 20, caught: { count: 19, share: 0.95, interval: [0.8, 1] } },
        ...{
          one_stone_false_accept: 0.1,
          tried: [],
          fit,
          workspace_scorer: null,
          falsely_matched: [{ stone: 'M0', times: 1 }],
          invisible_swaps: [],
        },
        ...{ cohort_flatters_by: null, notes: [], scope: 'generated', bounds_version },
      },
    });
    const { at: revoked } = call();
    if (n > 0)
      yield event(
        streams.workspace(workspace.id),
        'WorkspaceRevoked',
        { workspace, operator: 'ben', at: revoked },
        true,
      );
  }
}

const residuals = (detail_residual: number) => ({ detail_residual, detail_residual_measured: detail_residual });

const round = (value: number) => Math.round(value * 1e6) / 1e6;

function resultOf(
  claim_id: string,
  reject_target: number,
  rough: SideFacts,
  polish: SideFacts,
  next: () => number,
): ClaimResult {
  const [one, two] = [round(0.4 + 0.6 * next()), round(0.4 + 0.6 * next())];
  const fused_score = round((one + two) / 2);
  return {
    mode: 'verify-match',
    verdict: fused_score > 0.62 ? 'MATCH' : 'NO_MATCH',
    fused_score,
    scorer: 'raw',
    member_scores: { one, two },
    member_cosines: { one, two },
    threshold: 0.62,
    threshold_source: 'shipped-default',
    reject_target,
    expected_genuine_accept: null,
    p_match_5050: round(0.01 + 0.98 * next()),
    n_rough_scans: rough.scans,
    n_polish_scans: polish.scans,
    rough_sharpness: rough.sharpness,
    polish_sharpness: polish.sharpness,
    rough_detail_residual: rough.detail_residual,
    polish_detail_residual: polish.detail_residual,
    warnings: ['the shipped calibration is of simulated stones'],
    scope: 'generated',
    claim_id,
  };
}

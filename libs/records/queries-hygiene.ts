/** Hygiene checks: faults of practice that no single claim shows. They ask the views, as of a given time. */
import { type Static, Type } from 'typebox';
import { one } from '#domain/schemas';
import { Findings } from '#findings/queries';
import type { Connection } from '#kit/views/projection';
import { anyObject, integer, string, time } from '#kit/views/shapes';
import { MIN_ROUGH_SCANS, SHARPNESS_BAND } from '#science/spectra/gauges/index';

const DAY_MS = 24 * 3600 * 1000;
/** Number of a key's latest claims that show its habits, and the fewest it must have. */
const LATEST_CLAIMS = 100;
const MIN_CLAIMS = 10;
/** Shares of a key's latest claims from which on a habit is reported. */
const HABIT = 0.2;
const UNUSED_DAYS = 90;
const ENDING_DAYS = 7;
const UNFINISHED_MINUTES = 10;
const CLOCK_DAYS = 7;
/** Probabilities beyond which a verdict is as good as certain. */
const CERTAIN = { match: 0.995, no_match: 0.005 };
const MAX_ITEMS = 100;

const hygieneCheck = Type.Object(
  {
    check: string('name of the check'),
    meaning: string('what it means'),
    advice: string('what to do'),
    status: one('ok', 'attention'),
    found: integer('what was found'),
    items: Type.Array(anyObject<Record<string, unknown>>(), { maxItems: MAX_ITEMS }),
  },
  { $id: 'HygieneCheck' },
);
export type HygieneCheck = Static<typeof hygieneCheck>;

export const hygieneReport = Type.Object({ at: time(), checks: Type.Array(hygieneCheck) }, { $id: 'Hygiene' });
export type HygieneReport = Static<typeof hygieneReport>;

/** The members that identify an item of a check as long as the breach lasts. Counts and other numbers change. */
export const breachOf = (item: Record<string, unknown>): string =>
  JSON.stringify(item, (_, value) => (typeof value === 'number' ? undefined : value));

interface View {
  readonly db: Connection;
}
export interface HygieneViews {
  findings: View;
  telemetry: View;
}

declare module '#kit/views/reads' {
  interface ReadModels {
    hygiene: { check(now: Date, models: readonly string[]): HygieneCheck[] };
  }
}

type Row = Record<string, string | number | null>;
interface Check {
  check: string;
  meaning: string;
  advice: string;
  /** @param latest claims of each key */
  find(views: HygieneViews, latest: Row[][], now: Date, models: readonly string[]): Record<string, unknown>[];
}

const rows = ({ db }: View, query: string, ...values: (string | number)[]) => db.prepare(query).all(...values) as Row[];
const before = (now: Date, ms: number) => new Date(now.getTime() - ms).toISOString();

/** The latest claims of each key in use, found by the index: a million claims cost as much as a thousand. */
const LATEST = `SELECT c.key_id, c.key_name AS key, c.population, rough_scans, rough_duplicates, rough_references, polish_references,
  rough_digest, rough_sharpness, polish_sharpness FROM keys k JOIN calls c ON c.position IN (SELECT position FROM calls
    WHERE key_id = k.id AND tag = 'verify_match' AND status = 200 AND repeat = 0 ORDER BY position DESC LIMIT ${LATEST_CLAIMS})
  WHERE k.revoked_at IS NULL ORDER BY c.key_name, c.key_id`;

/** Of each key with enough of them, by name. */
function latestClaims({ telemetry }: HygieneViews): Row[][] {
  const byKey = new Map<Row[string], Row[]>();
  for (const claim of rows(telemetry, LATEST)) byKey.set(claim.key_id, [...(byKey.get(claim.key_id) ?? []), claim]);
  return [...byKey.values()].filter(({ length }) => length >= MIN_CLAIMS);
}

const ofKey = (claims: Row[]) => ({ key: claims[0].key, population: claims[0].population, claims: claims.length });

/** Keys with a habit: it holds for at least this share of their latest claims. */
const habit =
  (holds: (claim: Row) => boolean): Check['find'] =>
  (_, claims) =>
    claims
      .map((of) => ({ ...ofKey(of), affected: of.filter(holds).length }))
      .filter(({ claims, affected }) => affected >= HABIT * claims);

const CHECKS: Check[] = [
  {
    check: 'panel_on_a_production_key',
    meaning:
      'a production key tried one polish against three or more roughs: the published error rates do not hold for such use',
    advice: 'look at the finding and review it with a note; have trials made with a test key',
    find: ({ findings }) => new Findings(findings).breaches(),
  },
  {
    check: 'sharpness_outside_band',
    meaning: `the median sharpness of a key's latest claims is outside ${SHARPNESS_BAND.low} to ${SHARPNESS_BAND.high}: its machine resolves or samples otherwise than it did`,
    advice:
      'check resolution setting (16), apodisation and alignment of that machine; look at drift before trusting its verdicts',
    find: (_, latest) => sharpness(latest),
  },
  {
    check: 'few_rough_scans',
    meaning: `a key sends fewer than ${MIN_ROUGH_SCANS} rough scans with a fifth of its claims or more; a single scan costs about 6 acceptance points`,
    advice: 'remind the laboratory of the intake: 3 rough scans at least, 6 better, the stone re-seated in between',
    find: habit(({ rough_scans }) => rough_scans !== null && Number(rough_scans) < MIN_ROUGH_SCANS),
  },
  {
    check: 'duplicate_rough_scans',
    meaning: 'a key sends copies among its rough scans: they look like several and are worth one',
    advice: 'have the stone measured again for each scan; check the export script',
    find: habit(({ rough_duplicates }) => Number(rough_duplicates) > 0),
  },
  {
    check: 'missing_references',
    meaning: 'a key sends claims without a stone reference: mix-ups and re-scans cannot be found by name',
    advice: 'name files <base_code>.<part>_..., or send stone_id',
    find: habit((claim) => claim.rough_references === '[]' || claim.polish_references === '[]'),
  },
  {
    check: 'one_reference_for_all_claims',
    meaning: 'all latest claims of a key, on several roughs, have one stone reference: it names none of them',
    advice:
      'have files named <stone>_rough_<n>, or rough_stone_id and polish_stone_id sent; MVS_STONE_PATTERNS reads other names',
    find: (_, latest) =>
      latest.flatMap((claims) => {
        const different = (column: string) => [...new Set(claims.map((claim) => String(claim[column])))];
        const [references, ...others] = different('rough_references');
        if (references === '[]' || others.length > 0 || different('rough_digest').length === 1) return [];
        return [{ ...ofKey(claims), references: JSON.parse(references) }];
      }),
  },
  {
    check: 'one_rough_under_two_references',
    meaning: 'the same rough was sent under several references',
    advice: 'find out which is right in the intake records; one of the parcels may be mislabelled',
    find: ({ findings }) =>
      rows(
        findings,
        `SELECT k.name AS key, json_group_array(DISTINCT r.reference) AS "references" FROM doubtful_stones d
         CROSS JOIN stone_references r ON r.stone_id = d.stone_id JOIN keys k ON k.id = r.key_id WHERE r.side = 'rough'
         GROUP BY d.stone_id HAVING count(DISTINCT r.reference) > 1
         ORDER BY d.stone_id DESC`,
      ).map(({ references, ...rest }) => ({ ...rest, references: JSON.parse(String(references)).sort() })),
  },
  {
    check: 'one_reference_for_two_roughs',
    meaning: 'roughs that do not look alike were sent under one reference',
    advice: 'find out which stone bears the reference; a placeholder as reference makes findings worthless',
    find: ({ findings }) =>
      rows(
        findings,
        `SELECT k.name AS key, r.reference, count(*) AS roughs FROM doubtful_references d CROSS JOIN stone_references r
         ON r.key_id = d.key_id AND r.side = 'rough' AND r.reference = d.reference JOIN keys k ON k.id = r.key_id
         GROUP BY r.key_id, r.reference HAVING count(*) > 1 ORDER BY max(r.stone_id) DESC`,
      ),
  },
  {
    check: 'contradicting_labels',
    meaning:
      'labels cannot all be right: one pair of stones is labelled both ways, or one polish as cut from two roughs',
    advice: 'ask the caller; amend the wrong label before proposals are judged by them',
    find: ({ findings }) => [
      ...rows(
        findings,
        `SELECT 'both labels for one pair' AS why, group_concat(claim_id) AS claims FROM claims
         WHERE label IS NOT NULL AND polish_id IN (SELECT polish_id FROM labelled_again) GROUP BY polish_id, rough_id HAVING count(DISTINCT label) > 1 ORDER BY max(position) DESC`,
      ).map(split),
      ...rows(
        findings,
        `SELECT 'one polish from two roughs' AS why, group_concat(claim_id ORDER BY probability, position) AS claims FROM claims
         WHERE +label = 'match' AND label IS NOT NULL AND polish_id IN (SELECT polish_id FROM labelled_again) GROUP BY polish_id HAVING count(DISTINCT rough_id) > 1 ORDER BY max(position) DESC`,
      ).map(split),
    ],
  },
  {
    check: 'labels_against_the_certain',
    meaning:
      'a label says the opposite of a verdict that is as good as certain: a mislabelled or mispaired record, or an attack that worked',
    advice: 'look at the stones; amend the label or report the claim',
    find: ({ findings }) =>
      rows(
        findings,
        `SELECT claim_id, verdict, label, score AS fused_score, probability AS p_match_5050 FROM claims
         WHERE (label = 'no_match' AND probability >= ?) OR (label = 'match' AND probability <= ?) ORDER BY position DESC`,
        CERTAIN.match,
        CERTAIN.no_match,
      ),
  },
  {
    check: 'scan_on_both_sides',
    meaning:
      'a scan of the rough was sent as a scan of the polish too: whatever the stones are, such sides resemble each other, and the verdict says nothing',
    advice: 'ask the caller how the files got mixed; label the claim by the stones, and do not act on its verdict',
    find: ({ telemetry }) =>
      rows(
        telemetry,
        `SELECT claim_id, key_name AS key, population, verdict, shared_scans FROM calls WHERE shared_scans > 0
         AND repeat = 0 AND status = 200 AND tag = 'verify_match' ORDER BY position DESC`,
      ),
  },
  {
    check: 'keys_about_to_end',
    meaning: `a key ends within ${ENDING_DAYS} days: what is sent with it from then on is refused with 401`,
    advice: 'tell its contact; give it a later end (PATCH /api/v1/keys/{key_prefix}), or create the key that follows',
    find: ({ telemetry }, _, now) =>
      rows(
        telemetry,
        `SELECT name AS key, prefix, population, contact, expires_at FROM keys
         WHERE revoked_at IS NULL AND expires_at > ? AND expires_at <= ? ORDER BY expires_at, name`,
        now.toISOString(),
        before(now, -ENDING_DAYS * DAY_MS),
      ),
  },
  {
    check: 'unused_keys',
    meaning: `a key was not used for ${UNUSED_DAYS} days and is still active`,
    advice: 'revoke it, unless its owner says why not',
    find: ({ telemetry }, _, now) =>
      rows(
        telemetry,
        `SELECT name AS key, prefix, population, created_at, used_at FROM keys
         WHERE revoked_at IS NULL AND coalesce(expires_at, '9') > ? AND coalesce(used_at, created_at) < ? ORDER BY name`,
        now.toISOString(),
        before(now, UNUSED_DAYS * DAY_MS),
      ),
  },
  {
    check: 'unfinished_claims',
    meaning: `a claim was submitted more than ${UNFINISHED_MINUTES} minutes ago and has no verdict: a crash or a time-out lay in between`,
    advice:
      'nothing is half answered: the caller sends it again and gets the same claim_id; many of them mean that workers are lost',
    find: ({ findings }, _, now) =>
      rows(
        findings,
        `SELECT c.claim_id, k.name AS key, c.submitted_at FROM claims c JOIN keys k ON k.id = c.key_id
         WHERE c.verdict IS NULL AND c.submitted_at < ? ORDER BY +c.position DESC`,
        before(now, UNFINISHED_MINUTES * 60_000),
      ),
  },
  {
    check: 'clock_steps',
    meaning: `the log's clock stepped back within ${CLOCK_DAYS} days: times of events are not in their order`,
    advice: 'check the time service of the machines; positions, not times, order what happened',
    find: ({ telemetry }, _, now) =>
      rows(
        telemetry,
        'SELECT CAST(position AS TEXT) AS position, at, back_ms FROM clock_steps WHERE at >= ? ORDER BY clock_steps.position DESC',
        before(now, CLOCK_DAYS * DAY_MS),
      ),
  },
  {
    check: 'vectors_of_an_old_model',
    meaning:
      'banked vectors of a model that is no longer installed: they count nowhere, and the population has to gather again',
    advice: 'replay the stored scans of the population, or keep the old model until its rungs are approved again',
    find: ({ telemetry }, _, __, models) =>
      rows(
        telemetry,
        `SELECT population, model, sets FROM banked WHERE model NOT IN (SELECT value FROM json_each(?))
         ORDER BY population, model`,
        JSON.stringify(models),
      ),
  },
];

const sharpness = (latest: Row[][]) =>
  ['rough', 'polish'].flatMap((side) =>
    latest.flatMap((claims) => {
      const values = claims.map((claim) => Number(claim[`${side}_sharpness`])).sort((a, b) => a - b);
      const median = values[Math.ceil(values.length / 2) - 1];
      const outside = median < SHARPNESS_BAND.low || median > SHARPNESS_BAND.high;
      return outside ? [{ ...ofKey(claims), median, side }] : [];
    }),
  );

const split = ({ claims, ...rest }: Row) => ({ ...rest, claims: String(claims).split(',') });

/** Every check, in the order of the listing. @param models digests of the installed models */
export function checkHygiene(views: HygieneViews, now: Date, models: readonly string[]): HygieneCheck[] {
  const latest = latestClaims(views);
  return CHECKS.map(({ check, meaning, advice, find }) => {
    const items = find(views, latest, now, models);
    const status = items.length > 0 ? 'attention' : 'ok';
    return { check, meaning, advice, status, found: items.length, items: items.slice(0, MAX_ITEMS) };
  });
}

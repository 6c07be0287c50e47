/** Answers of the evidence view: counted claims of a population under a model, and its approvals. */

import { type BankedPlace, BankedVectors } from '#claims/banked-vectors';
import type { EventReader } from '#kit/log/port';
import type { Connection } from '#kit/views/projection';
import type { ViewFile } from '#kit/views/view-file';
import { RAW } from './view-evidence.js';

/** A counted claim as it is kept. */
interface CountedFacts {
  ordinal: number;
  position: string;
  claimId: string;
  at: string;
  /** Name of the key that made it. */
  key: string;
  rough: { digest: string; references: string[] };
  polish: { digest: string; references: string[] };
}

/** With its sides' vectors, by encoder one after the other. */
export interface CountedRow extends CountedFacts {
  roughVectors: Float32Array;
  polishVectors: Float32Array;
}

export interface ScoredRow {
  position: string;
  at: string;
  claim_id: string;
  rough: string;
  polish: string;
  score: number;
}

export interface PastClaim {
  claim_id: string;
  fused_score: number;
  at: string;
  label: 'match' | 'no_match' | null;
}

interface ByLabel<Claim> {
  match: number;
  no_match: number;
  unlabelled: number;
  /** The first of them. */
  items: Claim[];
}

export const byLabel = <Claim extends Pick<PastClaim, 'label'>>(claims: readonly Claim[], most: number) => ({
  match: claims.filter(({ label }) => label === 'match').length,
  no_match: claims.filter(({ label }) => label === 'no_match').length,
  unlabelled: claims.filter(({ label }) => label === null).length,
  items: claims.slice(0, most),
});

/** Claims that something tried would have decided otherwise, as they are answered. */
export const changedClaims = <Claim>({ match, no_match, unlabelled, items }: ByLabel<Claim>) => ({
  total: match + no_match + unlabelled,
  labelled_match: match,
  labelled_no_match: no_match,
  unlabelled,
  claims: items,
});

/** Selects a population's model. */
const MODEL = '(SELECT id FROM models WHERE population = ? AND model = ?)';

/** What is asked of the view's rows alone. */
declare module '#kit/views/reads' {
  interface ReadModels {
    evidence: EvidenceReads;
  }
}

export class EvidenceReads {
  constructor(private readonly view: { readonly db: Connection }) {}

  populations(): string[] {
    const rows = this.view.db.prepare('SELECT name FROM populations ORDER BY name').raw().all() as [string][];
    return rows.map(([name]) => name);
  }

  has(population: string): boolean {
    return this.view.db.prepare('SELECT 1 FROM populations WHERE name = ?').raw().get(population) !== undefined;
  }

  /** Claims counted so far. */
  held(population: string, model: string): number {
    const sql = `SELECT MAX(ordinal) FROM counted WHERE model_id = ${MODEL}`;
    const [held] = this.view.db.prepare(sql).raw().get(population, model) as [number | null];
    return held ?? 0;
  }

  /** The same of every population, by name. */
  heldByAll(model: string): { population: string; held: number }[] {
    const sql = `SELECT population, coalesce((SELECT MAX(ordinal) FROM counted WHERE model_id = models.id), 0) AS held
      FROM models WHERE model = ? ORDER BY population`;
    return this.view.db.prepare(sql).all(model) as { population: string; held: number }[];
  }

  /** Counted claims after the first `after`, in the log's order, and where the vectors of their sides stand. */
  countedPlaces(
    population: string,
    model: string,
    after: number,
    limit: number,
  ): { claim: CountedFacts; rough: BankedPlace; polish: BankedPlace }[] {
    const rows = this.view.db
      .prepare(
        `SELECT ordinal, position, claim_id, at, key_name, rough, rough_references, polish, polish_references,
                r.stream AS rough_stream, r.revision AS rough_revision, p.stream AS polish_stream, p.revision AS polish_revision
         FROM counted c JOIN submissions s ON s.id = submission JOIN sets r ON r.model_id = c.model_id AND r.digest = rough
         JOIN sets p ON p.model_id = c.model_id AND p.digest = polish
         WHERE c.model_id = ${MODEL} AND ordinal > ? ORDER BY ordinal LIMIT ?`,
      )
      .all(population, model, after, limit) as (Record<
      'claim_id' | 'at' | 'key_name' | `${'rough' | 'polish'}${'' | '_references' | '_stream'}`,
      string
    > &
      Record<'ordinal' | 'position' | 'rough_revision' | 'polish_revision', number>)[];
    return rows.map(({ ordinal, position, claim_id, at, key_name, ...of }) => ({
      claim: {
        ...{ ordinal, position: String(position), claimId: claim_id, at, key: key_name },
        rough: { digest: of.rough, references: JSON.parse(of.rough_references) },
        polish: { digest: of.polish, references: JSON.parse(of.polish_references) },
      },
      rough: { stream: of.rough_stream, revision: of.rough_revision },
      polish: { stream: of.polish_stream, revision: of.polish_revision },
    }));
  }

  /** The latest `limit` of the first `claims` counted claims, latest first, with their scores alone. */
  scored(population: string, model: string, claims: number, limit: number): ScoredRow[] {
    return this.view.db
      .prepare(
        `SELECT CAST(position AS TEXT) AS position, at, claim_id, rough, polish, score
         FROM counted c JOIN submissions s ON s.id = submission
         WHERE c.model_id = ${MODEL} AND ordinal <= ? ORDER BY ordinal DESC LIMIT ?`,
      )
      .all(population, model, claims, limit) as ScoredRow[];
  }

  /** The first `claims` counted claims with a score in (low, high], by score; and their number. */
  between(population: string, model: string, claims: number, [low, high]: [number, number], limit: number) {
    const where = `WHERE c.model_id = ${MODEL} AND ordinal <= ? AND score > ? AND score <= ?`;
    const values = [population, model, claims, low, high];
    const totals = this.view.db
      .prepare(`SELECT label, COUNT(*) FROM counted c ${where} GROUP BY label`)
      .raw()
      .all(...values) as [PastClaim['label'], number][];
    const rows = this.view.db
      .prepare(`SELECT claim_id, score, at, label FROM counted c JOIN submissions s ON s.id = submission ${where}
         ORDER BY score, ordinal LIMIT ?`)
      .raw()
      .all(...values, limit) as [string, number, string, PastClaim['label']][];
    const items: PastClaim[] = rows.map(([claim_id, fused_score, at, label]) => ({ claim_id, fused_score, at, label }));
    const of = (label: PastClaim['label']) => totals.find(([one]) => one === label)?.[1] ?? 0;
    return { match: of('match'), no_match: of('no_match'), unlabelled: of(null), items };
  }

  /** The first `claims` counted claims without those before, in the log's order, with their labels and raw scores. */
  past(population: string, model: string, claims: number, before: number): PastClaim[] {
    return this.view.db
      .prepare(
        `SELECT claim_id, score AS fused_score, at, label FROM counted c JOIN submissions s ON s.id = submission
         WHERE c.model_id = ${MODEL} AND ordinal > ? AND ordinal <= ? ORDER BY ordinal`,
      )
      .all(population, model, before, claims) as PastClaim[];
  }

  /** Rungs that decide under a model: those approved under the scorer in force; and populations with a scorer. */
  approved(model: string): { population: string; rung: string }[] {
    const rows = this.view.db
      .prepare(
        `SELECT population, rung FROM approved a WHERE model = :model AND scorer = coalesce(
           (SELECT scorer FROM scorers s WHERE s.population = a.population AND s.model = a.model), :raw)
         UNION ALL SELECT population, 'scorer' FROM scorers WHERE model = :model ORDER BY population, rung`,
      )
      .raw()
      .all({ model, raw: RAW }) as [string, string][];
    return rows.map(([population, rung]) => ({ population, rung }));
  }

  /** Populations with approvals under a model that is not among the installed ones. */
  notInstalled(installed: readonly string[]): { population: string; model: string }[] {
    const rows = this.view.db
      .prepare(
        'SELECT population, model FROM approved UNION SELECT population, model FROM scorers ORDER BY population, model',
      )
      .raw()
      .all() as [string, string][];
    return rows.filter(([, model]) => !installed.includes(model)).map(([population, model]) => ({ population, model }));
  }
}

export class EvidenceView extends EvidenceReads {
  constructor(
    private readonly file: ViewFile,
    /** The log, which has the vectors. */
    private readonly log: Pick<EventReader, 'readStream'>,
  ) {
    super(file);
  }

  waitFor(position: bigint, timeoutMs: number): Promise<boolean> {
    return this.file.waitFor(position, timeoutMs);
  }

  /**
   * Counted claims after the first `after`, in the log's order, with their vectors. All of them are read at once.
   * @param encoders the model's, in its order
   * @throws UnreadableEvent, StreamUndecidable, StoreUnavailable, CommandRefused where a row was disowned after it was counted
   */
  async counted(
    population: string,
    model: string,
    encoders: readonly string[],
    after: number,
    limit: number,
  ): Promise<CountedRow[]> {
    const banked = new BankedVectors(this.log, encoders);
    return Promise.all(
      this.countedPlaces(population, model, after, limit).map(async ({ claim, rough, polish }) => {
        const [roughVectors, polishVectors] = await banked.pair(rough, polish);
        return { ...claim, roughVectors, polishVectors };
      }),
    );
  }
}

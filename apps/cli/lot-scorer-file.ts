/** A lot scorer of one's own as the command line keeps it: the scorer, vectors of the lots that it was fitted on, no spectrum. */
import { readFile, writeFile } from 'node:fs/promises';
import { decodeLotVector, encodeLotVector } from '#domain/vectors';
import type { StoredLotScorer } from '#lots/events-scorer';
import { scorerFrom, storedScorer } from '#lots/scorers';
import { rowsOf } from '#science/lots/lot';
import { LOT_VECTOR, type LotModel } from '#science/lots/model';
import type { LotScorerFigures } from '#science/lots/scorer/propose';
import { type LotScorer, lotScorerDigest } from '#science/lots/scorer/scorer';
import type { OwnScorerFacts } from '#science/lots/scorer/scoring';
import { InputError } from './exit.js';

const FORMAT = 'mvs-lot-scorer-1';

interface LotScorerFile {
  format: typeof FORMAT;
  /** Digest of the lot model. */
  model: string;
  digest: string;
  made_at: string;
  figures: LotScorerFigures;
  scorer: StoredLotScorer;
  /** Digests of the lots' enrolments, and their vectors. */
  lots: { lot_id: string; vectors: string[] }[];
}

/** @returns the digest of what was written */
export async function writeLotScorer(
  path: string,
  { digest: model }: Pick<LotModel, 'digest'>,
  { scorer, figures }: { scorer: LotScorer; figures: LotScorerFigures },
): Promise<string> {
  const file: LotScorerFile = {
    format: FORMAT,
    model,
    digest: lotScorerDigest(model, scorer),
    made_at: new Date().toISOString(),
    figures,
    scorer: storedScorer(scorer),
    lots: scorer.lots.map(({ lot_id, members }) => ({
      lot_id,
      vectors: Array.from({ length: members.length / LOT_VECTOR }, (_, i) =>
        encodeLotVector(members.subarray(i * LOT_VECTOR, (i + 1) * LOT_VECTOR)),
      ),
    })),
  };
  await writeFile(path, `${JSON.stringify(file)}\n`);
  return file.digest;
}

/** @throws InputError where the file holds none, or one of another model */
export async function readLotScorer(
  path: string,
  { digest: model }: Pick<LotModel, 'digest'>,
): Promise<{ scorer: LotScorer; facts: OwnScorerFacts }> {
  const file = parsed(await readFile(path, 'utf8'));
  const scorer = file && restored(file);
  if (!file || !scorer || lotScorerDigest(file.model, scorer) !== file.digest)
    throw new InputError(`${path} holds no lot scorer, or a damaged one: make one with mvs lots adapt`);
  if (file.model !== model)
    throw new InputError(`${path} was made with another lot model (${file.model.slice(0, 16)}): make it again`);
  const { caught, one_stone_false_accept, lots } = file.figures;
  return {
    scorer,
    facts: {
      ...{ digest: file.digest, how: 'made', approved_at: file.made_at, lots },
      ...{ caught: caught.workspace, one_stone_false_accept: one_stone_false_accept.workspace },
    },
  };
}

function restored({ scorer, lots }: LotScorerFile): LotScorer | undefined {
  const held = lots.map(({ lot_id, vectors }) => ({ lot_id, rows: vectors.map(decodeLotVector) }));
  if (held.some(({ rows }) => rows.includes(undefined))) return undefined;
  return scorerFrom(
    scorer,
    held.map(({ lot_id, rows }) => ({
      lot_id,
      members: rowsOf(rows.map((vector) => ({ vector: vector as Float32Array }))),
    })),
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';

function parsed(text: string): LotScorerFile | undefined {
  let file: Partial<LotScorerFile> | null;
  try {
    file = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, model, digest, made_at, figures, scorer, lots } = file ?? {};
  const share = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1;
  const sound =
    format === FORMAT &&
    [model, digest, made_at, scorer?.between].every(isText) &&
    Array.isArray(scorer?.map) &&
    scorer.map.every(isText) &&
    [scorer.bar?.at, scorer.bar?.slope].every(Number.isFinite) &&
    [figures?.caught?.workspace, figures?.one_stone_false_accept?.workspace].every(share) &&
    Number.isInteger(figures?.lots) &&
    Array.isArray(lots) &&
    lots.every((lot) => isText(lot?.lot_id) && Array.isArray(lot.vectors) && lot.vectors.every(isText));
  return sound ? (file as LotScorerFile) : undefined;
}

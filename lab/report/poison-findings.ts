import { encodeVector } from '#domain/vectors';
import { Findings } from '#findings/queries';
import { findingsProjection } from '#findings/view';
import { closeViews, TestLog, type TestSet, viewOf } from '#kit/views/test/log';
import { scoreOf } from '#science/calibration/evidence';
import { type Model, VECTOR } from '#science/matching/model';
import { Random } from '../simulator/index.js';
import type { PoisoningFigures } from './figures.js';
import { counted } from './measure-claims.js';
import type { Mixture } from './poisoning.js';
import { type Sent, setOf, type Which } from './repeat.js';
import { rowOf } from './stones.js';

const MAX_FINDINGS = 1000;

/**
 * The findings' view after the claims, made in any order under one production key.
 * @param threshold of MATCH
 */
export function findingsOf(
  { genuine, poison }: Mixture,
  model: Model,
  threshold: number,
): Pick<PoisoningFigures, 'found' | 'breaches'> {
  const random = new Random('order of claims', genuine.length, poison.length);
  const order = [...genuine.map((sent) => ({ sent, bad: false })), ...poison.map((sent) => ({ sent, bad: true }))]
    .map((one) => ({ ...one, place: random.uniform() }))
    .sort((a, b) => a.place - b.place);
  const log = new TestLog();
  const bad = new Map(order.map(({ sent, bad }) => [log.claim(recorded(sent, model, threshold)), bad]));
  const findings = new Findings(viewOf(findingsProjection, log.events));
  const all = findings.list({ limit: MAX_FINDINGS }).items;
  const behind = new Set(all.flatMap(({ id }) => findings.one(id)?.claims.map(({ claim_id }) => claim_id) ?? []));
  closeViews();
  const found = (which: boolean) => [...behind].filter((id) => bad.get(id) === which).length;
  return {
    found: { poison: counted(found(true), poison.length), honest: counted(found(false), genuine.length) },
    breaches: all.filter(({ breach }) => breach !== null).length,
  };
}

function recorded({ rough, polish }: Sent, model: Model, threshold: number) {
  const set = (side: 'rough' | 'polish', which: Which): TestSet => {
    const vectors = rowOf(which.of, side, which.stone);
    return {
      stone: `${which.stone}`,
      vectors: Object.fromEntries(
        model.encoders.map(({ name }, e) => [name, encodeVector(vectors.slice(e * VECTOR, (e + 1) * VECTOR))]),
      ),
      facts: setOf(side, which),
    };
  };
  const sides = [rowOf(polish.of, 'polish', polish.stone), rowOf(rough.of, 'rough', rough.stone)] as const;
  const verdict = scoreOf(...sides, model.encoders.length) > threshold ? 'MATCH' : 'NO_MATCH';
  return { rough: set('rough', rough), polish: set('polish', polish), verdict } as const;
}

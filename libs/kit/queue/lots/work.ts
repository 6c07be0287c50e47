/** A thread's or a worker's work for lots. Pure, and the same everywhere. */
import type { Limits } from '#config/limits';
import { encodeStone } from '#science/lots/encoder';
import { checkReturn, correctLot, enrolLot } from '#science/lots/lot';
import { LOT_VECTOR, type LotModel } from '#science/lots/model';
import { cohortSubstitutes, rehearseLot } from '#science/lots/rehearsed';
import type { Placed } from '#science/lots/score';
import { proposeLotScorer } from '#science/lots/scorer/propose';
import { sessionFingerprint } from '#science/lots/session';
import { prepareStones, spectraByStone } from '#science/lots/stones';
import type { LotJob, LotTask, LotTasks, LotUpload, PreparedLot, ReadLot } from './port.js';

/** @throws Refusal */
export async function prepareLot(
  { files, purpose }: LotUpload,
  model: LotModel,
  limits: Limits,
  onStone?: () => void,
  goOn?: () => void,
): Promise<PreparedLot> {
  try {
    const { files: names, ...prepared } = await prepareStones(files, purpose, model, limits, onStone, goOn);
    const look = sessionFingerprint(model, spectraByStone(prepared.spectra, countsOf(prepared.stones)));
    return { ...prepared, files: names, look };
  } finally {
    for (const { data } of files) data.fill(0);
  }
}

/** Vectors of the stones, rows of LOT_VECTOR. The job's spectra are zeroed. */
export function encodeLot(model: LotModel, { scans, spectra }: Pick<LotJob, 'scans' | 'spectra'>): Float32Array {
  const vectors = new Float32Array(scans.length * LOT_VECTOR);
  for (const [i, own] of spectraByStone(spectra, scans).entries())
    vectors.set(encodeStone(model, own, scans[i]), i * LOT_VECTOR);
  spectra.fill(0);
  return vectors;
}

export async function readLot(
  upload: LotUpload,
  model: LotModel,
  limits: Limits,
  onStone?: () => void,
  goOn?: () => void,
): Promise<ReadLot> {
  const { spectra, ...read } = await prepareLot(upload, model, limits, onStone, goOn);
  return { ...read, model: model.digest, vectors: encodeLot(model, { scans: countsOf(read.stones), spectra }) };
}

const countsOf = (stones: readonly { scans: number }[]): number[] => stones.map(({ scans }) => scans);

const cohorts = new WeakMap<LotModel, Placed>();

/** @param model placing its cohort's stones takes a while: it is done once */
export function decideLotTask<T extends LotTask>(model: LotModel, task: T, asked: LotTasks[T]['asked']) {
  const tasks: { [K in LotTask]: (asked: LotTasks[K]['asked']) => LotTasks[K]['answer'] } = {
    enrol: ({ lot, declared, usual }) => enrolLot(model, lot, declared, usual),
    correct: ({ members, session_type, usual }) => correctLot(model, members, session_type, usual),
    check: ({ members, returned, declared, falseAccepts, usual, scoring }) =>
      checkReturn(model, members, returned, declared, falseAccepts, usual, scoring),
    rehearse: ({ members, wish, ...more }) => {
      const cohort = cohorts.get(model) ?? cohortSubstitutes(model);
      cohorts.set(model, cohort);
      return rehearseLot(model, members, wish, cohort, more);
    },
    propose: ({ history }) => proposeLotScorer(model, history),
  };
  return tasks[task](asked);
}

/** The constants of a population's own scorer; its formulas stand in docs/concepts/scorer-method.md. */

/** Names of the method; part of every digest. A scorer scores by the method that it was made with. */
export const SCORER_METHODS = [
  'population-scorer/1',
  'population-scorer/2',
  'population-scorer/3',
  'population-scorer/4',
  'population-scorer/5',
] as const;
export type ScorerMethod = (typeof SCORER_METHODS)[number];

/** The newest method. */
export const SCORER_METHOD = 'population-scorer/5' satisfies ScorerMethod;

/**
 * The method of new ladders of a model, and so of the scorers that are made with them. Vectors of pooled scans lie closer together
 * where the model has no centre, those of one stone and those of different ones, so that neighbours have a limit of their own there.
 * Where it has one, what few claims leave open is that of simulated worlds.
 */
export const scorerMethodFor = ({ pooled, centred }: { pooled: boolean; centred: boolean }): ScorerMethod => {
  if (centred) return SCORER_METHOD;
  return pooled ? 'population-scorer/3' : 'population-scorer/2';
};

/** Groups of claims that tell how one map serves a key, from which a scorer has its own curve, and at which one is proposed. */
export const SCORER_GROUPS = { many: 30, ownCurve: 75, propose: [10, 30, 100, 300, 1000] } as const;

/** True if what few claims leave open is that of simulated worlds, whose covariances come with the ladders. */
export const isShrunk = (method: string): boolean => method === SCORER_METHOD;

/** True if a scorer takes its population's mean off and nothing else. None is made any more. */
export const isMeanAlone = (method: string, groups: number): boolean =>
  method === 'population-scorer/4' && groups < SCORER_GROUPS.many;

/** Groups of claims that make a scorer. */
export const leastGroups = (method: string): number =>
  isShrunk(method) || method === 'population-scorer/4' ? SCORER_GROUPS.propose[0] : SCORER_GROUPS.many;

/** Claims that the worlds count for. */
const PRIOR_CLAIMS = 10;

/** Groups from which norms are a population's own, and what stands in for them in so far as there are fewer: so thresholds hardly move. */
const WHOLE_NORMS = 20;
const NORM_BEFORE = 0.83;

/** The share of so many claims of a population in its means and covariances; the rest is that of worlds. */
export const ownShare = (claims: number): number => claims / (claims + PRIOR_CLAIMS);

/** A side's norm is `own` times the mean of its best scores, and `rest`; `none` takes the place of that mean where no group is left. */
export function normShares(method: string, groups: number): { own: number; rest: number; none: number } {
  if (isMeanAlone(method, groups)) return { own: 0, rest: 0, none: 0 };
  if (!isShrunk(method)) return { own: 1, rest: 0, none: 0 };
  const own = Math.min(1, groups / WHOLE_NORMS);
  return { own, rest: NORM_BEFORE * (1 - own), none: 1 };
}

/** The newest claims of a population that a scorer is fitted on: they bound its size and a claim's cost. */
export const BANK_CLAIMS = 1200;

/** A mean cosine from which on two sides of one kind may be scans of one stone. */
export const neighbourBy = (method: ScorerMethod): number => (method === 'population-scorer/3' ? 0.98 : 0.97);

/** Share of the mean variance in the within-pair covariance. */
export const SHRINKAGE = 0.3;

/**
 * Least variance between stones, in units of that within a pair: directions with less are left out, and the others lessened
 * by it.
 */
export const LEAST_DIRECTION = 0.05;

/** Parts of the bank; there is a map without any one of them and one without any two. */
export const FOLDS = 4;

/** Fits before the last one, each of which drops the claims that look wrong: those at or below this share of the cross scores. */
export const TRIMMINGS = 2;
export const TRIM_QUANTILE = 0.9;

/** A map is without this many folds at most. */
export const MOST_FOLDS_LEFT_OUT = 2;

/**
 * Number of best scores against the bank that make a side's norm.
 * @param others groups left out that hold no scan of the claim: their scores would be among the best, and all others would
 * move up
 */
export const bestOf = (groups: number, others = 0): number => Math.max(1, Math.floor(groups / 30) - others);

/** The folds of groups as bits. */
export const foldBit = (group: number): number => 1 << (group % FOLDS);

/** Sets of folds that a map is without, as bits: none, one, two. In this order they stand in an asset. */
export const LEFT_OUT: readonly number[] = [
  0,
  ...Array.from({ length: FOLDS }, (_, a) => 1 << a),
  ...Array.from({ length: FOLDS }, (_, a) => Array.from({ length: a }, (_, b) => (1 << a) | (1 << b))).flat(),
];

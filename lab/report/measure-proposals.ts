import { shippedEntry } from '#science/calibration/asset';
import type { NoEstimate } from '#science/calibration/genuine-accept';
import { CLAIMS_NEEDED, DEFAULT_REJECT_TARGET, REJECT_TARGETS, type RejectTarget } from '#science/calibration/ladder';
import type { Measured } from '#science/calibration/proposal';
import { Z95 } from '#science/calibration/statistics';
import { Random } from '../simulator/index.js';
import type { AcceptFigures, ProposalFigures, ReachedFigures, WrongClaims } from './figures.js';
import { counted } from './measure-claims.js';
import { Deck, type Proposing, propose, type Sent, spread } from './repeat.js';
import type { Stones } from './stones.js';
import type { Truth } from './truth.js';

/** A simulated population: stones that claims are drawn from and that thresholds are judged by. */
export interface Population {
  name: string;
  seed: number;
  drawn: Stones;
  /** Look-alikes of as many of the first stones. */
  lookAlikes: Stones;
  truth: Truth;
}

/** Claims of one repetition, and the thresholds proposed for them. */
export interface Repetition {
  /** Drawn stones in it. */
  stones: number[];
  measured: Measured;
}

const WRONG_KINDS = ['random', 'look-alike'] as const;
const WRONG_SHARES = [0.05, 0.2, 0.4];
/** Sizes at which partly wrong claims are measured. */
const WRONG_AT = [150, 400];
/** The contract's claim counts, ascending. */
const COUNTS = [...new Set(Object.values(CLAIMS_NEEDED))].sort((a, b) => a - b);
/** No expected_genuine_accept is given below. */
const MIN_FOR_ACCEPT = 100;

const rungsOf = (count: number): RejectTarget[] => REJECT_TARGETS.filter((rung) => CLAIMS_NEEDED[rung] === count);

/** Those that leave at least as many stones to judge by. */
const countsOf = (stones: number): number[] => COUNTS.filter((claims) => 2 * claims <= stones);

/** Number of repetitions that `measureProposals` runs. */
export const repetitionsOf = (stones: number, repetitions: number, withWrong: boolean): number =>
  countsOf(stones).reduce(
    (sum, claims) =>
      sum + repetitions * (withWrong && WRONG_AT.includes(claims) ? 1 + WRONG_KINDS.length * WRONG_SHARES.length : 1),
    0,
  );

/**
 * Effect on a population's other stones of the proposals made at exactly the claims that each rung needs.
 * @param withWrong measures expected_genuine_accept with wrong claims among the genuine ones too
 */
export async function measureProposals(
  proposing: Proposing,
  population: Population,
  repetitions: number,
  withWrong: boolean,
  onRepetition: () => void,
): Promise<ProposalFigures> {
  const { name, drawn, truth } = population;
  const repeat = async (count: number, wrong: WrongClaims) => {
    const next = dealer(population, wrong, count);
    const results: Repetition[] = [];
    for (let i = 0; i < repetitions; i++) {
      const claims = next();
      results.push({ stones: stonesOf(claims, drawn), measured: await propose(proposing, name, claims) });
      onRepetition();
    }
    return results;
  };
  const rungs: ReachedFigures[] = [];
  const accept: AcceptFigures[] = [];
  for (const claims of countsOf(drawn.count)) {
    const genuine = await repeat(claims, { kind: 'none', share: 0 });
    for (const rung of rungsOf(claims)) {
      const shipped = shippedEntry(proposing.asset, rung).threshold;
      rungs.push({ ...reached(genuine, rung, truth, shipped), disjoint: repetitions * claims <= drawn.count });
    }
    if (claims < MIN_FOR_ACCEPT) continue;
    const acceptOf = (results: Repetition[], wrong: WrongClaims) => {
      for (const rung of [...new Set([DEFAULT_REJECT_TARGET, ...rungsOf(claims)])])
        accept.push(estimated(results, wrong, rung, truth));
    };
    acceptOf(genuine, { kind: 'none', share: 0 });
    if (withWrong && WRONG_AT.includes(claims))
      for (const kind of WRONG_KINDS)
        for (const share of WRONG_SHARES) acceptOf(await repeat(claims, { kind, share }), { kind, share });
  }
  return {
    population: name,
    stones: drawn.count,
    rungs: rungs.sort((a, b) => b.rejectTarget - a.rejectTarget),
    accept,
  };
}

/** Claims of one population after the other, the wrong ones first. */
function dealer({ name, seed, drawn, lookAlikes }: Population, { kind, share }: WrongClaims, claims: number) {
  const random = new Random('claims', name, seed, kind, share, claims);
  const wrong = Math.round(share * claims);
  const deck = new Deck(random, kind === 'look-alike' ? lookAlikes.count : 0, drawn.count);
  const alike = new Deck(random, 0, lookAlikes.count);
  const sent = (rough: number, polish: number): Sent => ({
    rough: { of: drawn, stone: rough },
    polish: { of: drawn, stone: polish },
  });
  return (): Sent[] => {
    if (kind === 'look-alike')
      return [
        ...alike.deal(wrong).map((i) => ({ rough: { of: drawn, stone: i }, polish: { of: lookAlikes, stone: i } })),
        ...deck.deal(claims - wrong).map((i) => sent(i, i)),
      ];
    const stones = deck.deal(claims + wrong);
    return stones.slice(0, claims).map((stone, i) => sent(stone, i < wrong ? stones[claims + i] : stone));
  };
}

/** The drawn stones that a repetition's claims are made of. */
export const stonesOf = (claims: Sent[], drawn: Stones): number[] => [
  ...new Set(
    claims.flatMap(({ rough, polish }) => [rough, polish]).flatMap(({ of, stone }) => (of === drawn ? [stone] : [])),
  ),
];

export const figuresAt = ({ rungs }: Measured, rung: RejectTarget) => {
  const found = rungs.find(({ reject_target }) => reject_target === rung);
  if (!found) throw new Error(`nothing is proposed at ${rung}`);
  return found;
};

function reached(results: Repetition[], rejectTarget: RejectTarget, truth: Truth, shipped: number) {
  const threshold = truth.thresholds[rejectTarget];
  const proposals = results.map(({ stones, measured }) => ({ stones, ...figuresAt(measured, rejectTarget) }));
  const holding = proposals.filter(({ interval: [low, high] }) => low <= threshold && threshold <= high);
  return {
    rejectTarget,
    claims: results[0].measured.claims,
    repetitions: results.length,
    before: truth.wrongAbove(shipped),
    after: spread(proposals.map((one) => truth.wrongAbove(one.threshold, one.stones))),
    intervalHolds: counted(holding.length, results.length),
  };
}

function estimated(results: Repetition[], wrong: WrongClaims, rung: RejectTarget, truth: Truth): AcceptFigures {
  const none: Partial<Record<NoEstimate, number>> = {};
  const truths: number[] = [];
  const errors: number[] = [];
  let covered = 0;
  for (const { stones, measured } of results) {
    const proposal = figuresAt(measured, rung);
    const { expected_genuine_accept: estimate, expected_genuine_accept_reason: reason } = proposal;
    if (reason !== null) none[reason] = (none[reason] ?? 0) + 1;
    if (estimate === null) continue;
    const confirmed = truth.genuineAbove(proposal.threshold, stones);
    truths.push(confirmed);
    errors.push(estimate - confirmed);
    if (Math.abs(estimate - confirmed) <= Z95 * (proposal.expected_genuine_accept_error ?? 0)) covered++;
  }
  const some = errors.length > 0;
  return {
    wrong,
    claims: results[0].measured.claims,
    rejectTarget: rung,
    repetitions: results.length,
    none,
    truth: some ? spread(truths).mean : null,
    error: some ? spread(errors) : null,
    covered: counted(covered, errors.length),
  };
}

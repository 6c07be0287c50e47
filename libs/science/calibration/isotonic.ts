import { countAtMost } from './statistics.js';

/** A monotone curve through knots: `scores` strictly ascending, `probabilities` never falling, inside (0, 1). */
export interface Isotonic {
  scores: number[];
  probabilities: number[];
}

interface Block {
  first: number;
  last: number;
  genuine: number;
  wrong: number;
}

/**
 * Isotonic regression by pool adjacent violators of "the claim is true" on the score, at a 50:50 mix: all genuine claims
 * together weigh as much as all wrong ones. Both inputs ascending and not empty. With n genuine claims no probability comes
 * closer to certainty than 1/(n+2) and (n+1)/(n+2).
 */
export function fitIsotonic(genuine: ArrayLike<number>, wrong: ArrayLike<number>): Isotonic {
  const share = (block: Block) =>
    block.genuine / genuine.length / (block.genuine / genuine.length + block.wrong / wrong.length);
  const blocks: Block[] = [];
  const push = (block: Block) => {
    for (let last = blocks.at(-1); last && share(last) >= share(block); last = blocks.at(-1)) {
      blocks.pop();
      block = {
        first: last.first,
        last: block.last,
        genuine: last.genuine + block.genuine,
        wrong: last.wrong + block.wrong,
      };
    }
    blocks.push(block);
  };
  // Wrong scores between two genuine ones are a run of zeros: one block, however many.
  let w = 0;
  const pushWrongBelow = (end: number) => {
    if (end > w) push({ first: wrong[w], last: wrong[end - 1], genuine: 0, wrong: end - w });
    w = Math.max(w, end);
  };
  for (let g = 0; g < genuine.length; ) {
    const score = genuine[g];
    let next = g + 1;
    while (next < genuine.length && genuine[next] === score) next++;
    if (w < wrong.length && wrong[w] < score) {
      // Jump over the run in one step: it ends before the first wrong score that is not below this one.
      let end = countAtMost(wrong, score);
      while (end > w && wrong[end - 1] === score) end--;
      pushWrongBelow(end);
    }
    let equal = 0;
    while (w + equal < wrong.length && wrong[w + equal] === score) equal++;
    push({ first: score, last: score, genuine: next - g, wrong: equal });
    w += equal;
    g = next;
  }
  pushWrongBelow(wrong.length);

  const floor = 1 / (genuine.length + 2);
  const curve: Isotonic = { scores: [], probabilities: [] };
  for (const block of blocks) {
    const probability = Math.min(Math.max(share(block), floor), 1 - floor);
    for (const score of block.first === block.last ? [block.first] : [block.first, block.last]) {
      curve.scores.push(score);
      curve.probabilities.push(probability);
    }
  }
  return curve;
}

/** The curve at a score: linear between knots, level beyond the outermost ones. */
export function probabilityAt({ scores, probabilities }: Isotonic, score: number): number {
  const above = countAtMost(scores, score);
  if (above === 0) return probabilities[0];
  if (above === scores.length) return probabilities[above - 1];
  const part = (score - scores[above - 1]) / (scores[above] - scores[above - 1]);
  const low = probabilities[above - 1];
  return low + part * (probabilities[above] - low);
}

/** Every approval against what its claims give, and the scores of claims against the scorers in force. Needs no Node. */
import { MAPPED_METHODS, METHODS } from './grammar.mjs';
import { measure } from './method.mjs';
import { measureUnder, TOLERANCE } from './rungs.mjs';
import { checkScorer } from './scorer.mjs';
import { Differs, differs, eyeOf, shown } from './text.mjs';

const NEEDED = { 99: 40, 98: 75, 97: 150, 96: 200, 95: 400, 94: 800, 93: 1200, 92: 1200 };
const bytesOfText = (text) => new TextEncoder().encode(text);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * @param decided the population's decisions in their order
 * @returns of each approval of a scorer its model, the scorer and how many events stand before it
 * @throws Differs
 */
export async function checkApprovals({ population, evidence, decided, sha256, score, files, shapes }) {
  const wrong = [];
  const measured = new Map();
  /** By model: the digest of the scorer in force, and who asked for which. */
  const inForce = new Map();
  const requests = new Map();
  const scorers = new Map();
  const approved = [];
  let before = 0;
  for (const [n, { type, revision, data }] of decided.entries()) {
    const model = data.proposal?.model ?? data.model;
    const where = `decisions.json: approval ${revision}`;
    switch (type) {
      case 'ScorerRequested':
        requests.set(model, { operator: data.operator, digest: data.proposal.digest });
        break;
      case 'ScorerWithdrawn':
        inForce.delete(model);
        requests.delete(model);
        break;
      case 'ScorerApproved': {
        const { proposal, operator, requested_by: first } = data;
        const request = requests.get(model);
        if (
          first !== null &&
          (eyeOf(first) === eyeOf(operator) || first !== request?.operator || proposal.digest !== request.digest)
        )
          differs(where, `${shown(first)} did not request it before ${shown(operator)}`);
        const held = evidence.get(model);
        // The same scorer as before is the same on the same bank; its proposal is another one.
        const scorer = await checkScorer({ files, shapes, sha256, population, held, proposal, before, where });
        scorers.set(proposal.scorer, scorer);
        approved.push({ model, scorer, n });
        inForce.set(model, proposal.scorer);
        requests.delete(model);
        break;
      }
      default: {
        const digest = data.scorer ?? null;
        if (digest !== (inForce.get(model) ?? null))
          differs(where, `its scorer is ${shown(digest)}, in force is ${shown(inForce.get(model) ?? null)}`);
        if (type === 'RungApproved') await checkRung(data, where, digest);
      }
    }
    if (type !== 'ApprovalRequested' && type !== 'ScorerRequested') before++;
  }
  if (wrong.length > 0) throw new Differs(wrong.join('\n'));
  return approved;

  async function checkRung({ reject_target, proposal }, approval, digest) {
    const { model, claims } = proposal;
    const held = evidence.get(model);
    const percent = Math.round(reject_target * 100);
    const rung = (percent / 100).toFixed(2);
    const where = `${approval} at ${rung}`;
    const stop = (what) => {
      throw new Differs([...wrong, `${where}: ${what}`].join('\n'));
    };
    if (!(claims >= NEEDED[percent])) stop('not enough claims');
    const [ofAll, ofNewest] = digest === null ? METHODS : MAPPED_METHODS;
    // A proposal by all claims stands, however many there are.
    const newest = proposal.method === ofAll ? undefined : await held.newestOf(claims);
    const rests = newest ? { ...held, list: newest.list } : held;
    const n = newest?.list.length ?? claims;
    const key = `${model} ${claims} ${digest} ${n}`;
    if (!measured.has(key))
      measured.set(key, digest === null ? await measure(rests, n, score) : measureUnder(rests, n, scorers.get(digest)));
    const of = measured.get(key);
    if (!of) stop('no pair of its claims is left');
    const link = newest?.link ?? held.chain[claims];
    const method = newest ? ofNewest : ofAll;
    const line = ['mvs-proposal/1', method, population, model, rung, before, claims, link];
    const expected = {
      method,
      decisions: before,
      evidence_digest: link,
      digest: await sha256([bytesOfText(JSON.stringify(digest === null ? line : [...line, digest]))]),
      ...(digest === null && { ...of(percent), claims }),
    };
    for (const [field, value] of Object.entries(expected))
      if (!same(proposal[field], value))
        wrong.push(`${where}: ${field} is ${shown(proposal[field])}, the claims give ${shown(value)}`);
    if (digest !== null)
      for (const field of of(percent, { ...proposal, claims: n }))
        wrong.push(`${where}: ${field} is ${shown(proposal[field])}, the claims give another one`);
    if (Math.min(proposal.roughs, proposal.polishes) < NEEDED[percent] / 2) wrong.push(`${where}: not enough stones`);
  }
}

/**
 * Claims that were scored by a scorer: each has a score of one that was approved before it, and the verdict of its own score.
 * @returns the claims whose verdict stands on rounding
 * @throws Differs
 */
export function checkScored(scored, approved) {
  const rounded = [];
  for (const model of new Set(scored.map((one) => one.model))) {
    const of = scored.filter((one) => one.model === model);
    const by = approved.filter((one) => one.model === model);
    const scores = by.map(({ scorer }) => scorer.ofClaims(of.map(({ claim }) => claim)).scores);
    const file = 'events.ndjson';
    for (const [i, { claim, result, decisions }] of of.entries()) {
      const { fused_score, threshold, verdict } = result;
      const own = by
        .map(({ n }, at) => ({ n, score: scores[at][i] }))
        .find(({ n, score }) => n < decisions && Math.abs(score - fused_score) <= TOLERANCE);
      if (!own) differs(file, `${claim.claim_id} has a score that no scorer gives`);
      if (fused_score > threshold !== (verdict === 'MATCH')) differs(file, `${claim.claim_id} has another verdict`);
      if (own.score > threshold !== fused_score > threshold) rounded.push(claim.claim_id);
    }
  }
  return rounded;
}

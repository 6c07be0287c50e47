/** A forger's work on a workspace's bundle: other events, and every hash made to fit that he can make fit. */
import { createHash } from 'node:crypto';
import { eventsOf, type Files, type Line, refit } from './forge.js';

const sha256 = (...parts: (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};
const bytes = (texts: string[]) => Buffer.concat(texts.map((text) => Buffer.from(text, 'base64')));
const isDecision = ({ type }: Line) => type.startsWith('LotScorer');

/** Puts events in with the chain, decisions.json and the manifest that they give. */
export function putLotEvents(files: Files, events: Line[]): void {
  const listing = JSON.parse(files.get('decisions.json')!.toString());
  let root = sha256(JSON.stringify(['mvs-lot-scorer-chain/1', listing.workspace.id]));
  const lines = events.map((event) => {
    if (isDecision(event) && event.version > 1) event.data.chain = root;
    const line = JSON.stringify(event);
    if (isDecision(event)) root = sha256(`${root}\n${line}\n`);
    return `${line}\n`;
  });
  files.set('events.ndjson', Buffer.from(lines.join('')));
  const decisions = events.filter(isDecision).map(({ type, revision, data }) => ({ event: type, revision, ...data }));
  files.set('decisions.json', Buffer.from(`${JSON.stringify({ ...listing, chain_root: root, decisions }, null, 1)}\n`));
  refit(files);
}

/** Every digest in proposals as the events give it: then the scorer alone shows that its vectors are others. */
export function refitDigests(files: Files): void {
  const events = eventsOf(files);
  const of = new Map(events.map(({ data }) => [data.check_id ?? data.lot_id, data] as const));
  const vectors = (id: string) => bytes(of.get(id)!.stones.map(({ vector }: { vector: string }) => vector));
  const digests = new Map<string, string>();
  for (const { type, data } of events) {
    if (type !== 'LotScorerApproved') continue;
    const { proposal, scorer } = data;
    const { model, method } = proposal;
    const pairs: [string, string][] = proposal.rests_on.map((one: Record<string, string>) => [
      one.lot_id,
      one.check_id,
    ]);
    const head = [method, model, scorer.bar.at, scorer.bar.slope, pairs.map(([lot]) => lot)];
    const members = pairs.map(([lot]) => vectors(lot));
    proposal.scorer = sha256(JSON.stringify(head), bytes([...scorer.map, scorer.between]), ...members);
    proposal.evidence_digest = sha256(
      JSON.stringify(['mvs-lot-evidence/1', model, pairs]),
      ...pairs.flatMap(([lot, check]) => [vectors(lot), vectors(check)]),
    );
    const digest = sha256(JSON.stringify([method, model, data.workspace.id, proposal.decisions, pairs]));
    digests.set(proposal.digest, digest);
    proposal.digest = digest;
  }
  for (const { type, data } of events)
    if (type === 'LotScorerRequested') data.proposal.digest = digests.get(data.proposal.digest);
  putLotEvents(files, events);
}

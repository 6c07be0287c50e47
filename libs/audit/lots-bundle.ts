/**
 * The audit bundle of a workspace: the decisions about its lot scorer, and the lots, returns and lot models that approvals rest
 * on. Its content depends on the log up to the last decision alone.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { streams } from '#domain/streams';
import { type EventReader, original, type RecordedEvent } from '#kit/log/port';
import { readAllEvents, readEvents, StreamUndecidable } from '#kit/log/stored-events';
import { exportLine } from '#kit/log/transfer';
import { lotScorerRoots } from '#lots/chain';
import type { LotChecked, LotEnrolled } from '#lots/events';
import type { LotScorerEvent } from '#lots/events-scorer';
import { type LotModel, lotModelFile } from '#science/lots/model';
import { LOT_SCORER_METHOD } from '#science/lots/scorer/scorer';
import { lotModelIn, shippedLotModelFolders } from '#science/lots/shipped';
import { InvalidDecisions } from './valid-decisions.js';
import {
  BundleFiles,
  bundleName,
  DOCS,
  listed,
  type PreparedBundle,
  piecesOf,
  type Sealing,
  type Sink,
  signerOf,
} from './writing.js';

export interface LotAuditSources {
  reader: EventReader;
  /** Of the log that is read; without them the bundle says nothing of seals and is not signed. */
  seals: Sealing | undefined;
  /** The workspace's. */
  id: string;
  /** Lot models beside the shipped ones. */
  models?: readonly LotModel[];
}

type Decision = LotScorerEvent & RecordedEvent;
const FORMAT = 'mvs-audit/4';
const PAGES = { 'method.md': 'lot-scorer-method.md', 'check.md': 'lot-method.md' };

/** The workspace's name and the chain roots of its decisions; undefined where nothing was decided about its scorer. */
export async function lotDecisions(
  reader: EventReader,
  id: string,
): Promise<{ name: string; decisions: Decision[]; roots: [string, ...string[]] } | undefined> {
  const decisions = await readEvents<LotScorerEvent>(reader, streams.lotScorer(id)).catch((error: Error) => {
    throw error instanceof StreamUndecidable ? new InvalidDecisions(error.message) : error;
  });
  const name = decisions.at(0)?.data.workspace.name;
  return name === undefined ? undefined : { name, decisions, roots: lotScorerRoots(id, decisions) };
}

/**
 * Makes sure that there is a bundle, before the first byte of it.
 * @throws InvalidDecisions where a decision does not carry the hash of those before it, nobody decided, or a lot model is not at hand
 */
export async function prepareLotsBundle(sources: LotAuditSources): Promise<PreparedBundle> {
  const { reader, seals, id, models: others = [] } = sources;
  const found = await lotDecisions(reader, id);
  if (!found) throw new InvalidDecisions(`nobody decided about a lot scorer of the workspace ${id}`);
  const { name: owner, decisions, roots } = found;
  for (const [i, { data, stored, position }] of decisions.entries())
    if ((stored?.version ?? 2) > 1 && data.chain !== roots[i])
      throw new InvalidDecisions(
        `event ${position} (stream ${streams.lotScorer(id)}) does not carry the hash of those before it`,
      );
  const needed = new Set(
    decisions.flatMap((one) => (one.type === 'LotScorerApproved' ? [one.data.proposal.model] : [])),
  );
  const models = new Map<string, Uint8Array>();
  for (const model of [...others, ...shippedLotModelFolders().map(lotModelIn)])
    if (needed.has(model.digest)) models.set(model.digest, lotModelFile(model));
  for (const model of needed)
    if (!models.has(model))
      throw new InvalidDecisions(`an approval rests on the lot model ${model}, which is not here: name its folder`);
  const name = bundleName(owner, decisions.at(-1), roots.at(-1) as string);
  const content = { owner, decisions, root: roots.at(-1) as string, models: [...needed], files: models };
  return { name, signedBy: signerOf(seals), write: (sink) => writeBundle(sources, content, sink) };
}

async function writeBundle(
  { reader, seals, id }: LotAuditSources,
  content: { owner: string; decisions: Decision[]; root: string; models: string[]; files: Map<string, Uint8Array> },
  sink: Sink,
): Promise<string> {
  const { owner, decisions, root: chain_root, models, files } = content;
  const bundle = new BundleFiles(sink, seals);
  await bundle.put('events.ndjson', bundle.lines(eventLines(reader, id, decisions)));
  for (const model of models)
    await bundle.put(`evidence/${model}/lot-model.safetensors`, piecesOf([files.get(model) as Uint8Array]));
  const listing = {
    workspace: { id, name: owner },
    method: LOT_SCORER_METHOD,
    chain_root,
    models,
    decisions: listed(decisions),
  };
  await bundle.putText('decisions.json', `${JSON.stringify(listing, null, 1)}\n`);
  for (const [path, page] of Object.entries(PAGES))
    await bundle.put(path, piecesOf([readFileSync(join(DOCS, 'concepts', page))]));
  return bundle.end(FORMAT);
}

/** The decisions, and the enrolments and checks that approvals rest on, in the order of the log. */
async function* eventLines(
  reader: EventReader,
  id: string,
  decisions: Decision[],
): AsyncGenerator<{ line: Uint8Array; position: bigint }> {
  const needed = new Set<string>(
    decisions.flatMap((one) =>
      one.type === 'LotScorerApproved'
        ? one.data.proposal.rests_on.flatMap(({ lot_id, check_id }) => [lot_id, check_id])
        : [],
    ),
  );
  const last = decisions.at(-1)?.position ?? 0n;
  const streamPrefixes = [streams.lotScorer(id), streams.lot(id, ''), streams.lotCheck(id, '')];
  const types = ['LotScorerRequested', 'LotScorerApproved', 'LotScorerWithdrawn', 'LotEnrolled', 'LotChecked'] as const;
  for await (const event of readAllEvents<LotScorerEvent | LotEnrolled | LotChecked>(reader, {
    streamPrefixes,
    types,
  })) {
    if (event.position > last) return;
    if (event.data.workspace.id !== id) continue;
    const { type, data } = event;
    if (type === 'LotEnrolled' && !needed.has(data.lot_id)) continue;
    if (type === 'LotChecked' && !needed.has(data.check_id)) continue;
    yield { line: Buffer.from(`${exportLine(original(event))}\n`), position: event.position };
  }
}

/** The basis of a scorer's approvals besides claims and vectors: its fitted tables, and the model's ladders. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scorerPartsDecider } from '#calibration/decide-scorer-bytes';
import type { CalibrationEvent, ScorerProposal } from '#calibration/events';
import { scorerBytes } from '#calibration/events-scorer';
import { streams } from '#domain/streams';
import type { EventReader } from '#kit/log/port';
import { readState } from '#kit/log/stored-events';
import { VECTOR_LENGTH } from '#science/calibration/evidence';
import { SCORER_FILE, scorerProposalDigest } from '#science/calibration/scorer/ladders';
import { PopulationScorer } from '#science/calibration/scorer/scorer';
import { shippedModelFolders } from '#science/matching/shipped';
import { InvalidDecisions } from './valid-decisions.js';

/** A file beside a model's evidence. */
export interface ScorerFile {
  model: string;
  path: string;
  content: Uint8Array;
  /** Of 256 float32, little-endian, where it holds such. */
  rows?: number;
}

export const isAboutScorer = ({ type }: CalibrationEvent): boolean => type.startsWith('Scorer');

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes stored under a digest; undefined if they are not whole, or another thing. */
async function stored(reader: EventReader, population: string, digest: string): Promise<Uint8Array | undefined> {
  const { state } = await readState(reader, streams.scorer(population, digest), scorerPartsDecider);
  const bytes = scorerBytes(state);
  return bytes && sha256(bytes) === digest ? bytes : undefined;
}

/**
 * The files that approvals of scorers rest on, each once.
 * @throws InvalidDecisions where they are nowhere to be found
 */
export async function scorersBehind(
  reader: EventReader,
  population: string,
  decisions: readonly CalibrationEvent[],
): Promise<ScorerFile[]> {
  const files = new Map<string, ScorerFile>();
  for (const event of decisions) {
    if (event.type !== 'ScorerApproved') continue;
    const { proposal } = event.data;
    const tables = await tablesOf(reader, population, proposal);
    const ladders = await laddersBehind(reader, population, proposal);
    if (!tables || !ladders)
      throw new InvalidDecisions(
        `the scorer ${proposal.scorer} was approved, and ${tables ? 'the ladders it was made with are' : 'its bytes are'} not there`,
      );
    for (const file of [...tables, ladders]) files.set(`${file.model} ${file.path}`, file);
  }
  return [...files.values()];
}

/** A scorer's canonical form without the bank, which the evidence holds; nothing where the log does not have it. */
async function tablesOf(
  reader: EventReader,
  population: string,
  { model, scorer }: ScorerProposal,
): Promise<ScorerFile[] | undefined> {
  const bytes = await stored(reader, population, scorer);
  if (!bytes) return undefined;
  const { header } = PopulationScorer.load(bytes);
  const rows = header.directions.flat().reduce((sum, count) => sum + count + 2, 0);
  const bank = 2 * header.groups.length * header.encoders.length;
  const end = bytes.length - 4 * VECTOR_LENGTH * bank;
  const maps = bytes.subarray(end - 4 * VECTOR_LENGTH * rows, end);
  return [
    { model, path: `scorer-${scorer}.json`, content: Buffer.from(`${JSON.stringify(header)}\n`) },
    { model, path: `scorer-${scorer}.f32`, content: maps, rows },
  ];
}

/** The ladders that a proposal was made with: in the log, or those of a shipped model. */
async function laddersBehind(
  reader: EventReader,
  population: string,
  proposal: ScorerProposal,
): Promise<ScorerFile | undefined> {
  const { model } = proposal;
  const fileOf = (digest: string, text: string) => ({
    ...{ model, path: `ladders-${digest}.json` },
    content: Buffer.from(`${text}\n`),
  });
  const isBehind = (ladders: string) => scorerProposalDigest({ ...proposal, population, ladders }) === proposal.digest;
  const prefix = streams.scorer(population, '');
  const names = new Set<string>();
  for await (const { stream } of reader.readAll({ streamPrefixes: [prefix], types: ['ScorerPart'] })) names.add(stream);
  for (const name of names) {
    const digest = name.slice(prefix.length);
    const bytes = isBehind(digest) ? await stored(reader, population, digest) : undefined;
    if (bytes) return fileOf(digest, Buffer.from(bytes).toString());
  }
  for (const file of shippedModelFolders().map((folder) => join(folder, SCORER_FILE))) {
    if (!existsSync(file)) continue;
    const text = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
    if (isBehind(sha256(text))) return fileOf(sha256(text), text);
  }
  return undefined;
}

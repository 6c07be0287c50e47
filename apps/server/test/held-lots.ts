/** A workspace's history as the log holds it, without its scans: lots that the shipped model does not know, and their returns. */
import { createHash } from 'node:crypto';
import { streams } from '#domain/streams';
import { encodeLotVector } from '#domain/vectors';
import type { WorkspaceFacts } from '#keys/events';
import type { EventStore } from '#kit/log/port';
import { checkId, lotId } from '#lots/decide';
import { BOUNDS_VERSION } from '#science/lots/bounds';
import { falseAcceptsOf, readLotFolder } from '#science/lots/folder';
import { checkReturn, type EncodedLot, enrolLot, membersOf } from '#science/lots/lot';
import { LOT_VECTOR } from '#science/lots/model';
import { shippedLotModelFolder } from '#science/lots/shipped';
import type { MadeLot } from '#science/lots/test/made-lots';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const { model, usual, measured } = readLotFolder(shippedLotModelFolder());

const encoded = (vectors: Float32Array, names: string): EncodedLot => ({
  stones: Array.from({ length: vectors.length / LOT_VECTOR }, (_, i) => ({ stone: `${names}${i}`, scans: 3 })),
  vectors,
  look: model.looks.shaken.mean,
  warnings: [],
});
const kept = ({ stones, vectors }: EncodedLot, of: string) =>
  stones.map((stone, i) => ({
    ...stone,
    digest: sha256(`${of} ${stone.stone}`),
    scan_digests: [1, 2, 3].map((scan) => sha256(`${of} ${stone.stone} ${scan}`)),
    vector: encodeLotVector(vectors.subarray(i * LOT_VECTOR, (i + 1) * LOT_VECTOR)),
  }));

/** Writes a lot and its check into the log, as the service answers them. @param checks of other files with the same stones */
export async function holdLot(
  store: Pick<EventStore, 'append'>,
  workspace: WorkspaceFacts,
  { lot_id: name, members, returned }: MadeLot,
  checks = 1,
): Promise<{ lot_id: string; check_id: string }> {
  const [lot, back] = [encoded(members, 'M'), encoded(returned, 'P')];
  const { placing, ...enrolled } = enrolLot(model, lot, 'shaken', usual);
  const lot_id = lotId(sha256, workspace.id, name);
  const stones = kept(lot, name).map((stone, i) => ({ ...stone, ...placing[i] }));
  const facts = {
    workspace,
    request_id: 'request',
    model: model.digest,
    latency_ms: {},
    at: '2026-11-24T12:00:00.000Z',
  };
  const digest = sha256(name);
  const enrolment = { lot_id, ...facts, name, digest, stones, ...enrolled, bounds_version: BOUNDS_VERSION };
  const append = (stream: string, type: string, version: number, data: object) =>
    store.append(stream, [{ id: crypto.randomUUID(), type, version, data: { ...data } }], 'no_stream');
  await append(streams.lot(workspace.id, lot_id), 'LotEnrolled', 2, enrolment);
  const rows = stones.map(({ stone, cohort, crowding }, i) => ({
    ...{ stone, cohort, crowding },
    vector: members.subarray(i * LOT_VECTOR, (i + 1) * LOT_VECTOR),
  }));
  const rates = falseAcceptsOf(measured, stones.length);
  const result = checkReturn(model, membersOf(rows, enrolled), back, 'shaken', rates, usual);
  let check_id = '';
  for (let n = 0; n < checks; n++) {
    const files = n === 0 ? digest : sha256(`${name} ${n}`);
    check_id = checkId(sha256, lot_id, files, { model: model.digest, session: 'shaken' });
    const check = { lot_id, ...facts, check_id, digest: files, stones: kept(back, `${name} back ${n}`), result };
    await append(streams.lotCheck(workspace.id, check_id), 'LotChecked', 3, check);
  }
  return { lot_id, check_id };
}

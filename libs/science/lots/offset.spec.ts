import { modelFolderNamed } from '#science/matching/shipped';
import { scrambled } from '#science/numerics/test/scrambled';
import { checkLot, enrol } from './check.js';
import { LOT_VECTOR, type LotModel, loadLotModel, lotModelFile, lotModelOf } from './model.js';
import { OFFSET_FROM } from './offset.js';
import { lotModelIn } from './shipped.js';

const former = lotModelIn(modelFolderNamed('lots-1'));
const removing = lotModelOf({ ...former, sessionOffset: 'removed' });

const next = scrambled(11);
const normal = () => Math.sqrt(-2 * Math.log(1 - (next() + 1) / 2)) * Math.cos(Math.PI * (next() + 1));
/** Stones as the model believes that they are. */
const stones = (count: number) =>
  Float32Array.from({ length: count * LOT_VECTOR }, (_, i) => Math.sqrt(former.between[i % LOT_VECTOR]) * normal());
const seen = (vectors: Float32Array) => vectors.map((value) => value + normal());
/** A session that adds much to a few of the numbers. */
const moved = (vectors: Float32Array) => vectors.map((value, i) => value + (i % LOT_VECTOR < 6 ? 12 : 0));
const rows = (vectors: Float32Array, from: number, end: number) =>
  vectors.subarray(from * LOT_VECTOR, end * LOT_VECTOR);

const lot = stones(20);
const enrolment = enrol(former, seen(lot));
const confirmed = (model: LotModel, returned: Float32Array) =>
  checkLot(model, enrolment, returned, 'shaken').stones.map(({ member }) => member);

describe('what a session adds to all stones', () => {
  const returned = Float32Array.of(...seen(rows(lot, 0, 16)), ...stones(4));
  const members = Array.from({ length: 16 }, (_, i) => i);

  it('is taken off by a model that says so: members are confirmed, strangers are not', () => {
    expect(confirmed(removing, moved(returned))).toEqual([...members, null, null, null, null]);
    expect(confirmed(removing, returned)).toEqual([...members, null, null, null, null]);
  });

  it('stays with a model of before, which loses members by it', () => {
    expect(confirmed(former, returned)).toEqual([...members, null, null, null, null]);
    expect(confirmed(former, moved(returned)).filter((member) => member !== null).length).toBeLessThan(8);
  });

  it('is not guessed at from a few stones: a stranger alone does not become its nearest member', () => {
    for (let stranger = 0; stranger < 10; stranger++) expect(confirmed(removing, stones(1))).toEqual([null]);
    const few = rows(returned, 0, OFFSET_FROM - 1);
    expect(checkLot(removing, enrolment, few, 'shaken')).toEqual(checkLot(former, enrolment, few, 'shaken'));
  });
});

it('is said by the format of the model file, so that nobody scores by the other method', () => {
  expect(loadLotModel(lotModelFile(removing))).toEqual(removing);
  expect(loadLotModel(lotModelFile(former)).sessionOffset).toBe('kept');
  expect(removing.digest).not.toBe(former.digest);
});

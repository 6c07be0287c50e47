import { createHash } from 'node:crypto';
import { checkLot, enrol } from '#science/lots/check';
import { encodeStone } from '#science/lots/encoder';
import { LOT_VECTOR, SESSION_TYPES } from '#science/lots/model';
import { shippedLotModel } from '#science/lots/shipped';
import { readScanFile } from '#science/spectra/scan-file';
import { Random, type SimulatedScan, scanFile } from '../simulator/index.js';
import { MELEE_FAMILIES, parcelOf } from './families.js';
import { drawLot } from './lot.js';
import { type LotOrder, lotFiles } from './lot-files.js';
import { PARCEL_STONES, roughOf, twinOf } from './parcel.js';
import { onReferenceAxis } from './scans.js';

const ORDER: LotOrder = {
  family: 'test',
  seed: 5,
  parcel: 3,
  stones: 20,
  session: 'shaken',
  scans: 3,
  substitution: 0.2,
  twins: false,
};
const textOf = (data: Uint8Array) => new TextDecoder().decode(data);
const truthOf = (order: LotOrder): Record<string, string> => {
  const { files } = lotFiles({ ...order, scans: 1 });
  return JSON.parse(textOf(files.find(({ name }) => name === 'truth.json')!.data)).return;
};

describe('a lot drawn from a parcel', () => {
  it.each([10, 60])('of %s has its members, or as many substitutes of other roughs as were asked for', (size) => {
    for (let n = 0; n < 20; n++) {
      const random = new Random('lot spec', size, n);
      const { members, returned } = drawLot({ size, substitution: 0.4, twins: false }, random);
      expect(new Set(members).size).toBe(size);
      expect(new Set(returned.map(({ stone }) => stone)).size).toBe(size);
      const roughs = new Set(members.map((stone) => roughOf(stone)));
      const strangers = returned.filter(({ member }) => member === null);
      expect(strangers.length).toBe(Math.round(0.4 * size));
      expect(strangers.every(({ stone }) => stone < PARCEL_STONES && !roughs.has(roughOf(stone)))).toBe(true);
      expect(returned.every(({ stone, member }) => member === null || members[member] === stone)).toBe(true);
    }
  });

  it.each([10, 60])('of %s exchanges members for their twins, which are no members', (size) => {
    const { members, returned } = drawLot({ size, substitution: 0.4, twins: true }, new Random('twins', size));
    const twins = returned.filter(({ member }) => member === null);
    expect(twins.length).toBe(Math.round(0.4 * size));
    for (const { stone, twinOf: of } of twins) {
      expect(twinOf(members[of!])).toBe(stone);
      expect(members).not.toContain(stone);
    }
  });
});

describe('parcels', () => {
  const first = (order: Partial<LotOrder>) => textOf(lotFiles({ ...ORDER, scans: 1, ...order }).files[0].data);

  it('are the same for the same seed, and others for another seed, family or session', () => {
    expect(first({})).toBe(first({}));
    const others = [{}, { seed: 6 }, { parcel: 4 }, { session: 'table-up' as const }];
    const families = MELEE_FAMILIES.map((family) => ({ family })).filter(({ family }) => family !== ORDER.family);
    const written = [...others, ...families].map(first);
    expect(new Set(written).size).toBe(written.length);
  });

  it.each([
    ['third', 3, '19fdb186876f02384d4a0275df38074cb9d04ae753f3ecdb3525481a01e883c3'],
    ['fourth', 2, '909bb3fb2a0bb3aa97843d9748d69df8383e20c5d88409734b61bc20afae8cf6'],
  ] as const)('of the %s family are as they were set down', (family, traders, digest) => {
    const parcels = Array.from({ length: traders }, (_, parcel) => parcelOf(family, 1, parcel));
    const files = parcels.flatMap((of) =>
      (['shaken', 'table-up', 'culet-focus'] as const).flatMap((type) =>
        [0, 1, 2, 3, 90].flatMap((stone) => of.scans(stone, 'return', type, 1).map((scan) => scanFile(scan, 'csv'))),
      ),
    );
    expect(createHash('sha256').update(Buffer.concat(files)).digest('hex')).toBe(digest);
  });

  it('keep their first scans when more are taken', () => {
    const parcel = parcelOf('calibration', 1, 0);
    const many = parcel.scans(7, 'enrol', 'culet-focus', 3);
    expect(parcelOf('calibration', 1, 0).scans(7, 'enrol', 'culet-focus', 1)).toEqual(many.slice(0, 1));
    expect(many[1].absorbance).not.toEqual(many[0].absorbance);
  });

  /** Below 660 cm^-1 the detector is blind, and the other families' go far beyond the reference axis. */
  const seen = ({ wavenumbers, absorbance }: SimulatedScan) =>
    absorbance.filter((_, i) => wavenumbers[i] > 690 && wavenumbers[i] < 6000);

  it.each(MELEE_FAMILIES)('of %s have finite scans over the whole range in every session', (family) => {
    for (const type of SESSION_TYPES) {
      const [scan] = parcelOf(family, 2, 1).scans(140, 'return', type, 1);
      expect(seen(scan).every((a) => a > -0.5 && a < 6)).toBe(true);
      expect(scan.absorbance.every(Number.isFinite)).toBe(true);
      expect(Math.min(...scan.wavenumbers)).toBeLessThan(492.3 + 8.2);
      expect(Math.max(...scan.wavenumbers)).toBeGreaterThan(5988.7 - 8.2);
    }
  });
});

describe('a simulated lot', () => {
  it('says in its truth what lies in every place', () => {
    const truth = Object.values(truthOf(ORDER));
    expect(truth.length).toBe(20);
    expect(truth.filter((is) => is === 'substitute').length).toBe(4);
    expect(new Set(truth.filter((is) => is !== 'substitute')).size).toBe(16);
    const twins = Object.values(truthOf({ ...ORDER, twins: true })).filter((is) => !/^M\d\d$/.test(is));
    expect(twins.every((is) => /^twin of M\d\d$/.test(is)) && twins.length).toBe(4);
  });

  it('is read, enrolled and checked by the shipped model, which names most members rightly', () => {
    const { files } = lotFiles(ORDER);
    const model = shippedLotModel();
    const stones = (visit: string) => {
      const byName = new Map<string, Uint8Array[]>();
      for (const { name, data } of files) {
        const [, of] = new RegExp(`^${visit}/(.*)_\\d+[.]csv$`).exec(name) ?? [];
        if (of) byName.set(of, [...(byName.get(of) ?? []), data]);
      }
      const vectors = new Float32Array(byName.size * LOT_VECTOR);
      [...byName.values()].forEach((scans, i) => {
        const spectra = onReferenceAxis(scans.map((data) => readScanFile('scan.csv', data).scan));
        vectors.set(encodeStone(model, spectra, scans.length), i * LOT_VECTOR);
      });
      return { names: [...byName.keys()], vectors };
    };
    const [members, returned] = [stones('enrol'), stones('return')];
    const check = checkLot(model, enrol(model, members.vectors), returned.vectors, ORDER.session);
    const truth = truthOf(ORDER);
    const right = returned.names.filter((position, i) => {
      const { member } = check.stones[i];
      return (member === null ? 'substitute' : members.names[member]) === truth[position];
    });
    expect(right.length).toBeGreaterThanOrEqual(17);
  });
});

/** Parcels of a trader as files in a folder of the spec's own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionType } from '#science/lots/model';
import { shippedLotModel } from '#science/lots/shipped';
import { lotFiles } from '../lot-files.js';
import { listOwnParcels, readOwnParcels } from '../own-parcels.js';

export const shipped = shippedLotModel();
let root: string;
export const at = (...parts: string[]) => join(root, ...parts);
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'mvs-own-'));
});
afterAll(() => rmSync(root, { recursive: true }));

/** Parcels of a trader who sends 12 stones at a time. */
export function write(folder: string, session: SessionType, parcels: number, stones = 12): void {
  const order = { family: 'test' as const, seed: 31, stones, session, scans: 3, substitution: 0, twins: false };
  for (let parcel = 0; parcel < parcels; parcel++) {
    const { name, files } = lotFiles({ ...order, parcel, named: true });
    for (const visit of ['enrol', 'return']) mkdirSync(at(folder, session, name, visit), { recursive: true });
    for (const { name: file, data } of files) writeFileSync(at(folder, session, name, file), data);
  }
}
export const read = async (folder: string, told: string[] = []) =>
  readOwnParcels(await listOwnParcels(at(folder)), shipped, (line) => told.push(line));

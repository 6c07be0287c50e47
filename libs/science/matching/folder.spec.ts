import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bestOf as bestOfGroups } from '#science/calibration/scorer/method';
import { CARD_FILE, readModelFolder } from './folder.js';
import { shippedModelFolders } from './shipped.js';

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mvs-model-'));
  for (const name of ['model.safetensors', 'calibration.json', CARD_FILE])
    copyFileSync(join(shippedModelFolders()[0], name), at(name));
});
afterEach(() => rmSync(folder, { recursive: true }));
const edit = (name: string, change: (text: string) => string) =>
  writeFileSync(at(name), change(readFileSync(at(name), 'utf8')));

it('carries to a scorer the ladder of banks whose norms take as many of the best scores', () => {
  const { banks } = readModelFolder(shippedModelFolders()[0]).scorerLadders!;
  for (let groups = 30; groups < 120; groups++) {
    const carried = banks.findLast((bank) => bank.groups <= groups)!;
    expect([groups, bestOfGroups(carried.groups)]).toEqual([groups, bestOfGroups(groups)]);
  }
});

it('every shipped card names its ladder', () => {
  for (const shipped of shippedModelFolders()) expect(readModelFolder(shipped).pinned).toBe(true);
});

it.each([
  ['worlds', 2, 'c15c5d345722d5b694396cb3c02bd3c469a7028c5dc5ea4f9bc7a96143be52c6'],
  ['shipped', 3, 'c2f8f6c2dc144a066ddc12f7e370f282673dc6887f3c88bed1e3c25976061611'],
])('the former name of a shipped folder still opens it: %s', (former, place, digest) => {
  const shipped = shippedModelFolders()[place];
  for (const name of [shipped, join(dirname(shipped), former)])
    expect(readModelFolder(name)).toMatchObject({ model: { digest }, pinned: true });
});

it('a ladder with one threshold edited is refused in one sentence', () => {
  edit('calibration.json', (text) => text.replace(/"threshold": 0\.(\d)/, '"threshold": 0.1'));
  expect(() => readModelFolder(folder)).toThrow(
    /is not the ladder that card.json names: it was changed since; [^\n]+$/,
  );
});

it('a ladder that does not fall along its rungs is refused, whatever the card says', () => {
  rmSync(at(CARD_FILE));
  edit('calibration.json', (text) => {
    const asset = JSON.parse(text);
    asset.rungs.at(-2).threshold = 0.172;
    return JSON.stringify(asset);
  });
  expect(() => readModelFolder(folder)).toThrow(/does not fall along its rungs/);
});

it('a card without a digest, or none, loads as not pinned', () => {
  const { ladderDigest } = readModelFolder(folder);
  edit(CARD_FILE, (text) => JSON.stringify({ ...JSON.parse(text), ladder_digest: undefined }));
  expect(readModelFolder(folder)).toMatchObject({ pinned: false, ladderDigest });
  rmSync(at(CARD_FILE));
  expect(readModelFolder(folder)).toMatchObject({ pinned: false, ladderDigest });
});

it.each([
  ['a card that is none', () => writeFileSync(at(CARD_FILE), '[1]'), /^The model card .* is no JSON object[.]$/],
  ['damaged weights', () => writeFileSync(at('model.safetensors'), 'x'), /^The model file is shorter/],
  ['no weights', () => rmSync(at('model.safetensors')), /^ENOENT: .*model.safetensors/],
  [
    'no ladder',
    () => rmSync(at('calibration.json')),
    /the model in .* has no calibration asset; make one with mvs calibrate --model [^\n]+$/,
  ],
])('%s: one sentence', (_, spoil, sentence) => {
  spoil();
  expect(() => readModelFolder(folder)).toThrow(sentence);
});

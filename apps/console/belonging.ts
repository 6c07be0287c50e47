/**
 * Whose scans dropped files are, as far as a claim tells: of each side it has a digest of all numbers, how many scans there were
 * and which stones were named, and no numbers.
 */
import type { ScanSetFacts } from '#client';
import { stonesOf } from '#science/spectra/stone-names';
import type { Scan, Side } from './scans.js';

export type ClaimSides = Record<Side, Pick<ScanSetFacts, 'digest' | 'scans' | 'references'>>;

export interface Belonging {
  tone: 'good' | 'ask' | 'doubt';
  says: string;
  /** What else it may be, in a sentence. */
  why?: string;
}

/** Scans up to which rounded numbers are compared too: each needs some hundred digests. */
const MOST_ROUNDED = 24;
/** Choices of some of the dropped scans that are tried. */
const MOST_CHOICES = 3_000;

/** @returns undefined where there is nothing to compare */
export async function belonging(side: Side, scans: readonly Scan[], of: ClaimSides): Promise<Belonging | undefined> {
  if (scans.length === 0) return undefined;
  if (!globalThis.crypto?.subtle)
    return {
      ...{ tone: 'ask', says: 'not compared with this claim' },
      why: 'Browsers compute digests over https or on localhost alone.',
    };
  const claimed = of[side];
  const other = side === 'rough' ? 'polish' : 'rough';
  const hashes = await Promise.all(scans.map(({ wavenumbers, absorbance }) => hashOf(wavenumbers, absorbance)));
  const digest = await digestOf(hashes);
  if (digest === claimed.digest) return { tone: 'good', says: 'these are the scans of this claim' };
  if (digest === of[other].digest) return { tone: 'doubt', says: `these are the scans of the claim’s ${other}` };
  if (await holds(hashes, claimed))
    return {
      tone: 'ask',
      says: `the ${claimed.scans === 1 ? 'scan of this claim is' : `${claimed.scans} scans of this claim are`} among these ${scans.length}`,
    };
  const rounded = scans.length === claimed.scans && (await roundedAs(scans, claimed.digest));
  if (rounded) return { tone: 'good', says: `the claim has the same numbers, rounded: ${rounded}` };
  const named = stonesOf({ rough: [], polish: [], [side]: scans.map(({ file = '' }) => file) })[side];
  const bases = claimed.references.map(baseOf);
  if (named.length > 0 && bases.length > 0 && !named.some((stone) => bases.includes(baseOf(stone))))
    return {
      tone: 'doubt',
      says: `another stone’s, by their names: ${named.join(', ')}`,
      why: `The claim is about ${claimed.references.join(', ')}, and has other numbers.`,
    };
  return { tone: 'doubt', says: 'not the scans of this claim', why: untold(scans.length, claimed.scans) };
}

/** Of a stone and of its parts, as `A12` of `A12.1`. */
const baseOf = (reference: string) => reference.split('.')[0];

/** What a digest cannot tell apart. */
const untold = (dropped: number, claimed: number): string =>
  dropped < claimed
    ? `The claim has ${claimed} scans, and its digest is of all of them: whether these are a part cannot be told.`
    : `Other scans of the stone, another stone’s, or numbers that the client rounded or changed in a way that was not tried${
        dropped > MOST_ROUNDED ? `; rounding is tried with ${MOST_ROUNDED} scans at most` : ''
      }.`;

const sha256 = async (...parts: BlobPart[]) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob(parts).arrayBuffer()));
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
/** -0 is 0, as in the service (scan-set.ts). */
const unified = (values: Float64Array) => Float64Array.from(values, (x) => x + 0);

const hashOf = async (wavenumbers: Float64Array, absorbance: Float64Array) =>
  hex(await sha256(await sha256(unified(wavenumbers)), unified(absorbance)));

/** As a claim shows it of a side: 16 hex digits. @param hashes of its scans */
const digestOf = async (hashes: readonly string[]) => hex(await sha256(hashes.toSorted().join())).slice(0, 16);

/** Whether some of the scans are those of the claim, where there are few enough choices to try. */
async function holds(hashes: readonly string[], { digest, scans }: ClaimSides[Side]): Promise<boolean> {
  if (hashes.length <= scans || choices(hashes.length, scans) > MOST_CHOICES) return false;
  const tryFrom = async (from: number, chosen: string[]): Promise<boolean> => {
    if (chosen.length === scans) return (await digestOf(chosen)) === digest;
    for (let i = from; i <= hashes.length - scans + chosen.length; i++)
      if (await tryFrom(i + 1, [...chosen, hashes[i]])) return true;
    return false;
  };
  return tryFrom(0, []);
}

const choices = (all: number, some: number): number =>
  Array.from({ length: some }, (_, i) => (all - i) / (i + 1)).reduce((product, one) => product * one, 1);

interface Form {
  name: string;
  of: (x: number) => number;
}

/** The ways in which programs write numbers. */
const FORMS: Form[] = [
  { name: 'as they are', of: (x) => x },
  { name: 'in single precision', of: Math.fround },
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((digits) => ({
    name: `to ${digits} decimals`,
    of: (x: number) => Number(x.toFixed(digits)),
  })),
  ...[4, 5, 6, 7, 8, 9, 10].map((digits) => ({
    name: `to ${digits} significant digits`,
    of: (x: number) => Number(x.toPrecision(digits)),
  })),
];

/** How all scans have to be rounded to be those of the digest; undefined where no usual way does. */
async function roundedAs(scans: readonly Scan[], digest: string): Promise<string | undefined> {
  if (scans.length > MOST_ROUNDED) return undefined;
  const axes = await variants(scans.map(({ wavenumbers }) => wavenumbers));
  const values = await variants(scans.map(({ absorbance }) => absorbance));
  for (const [of, wavenumbers] of axes)
    for (const [how, absorbances] of values) {
      const hashes = absorbances.map((absorbance, i) => hashOf(wavenumbers[i], absorbance));
      if ((await digestOf(await Promise.all(hashes))) === digest) return `absorbances ${how}, wavenumbers ${of}`;
    }
  return undefined;
}

/** The numbers in each form that changes them otherwise than those before it. */
async function variants(of: readonly Float64Array[]): Promise<[name: string, Float64Array[]][]> {
  const found = new Map<string, [string, Float64Array[]]>();
  for (const form of FORMS) {
    const rounded = of.map((values) => values.map(form.of));
    const key = hex(await sha256(...(rounded as BlobPart[])));
    if (!found.has(key)) found.set(key, [form.name, rounded]);
  }
  return [...found.values()];
}

import type { Limits } from '#config/limits';
import { extremes } from '#science/numerics/quantile';
import { textAt, viewOf } from './bytes.js';
import { type Acquired, checkPoints, evenAxis, type FileReading, said, toReading, unreadable } from './reading.js';
import { Refusal } from './refusal.js';

/*
 * Bruker OPUS: a header, a directory of blocks, and blocks whose 32-bit type names their content. Little-endian. Nothing
 * but the type and the block's own status decides: not the extension, not the parameter PLF, and never another block where
 * the absorbance is missing or broken.
 */
const MAGIC = 0xfefe0a0a;
const HEADER_BYTES = 24;
const ENTRY_BYTES = 12;
/** Entries of a directory, parameters of a block, blocks of one type: far more than any instrument writes. */
const MAX_ENTRIES = 512;
const MAX_PARAMETERS = 512;
const MAX_TWINS = 4;
/** Bytes of a text parameter that are read. */
const MAX_TEXT = 64;
/** Relative departure of the stored extremes (MXY, MNY) from those of the values. */
const EXTREME_TOLERANCE = 1e-4;

const DATA = 0;
const DATA_STATUS = 1;
/** Parameters of the instrument, the acquisition, the Fourier transform and the sample. */
const HEADERS = [2, 3, 4, 10];
const RATIOED = 3;
const ABSORBANCE = 4;
const SERIES = 2;
const COMPACT = 4;
/** Data kinds other than absorbance, most processed first, with their names in a refusal. */
const OTHER_KINDS: [kinds: number[], name: string][] = [
  [[12, 15], 'reflectance'],
  [[5], 'transmittance'],
  [[16], 'an ATR spectrum'],
  [[6], 'a Kubelka-Munk spectrum'],
  [[17], 'a photo-acoustic spectrum'],
  [[10], 'a Raman spectrum'],
  [[11], 'an emission spectrum'],
  [[1, 33, 34], 'a single-channel spectrum'],
  [[2], 'an interferogram'],
];

interface Block {
  type: number;
  offset: number;
  words: number;
}

const bits = (type: number, from: number, count: number) => (type >>> from) & ((1 << count) - 1);
const source = (block: Block) => bits(block.type, 2, 2);
const parameterKind = (block: Block) => bits(block.type, 4, 6);
const dataKind = (block: Block) => bits(block.type, 10, 7);
const derivative = (block: Block) => bits(block.type, 17, 2);
const layout = (block: Block) => bits(block.type, 19, 11);
const isOriginal = (block: Block) => bits(block.type, 30, 1) === 1;
const isImaginary = (block: Block) => bits(block.type, 0, 2) === 2;
const isAbsorbance = (block: Block) => dataKind(block) === ABSORBANCE && source(block) === RATIOED;
/** The type of the block that says what a data block holds. */
const statusOf = (type: number) => (type | (DATA_STATUS << 4)) >>> 0;
const isPlain = (block: Block) => layout(block) === 0 && bits(block.type, 31, 1) === 0;

export const isOpus = (bytes: Uint8Array): boolean => bytes.length >= 4 && viewOf(bytes).getUint32(0, true) === MAGIC;

/** Reads the absorbance spectrum of an OPUS file. Throws a Refusal that names the file, the reason and the fix. */
export function readOpus(file: string, bytes: Uint8Array, limits: Limits): FileReading {
  return new OpusFile(file, bytes, limits).read();
}

interface Status {
  points: number;
  first: number;
  last: number;
  scale: number;
  largest: number;
  smallest: number;
  /** 1 for 32-bit floats. */
  format: number;
  unit: string;
}

class OpusFile {
  private readonly view: DataView;

  constructor(
    private readonly file: string,
    private readonly bytes: Uint8Array,
    private readonly limits: Limits,
  ) {
    this.view = viewOf(bytes);
  }

  private fail(reason: string, fix: string): never {
    throw unreadable(this.file, reason, fix);
  }

  private inconsistent(reason: string): never {
    this.fail(`the OPUS file is truncated or inconsistent: ${reason}`, 'copy it from the instrument again');
  }

  read(): FileReading {
    const blocks = this.directory();
    const candidates = blocks.filter(
      (block) =>
        isAbsorbance(block) &&
        !isImaginary(block) &&
        parameterKind(block) === DATA &&
        derivative(block) === 0 &&
        isPlain(block),
    );
    const units = new Set<string>();
    const qualified = candidates.filter((block) => {
      const statuses = this.statusesOf(block, blocks);
      for (const { unit } of statuses) if (unit !== 'WN') units.add(unit);
      return statuses.some(({ unit }) => unit === 'WN');
    });
    if (qualified.length === 0) this.refuse(blocks, candidates.length, [...units]);
    const processed = qualified.filter((block) => !isOriginal(block));
    const chosen = processed.length > 0 ? processed : qualified;
    const type = chosen[chosen.length - 1].type;
    const twins = chosen.filter((block) => block.type === type);
    const statuses = this.statusesOf(twins[0], blocks).filter(({ unit }) => unit === 'WN');
    const choice =
      processed.length === 0
        ? 'the absorbance as measured, the only one there is'
        : qualified.length > processed.length
          ? 'the processed absorbance, which OPUS itself exports, before the one as measured'
          : 'the absorbance';
    const { x, y, note } = this.pair(twins, statuses);
    return toReading(
      {
        ...{ file: this.file, format: 'opus', choice: `${choice}${note}`, block: `0x${type.toString(16)}` },
        acquired: this.acquired(blocks, type),
      },
      x,
      y,
    );
  }

  private directory(): Block[] {
    const { view, bytes } = this;
    if (bytes.length < HEADER_BYTES || !isOpus(bytes)) this.inconsistent('it has no header');
    const offset = view.getInt32(12, true);
    const used = view.getInt32(20, true);
    if (offset < HEADER_BYTES || used < 1 || used > MAX_ENTRIES || offset + used * ENTRY_BYTES > bytes.length) {
      this.inconsistent('its directory is not where the header says');
    }
    const blocks: Block[] = [];
    for (let i = 0; i < used; i++) {
      const at = offset + i * ENTRY_BYTES;
      const block = {
        type: view.getUint32(at, true),
        words: view.getInt32(at + 4, true),
        offset: view.getInt32(at + 8, true),
      };
      if (block.type === 0) continue;
      if (block.words < 0 || block.offset < 0 || block.offset + 4 * block.words > bytes.length) {
        this.inconsistent(`block ${i + 1} of its directory reaches beyond its end`);
      }
      blocks.push(block);
    }
    return blocks;
  }

  private statusesOf({ type }: Block, blocks: Block[]): Status[] {
    return blocks
      .filter((other) => other.type === statusOf(type))
      .slice(-MAX_TWINS)
      .map((other) => this.status(other));
  }

  /** @param type of the data block that was read: its status holds the time */
  private acquired(blocks: Block[], type: number): Acquired {
    const values = new Map(
      blocks
        .filter((block) => HEADERS.includes(parameterKind(block)) || block.type === statusOf(type))
        .flatMap((block) => [...this.parameters(block)]),
    );
    const text = (key: string) => String(values.get(key) ?? '').trim() || undefined;
    const [day, time] = [text('DAT'), text('TIM')];
    const resolution = Number(values.get('RES') ?? Number.NaN);
    return said({
      name: text('SNM'),
      instrument: text('INS'),
      date: day === undefined ? undefined : [day, time].filter(Boolean).join(' '),
      resolution: Number.isFinite(resolution) ? resolution : undefined,
      apodisation: text('APF'),
    });
  }

  private parameters({ offset, words }: Block): Map<string, number | string> {
    const { view, bytes } = this;
    const values = new Map<string, number | string>();
    const end = offset + 4 * words;
    let at = offset;
    for (let i = 0; i < MAX_PARAMETERS && at + 8 <= end; i++) {
      const key = textAt(bytes, at, 3);
      if (key === 'END') break;
      const kind = view.getUint16(at + 4, true);
      const size = 2 * view.getUint16(at + 6, true);
      at += 8;
      if (at + size > end) break;
      if (kind === 0 && size >= 4) values.set(key, view.getInt32(at, true));
      else if (kind === 1 && size >= 8) values.set(key, view.getFloat64(at, true));
      else if (kind >= 2 && kind <= 4) values.set(key, textAt(bytes, at, Math.min(size, MAX_TEXT)));
      at += size;
    }
    return values;
  }

  /** The parameters of a status block; NaN and '' where one is missing. */
  private status(block: Block): Status {
    const values = this.parameters(block);
    const number = (key: string, missing = Number.NaN) => {
      const value = values.get(key) ?? missing;
      return typeof value === 'number' ? value : Number.NaN;
    };
    return {
      points: number('NPT'),
      first: number('FXV'),
      last: number('LXV'),
      scale: number('CSF', 1),
      largest: number('MXY'),
      smallest: number('MNY'),
      format: number('DPF', 1),
      unit: String(values.get('DXU') ?? ''),
    };
  }

  /** The last block of a type with the last status that fits it: usually there is one of each. */
  private pair(twins: Block[], statuses: Status[]): { x: Float64Array; y: Float64Array; note: string } {
    const fits = twins.slice(-MAX_TWINS).reverse();
    let fault: Refusal | undefined;
    for (const block of fits) {
      for (const status of statuses.toReversed()) {
        try {
          const read = this.values(block, status);
          const note = twins.length > 1 ? `, the last of ${twins.length} of its type that its status fits` : '';
          return { ...read, note };
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          fault ??= error;
        }
      }
    }
    throw fault;
  }

  private values(block: Block, status: Status): { x: Float64Array; y: Float64Array } {
    const { points, first, last, scale } = status;
    const { maxPoints } = this.limits;
    if (status.format !== 1) this.fail('its values are stored as whole numbers', 'export the absorbance in OPUS again');
    if (!(points >= 2 && points <= block.words) || !Number.isInteger(points)) {
      this.inconsistent('the number of points does not fit the block');
    }
    if (points > maxPoints) this.fail(`it has more than ${maxPoints} points`, 'export the range needed in OPUS');
    const step = (last - first) / (points - 1);
    if (!Number.isFinite(step) || step === 0) this.inconsistent('its first and last wavenumber span no axis');
    const x = evenAxis(first, last, points);
    const y = new Float64Array(points);
    for (let i = 0; i < points; i++) y[i] = scale * this.view.getFloat32(block.offset + 4 * i, true);
    checkPoints(this.file, x, y, this.limits);
    const [smallest, largest] = extremes(y);
    if (!close(largest, status.largest) || !close(smallest, status.smallest)) {
      this.inconsistent('the values do not reach the extremes that its status gives');
    }
    return { x, y };
  }

  /** Refuses a file without an absorbance spectrum over wavenumbers, and says what it holds. */
  private refuse(blocks: Block[], candidates: number, units: string[]): never {
    const fix = 'process the measurement to an absorbance spectrum in OPUS and export again';
    const data = blocks.filter((block) => parameterKind(block) === DATA && bits(block.type, 0, 2) > 0);
    const absorbance = data.filter(isAbsorbance);
    if (units.some((unit) => unit !== '')) this.fail('its absorbance is not over wavenumbers', fix);
    if (absorbance.some((block) => isPlain(block) && derivative(block) > 0)) {
      this.fail('it holds a derivative of the absorbance, not the absorbance', fix);
    }
    if (absorbance.length > 0 && absorbance.every(isImaginary))
      this.fail('it holds the imaginary part of the absorbance alone', fix);
    const inLayout = (kind: number) => absorbance.some((block) => bits(block.type, 19, 3) === kind);
    if (inLayout(SERIES)) this.fail('it holds a series of spectra (3-D), not one', 'export each spectrum by itself');
    if (inLayout(COMPACT)) this.fail('it holds compact blocks', 'export the absorbance spectrum in full');
    if (candidates > 0) this.inconsistent('its absorbance has no status block that gives wavenumbers');
    for (const [kinds, name] of OTHER_KINDS) {
      if (data.some((block) => kinds.includes(dataKind(block)))) this.fail(`it holds ${name} and no absorbance`, fix);
    }
    this.fail('it holds no spectrum', fix);
  }
}

const close = (a: number, b: number) => Math.abs(a - b) <= EXTREME_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));

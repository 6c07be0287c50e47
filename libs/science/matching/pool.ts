/** What a side's scans add up to: their preprocessed values, or their vectors, as the model's input has it. */

/** Fewer scans than this are all kept: of three, a trimmed mean would be the median. */
const TRIMMED_FROM = 4;

/**
 * The trimmed mean of a side's preprocessed scans: at each point without the lowest and the highest value, from four scans on. One
 * spoiled scan of six (another stone's, shifted, saturated) then costs next to nothing; reports/training.md has the measurement.
 */
export class ScanMean {
  private readonly sums: Float64Array;
  private readonly lowest: Float32Array;
  private readonly highest: Float32Array;
  private rows = 0;

  constructor(points: number) {
    this.sums = new Float64Array(points);
    this.lowest = new Float32Array(points).fill(Number.POSITIVE_INFINITY);
    this.highest = new Float32Array(points).fill(Number.NEGATIVE_INFINITY);
  }

  /** Adds `count` rows of a table, from row `from` on. The mean's bits depend on the rows and their order alone. */
  add(table: Float32Array, from: number, count: number): void {
    const { sums, lowest, highest } = this;
    const points = sums.length;
    for (let row = from; row < from + count; row++) {
      const at = row * points;
      for (let i = 0; i < points; i++) {
        const value = table[at + i];
        sums[i] += value;
        if (value < lowest[i]) lowest[i] = value;
        if (value > highest[i]) highest[i] = value;
      }
    }
    this.rows += count;
  }

  /** Writes the mean row into `out`, from `to`. */
  write(out: Float32Array, to = 0): void {
    const { sums, lowest, highest, rows } = this;
    const trimmed = rows >= TRIMMED_FROM;
    const kept = trimmed ? rows - 2 : rows;
    for (let i = 0; i < sums.length; i++) out[to + i] = (trimmed ? sums[i] - lowest[i] - highest[i] : sums[i]) / kept;
  }
}

/** The mean of a side's vectors, scaled to length one. */
export class VectorMean {
  private readonly sums: Float64Array;

  constructor(width: number) {
    this.sums = new Float64Array(width);
  }

  /** Adds `count` rows of a table, from row `from` on, in float64 in their order. */
  add(table: Float32Array, from: number, count: number): void {
    const { sums } = this;
    for (let row = from; row < from + count; row++) {
      const at = row * sums.length;
      for (let i = 0; i < sums.length; i++) sums[i] += table[at + i];
    }
  }

  /** Zeros stay zeros. */
  unit(): Float32Array {
    let squares = 0;
    for (const sum of this.sums) squares += sum * sum;
    const length = squares > 0 ? Math.sqrt(squares) : 1;
    return Float32Array.from(this.sums, (sum) => sum / length);
  }
}

/** Bytes off the wire, until there is one place for all of them. */

/** Shorter pieces are copied together: a sender of single bytes takes little more memory than they are. */
const SHORT_BYTES = 1024;
const [SMALLEST_BLOCK, LARGEST_BLOCK] = [256, 16 * 1024];
const NOTHING = Buffer.alloc(0);

export class Gathered {
  bytes = 0;
  private readonly whole: Buffer[] = [];
  private block = NOTHING;
  private used = 0;

  /** Keeps the piece, or copies and wipes it. */
  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (piece.length >= SHORT_BYTES) {
      this.endBlock();
      this.whole.push(piece);
      return;
    }
    if (this.used + piece.length > this.block.length) {
      this.endBlock();
      this.block = Buffer.alloc(Math.max(SMALLEST_BLOCK, Math.min(2 * this.bytes, LARGEST_BLOCK)));
    }
    piece.copy(this.block, this.used);
    piece.fill(0);
    this.used += piece.length;
  }

  get pieces(): readonly Buffer[] {
    this.endBlock();
    return this.whole;
  }

  private endBlock(): void {
    if (this.used > 0) this.whole.push(this.block.subarray(0, this.used));
    this.block = NOTHING;
    this.used = 0;
  }
}

/**
 * Moves what was gathered into arrays that have room for it, and wipes what it lay in.
 * @param stepBytes of a step, and of one piece at most
 * @returns does one step, and tells whether there are more
 */
export function moving(moves: readonly [from: Gathered, to: Uint8Array][], stepBytes: number): () => boolean {
  const copies = copiesOf(moves);
  let next = copies.next();
  return () => {
    for (let left = stepBytes; !next.done && left > 0; next = copies.next()) {
      const { piece, to, at } = next.value;
      to.set(piece, at);
      piece.fill(0);
      left -= piece.length;
    }
    return !next.done;
  };
}

function* copiesOf(moves: readonly [from: Gathered, to: Uint8Array][]) {
  for (const [{ pieces }, to] of moves) {
    let at = 0;
    for (const piece of pieces) {
      yield { piece, to, at };
      at += piece.length;
    }
  }
}

const DASH = 0x2d;
/** Only an attack has so many beginnings of delimiters in a row; holding more would cost their square. */
const MAX_HELD = 4096;

/** The delimiter before each part of a multipart body, with its line break. */
export function delimiterOf(contentType: string): Buffer {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  return Buffer.from(`\r\n--${quoted ?? plain ?? ''}`, 'latin1');
}

/**
 * Passes a body on so that no piece ends with the beginning of a delimiter. The parser would keep such an end in a buffer
 * of its own and hand out that buffer as content, which the next piece overwrites. It may also miss a delimiter that spans
 * two such ends.
 */
export class WholeDelimiters {
  private held = Buffer.alloc(0);

  constructor(
    private readonly delimiter: Buffer,
    private readonly pass: (piece: Buffer) => void,
  ) {}

  add(chunk: Buffer): void {
    const piece = this.held.length > 0 ? Buffer.concat([this.held, chunk]) : chunk;
    let end = piece.length;
    for (
      let cut = this.cut(piece);
      cut < end && piece.length - cut <= MAX_HELD;
      cut = this.cut(piece.subarray(0, end))
    ) {
      end = cut;
    }
    this.held = Buffer.from(piece.subarray(end));
    if (end > 0) this.pass(piece.subarray(0, end));
  }

  end(): void {
    if (this.held.length > 0) this.pass(this.held);
  }

  /** Place of the beginning of a delimiter at the very end, else the length. */
  private cut(piece: Buffer): number {
    const { length } = piece;
    let at = piece.indexOf(this.delimiter[0], Math.max(0, length - this.delimiter.length + 1));
    for (; at >= 0; at = piece.indexOf(this.delimiter[0], at + 1)) {
      if (piece.subarray(at).equals(this.delimiter.subarray(0, length - at))) return at;
    }
    return length;
  }
}

/**
 * Counts the parts that a multipart body's delimiters announce. The parser passes over a part whose header it cannot
 * read (a bare line break in a file name is enough), and a scan must not drop out unseen.
 */
export class PartCount {
  count = 0;
  private readonly delimiter: Buffer;
  /** The last bytes: one fewer than a delimiter and its two following bytes have. */
  private tail = Buffer.from('\r\n');
  private closed = false;

  constructor(contentType: string) {
    this.delimiter = delimiterOf(contentType);
  }

  add(chunk: Buffer): void {
    const reach = this.delimiter.length + 1;
    this.look(Buffer.concat([this.tail, chunk.subarray(0, reach)]), this.tail.length);
    this.look(chunk, chunk.length);
    this.tail = Buffer.concat([this.tail, chunk.subarray(-reach)]).subarray(-reach);
  }

  /** Counts delimiters that begin before a place and are complete, with their two following bytes. */
  private look(bytes: Buffer, before: number): void {
    const { length } = this.delimiter;
    for (let at = bytes.indexOf(this.delimiter); at >= 0 && at < before; at = bytes.indexOf(this.delimiter, at + 1)) {
      if (this.closed || at + length + 2 > bytes.length) return;
      if (bytes[at + length] === DASH && bytes[at + length + 1] === DASH) this.closed = true;
      else this.count++;
    }
  }
}

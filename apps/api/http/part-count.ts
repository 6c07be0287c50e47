const DASH = 0x2d;

/**
 * Counts the parts that a multipart body's delimiters announce. The parser passes over a part whose header it cannot
 * read (a bare line break in a file name is enough), and a scan must not drop out unseen.
 */
export class PartCount {
  count = 0;
  private readonly delimiter: Buffer;
  /** The last bytes, as many as a delimiter and the two bytes after it have but one. */
  private tail = Buffer.from('\r\n');
  private closed = false;

  constructor(contentType: string) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
    this.delimiter = Buffer.from(`\r\n--${quoted ?? plain ?? ''}`, 'latin1');
  }

  add(chunk: Buffer): void {
    const reach = this.delimiter.length + 1;
    this.look(Buffer.concat([this.tail, chunk.subarray(0, reach)]), this.tail.length);
    this.look(chunk, chunk.length);
    this.tail = Buffer.concat([this.tail, chunk.subarray(-reach)]).subarray(-reach);
  }

  /** Takes delimiters that begin before a place and are there with the two bytes that follow them. */
  private look(bytes: Buffer, before: number): void {
    const { length } = this.delimiter;
    for (let at = bytes.indexOf(this.delimiter); at >= 0 && at < before; at = bytes.indexOf(this.delimiter, at + 1)) {
      if (this.closed || at + length + 2 > bytes.length) return;
      if (bytes[at + length] === DASH && bytes[at + length + 1] === DASH) this.closed = true;
      else this.count++;
    }
  }
}

/**
 * Multipart bodies (RFC 7578) as they come, without a parser's streams: what a body costs is a search for its delimiter,
 * whatever its bytes are, and the first malformed part ends it.
 */
import { limits } from '#config/limits';
import { printableName } from '#science/spectra/refusal';
import { Gathered } from './gathered.js';
import { Problem } from './problem.js';

/** A part whose content has come so far. */
export interface Part {
  /** Name of the field. */
  field: string;
  /** Name of the file; undefined where it is a plain field. */
  file: string | undefined;
  /** Of a plain field's text. */
  charset: string;
  content: Gathered;
}

const MAX_BOUNDARY_CHARACTERS = 70;
/** Of what comes before the first part, and of a part's header. */
const MAX_HEADER_BYTES = 8192;
const MAX_HEADER_LINES = 32;
const [CR, DASH, SPACE, TAB] = [0x0d, 0x2d, 0x20, 0x09];
const LINE = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

export class MultipartParser {
  readonly parts: Part[] = [];
  private readonly delimiter: Buffer;
  private state: 'preamble' | 'delimiter' | 'header' | 'content' | 'closed' = 'preamble';
  /** Bytes that wait for those that follow; before the first part, as if a line had ended. */
  private held: Buffer = LINE;
  private preamble = 0;
  private files = 0;

  /** @throws Problem (400) where the content type names no boundary */
  constructor(
    contentType: string,
    private readonly maxFiles: number,
  ) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
    const boundary = quoted ?? plain ?? '';
    if (boundary === '') throw unreadable('its content type names no boundary');
    if (boundary.length > MAX_BOUNDARY_CHARACTERS)
      throw unreadable(`its boundary is longer than ${MAX_BOUNDARY_CHARACTERS} characters`);
    this.delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /**
   * @param chunk none to go on with what was begun
   * @param until time of `performance.now()` after which no further part is begun
   * @returns whether there is more to do
   * @throws Problem (400, 413) at the first malformed part, or one too many
   */
  take(chunk: Buffer | undefined, until: number): boolean {
    if (this.state === 'closed') return false;
    let rest = chunk ?? this.held;
    if (chunk && this.held.length > 0) {
      rest = Buffer.concat([this.held, chunk]);
      chunk.fill(0);
      // What was kept of a scan.
      if (this.held !== LINE) this.held.fill(0);
    }
    this.held = NOTHING;
    for (let next: Buffer | undefined = rest; next; ) {
      next = this.step(next);
      if (!next || this.state !== 'header' || performance.now() < until) continue;
      this.held = next;
      return true;
    }
    return false;
  }

  /** @throws Problem (400) where the last part has not ended */
  end(): void {
    if (this.state !== 'closed') throw unreadable('it ends early');
  }

  /** Takes what it can. @returns what is left to take; undefined where more has to come */
  private step(bytes: Buffer): Buffer | undefined {
    switch (this.state) {
      case 'preamble':
      case 'content':
        return this.content(bytes);
      case 'delimiter':
        return this.afterDelimiter(bytes);
      case 'header':
        return this.header(bytes);
      default:
        return undefined;
    }
  }

  private content(bytes: Buffer): Buffer | undefined {
    const at = bytes.indexOf(this.delimiter);
    const end = at >= 0 ? at : this.begun(bytes);
    this.keep(bytes.subarray(0, end));
    if (at < 0) return this.wait(bytes.subarray(end));
    this.state = 'delimiter';
    return bytes.subarray(at + this.delimiter.length);
  }

  /** Where a delimiter may have begun at the very end; else the end. */
  private begun(bytes: Buffer): number {
    let at = bytes.indexOf(CR, Math.max(0, bytes.length - this.delimiter.length + 1));
    while (at >= 0 && this.delimiter.compare(bytes, at, bytes.length, 0, bytes.length - at) !== 0)
      at = bytes.indexOf(CR, at + 1);
    return at < 0 ? bytes.length : at;
  }

  private keep(bytes: Buffer): void {
    const part = this.parts.at(-1);
    if (part === undefined) {
      this.preamble += bytes.length;
      if (this.preamble > MAX_HEADER_BYTES) throw unreadable('it does not begin with its boundary');
    } else if (bytes.length > 0) {
      part.content.add(bytes);
      if (part.file === undefined && part.content.bytes > limits.fieldBytes)
        throw tooLarge(
          `the field ${printableName(part.field)} holds more than ${limits.fieldBytes} bytes of text: a file has a file name in its part's header`,
        );
    }
  }

  private afterDelimiter(bytes: Buffer): Buffer | undefined {
    let at = 0;
    while (bytes[at] === SPACE || bytes[at] === TAB) at++;
    if (at > MAX_HEADER_BYTES) throw notAPart();
    if (bytes.length < at + 2) return this.wait(bytes);
    if (at === 0 && bytes[0] === DASH && bytes[1] === DASH) {
      this.state = 'closed';
      return undefined;
    }
    if (bytes.indexOf(LINE, at) !== at) throw unreadable('it is malformed');
    this.state = 'header';
    return bytes.subarray(at + LINE.length);
  }

  private header(bytes: Buffer): Buffer | undefined {
    const most = bytes.subarray(0, MAX_HEADER_BYTES + BLANK_LINE.length);
    // A header of no lines ends with its first line break.
    if (most.indexOf(LINE) === 0) throw notAPart();
    const end = most.indexOf(BLANK_LINE);
    if (end < 0) {
      if (most.length > MAX_HEADER_BYTES) throw notAPart();
      return this.wait(bytes);
    }
    const part = partOf(most.toString('utf8', 0, end));
    if (!part) throw notAPart();
    this.parts.push(part);
    if (part.file !== undefined) this.files++;
    if (this.files > this.maxFiles) throw tooLarge(`at most ${this.maxFiles} files`);
    if (this.parts.length - this.files > limits.fields) throw tooLarge(`at most ${limits.fields} fields`);
    this.state = 'content';
    return bytes.subarray(end + BLANK_LINE.length);
  }

  private wait(bytes: Buffer): undefined {
    this.held = bytes;
    return undefined;
  }
}

const unreadable = (why: string) => new Problem('unreadable_multipart', `: ${why}`);
const tooLarge = (why: string) => new Problem('too_large', `: ${why}`);
const notAPart = () =>
  unreadable('the header of a part is none, as with a line break in a file name; send plain file names');

/** A part by its header; undefined where that is not one of form data. */
function partOf(header: string): Part | undefined {
  const lines = header.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
  if (lines.length > MAX_HEADER_LINES || lines.some((line) => /[\r\n]/.test(line))) return undefined;
  const value = (name: string) => {
    const line = lines.find((one) => one.toLowerCase().startsWith(`${name}:`));
    return line?.slice(name.length + 1).trim();
  };
  const disposition = value('content-disposition');
  if (disposition === undefined || !/^form-data\s*(?:;|$)/i.test(disposition)) return undefined;
  const type = value('content-type') ?? '';
  const { name, filename } = parametersOf(disposition);
  const isFile = filename !== undefined || /^application\/octet-stream\s*(?:;|$)/i.test(type);
  return {
    field: name ?? '',
    file: isFile ? baseName(filename ?? '') : undefined,
    charset: parametersOf(type).charset ?? 'utf-8',
    content: new Gathered(),
  };
}

/** Parameters of a header's value by their names in lower case; `name*` (RFC 8187) stands under `name`. */
function parametersOf(value: string): Partial<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [, name, extended, quoted, plain] of value.matchAll(PARAMETER)) {
    const text = quoted?.replace(/\\(["\\])/g, '$1') ?? plain.trim();
    found[name.toLowerCase()] = extended ? decodeExtended(text) : text;
  }
  return found;
}
const PARAMETER = /;\s*([^\s=;*"]+)(\*)?\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))/g;

function decodeExtended(text: string): string {
  const [, charset, encoded] = /^([^']*)'[^']*'(.*)$/.exec(text) ?? [];
  if (encoded === undefined) return text;
  const bytes = Buffer.from(
    encoded.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
  return decodeText(bytes, charset);
}

/** By the charset, or as UTF-8 where that is unknown. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Without a path, whichever system wrote it. */
function baseName(path: string): string {
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return last === '.' || last === '..' ? '' : last;
}

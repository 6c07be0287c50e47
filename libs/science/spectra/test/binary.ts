/** Files of other makers' programs for tests: SPC, SPA and SP. */

/** Writes numbers at places of a file. */
class Bytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;
  constructor(
    size: number,
    readonly little = true,
  ) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }
  text(at: number, text: string): void {
    for (let i = 0; i < text.length; i++) this.bytes[at + i] = text.charCodeAt(i);
  }
}

export interface SpectrumParts {
  values: readonly number[];
  first?: number;
  last?: number;
}

export interface SpcParts extends SpectrumParts {
  version?: 0x4b | 0x4c | 0x4d;
  /** Exponent of whole ordinates; -128: floating point. */
  exponent?: number;
  short?: boolean;
  flags?: number;
  xType?: number;
  yType?: number;
  modified?: number;
  /** Uneven abscissas. */
  axis?: readonly number[];
  log?: string;
}

export function spc({ values, first = 4000, last = 600, version = 0x4b, ...more }: SpcParts): Uint8Array<ArrayBuffer> {
  const { exponent = -128, short = false, flags = 0, xType = 1, yType = 2, modified = 0, axis = [], log = '' } = more;
  const isOld = version === 0x4d;
  const size = short ? 2 : 4;
  const trace = isOld ? 224 : 512 + 4 * axis.length;
  const data = trace + 32;
  const end = data + size * values.length;
  const file = new Bytes(end + (log ? 64 + log.length : 0), version !== 0x4c);
  const { view, bytes, little } = file;
  bytes[0] = flags | Number(short) | (axis.length > 0 ? 0x80 : 0);
  bytes[1] = version;
  if (isOld) {
    view.setInt16(2, exponent, true);
    view.setFloat32(4, values.length, true);
    view.setFloat32(8, first, true);
    view.setFloat32(12, last, true);
    bytes.set([xType, yType], 16);
    file.text(64, 'S1');
  } else {
    view.setInt8(3, exponent);
    view.setUint32(4, values.length, little);
    view.setFloat64(8, first, little);
    view.setFloat64(16, last, little);
    view.setUint32(24, 1, little);
    bytes.set([xType, yType], 28);
    view.setUint32(32, (2026 << 20) | (11 << 16) | (28 << 11) | (9 << 6) | 5, little);
    file.text(36, '8 cm-1');
    file.text(45, 'Nicolet');
    file.text(88, 'S1');
    view.setUint32(252, modified, little);
    axis.forEach((x, i) => void view.setFloat32(512 + 4 * i, x, little));
    if (log) {
      view.setUint32(248, end, little);
      view.setUint32(end, 64 + log.length, little);
      view.setUint32(end + 8, 64, little);
      file.text(end + 64, log);
    }
  }
  view.setInt8(trace + 1, exponent);
  values.forEach((value, i) => {
    const at = data + size * i;
    const whole = Math.round(value * 2 ** (8 * size - exponent));
    if (short) view.setInt16(at, whole, little);
    else if (isOld) {
      view.setInt16(at, Math.floor(whole / 65_536), true);
      view.setUint16(at + 2, whole & 0xffff, true);
    } else if (exponent === -128) view.setFloat32(at, value, little);
    else view.setInt32(at, whole, little);
  });
  return bytes;
}

export interface SpaParts extends SpectrumParts {
  xUnit?: number;
  yUnit?: number;
  history?: string;
  count?: number;
}

export function spa({ values, first = 4000, last = 600, ...more }: SpaParts): Uint8Array<ArrayBuffer> {
  const { xUnit = 1, yUnit = 17, history = '', count = values.length } = more;
  const [header, data] = [512, 1024];
  const text = data + 4 * values.length;
  const file = new Bytes(text + history.length + 1);
  const { view, bytes } = file;
  file.text(0, 'Spectral Data File\r\n');
  file.text(30, 'S1 rough');
  view.setUint32(296, (Date.UTC(2026, 10, 28, 9, 5) - Date.UTC(1899, 11, 31)) / 1000, true);
  [
    [2, header, 208],
    [3, data, 4 * values.length],
    [27, text, history.length],
  ].forEach(([kind, at, size], i) => {
    bytes[304 + 16 * i] = kind;
    view.setUint32(306 + 16 * i, at, true);
    view.setUint32(310 + 16 * i, size, true);
  });
  view.setUint32(header + 4, count, true);
  bytes[header + 8] = xUnit;
  bytes[header + 12] = yUnit;
  view.setFloat32(header + 16, first, true);
  view.setFloat32(header + 20, last, true);
  values.forEach((value, i) => void view.setFloat32(data + 4 * i, value, true));
  file.text(text, history);
  return bytes;
}

export interface SpParts extends SpectrumParts {
  x?: string;
  y?: string;
  history?: string;
  count?: number;
}

export function sp({ values, first = 4000, last = 600, ...more }: SpParts): Uint8Array<ArrayBuffer> {
  const { x = 'cm-1', y = 'A', history = '', count = values.length } = more;
  const member = (id: number, type: number, size: number, fill: (file: Bytes) => void): Uint8Array => {
    const file = new Bytes(8 + size);
    file.view.setInt16(0, id, true);
    file.view.setInt32(2, 2 + size, true);
    file.view.setInt16(6, type, true);
    fill(file);
    return file.bytes;
  };
  const label = (id: number, text: string) =>
    member(id, 29987, 2 + text.length, (file) => {
      file.view.setUint16(8, text.length, true);
      file.text(10, text);
    });
  const members = [
    member(-29838, 29981, 16, ({ view }) => {
      view.setFloat64(8, first, true);
      view.setFloat64(16, last, true);
    }),
    member(-29835, 29995, 4, ({ view }) => view.setInt32(8, count, true)),
    label(-29833, x),
    label(-29832, y),
    label(-29823, 'S1'),
    label(-29825, history),
    member(-29828, 29974, 4 + 8 * values.length, ({ view }) => {
      view.setInt32(8, 8 * values.length, true);
      values.forEach((value, i) => void view.setFloat64(12 + 8 * i, value, true));
    }),
  ];
  const head = new Bytes(50);
  head.text(0, 'PEPE2D constant interval DataSet file');
  head.view.setInt16(44, 120, true);
  head.view.setInt32(
    46,
    members.reduce((sum, { length }) => sum + length, 0),
    true,
  );
  return Uint8Array.from([...head.bytes, ...members.flatMap((bytes) => [...bytes])]);
}

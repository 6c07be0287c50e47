export type Side = 'rough' | 'polish';

/** Every kind of refusal with the contract's phrase that its detail holds literally. */
export const refusalPhrases = {
  unparseable: 'no parseable spectra',
  axis_shape: 'wavenumbers must be a 1-D list of at least 50 values',
  side_shape: 'expected object with wavenumbers [N] and spectra [[N floats], ...]',
  non_finite: 'non-finite value(s) (nan/inf) in the data',
  flat: 'scan(s) are flat (zero variance) and carry no identity',
  no_identity: 'scan(s) carry no identity',
  not_diamond: 'scan(s) show no diamond',
  noise_character: 'scan(s) do not match the noise character of directly acquired data',
  reject_target: 'reject_target must be one of',
  invalid_json: 'body is not valid JSON',
  not_an_object: 'JSON body must be an object',
  asset: 'policy or asset message',
} as const;

/** The same for the stones of a lot, whose phrases are the service's own. */
export const stoneRefusalPhrases = {
  stone_name: 'a scan of a lot must be named <stone>_<number>',
  stone_count: 'the number of stones is not one that the lot product takes',
  stone_scans: 'every stone needs at least 3 scans',
  enrolment_files: 'a scan of the enrolment was sent back as the return',
  copied_scans: 'what was sent back is a copy of the enrolment, not a scan',
} as const;

const phrases = { ...refusalPhrases, ...stoneRefusalPhrases };
export type RefusalKind = keyof typeof phrases;

export interface RefusalCause {
  side?: Side;
  file?: string;
  /** The fault, without any submitted ordinate. */
  reason?: string;
  /** The remedy, addressed to the sender. */
  fix?: string;
}

/**
 * Input that is not served. `detail` is one sentence: side and file, the contract's phrase, the reason, the fix. Of
 * `no_identity` the reason ends with the file.
 */
export class Refusal extends Error {
  readonly detail: string;
  readonly side?: Side;
  readonly file?: string;
  readonly reason?: string;

  constructor(
    readonly kind: RefusalKind,
    private readonly blame: RefusalCause = {},
  ) {
    const { side, file, reason, fix } = blame;
    const named = file === undefined ? undefined : printableName(file);
    const parts =
      kind === 'no_identity'
        ? [side, phrases[kind], `${reason} in ${named ?? 'the scan'}`]
        : [side, named, phrases[kind], reason];
    const sentence = parts.filter((part) => part !== undefined).join(': ');
    super(fix === undefined ? sentence : `${sentence}; ${fix}`);
    this.name = 'Refusal';
    this.detail = this.message;
    this.side = side;
    this.file = file;
    this.reason = reason;
  }

  /** The contract's phrase. */
  get phrase(): string {
    return phrases[this.kind];
  }

  /** The same refusal, blamed on a file, or on none. */
  of(file?: string): Refusal {
    return new Refusal(this.kind, { ...this.blame, file });
  }

  /** The same refusal, blamed on a side, or on none. */
  on(side?: Side): Refusal {
    return new Refusal(this.kind, { ...this.blame, side });
  }
}

/** A file that holds no scan, beside scans. */
export interface Unused {
  file: string;
  reason: string;
}

/**
 * Foreign text made safe to print: characters that could steer a terminal or reorder a line are escaped as in JSON; line
 * feeds and tabs stay. JSON stays the same JSON.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (found) =>
    found === '\n' || found === '\t'
      ? found
      : Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(
          '',
        ),
  );
}

/** A file name for use in a sentence: no control characters, at most 120 characters. */
export function printableName(name: string): string {
  const clean = name.replace(/\p{C}/gu, '?');
  const characters = Array.from(clean);
  return characters.length <= 120 ? clean : `...${characters.slice(-117).join('')}`;
}

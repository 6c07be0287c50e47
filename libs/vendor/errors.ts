/** What the vendor says of an identifier that it does not resolve. */
export type RefusalReason = 'invalid-barcode' | 'invalid-stone-id' | 'not-found' | 'other';

/** The vendor answered with an `error` body: asking again changes nothing. */
export class VendorRefusal extends Error {
  override readonly name = 'VendorRefusal';

  constructor(
    readonly reason: RefusalReason,
    readonly status: number,
    /** The vendor's own sentence, shortened. */
    readonly text: string,
  ) {
    super(`the vendor refuses it (${reason}, status ${status}): ${text}`);
  }
}

export type FaultKind =
  | 'network'
  | 'timeout'
  | 'status'
  | 'redirect'
  | 'not-json'
  | 'wrong-shape'
  | 'wrong-answer'
  | 'too-large'
  | 'circuit-open';

/** Kinds that a later attempt may mend. */
const TRANSIENT: readonly FaultKind[] = ['network', 'timeout'];

/** The vendor gave no answer that can be used. */
export class VendorFault extends Error {
  override readonly name = 'VendorFault';

  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly status?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the same request may succeed later: network failure, time-out, 5xx. */
  get transient(): boolean {
    return TRANSIENT.includes(this.kind) || (this.kind === 'status' && this.status !== undefined && this.status >= 500);
  }
}

/**
 * The reason in an `error` body. The vendor's texts say "invalid barcode", "invalid stoneId" or "stone not found"
 * (specification 4.7), in no fixed words.
 */
export function refusalReason(text: string): RefusalReason {
  if (/not\s+found|no\s+such|unknown/i.test(text)) return 'not-found';
  if (/invalid[\s\S]*barcode|barcode[\s\S]*invalid/i.test(text)) return 'invalid-barcode';
  if (/invalid[\s\S]*stone|stone[\s\S]*invalid/i.test(text)) return 'invalid-stone-id';
  return 'other';
}

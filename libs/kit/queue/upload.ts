/** An upload, and what is known of it once it is read: no ordinate but in `PreparedUpload`. */
import type { RejectTarget } from '#science/calibration/ladder';
import type { ExaminedSide } from '#science/matching/warnings';
import { printableName, type RefusalKind, type Side, type Unused } from '#science/spectra/refusal';

export interface NamedFile {
  name: string;
  data: Uint8Array;
}

/** A field of a form that is not read. */
export const unreadField = (name: string): Unused => ({
  file: printableName(name) || '(no name)',
  reason: 'a field that is not read',
});

export type Upload =
  | { kind: 'json'; body: Uint8Array }
  | {
      kind: 'files';
      rejectTarget: unknown;
      rough: NamedFile[];
      polish: NamedFile[];
      /** Stone references that came beside the files: they win over the files' names. */
      stoneIds: Partial<Record<Side, string[]>>;
      /** Template of the population's file names; by default `stonesOf` reads them. */
      stoneTemplate?: string;
      /** Fields that came and are not read. */
      unused: Unused[];
    };

/** A side as the service knows it: no ordinate of it. */
export interface UploadedSide extends ExaminedSide {
  /** SHA-256 of the parsed numbers, 64 hex digits. */
  digest: string;
}

export interface CheckedUpload {
  rejectTarget: RejectTarget;
  rough: UploadedSide;
  polish: UploadedSide;
  /** Scans of the rough that are scans of the polish too (`sharedScans`). */
  sharedScans: number;
  /** What was sent and not used, with the reason. */
  unused: Unused[];
}

/** The readable part of an upload that was refused, of either side, for the record of the refusal. */
export interface UploadFindings {
  rejectTarget?: RejectTarget;
  rough?: Partial<UploadedSide>;
  polish?: Partial<UploadedSide>;
}

export interface PreparedUpload extends CheckedUpload {
  /** (rough.count + polish.count) x 671 absorbances as the model wants them, rough first, in memory of their own. */
  spectra: Float32Array<ArrayBuffer>;
  /** The same as the shadow model wants them. */
  forShadow?: Float32Array<ArrayBuffer>;
}

/** The upload breaks a rule of the contract; `kind` and `detail` are the refusal's. */
export class UploadRefused extends Error {
  override readonly name = 'UploadRefused';
  constructor(
    readonly kind: RefusalKind,
    readonly detail: string,
    readonly side?: Side,
    readonly findings: UploadFindings = {},
    /** Name of the file that is to blame, as sent. */
    readonly file?: string,
  ) {
    super(detail);
  }
}

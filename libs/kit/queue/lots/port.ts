/** The same for the lot product: scans of stones go in, vectors and what follows from them come out. */

import type { CheckedLot, EncodedLot, EnrolledLot, KnownFalseAccept, Members } from '#science/lots/lot';
import type { MeasuredRehearsal } from '#science/lots/measured';
import type { SessionType } from '#science/lots/model';
import type { Usual } from '#science/lots/reference-lots';
import type { RehearsalWish, RehearsedLot } from '#science/lots/rehearsed';
import type { CheckedHistory, ProposedLotScorer } from '#science/lots/scorer/propose';
import type { OwnScoring } from '#science/lots/scorer/scoring';
import type { Purpose, StoneFacts } from '#science/lots/stones';
import type { Unused } from '#science/spectra/refusal';
import type { JobOptions } from '../port.js';
import type { NamedFile } from '../upload.js';

export interface LotUpload {
  purpose: Purpose;
  files: NamedFile[];
}

export interface LotJob {
  /** Digest of the lot model: a worker that holds another one refuses. */
  model: string;
  /** Of each stone. */
  scans: number[];
  /** As many scans x 671 absorbances on the reference axis. Passed on: the caller's view is detached or zeroed. */
  spectra: Float32Array;
}

export interface ScoredStones {
  model: string;
  /** Rows of LOT_VECTOR, one per stone. */
  vectors: Float32Array;
}

/** An upload that was read and checked, before it is encoded. */
export interface PreparedLot {
  stones: StoneFacts[];
  /** Names of each stone's files. */
  files: string[][];
  look: number[];
  warnings: string[];
  unused: Unused[];
  spectra: Float32Array<ArrayBuffer>;
}

/** A lot's files as the service knows them: no ordinate of them. */
export interface ReadLot extends EncodedLot {
  stones: StoneFacts[];
  /** Names of each stone's files: for refusals, and kept nowhere. */
  files: string[][];
  /** Files beside the scans that hold none: for the answer, and kept nowhere. */
  unused: Unused[];
  model: string;
}

/** Work on vectors alone. It would hold an event loop, so it is done on threads. */
export interface LotTasks {
  enrol: { asked: { lot: EncodedLot; declared?: SessionType; usual: Usual | null }; answer: EnrolledLot };
  /** The parts of a lot that follow from another session type. */
  correct: {
    asked: { members: Members; session_type: SessionType; usual: Usual | null };
    answer: Pick<EnrolledLot, 'twins' | 'fit'>;
  };
  check: {
    asked: {
      members: Members;
      returned: EncodedLot;
      declared?: SessionType;
      falseAccepts: Record<SessionType, KnownFalseAccept>;
      usual: Usual | null;
      scoring: OwnScoring | null;
    };
    answer: CheckedLot;
  };
  /** `own`: stones of the lots that the wish names, rows of LOT_VECTOR. */
  rehearse: {
    asked: {
      members: Members;
      wish: RehearsalWish;
      own?: Float32Array;
      measured?: MeasuredRehearsal;
      usual: Usual | null;
      scoring: OwnScoring | null;
    };
    answer: RehearsedLot;
  };
  /** A workspace's own scorer, or the reason why there is none. */
  propose: { asked: { history: CheckedHistory[] }; answer: ProposedLotScorer | { reason: string } };
}
export type LotTask = keyof LotTasks;

/** The HTTP edge's port for lots, wherever the work is done. */
export interface LotScoring {
  /** Reads, checks and encodes. Takes the upload's buffers. @throws UploadRefused, ScoringUnavailable, JobCancelled */
  read(upload: LotUpload, options: JobOptions): Promise<ReadLot>;
  /** @throws ScoringUnavailable, JobCancelled */
  decide<T extends LotTask>(task: T, asked: LotTasks[T]['asked'], options: JobOptions): Promise<LotTasks[T]['answer']>;
}

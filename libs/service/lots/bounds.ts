/** What may be claimed of a lot check: the specification's bounds, and apart from them what was measured here. */
import {
  BOUNDS_VERSION,
  falseAcceptOf,
  LOT_SCOPE,
  type LotFolder,
  type MeasuredBounds,
  SESSION_TYPES,
  type SessionType,
  specifiedBounds,
} from '#lots';

export interface ToldBounds {
  version: string;
  stamped: string;
  specified: typeof specifiedBounds;
  /** On simulated lots, with the model that serves; null where nothing was. */
  measured: MeasuredBounds | null;
  /** Digest of the lot model that serves. */
  model: string;
  scope: string;
}

export class LotBounds {
  readonly told: ToldBounds;

  constructor({ model, measured }: Pick<LotFolder, 'model' | 'measured'>) {
    this.told = {
      version: BOUNDS_VERSION,
      stamped: specifiedBounds.stamped,
      specified: specifiedBounds,
      measured,
      model: model.digest,
      scope: LOT_SCOPE,
    };
  }

  /** One-stone rates of lots of a size, by session type. */
  falseAccepts(members: number): Record<SessionType, ReturnType<typeof falseAcceptOf>> {
    const { measured } = this.told;
    return Object.fromEntries(
      SESSION_TYPES.map((session) => [session, falseAcceptOf(measured, session, members)]),
    ) as Record<SessionType, ReturnType<typeof falseAcceptOf>>;
  }
}

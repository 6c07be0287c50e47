/**
 * Tells if a side of a claim shows a stone that was sent before: one rule, asked within a key and between the production
 * keys of a population. A polish reference suffices by itself. A rough's does not, or a panel of roughs could hide under
 * one reference: the vectors must be alike. A rough is also compared with those that were claimed for the same polish
 * before, because a stone that is sent again is measured again.
 */
import type { Counters } from './counters.js';
import { NEAR, SAME_ROUGH, type Sketch } from './nearness.js';
import type { ScanSets, SetRow } from './sets.js';
import type { NearWindow } from './windows.js';

export type Side = 'rough' | 'polish';

/** A claim as it stands when its verdict comes. */
export interface ScoredClaim {
  position: number;
  claim_id: string;
  key_id: string;
  population: string;
  /** By a production key: the production keys of a population are looked at together. */
  production: boolean;
  model: string;
  rough: SetFacts;
  polish: SetFacts;
}
interface SetFacts {
  digest: string;
  references: string[];
}

/** Claims are scored once, so that their places make ids that no other stone has. */
export const newStone = ({ position }: ScoredClaim, side: Side): number => 2 * position + (side === 'rough' ? 0 : 1);

/** A side of a claim, as far as the rule looks at it. */
export interface Shown {
  side: Side;
  set: SetRow;
  sketch: Sketch | undefined;
  /** References of the side that were used before, by any key. */
  used: string[];
  /** True if the claim was confirmed. */
  confirmed: boolean;
}

/** A stone, and the id of a set that it was sent with. */
export type Sent = readonly [stone: number, set: number];

/** The stones that a side is compared with. */
export interface Scope {
  /** Those that sets of the same scans belong to. */
  withScans(): Iterable<number>;
  withReference(reference: string): Iterable<Sent>;
  /** The sets sent last; none where these scans were sent before. */
  window(): NearWindow | undefined;
  /** Roughs that were claimed for the same polish; none where the side is the polish. */
  roughsOfPolish(): Iterable<Sent>;
  /** The name under which a stone is told from others. */
  nameOf(stone: number): number;
  /** The side's own name, where it has one already. */
  own?: number;
}

export class Identity {
  constructor(
    private readonly sets: ScanSets,
    private readonly counters: Counters,
  ) {}

  /** @returns names of the stones that the side shows, without its own */
  sameStones({ side, set, sketch, used, confirmed }: Shown, scope: Scope): Set<number> {
    const same = new Set<number>();
    const add = (stone: number) => {
      const name = scope.nameOf(stone);
      if (name !== scope.own) same.add(name);
    };
    for (const stone of scope.withScans()) add(stone);
    for (const reference of used) {
      for (const [stone, other] of scope.withReference(reference)) {
        if (side === 'polish' || this.sets.near(set, other, SAME_ROUGH.withReference)) add(stone);
      }
    }
    if (!sketch) return same;
    const window = scope.window();
    if (window) for (const stone of this.nearIn(window, sketch, side, confirmed)) add(stone);
    if (same.size > 0) return same;
    for (const [stone, other] of scope.roughsOfPolish()) {
      if (this.sets.near(set, other, SAME_ROUGH.cosine)) add(stone);
    }
    return same;
  }

  /** Stones of a window's sets that the sketch is near to. */
  private nearIn(window: NearWindow, sketch: Sketch, side: Side, confirmed: boolean): Set<number> {
    const found = new Set(window.near(sketch, NEAR.copy));
    if (side === 'rough') return found;
    for (const stone of new Set(window.near(sketch, NEAR.rescan))) {
      if (!found.has(stone) && this.mayBeOne(confirmed, stone)) found.add(stone);
    }
    return found;
  }

  /** True if two polishes that merely resemble each other may be one: not if each was confirmed by its own rough. */
  private mayBeOne(confirmed: boolean, stone: number): boolean {
    return !confirmed || (this.counters.of(stone)?.confirmed ?? 0) === 0;
  }
}

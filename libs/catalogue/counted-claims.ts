/** Counts claims for approvals as docs/concepts/calibration-method.md, section 1, has it: in memory, and no more than they rest on. */

import { type ClaimScored, type ClaimShadowScored, type ClaimSubmitted, countsAsEvidence } from '#claims/events';
import type { ScanSetBanked } from '#claims/events-bank';
import type { LoggedEvent } from '#domain/logged';
import { streamPrefixes } from '#domain/streams';
import { isVector } from '#domain/vectors';
import { StreamStates } from '#kit/log/stream-states';
import { isInWrongStream, recordedFault } from './admission.js';
import { isOfChainingProgram, type LogFacts } from './verify-decisions.js';

/** Evidence of a population under a model. */
interface Evidence {
  /** As many as approvals rest on. */
  wanted: number;
  banked: StreamStates;
  pairs: StreamStates;
  /** Place in the log of each counted claim. */
  places: bigint[];
}

/** Of a digest, a pair or a claim nothing more is noted than that it was there: an approval may rest on millions. */
const THERE = { revision: 0, note: 0 };

type Taken = ClaimSubmitted | ClaimScored | ClaimShadowScored | ScanSetBanked;

const COUNTED_TYPES: readonly string[] = [
  'ClaimSubmitted',
  'ClaimScored',
  'ClaimShadowScored',
  'ScanSetBanked',
] satisfies Taken['type'][];

export class CountedClaims implements LogFacts {
  /** By population and model. */
  private readonly evidence = new Map<string, Evidence>();
  /** Those of each population. */
  private readonly populations = new Map<string, Evidence[]>();
  private readonly known = new StreamStates();
  /** Those that may still count. */
  private readonly submitted = new Map<string, { population: string; model: string; rough: string; polish: string }>();
  private chained: bigint | undefined;

  /** @param needed what the approvals of the log rest on */
  constructor(needed: Iterable<{ population: string; model: string; claims: number }>) {
    for (const { population, model, claims } of needed) {
      const held = this.evidence.get(keyOf(population, model));
      if (held) held.wanted = Math.max(held.wanted, claims);
      else {
        const fresh = { wanted: claims, banked: new StreamStates(), pairs: new StreamStates(), places: [] };
        this.evidence.set(keyOf(population, model), fresh);
        this.populations.set(population, [...(this.populations.get(population) ?? []), fresh]);
      }
    }
  }

  chainedFrom(): bigint | undefined {
    return this.chained;
  }

  claimAt(population: string, model: string, n: number): bigint | undefined {
    return this.evidence.get(keyOf(population, model))?.places[n - 1];
  }

  /** The next event of the log, in whatever version. What is not as it was written, or is another stream's, is not counted. */
  take(logged: LoggedEvent): void {
    const counts = COUNTED_TYPES.includes(logged.type) || logged.stream.startsWith(streamPrefixes.calibration);
    if (!counts || recordedFault(logged) !== undefined || isInWrongStream(logged)) return;
    if (this.chained === undefined && isOfChainingProgram(logged)) this.chained = logged.position;
    const event = logged as LoggedEvent & Taken;
    switch (event.type) {
      case 'ClaimSubmitted': {
        const { claim_id, key, model, rough, polish } = event.data;
        const { population } = key;
        const wants = this.populations.get(population)?.some(({ places, wanted }) => places.length < wanted);
        if (!wants || !countsAsEvidence(event.data) || this.known.get(claim_id)) break;
        this.known.set(claim_id, THERE);
        this.submitted.set(claim_id, { population, model, rough: rough.digest, polish: polish.digest });
        break;
      }
      case 'ScanSetBanked': {
        const { population, model, digest, vectors } = event.data;
        const held = this.evidence.get(keyOf(population, model));
        if (held && Object.values(vectors).every(isVector)) held.banked.set(digest, THERE);
        break;
      }
      case 'ClaimScored':
        this.count(event.data.claim_id, logged.position);
        break;
      case 'ClaimShadowScored':
        this.count(event.data.claim_id, logged.position, event.data.model);
        break;
    }
  }

  private count(claimId: string, position: bigint, shadow?: string): void {
    const claim = this.submitted.get(claimId);
    if (!claim) return;
    const { population, model, rough, polish } = claim;
    const held = this.evidence.get(keyOf(population, shadow ?? model));
    if (!held || held.places.length === held.wanted) return;
    const pair = `${rough} ${polish}`;
    if (!held.pairs.get(pair)) {
      if (!held.banked.get(rough) || !held.banked.get(polish)) return;
      held.pairs.set(pair, THERE);
      held.places.push(position);
    }
    // A shadow's score of it may count for another model.
    if (this.populations.get(population)?.length === 1) this.submitted.delete(claimId);
  }
}

const keyOf = (population: string, model: string) => `${model} ${population}`;

import type { Decider, Decision, Sha256Hex } from '#domain/decider';
import { decodeLotVector } from '#domain/vectors';
import { cleanName } from '#keys/events';
import type { SessionType } from '#science/lots/model';
import type { RehearsalWish } from '#science/lots/rehearsed';
import { evolveLot, type LotChanged, type LotEvent, type LotState, lotNow, type MemberStone, noLot } from './events.js';

export type LotRefusal = 'other_files' | 'invalid_name' | 'name_taken' | 'unknown_lot' | 'retired';

/** The first record stands. A name belongs to the files that it was enrolled with, or to the lot it was given to. */
export function decideLot(state: LotState, event: LotEvent): Decision<LotEvent, LotRefusal> {
  if ('name' in event.data && cleanName(event.data.name) !== event.data.name) return { refusal: 'invalid_name' };
  switch (event.type) {
    case 'LotRenamed':
    case 'LotSessionCorrected':
    case 'LotRetired':
      return decideChange(state, event);
    case 'LotNameTaken':
      if (state.status === 'absent') return { events: [event] };
      return holderOf(state) === event.data.lot_id ? { events: [] } : { refusal: 'name_taken' };
    default: {
      if (state.status === 'absent') return { events: [event] };
      if (state.status === 'taken') return { refusal: 'name_taken' };
      const held = state.event;
      if (held.type === 'LotEnrolled' && event.type === 'LotEnrolled' && held.data.digest !== event.data.digest)
        return { refusal: 'other_files' };
      return { events: [] };
    }
  }
}

const holderOf = (state: Exclude<LotState, { status: 'absent' }>): string =>
  state.status === 'taken' ? state.by : state.event.data.lot_id;

/** A change that changes nothing makes no event; a retired lot stays as it is. */
function decideChange(state: LotState, event: LotChanged): Decision<LotEvent, LotRefusal> {
  const now = lotNow(state);
  if (!now) return { refusal: 'unknown_lot' };
  const { name, session_type } = now.enrolment;
  if (event.type === 'LotRetired') return { events: now.retired_at === null ? [event] : [] };
  const same = event.type === 'LotRenamed' ? event.data.name === name : event.data.session_type === session_type;
  if (same) return { events: [] };
  return now.retired_at === null ? { events: [event] } : { refusal: 'retired' };
}

export const lotDecider: Decider<LotState, LotEvent, LotEvent, LotRefusal> = {
  initial: noLot,
  evolve: evolveLot,
  decide: decideLot,
};

const idOf = (sha256: Sha256Hex, mark: string, parts: unknown[]) =>
  `${mark}_${sha256(JSON.stringify(parts)).slice(0, 32)}`;

/** A lot is named by its workspace's name of it: one append reserves the name and enrols. */
export const lotId = (sha256: Sha256Hex, workspaceId: string, name: string): string =>
  idOf(sha256, 'lot', [workspaceId, cleanName(name) ?? name]);

/** What decides: the lot model, and the workspace's own scorer, where one is in force. */
interface Decides {
  model: string;
  scorer?: string;
}
const ofScorer = ({ scorer }: Decides) => (scorer === undefined ? [] : [scorer]);

/** The same return of the same lot, under the same session type and scorer, is the same check. */
export const checkId = (
  sha256: Sha256Hex,
  lot: string,
  digest: string,
  by: Decides & { session?: SessionType },
): string => idOf(sha256, 'chk', [lot, digest, by.model, by.session ?? null, ...ofScorer(by)]);

export const rehearsalId = (
  sha256: Sha256Hex,
  lot: string,
  by: Decides,
  { substitution, seed, draws, source }: RehearsalWish,
): string => idOf(sha256, 'reh', [lot, by.model, substitution, seed, draws, source, ...ofScorer(by)]);

export const isCheckId = (text: string): boolean => /^chk_[0-9a-f]{32}$/.test(text);
export const isLotId = (text: string): boolean => /^lot_[0-9a-f]{32}$/.test(text);

/** A member with its numbers. */
export function memberOf({ stone, vector, cohort, crowding }: MemberStone) {
  const numbers = decodeLotVector(vector);
  if (!numbers) throw new TypeError('a stored vector holds 96 numbers');
  return { stone, vector: numbers, cohort, crowding };
}

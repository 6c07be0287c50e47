/** Workspaces' own lot scorers as checks and rehearsals take them: out of their approvals and the vectors of their lots. */

import { LRUCache } from 'lru-cache';
import { streams } from '#domain/streams';
import { decodeFloats, decodeLotVector, encodeLotVector, vectorBytes } from '#domain/vectors';
import type { EventReader } from '#kit/log/port';
import { type Folded, readState } from '#kit/log/stored-events';
import type { LotFolder } from '#science/lots/folder';
import { rowsOf } from '#science/lots/lot';
import { LOT_VECTOR } from '#science/lots/model';
import { type CohortLot, type LotScorer, lotScorerDigest } from '#science/lots/scorer/scorer';
import type { OwnScoring } from '#science/lots/scorer/scoring';
import { Refusal } from '#science/spectra/refusal';
import { lotDecider, memberOf } from './decide.js';
import { lotScorerDecider } from './decide-scorer.js';
import { type LotEnrolment, lotNow } from './events.js';
import {
  type LotScorerApproved,
  type LotScorerState,
  lotScorerInForce,
  type StoredLotScorer,
} from './events-scorer.js';

/** Scorers in memory, of a megabyte each. */
const HELD = 16;
/** Bytes of a stored line. */
const LINE = 1024;

export interface LotScorersDependencies {
  store: Pick<EventReader, 'readStream'>;
  folder: Pick<LotFolder, 'model'>;
}

export class LotScorers {
  /** By workspace and digest. */
  private readonly held = new LRUCache<string, LotScorer, LotScorerApproved['data']>({
    max: HELD,
    ignoreFetchAbort: true,
    fetchMethod: (_name, _stale, { context }) => this.built(context),
  });

  constructor(private readonly dependencies: LotScorersDependencies) {}

  read(workspaceId: string): Promise<Folded<LotScorerState>> {
    return readState(this.dependencies.store, streams.lotScorer(workspaceId), lotScorerDecider);
  }

  /**
   * The workspace's own scorer for one of its lots; null where the shipped one decides: where none is in force, and for lots
   * that are like those that the shipped bars were set on.
   * @throws Refusal of kind `asset` where the scorer is not what its approval says
   */
  async scoringOf(lot: LotEnrolment): Promise<OwnScoring | null> {
    const { model } = this.dependencies.folder;
    if (lot.model !== model.digest || lot.fit?.usual !== false) return null;
    const { state } = await this.read(lot.workspace.id);
    const approval = lotScorerInForce(state, model.digest);
    if (!approval) return null;
    const { proposal, at: approved_at } = approval;
    const { scorer: digest, rests_on, caught, one_stone_false_accept } = proposal;
    return {
      scorer: await this.load(approval),
      facts: {
        ...{ digest, approved_at, lots: rests_on.length },
        caught: caught.workspace,
        one_stone_false_accept: one_stone_false_accept.workspace,
      },
      lot_id: lot.lot_id,
      vectors: rowsOf(lot.stones.map(memberOf)),
    };
  }

  /** A lot as it was enrolled; its vectors never change. Undefined where there is none. */
  async enrolled(workspaceId: string, lotId: string): Promise<LotEnrolment | undefined> {
    const { state } = await readState(this.dependencies.store, streams.lot(workspaceId, lotId), lotDecider);
    return lotNow(state)?.enrolment;
  }

  private load(approval: LotScorerApproved['data']): Promise<LotScorer> {
    const name = `${approval.workspace.id} ${approval.proposal.scorer}`;
    return this.held.forceFetch(name, { context: approval });
  }

  private async built({ workspace, proposal, scorer: stored }: LotScorerApproved['data']): Promise<LotScorer> {
    const refuse = (is: string): never => {
      const reason = `the lot scorer ${proposal.scorer} of workspace ${workspace.name} is ${is}`;
      throw new Refusal('asset', { reason, fix: 'contact the operator, do not retry' });
    };
    const lots = await Promise.all(
      proposal.rests_on.map(async ({ lot_id }): Promise<CohortLot> => {
        const lot = await this.enrolled(workspace.id, lot_id);
        return lot ? { lot_id, members: rowsOf(lot.stones.map(memberOf)) } : refuse('without one of its lots');
      }),
    );
    const scorer = scorerFrom(stored, lots);
    if (!scorer || lotScorerDigest(proposal.model, scorer) !== proposal.scorer)
      return refuse('not what its approval says');
    return scorer;
  }
}

/** A scorer out of what its approval holds and its lots; undefined where that does not fit. */
function scorerFrom({ map: lines, between: text, bar }: StoredLotScorer, lots: CohortLot[]): LotScorer | undefined {
  const bytes = Buffer.concat(lines.map((line) => Buffer.from(line, 'base64')));
  const map = decodeFloats(bytes.toString('base64'), LOT_VECTOR * LOT_VECTOR);
  const between = decodeLotVector(text);
  return map && between && { map, between, bar, lots };
}

/** A scorer as its approval holds it. */
export const storedScorer = ({ map, between, bar }: LotScorer): StoredLotScorer => {
  const bytes = vectorBytes(map);
  return {
    map: Array.from({ length: Math.ceil(bytes.length / LINE) }, (_, i) =>
      bytes.subarray(i * LINE, (i + 1) * LINE).toString('base64'),
    ),
    between: encodeLotVector(between),
    bar,
  };
};

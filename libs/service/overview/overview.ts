/** An operator's first question: how a window of calls went, and what waits or alarms now. Its cost is bounded. */
import { CLAIMS_NEEDED, REJECT_TARGETS, type RejectTarget, rungName } from '#calibration';
import { pendingRequest, rungOf, scorerOf } from '#domain';
import type { CallOutline, EvidenceView, Findings, Ledger, Telemetry, Total, Views, Window } from '#views';
import type { PopulationLadders } from '../calibration/ladders.js';
import type { Drifts } from '../drift/drifts.js';
import type { Hygiene } from '../hygiene/hygiene.js';
import type { Models } from '../models/models.js';

/** Share of the claims that a rung needs, from which on a population is near it. */
const NEAR = 0.8;
/** Populations, and pending approvals, that are listed; all are counted. */
const MAX_LISTED = 100;

/** A population that could be approved at a rung, or soon can. */
export interface Maturing {
  population: string;
  claims_held: number;
  /** Rungs that it has claims enough for, and no approval. */
  ready: RejectTarget[];
  /** The rung that comes next, where the claims for it are nearly there. */
  next: { reject_target: RejectTarget; claims_needed: number } | null;
}

export interface PendingApproval {
  population: string;
  /** Null: the population's own scorer. */
  reject_target: RejectTarget | null;
  requested_by: string;
  at: string;
}

/** As many as are listed, and how many there are. */
export interface Listed<T> {
  found: number;
  items: T[];
}

export interface OverviewFacts extends Window {
  claims: CallOutline;
  reviews: Total;
  findings: { open: Total; open_breaches: Total; opened: Total };
  alarms: {
    drift: ReturnType<Drifts['drifting']>;
    /** Time of the last checks; null: none since the start. */
    hygiene: { at: string | null; found: { check: string; found: number }[] };
    /** Calibration events that decide nothing, because the service could not have written them. */
    not_obeyed: number;
    views_stopped: string[];
  };
  /** Under the live model. */
  populations: Listed<Maturing>;
  second_approvals: Listed<PendingApproval>;
}

export interface OverviewDependencies {
  telemetry: Pick<Telemetry, 'outline'>;
  ledger: Pick<Ledger, 'waiting'>;
  findings: Pick<Findings, 'open' | 'opened'>;
  evidence: Pick<EvidenceView, 'heldByAll' | 'approved' | 'populations' | 'passedOver'>;
  views: Pick<Views, 'health'>;
  ladders: Pick<PopulationLadders, 'read'>;
  models: Pick<Models, 'live'>;
  drifts: Pick<Drifts, 'drifting'>;
  hygiene: Pick<Hygiene, 'latest'>;
  fourEyes: boolean;
  /** Operators whose request may wait for a second one. */
  approvers: readonly string[];
}

export class Overview {
  constructor(private readonly dependencies: OverviewDependencies) {}

  async of(window: Window): Promise<OverviewFacts> {
    const { telemetry, ledger, findings, evidence, views, drifts, hygiene, models } = this.dependencies;
    const { digest } = (await models.live()).model;
    const attention = hygiene.latest?.checks.filter(({ found }) => found > 0) ?? [];
    return {
      ...window,
      claims: telemetry.outline(window),
      reviews: ledger.waiting(),
      findings: {
        open: findings.open(),
        open_breaches: findings.open({ breaches: true }),
        opened: findings.opened(window.from, window.to),
      },
      alarms: {
        drift: drifts.drifting(),
        hygiene: { at: hygiene.latest?.at ?? null, found: attention.map(({ check, found }) => ({ check, found })) },
        not_obeyed: evidence.passedOver(0).found,
        views_stopped: views.health().flatMap(({ name, failure }) => (failure === undefined ? [] : [name])),
      },
      populations: listed(this.maturing(digest)),
      second_approvals: listed(await this.pending(digest)),
    };
  }

  private maturing(model: string): Maturing[] {
    const { evidence } = this.dependencies;
    const approved = new Set(evidence.approved(model).map(({ population, rung }) => `${population} ${rung}`));
    return evidence.heldByAll(model).flatMap(({ population, held }) => {
      const open = RUNGS.filter(({ rung }) => !approved.has(`${population} ${rungName(rung)}`));
      const ready = open.filter(({ needed }) => held >= needed).map(({ rung }) => rung);
      const near = open.find(({ needed }) => held < needed && held >= NEAR * needed);
      if (ready.length === 0 && !near) return [];
      const next = near ? { reject_target: near.rung, claims_needed: near.needed } : null;
      return [{ population, claims_held: held, ready, next }];
    });
  }

  /** Approvals of the live model that wait for a second operator. */
  private async pending(model: string): Promise<PendingApproval[]> {
    const { evidence, ladders, fourEyes, approvers } = this.dependencies;
    // One operator is enough: nothing waits.
    if (!fourEyes) return [];
    const all = await Promise.all(
      evidence.populations().map(async (population) => {
        const { state } = await ladders.read(population);
        const { approval: _, ...scorer } = scorerOf(state, model);
        const requests = RUNGS.map(
          ({ rung }) => [rung, pendingRequest(rungOf(state, model, rung), approvers)] as const,
        );
        return [[null, pendingRequest(scorer, approvers)] as const, ...requests].flatMap(([reject_target, request]) =>
          request ? [{ population, reject_target, requested_by: request.operator, at: request.at }] : [],
        );
      }),
    );
    return all.flat().sort((a, b) => (a.at < b.at ? -1 : 1));
  }
}

/** Rungs that settle, those that need the fewest claims first. */
const RUNGS = REJECT_TARGETS.toReversed().flatMap((rung) => {
  const needed = CLAIMS_NEEDED[rung];
  return needed === undefined ? [] : [{ rung, needed }];
});

const listed = <T>(items: T[]): Listed<T> => ({ found: items.length, items: items.slice(0, MAX_LISTED) });

/** An operator's first question: how a window of calls went, and what waits or alarms now. Its cost is bounded. */
import { setImmediate } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import type { Approvals } from '#calibration/approvals';
import { rungOf, scorerOf } from '#calibration/events';
import type { Drifts } from '#calibration/queries-drift';
import { driftingPopulation } from '#calibration/queries-drift-shapes';
import type { PopulationLadders } from '#calibration/queries-ladders';
import type { Models } from '#calibration/queries-models';
import { orNull } from '#domain/schemas';
import { streamPrefixes } from '#domain/streams';
import type { LogCheck } from '#kit/log/check';
import type { LogSeals } from '#kit/log/seal';
import { total } from '#kit/views/page';
import type { ViewReads } from '#kit/views/reads';
import type { Views } from '#kit/views/runner';
import { integer, rung, string, texts, time } from '#kit/views/shapes';
import { CLAIMS_NEEDED, REJECT_TARGETS, rungName } from '#science/calibration/ladder';
import type { Window } from './call-counts.js';
import type { Hygiene } from './hygiene.js';
import { callOutline } from './shapes-calls.js';

/** Share of the claims that a rung needs, from which on a population is near it. */
const NEAR = 0.8;
/** Populations, and pending approvals, that are listed; all are counted. */
const MAX_LISTED = 100;

const nextRung = Type.Object(
  { reject_target: rung, claims_needed: integer('claims that the rung needs') },
  { $id: 'NextRung' },
);
const maturing = Type.Object(
  {
    population: string('the population'),
    claims_held: integer('counted claims under the live model'),
    ready: Type.Array(rung, { description: 'rungs with enough claims and no approval' }),
    next: Type.With(orNull(nextRung), { description: 'the next rung, from 80% of its claims on' }),
  },
  { $id: 'MaturingPopulation' },
);
type Maturing = Static<typeof maturing>;
const pendingApproval = Type.Object(
  {
    population: string('the population'),
    reject_target: orNull(Type.With(rung, { description: 'null: the population’s own scorer' })),
    requested_by: string('operator'),
    at: time(),
  },
  { $id: 'PendingApproval' },
);
type PendingApproval = Static<typeof pendingApproval>;

/** The first ones, and how many there are. */
interface Listed<T> {
  found: number;
  items: T[];
}

const findingsOverview = Type.Object(
  {
    open: Type.With(total, { description: 'not reviewed since they last changed' }),
    open_breaches: Type.With(total, { description: 'of these, panels of roughs probed with a production key' }),
    opened: Type.With(total, { description: 'opened in the window' }),
  },
  { $id: 'FindingsOverview' },
);
const hygieneFound = Type.Object(
  { check: string('name of the check'), found: integer('what was found') },
  { $id: 'HygieneFound' },
);
const hygieneOverview = Type.Object(
  {
    at: orNull(time('when the checks were last made; null: not since the start')),
    found: Type.Array(hygieneFound, { description: 'checks that ask for attention' }),
  },
  { $id: 'HygieneOverview' },
);
const alarms = Type.Object(
  {
    drift: Type.Array(driftingPopulation),
    hygiene: hygieneOverview,
    not_obeyed: integer('damaged rows in calibration streams, which decide nothing'),
    log_damaged: integer('events of the log that were found damaged, gone or out of place'),
    views_stopped: texts('views that have stopped'),
  },
  { $id: 'Alarms' },
);
const maturingPopulations = Type.Object(
  { found: integer('populations'), items: Type.Array(maturing, { description: 'by name', maxItems: MAX_LISTED }) },
  { $id: 'MaturingPopulations' },
);
const pendingApprovals = Type.Object(
  {
    found: integer('requests'),
    items: Type.Array(pendingApproval, { description: 'oldest first', maxItems: MAX_LISTED }),
  },
  { $id: 'PendingApprovals' },
);

export const overviewFacts = Type.Object(
  {
    from: time('start of the window'),
    to: time('end of the window'),
    claims: Type.With(callOutline, { description: 'of the window' }),
    reviews: Type.With(total, { description: 'claims whose action is review, and that have none' }),
    findings: findingsOverview,
    alarms: Type.With(alarms, { description: 'as they are now' }),
    populations: Type.With(maturingPopulations, { description: 'near or past the claims that a rung needs' }),
    second_approvals: Type.With(pendingApprovals, { description: 'approvals that wait for a second operator' }),
  },
  { $id: 'Overview' },
);
export type OverviewFacts = Static<typeof overviewFacts>;

export interface OverviewDependencies {
  reads: Pick<ViewReads, 'ask'>;
  views: Pick<Views, 'health'>;
  /** Of the event log. */
  seals: Pick<LogSeals, 'found' | 'countIn'>;
  /** Undefined where another replica checks the log. */
  logCheck: Pick<LogCheck, 'state'> | undefined;
  ladders: Pick<PopulationLadders, 'read'>;
  models: Pick<Models, 'live'>;
  drifts: Pick<Drifts, 'drifting'>;
  hygiene: Pick<Hygiene, 'latest'>;
  approvals: Pick<Approvals, 'fourEyes' | 'pending'>;
}

export class Overview {
  constructor(private readonly dependencies: OverviewDependencies) {}

  async of(window: Window): Promise<OverviewFacts> {
    const { reads, views, seals, logCheck, drifts, hygiene, models } = this.dependencies;
    const { digest } = (await models.live()).model;
    const [claims, reviews, open, open_breaches, opened, populations, approvals] = await Promise.all([
      reads.ask('telemetry', 'outline', window),
      reads.ask('ledger', 'waiting'),
      reads.ask('findings', 'open'),
      reads.ask('findings', 'open', { breaches: true }),
      reads.ask('findings', 'opened', window.from, window.to),
      this.maturing(digest),
      this.pending(digest),
    ]);
    const attention = hygiene.latest?.checks.filter(({ found }) => found > 0) ?? [];
    return {
      ...window,
      claims,
      reviews,
      findings: { open, open_breaches, opened },
      alarms: {
        drift: drifts.drifting(),
        hygiene: { at: hygiene.latest?.at ?? null, found: attention.map(({ check, found }) => ({ check, found })) },
        not_obeyed: seals.countIn(streamPrefixes.calibration),
        log_damaged: Math.max(logCheck?.state.damaged ?? 0, seals.found.count),
        views_stopped: views.health().flatMap(({ name, failure }) => (failure === undefined ? [] : [name])),
      },
      populations: listed(populations),
      second_approvals: listed(approvals),
    };
  }

  private async maturing(model: string): Promise<Maturing[]> {
    const { reads } = this.dependencies;
    const approvals = await reads.ask('evidence', 'approved', model);
    const approved = new Set(approvals.map(({ population, rung }) => `${population} ${rung}`));
    return (await reads.ask('evidence', 'heldByAll', model)).flatMap(({ population, held }) => {
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
    const { reads, ladders, approvals } = this.dependencies;
    // One operator is enough: nothing waits.
    if (!approvals.fourEyes) return [];
    const all: PendingApproval[] = [];
    for (const population of await reads.ask('evidence', 'populations')) {
      const { state } = await ladders.read(population);
      const { approval: _, ...scorer } = scorerOf(state, model);
      const requests = RUNGS.map(({ rung }) => [rung, approvals.pending(rungOf(state, model, rung))] as const);
      for (const [reject_target, request] of [[null, approvals.pending(scorer)] as const, ...requests])
        if (request) all.push({ population, reject_target, requested_by: request.operator, at: request.at });
      // Others get a turn between two populations.
      await setImmediate();
    }
    return all.sort((a, b) => (a.at < b.at ? -1 : 1));
  }
}

/** Rungs that settle, those that need the fewest claims first. */
const RUNGS = REJECT_TARGETS.toReversed().flatMap((rung) => {
  const needed = CLAIMS_NEEDED[rung];
  return needed === undefined ? [] : [{ rung, needed }];
});

const listed = <T>(items: T[]): Listed<T> => ({ found: items.length, items: items.slice(0, MAX_LISTED) });

/** All that a caller can ask for, each use case with what it needs and no more. */
import { randomBytes } from 'node:crypto';
import type { InjectionToken } from '@nestjs/common';
import type { Logger } from 'pino';
import { Approvals } from '#calibration/approvals';
import { Calibrations, type CalibrationsDependencies } from '#calibration/calibrations';
import { CarriedFigures, FigureMeasurements } from '#calibration/figures';
import { ModelSwitch } from '#calibration/model-switch';
import { Drifts } from '#calibration/queries-drift';
import { EvidenceView } from '#calibration/queries-evidence';
import { PopulationLadders } from '#calibration/queries-ladders';
import type { Models, ServedModel } from '#calibration/queries-models';
import { ScorerDecisions } from '#calibration/scorer-decisions';
import { PopulationScorers } from '#calibration/scorers';
import { Receipts } from '#claims/receipts';
import { Shadow, type ShadowDependencies } from '#claims/shadow';
import { VerifyMatch } from '#claims/verify-match';
import type { Configuration } from '#config/environment';
import { Reviews } from '#findings/reviews';
import { ApiKeys, Workspaces } from '#keys/credentials';
import type { ConcurrencyLimit } from '#kit/admission/concurrency-limit';
import { answerTo } from '#kit/http/answers';
import type { ConfiguredCredentials } from '#kit/http/credentials';
import type { LogCheck } from '#kit/log/check';
import type { CommandHandler } from '#kit/log/command-handler';
import type { EventStore } from '#kit/log/port';
import type { LogSeals } from '#kit/log/seal';
import type { Metrics } from '#kit/observe/metrics';
import { paced } from '#kit/observe/paced-log';
import type { LotScoring } from '#kit/queue/lots/port';
import type { Scoring } from '#kit/queue/port';
import type { KeptResults } from '#kit/views/kept-results';
import type { ViewReads } from '#kit/views/reads';
import type { Views } from '#kit/views/runner';
import { ViewSkips } from '#kit/views/skip-decisions';
import { Labels } from '#labels/labels';
import { Lots } from '#lots/lots';
import { LotScorerDecisions } from '#lots/scorer-decisions';
import { LotScorers } from '#lots/scorers';
import { Hygiene } from '#records/hygiene';
import { Overview } from '#records/overview';
import { OwnClaims } from '#records/own-claims';
import type { LotFolder } from '#science/lots/folder';

/** Providers that a replica for claims lacks. */
export const OPERATORS_ALONE: readonly InjectionToken[] = [
  EvidenceView,
  ...[Drifts, Hygiene, Overview, Calibrations, ScorerDecisions, LotScorerDecisions, ModelSwitch, Reviews, ViewSkips],
];

export interface Core {
  configuration: Configuration;
  store: EventStore;
  /** Of the store. */
  seals: LogSeals;
  labelPages: KeptResults;
  auditRoot: CalibrationsDependencies['auditRoot'];
  logCheck: LogCheck | undefined;
  commands: CommandHandler;
  credentials: ConfiguredCredentials;
  scoring: { claims: Scoring; lots: LotScoring; limit: ConcurrencyLimit };
  lotFolder: LotFolder;
  metrics: Metrics;
  logger: Logger;
  now(): Date;
  newId(): string;
}

/** The use cases for holders of keys and tokens. They read streams alone: no view of claims has to be there. */
export function claimUseCasesOf(
  { configuration, store, seals, labelPages, commands, scoring, lotFolder, metrics, logger, now, newId }: Core,
  models: Models<ServedModel>,
) {
  const shared = Boolean(configuration.eventStoreUrl);
  const keys = new ApiKeys({ store, commands, shared, now, randomBytes });
  const figures = new CarriedFigures(store);
  const scorers = new PopulationScorers({ store, commands, logger });
  const ladders = new PopulationLadders({ store, scorers, figures });
  const shadow = new Shadow({ store, commands, now, ...shadowReport(metrics, logger) });
  const workspaces = new Workspaces({ store, commands, shared, now, randomBytes });
  const lotScorers = new LotScorers({ store, folder: lotFolder });
  const labels = new Labels({ store, pages: labelPages, seals, commands, keys, now });
  const receipts = new Receipts(seals);
  return {
    ...{ keys, figures, scorers, ladders, workspaces, lotScorers },
    claims: new VerifyMatch({
      ...{ models, ladders, keys, commands, shadow, receipts, now, newId },
      logger: paced(logger),
      limit: scoring.limit,
      scoring: scoring.claims,
    }),
    labels,
    ownClaims: new OwnClaims({ store, labels, receipts }),
    lots: new Lots({ store, commands, workspaces, scoring: scoring.lots, folder: lotFolder, scorers: lotScorers, now }),
  };
}

/** The use cases for operators, which rest on the views. */
export function operatorUseCasesOf(
  { configuration, store, seals, auditRoot, logCheck, commands, credentials, scoring, lotFolder, logger, now }: Core,
  models: Models,
  views: Views,
  reads: ViewReads,
  evidence: EvidenceView,
  { figures, ladders, scorers: held, workspaces, lotScorers }: ReturnType<typeof claimUseCasesOf>,
) {
  const { viewWaitMs, fourEyes } = configuration;
  const approvers = { includes: (name: string) => credentials.mayApprove(name) };
  const drifts = new Drifts({ store, commands, reads, views, ladders, models });
  const approvals = new Approvals({ commands, fourEyes, approvers, now });
  const onEvidence = { store, evidence, models, viewWaitMs };
  const hygiene = new Hygiene(reads, models);
  return {
    drifts,
    hygiene,
    overview: new Overview({ reads, views, seals, logCheck, ladders, models, drifts, hygiene, approvals }),
    measurements: new FigureMeasurements({ commands, evidence, models, figures }),
    calibrations: new Calibrations({ ...onEvidence, approvals, ladders, drifts, auditRoot, logger, now }),
    scorers: new ScorerDecisions({ ...onEvidence, approvals, ladders, scorers: held, logger }),
    lotScorerDecisions: new LotScorerDecisions({
      ...{ store, approvals, workspaces, viewWaitMs, logger },
      ...{ reads, scorers: lotScorers, scoring: scoring.lots, folder: lotFolder },
    }),
    modelSwitch: new ModelSwitch({ ...onEvidence, commands, now, scoring: scoring.claims }),
    reviews: new Reviews({ commands, reads, views, viewWaitMs, now }),
    skips: new ViewSkips({ commands, views, now }),
  };
}

/** Reports the shadow model's scores to metrics and log. */
function shadowReport({ shadow }: Metrics, logger: Logger): Pick<ShadowDependencies, 'scored' | 'failed'> {
  return {
    scored: () => shadow.inc({ outcome: 'scored' }),
    failed(error, { claimId: claim, requestId: request }) {
      const { code: reason, fault } = answerTo(error);
      shadow.inc({ outcome: reason });
      logger[fault ? 'error' : 'debug'](
        { request, claim, reason, ...(fault && { err: error }) },
        'not scored by the shadow model',
      );
    },
  };
}

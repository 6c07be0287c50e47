/** The resources that the edge serves, in the order in which the contract lists them. */
import type { Type } from '@nestjs/common';
import { PopulationAuditController, WorkspaceAuditController } from '#audit/route';
import { CalibrationController, ScorerController } from '#calibration/route';
import { DriftController } from '#calibration/route-drift';
import { ModelController } from '#calibration/route-models';
import { VerifyMatchController } from '#claims/route-verify-match';
import { FindingsController } from '#findings/route';
import { KeysController } from '#keys/route-keys';
import { OperatorsController } from '#keys/route-operators';
import { WorkspacesController } from '#keys/route-workspaces';
import { ExpectedController } from '#labels/route';
import { LotsController } from '#lots/route';
import { LotScorerController } from '#lots/route-scorer';
import { TelemetryController } from '#records/route-calls';
import { ClaimStreamController } from '#records/route-claim-stream';
import { ClaimsController } from '#records/route-claims';
import { HygieneController } from '#records/route-hygiene';
import { OverviewController } from '#records/route-overview';
import { OwnClaimsController } from '#records/route-own-claims';
import { StreamsController } from '#records/route-streams';
import { ViewsController } from '#records/route-views';
import { ConsoleController } from './console/console.controller.js';
import { SignOnController } from './console/sign-on.controller.js';
import { ContractController, RootController } from './contract/contract.controller.js';
import { HealthController } from './health/health.controller.js';
import { MetricsController } from './metrics/metrics.controller.js';

export const resources: Type[] = [
  RootController,
  ContractController,
  SignOnController,
  ConsoleController,
  HealthController,
  VerifyMatchController,
  OwnClaimsController,
  ExpectedController,
  KeysController,
  OperatorsController,
  OverviewController,
  ClaimsController,
  ClaimStreamController,
  MetricsController,
  ModelController,
  CalibrationController,
  ScorerController,
  PopulationAuditController,
  WorkspaceAuditController,
  DriftController,
  FindingsController,
  HygieneController,
  TelemetryController,
  ViewsController,
  StreamsController,
  WorkspacesController,
  LotScorerController,
  LotsController,
];

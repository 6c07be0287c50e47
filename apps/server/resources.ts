/** The resources that the edge serves: a module each, in a folder each. */
import type { Type } from '@nestjs/common';
import { AuditModule } from '#audit/route';
import { CalibrationModule } from '#calibration/route';
import { DriftModule } from '#calibration/route-drift';
import { ModelModule } from '#calibration/route-models';
import { VerifyMatchModule } from '#claims/route-verify-match';
import { FindingsModule } from '#findings/route';
import { KeysModule } from '#keys/route-keys';
import { OperatorsModule } from '#keys/route-operators';
import { WorkspacesModule } from '#keys/route-workspaces';
import { ExpectedModule } from '#labels/route';
import { LotsModule } from '#lots/route';
import { LotScorerModule } from '#lots/route-scorer';
import { TelemetryModule } from '#records/route-calls';
import { ClaimStreamModule } from '#records/route-claim-stream';
import { ClaimsModule } from '#records/route-claims';
import { HygieneModule } from '#records/route-hygiene';
import { OverviewModule } from '#records/route-overview';
import { OwnClaimsModule } from '#records/route-own-claims';
import { StreamsModule } from '#records/route-streams';
import { ViewsModule } from '#records/route-views';
import { ConsoleModule } from './console/console.controller.js';
import { SignOnModule } from './console/sign-on.controller.js';
import { ContractModule } from './contract/contract.controller.js';
import { HealthModule } from './health/health.controller.js';
import { MetricsModule } from './metrics/metrics.controller.js';

export const resources: Type[] = [
  ContractModule,
  SignOnModule,
  ConsoleModule,
  HealthModule,
  VerifyMatchModule,
  OwnClaimsModule,
  ExpectedModule,
  KeysModule,
  OperatorsModule,
  OverviewModule,
  ClaimsModule,
  ClaimStreamModule,
  MetricsModule,
  ModelModule,
  CalibrationModule,
  AuditModule,
  DriftModule,
  FindingsModule,
  HygieneModule,
  TelemetryModule,
  ViewsModule,
  StreamsModule,
  WorkspacesModule,
  LotScorerModule,
  LotsModule,
];

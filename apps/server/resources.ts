/** The resources that the edge serves: a module each, in a folder each. */
import type { Type } from '@nestjs/common';
import { CalibrationModule } from '#calibration/route';
import { ClaimStreamModule } from '#claims/route-claim-stream';
import { ClaimsModule } from '#claims/route-claims';
import { VerifyMatchModule } from '#claims/route-verify-match';
import { DriftModule } from '#drift/route';
import { FindingsModule } from '#findings/route';
import { KeysModule } from '#keys/route-keys';
import { OperatorsModule } from '#keys/route-operators';
import { WorkspacesModule } from '#keys/route-workspaces';
import { StreamsModule } from '#kit/log/route-streams';
import { ViewsModule } from '#kit/views/route';
import { ExpectedModule } from '#labels/route';
import { LotsModule } from '#lots/route';
import { LotScorerModule } from '#lots/route-scorer';
import { ModelModule } from '#models/route';
import { TelemetryModule } from '#telemetry/route';
import { HygieneModule } from '#telemetry/route-hygiene';
import { OverviewModule } from '#telemetry/route-overview';
import { ConsoleModule } from './console/console.controller.js';
import { ContractModule } from './contract/contract.controller.js';
import { HealthModule } from './health/health.controller.js';
import { MetricsModule } from './metrics/metrics.controller.js';

export const resources: Type[] = [
  ContractModule,
  ConsoleModule,
  HealthModule,
  VerifyMatchModule,
  ExpectedModule,
  KeysModule,
  OperatorsModule,
  OverviewModule,
  ClaimsModule,
  ClaimStreamModule,
  MetricsModule,
  ModelModule,
  CalibrationModule,
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

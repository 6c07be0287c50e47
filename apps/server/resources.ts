/** The resources that the edge serves: a module each, in a folder each. */
import type { Type } from '@nestjs/common';
import { VerifyMatchModule } from '#claims/route-verify-match';
import { DriftModule } from '#drift/route';
import { FindingsModule } from '#findings/route';
import { HygieneModule } from '#hygiene/route-hygiene';
import { KeysModule } from '#keys/route-keys';
import { OperatorsModule } from '#keys/route-operators';
import { WorkspacesModule } from '#keys/route-workspaces';
import { StreamsModule } from '#kit/log/route-streams';
import { ViewsModule } from '#kit/views/route';
import { ExpectedModule } from '#labels/route';
import { OwnClaimsModule } from '#labels/route-own-claims';
import { ClaimStreamModule } from '#ledger/route-claim-stream';
import { ClaimsModule } from '#ledger/route-claims';
import { LotsModule } from '#lot-answers/route';
import { LotScorerModule } from '#lot-scorers/route-scorer';
import { ModelModule } from '#models/route';
import { OverviewModule } from '#overview/route-overview';
import { CalibrationModule } from '#rungs/route';
import { TelemetryModule } from '#telemetry/route';
import { ConsoleModule } from './console/console.controller.js';
import { ContractModule } from './contract/contract.controller.js';
import { HealthModule } from './health/health.controller.js';
import { MetricsModule } from './metrics/metrics.controller.js';

export const resources: Type[] = [
  ContractModule,
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

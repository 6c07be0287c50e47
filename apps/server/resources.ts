/** The resources that the edge serves: a module each, in a folder each. */
import type { Type } from '@nestjs/common';
import { CalibrationModule } from './calibration/calibration.controller.js';
import { ClaimStreamModule } from './claims/claim-stream.controller.js';
import { ClaimsModule } from './claims/claims.controller.js';
import { ConsoleModule } from './console/console.controller.js';
import { ContractModule } from './contract/contract.controller.js';
import { DriftModule } from './drift/drift.controller.js';
import { ExpectedModule } from './expected/expected.controller.js';
import { FindingsModule } from './findings/findings.controller.js';
import { HealthModule } from './health/health.controller.js';
import { HygieneModule } from './hygiene/hygiene.controller.js';
import { KeysModule } from './keys/keys.controller.js';
import { LotsModule } from './lots/lots.controller.js';
import { WorkspacesModule } from './lots/workspaces.controller.js';
import { MetricsModule } from './metrics/metrics.controller.js';
import { ModelModule } from './model/model.controller.js';
import { OperatorsModule } from './operators/operators.controller.js';
import { OverviewModule } from './overview/overview.controller.js';
import { StreamsModule } from './streams/streams.controller.js';
import { TelemetryModule } from './telemetry/telemetry.controller.js';
import { VerifyMatchModule } from './verify-match/verify-match.controller.js';
import { ViewsModule } from './views/views.controller.js';

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
  LotsModule,
];

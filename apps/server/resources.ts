/** The resources that the edge serves, one folder each. */
import type { Type } from '@nestjs/common';
import { CalibrationController } from './calibration/calibration.controller.js';
import { ClaimsController } from './claims/claims.controller.js';
import { ContractController, RootController } from './contract/contract.controller.js';
import { DriftController } from './drift/drift.controller.js';
import { ExpectedController } from './expected/expected.controller.js';
import { FindingsController } from './findings/findings.controller.js';
import { HealthController } from './health/health.controller.js';
import { HygieneController } from './hygiene/hygiene.controller.js';
import { KeysController } from './keys/keys.controller.js';
import { WorkspacesController } from './lotscan/workspaces.controller.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { ModelController } from './model/model.controller.js';
import { TelemetryController } from './telemetry/telemetry.controller.js';
import { VerifyMatchController } from './verify-match/verify-match.controller.js';
import { ViewsController } from './views/views.controller.js';

export const controllers: Type[] = [
  RootController,
  ContractController,
  HealthController,
  VerifyMatchController,
  ExpectedController,
  KeysController,
  ClaimsController,
  MetricsController,
  ModelController,
  CalibrationController,
  DriftController,
  FindingsController,
  HygieneController,
  TelemetryController,
  ViewsController,
  WorkspacesController,
];

/** The console's pages: address, and name in the menu where it stands there. All are in the first file: a page needs no other. */
import type { ComponentType } from 'react';
import Calibration from './pages/calibration.js';
import Calibrations from './pages/calibrations.js';
import Claim from './pages/claim.js';
import Claims from './pages/claims.js';
import Drift from './pages/drift.js';
import Finding from './pages/finding.js';
import Findings from './pages/findings.js';
import Hygiene from './pages/hygiene.js';
import Key from './pages/key.js';
import Keys from './pages/keys.js';
import Log from './pages/log.js';
import Lot from './pages/lot.js';
import Lots from './pages/lots.js';
import Review from './pages/review.js';
import System from './pages/system.js';
import Telemetry from './pages/telemetry.js';
import Today from './pages/today.js';

interface PageEntry {
  path: string;
  label?: string;
  Component: ComponentType;
}

export const PAGES: PageEntry[] = [
  { path: '/', label: 'Today', Component: Today },
  { path: '/claims', label: 'Claims', Component: Claims },
  { path: '/claims/:id', Component: Claim },
  { path: '/review', label: 'Review', Component: Review },
  { path: '/findings', label: 'Findings', Component: Findings },
  { path: '/findings/:id', Component: Finding },
  { path: '/telemetry', label: 'Telemetry', Component: Telemetry },
  { path: '/drift', label: 'Drift', Component: Drift },
  { path: '/hygiene', label: 'Hygiene', Component: Hygiene },
  { path: '/calibration', label: 'Calibration', Component: Calibrations },
  { path: '/calibration/:population', Component: Calibration },
  { path: '/lots', label: 'Lots', Component: Lots },
  { path: '/lots/:id', Component: Lot },
  { path: '/keys', label: 'Keys', Component: Keys },
  { path: '/keys/:prefix', Component: Key },
  { path: '/system', label: 'System', Component: System },
  { path: '/system/log', Component: Log },
];

/** The console's pages: address, name in the menu where it stands there, and the file that is loaded when it is opened. */
import type { ComponentType } from 'react';

interface PageEntry {
  path: string;
  label?: string;
  load: () => Promise<{ default: ComponentType }>;
}

export const PAGES: PageEntry[] = [
  { path: '/', label: 'Today', load: () => import('./pages/today.js') },
  { path: '/claims', label: 'Claims', load: () => import('./pages/claims.js') },
  { path: '/claims/:id', load: () => import('./pages/claim.js') },
  { path: '/review', label: 'Review', load: () => import('./pages/review.js') },
  { path: '/findings', label: 'Findings', load: () => import('./pages/findings.js') },
  { path: '/findings/:id', load: () => import('./pages/finding.js') },
  { path: '/telemetry', label: 'Telemetry', load: () => import('./pages/telemetry.js') },
  { path: '/drift', label: 'Drift', load: () => import('./pages/drift.js') },
  { path: '/hygiene', label: 'Hygiene', load: () => import('./pages/hygiene.js') },
  { path: '/calibration', label: 'Calibration', load: () => import('./pages/calibrations.js') },
  { path: '/calibration/:population', load: () => import('./pages/calibration.js') },
  { path: '/keys', label: 'Keys', load: () => import('./pages/keys.js') },
  { path: '/system', label: 'System', load: () => import('./pages/system.js') },
  { path: '/system/log', load: () => import('./pages/log.js') },
];

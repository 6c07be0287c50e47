/** The console's pages: address, name in the menu where it stands there, and the file that is loaded when it is opened. */
import type { ComponentType } from 'react';

interface PageEntry {
  path: string;
  label?: string;
  load: () => Promise<{ default: ComponentType }>;
}

export const PAGES: PageEntry[] = [{ path: '/', label: 'Today', load: () => import('./pages/today.js') }];

/** A workspace by the prefix of its token, as listings show it. */

import { Problem } from '#kit/http/problem';
import type { ViewReads } from '#kit/views/reads';
import type { Workspaces } from './credentials.js';

/** Id of the workspace whose token has this prefix, or one that begins so. @throws Problem (not_found, conflict) */
export async function workspaceOf(
  prefix: string,
  workspaces: Pick<Workspaces, 'idOf'>,
  reads: Pick<ViewReads, 'ask'>,
): Promise<string> {
  const whole = await workspaces.idOf(prefix);
  if (whole !== undefined) return whole;
  const found = await reads.ask('lots', 'workspacesByPrefix', prefix);
  if (found.length === 0) throw new Problem('not_found', ': no token has this prefix');
  if (found.length > 1) throw new Problem('conflict', ': several tokens have this prefix; give more of it');
  return found[0];
}

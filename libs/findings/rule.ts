/** The rule by which the polishes behind a finding are taken for one. */

import { type Connection, prepared } from '#kit/views/projection';
import { behind } from './counting.js';
import type { Finding } from './events.js';
import { membersOf } from './groups.js';
import { similarity, valuesOf } from './nearness.js';
import type { FindingRecord } from './queries-shapes.js';

/** Latest scan sets that are compared where likeness alone makes the finding. */
const COMPARED = 64;

/**
 * The surest rule by which two roughs were claimed for one polish: of claims that are linked through several, two
 * neighbours with different roughs are linked by one of them.
 * @param polish the finding's polish, or group of them
 */
export function groundOf(db: Connection, kind: Finding, polish: number): Pick<FindingRecord, 'rule' | 'cosine'> {
  const claims = 'claims c LEFT JOIN groups g ON g.stone_id = c.rough_id';
  const rough = 'coalesce(g.group_id, c.rough_id)';
  const counted = `c.polish_id IN ${membersOf('?1')} AND ${behind(kind, 'c.')}`;
  const twoRoughs = (from: string, by: string) =>
    prepared(
      db,
      `SELECT 1 FROM ${from} WHERE ${counted} GROUP BY ${by} HAVING count(DISTINCT ${rough}) > 1 LIMIT 1`,
    ).get(polish) !== undefined;
  if (twoRoughs(claims, 'c.polish')) return { rule: 'same_scans', cosine: null };
  if (twoRoughs(`${claims}, json_each(c.polish_references) r`, 'r.value'))
    return { rule: 'same_reference', cosine: null };
  const sets = prepared(
    db,
    `SELECT ${rough}, s.model_id, s.vector FROM ${claims} JOIN sets s ON s.model_id = c.model_id AND s.digest = c.polish WHERE ${counted}
     ORDER BY c.position DESC LIMIT ${COMPARED}`,
  ).all(polish) as [rough: number, model: number, vector: Uint8Array][];
  const cosines = sets.flatMap(([first, model, vector], i) =>
    sets
      .slice(i + 1)
      .filter(([other, under]) => other !== first && under === model)
      .map(([, , other]) => similarity(valuesOf(vector), valuesOf(other))),
  );
  return { rule: 'likeness', cosine: cosines.length > 0 ? Math.round(1000 * Math.max(...cosines)) / 1000 : null };
}

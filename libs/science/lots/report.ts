/** A check as it is printed: its tray, and a page with all that somebody needs who was not there. */
import { cells, escaped, list, page } from '#pictures/page';
import { specifiedBounds } from './bounds.js';
import { clustersOf, namedClusters, type Pair } from './clusters.js';
import { type CheckedLot, falseAcceptSays } from './lot.js';
import type { SessionType } from './model.js';
import { drawTray } from './tray.js';

/** The lot of a check. A lot in a file has no date. */
export interface PrintedLot {
  name: string;
  stones: readonly unknown[];
  session_type: SessionType;
  twins: readonly Pair[];
  enrolled_at?: string;
}

/** A check with who made it, when, and with what. One that no service keeps has no ids. */
export interface PrintedCheck extends CheckedLot {
  checked_at: string;
  /** Digest of the lot model. */
  model: string;
  operator?: string | null;
  instrument?: string | null;
  check_id?: string;
  lot_id?: string;
  /** The request of a check by a former model to its reader. */
  to_do?: string | null;
}

type Drawn = Pick<PrintedCheck, 'stones' | 'members' | 'verdict' | 'checked_at'>;

export const trayOf = ({ name, twins }: Pick<PrintedLot, 'name' | 'twins'>, check: Drawn): string => {
  const { stones, members, verdict, checked_at } = check;
  return drawTray({
    title: name,
    date: checked_at.slice(0, 10),
    verdict,
    stones,
    unaccounted: members.filter(({ accounted }) => !accounted).map(({ stone }) => stone),
    twins: twins.map(({ a, b }) => [a, b] as const),
  });
};

/** The size of a sheet of its own, which the tray has not within a page. */
const SHEET = / width="\d+mm" height="\d+mm"/;

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
const OUTCOMES = { confirmed: 'confirmed', scan_again: 'scan again', not_confirmed: 'not confirmed' };

/** A page of HTML that loads and runs nothing. */
export function lotReport(lot: PrintedLot, check: PrintedCheck): string {
  const facts: [string, string][] = [
    [
      'Lot',
      `${lot.name}, ${lot.stones.length} members${lot.enrolled_at === undefined ? '' : `, enrolled ${lot.enrolled_at}`}`,
    ],
    ['Checked', `${check.checked_at}, ${check.counts.returned} stones came back`],
    ['Operator', check.operator ?? 'not stated'],
    ['Instrument', check.instrument ?? 'not stated'],
    ['Session type', `${check.session_type} (${check.session_type_source}); enrolled as ${lot.session_type}`],
    ['Lot model', check.model],
    ...(check.check_id === undefined ? [] : [['Check', `${check.check_id} of ${check.lot_id}`] as [string, string]]),
    ['Foreign stones', falseAcceptSays(check.false_accept)],
    ['Look-alikes', clustersOf(lot.twins).length === 0 ? 'none' : namedClusters(lot.twins)],
  ];
  const limits = [check.scope, ...specifiedBounds.not_covered, ...(check.to_do ? [check.to_do] : [])];
  const rows = check.stones.map(({ stone, outcome, why, member, margin, probability }) =>
    cells('td', [
      ...[stone, OUTCOMES[outcome], member ?? '', margin.toFixed(1)],
      ...[probability === null ? '' : percent(probability), why ?? ''],
    ]),
  );
  const unfit = check.fit && !check.fit.usual ? `<p class="unfit">${escaped(check.fit.says)}</p>` : '';
  return page(
    `${lot.name}: check of a lot`,
    `<h1>${escaped(lot.name)}</h1>
<p class="verdict">${escaped(check.verdict ?? `${check.counts.confirmed} of ${check.counts.returned} confirmed.`)}</p>${unfit}
<table class="facts">${facts.map((fact) => cells('td', fact)).join('')}</table>
<h2>Tray</h2>${trayOf(lot, check).replace(SHEET, '')}
<h2>Stones</h2><table>${cells('th', ['stone', 'outcome', 'member', 'margin', 'likely', 'why'])}${rows.join('')}</table>
<h2>Warnings</h2>${list(check.warnings)}<h2>Limits</h2>${list(limits)}`,
  );
}

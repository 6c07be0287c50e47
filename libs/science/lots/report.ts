/** A check as it is printed: its tray, and a page with all that somebody needs who was not there. */
import { cells, escaped, list, page } from '#pictures/page';
import { specifiedBounds } from './bounds.js';
import { clustersOf, namedClusters, type Pair } from './clusters.js';
import { type CheckedLot, falseAcceptRates } from './lot.js';
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

type Drawn = Pick<PrintedCheck, 'stones' | 'members' | 'verdict' | 'checked_at' | 'workspace_scorer'>;

/** Members that what decided cannot distinguish. */
const twinsOf = ({ twins }: Pick<PrintedLot, 'twins'>, { workspace_scorer }: Pick<PrintedCheck, 'workspace_scorer'>) =>
  workspace_scorer?.twins ?? twins;

const scorerSays = ({ workspace_scorer: own }: Pick<PrintedCheck, 'workspace_scorer'>): string =>
  own === null
    ? 'the lot model’s'
    : `the workspace’s own, of ${own.lots} of its lots, since ${own.approved_at.slice(0, 10)}`;

export const trayOf = (lot: Pick<PrintedLot, 'name' | 'twins'>, check: Drawn): string => {
  const { stones, members, verdict, checked_at } = check;
  return drawTray({
    title: lot.name,
    date: checked_at.slice(0, 10),
    verdict,
    stones,
    unaccounted: members.filter(({ accounted }) => !accounted).map(({ stone }) => stone),
    twins: twinsOf(lot, check),
    scorer: check.workspace_scorer === null ? null : `Decided by ${scorerSays(check)}`,
  });
};

/** The size of a sheet of its own, which the tray has not within a page. */
const SHEET = / width="\d+mm" height="\d+mm"/;

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
const OUTCOMES = { confirmed: 'confirmed', scan_again: 'scan again', not_confirmed: 'not confirmed' };

/** A page of HTML that loads and runs nothing. */
export function lotReport(lot: PrintedLot, check: PrintedCheck): string {
  const twins = twinsOf(lot, check);
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
    ['Scorer', scorerSays(check)],
    ...(check.check_id === undefined ? [] : [['Check', `${check.check_id} of ${check.lot_id}`] as [string, string]]),
    ['Look-alikes', clustersOf(twins).length === 0 ? 'none' : namedClusters(twins)],
  ];
  const limits = [check.scope, ...specifiedBounds.not_covered, ...(check.to_do ? [check.to_do] : [])];
  const rows = check.stones.map(({ stone, outcome, why, member, margin, probability }) =>
    cells('td', [
      ...[stone, OUTCOMES[outcome], member ?? '', margin.toFixed(1)],
      ...[probability === null ? '' : percent(probability), why ?? ''],
    ]),
  );
  const unfit =
    check.workspace_scorer === null && check.fit?.usual === false
      ? `<p class="unfit">${escaped(check.fit.says)}</p>`
      : '';
  return page(
    `${lot.name}: check of a lot`,
    `<h1>${escaped(lot.name)}</h1>
<p class="verdict">${escaped(check.verdict ?? `${check.counts.confirmed} of ${check.counts.returned} confirmed.`)}</p>${unfit}
<table class="facts">${facts.map((fact) => cells('td', fact)).join('')}</table>
<h2>Foreign stones</h2><p>So many are confirmed by mistake where they are put in one by one, with 95% intervals.</p>
<table class="facts">${falseAcceptRates(check.false_accept)
      .map((rate) => cells('td', rate))
      .join('')}</table>
<h2>Tray</h2>${trayOf(lot, check).replace(SHEET, '')}
<h2>Stones</h2><table>${cells('th', ['stone', 'outcome', 'member', 'margin', 'likely', 'why'])}${rows.join('')}</table>
<h2>Warnings</h2>${list(check.warnings)}<h2>Limits</h2>${list(limits)}`,
  );
}

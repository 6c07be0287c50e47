/** The table of workspaces' own lot scorers in reports/lots-measured.md. */
import { table, withInterval } from '../report/text.js';
import { SCORED, type ScoredFamily } from './scorers.js';

export function scorersPart(measured: readonly ScoredFamily[]): string {
  const [{ seed, parcels }] = measured;
  const rows = measured.flatMap(({ cells }) =>
    cells.map(({ family, held, size, lots, genuine, right, caught, foreign }) => [
      ...[`\`${family}\``, held === 0 ? 'shipped' : held, size, lots],
      ...[genuine, right, caught, foreign].map((share) => withInterval(share)),
    ]),
  );
  const offered = measured.map(({ family, offered: of }) => {
    const refused = of.filter(({ reason }) => reason !== null);
    return `\`${family}\` ${of.length - refused.length} of ${of.length}${refused.length > 0 ? ` (${[...new Set(refused.map(({ reason }) => reason))].join('; ')})` : ''}`;
  });
  return [
    `Seed ${seed}, shaken, 3 scans a visit. A workspace holds lots of 20 and 30 stones of one trader, a fifth of each return exchanged; ${parcels} other parcels a trader judge (traders: ${measured.map(({ family }) => `\`${family}\` ${SCORED[family]}`).join(', ')}). Brackets are 95% intervals by bootstrap over the judging parcels, with scorers fixed. \`mvs lots scorers\` measures them.`,
    table(
      [
        'parcels',
        'lots held',
        'stones',
        'lots',
        'genuine confirmed',
        'as themselves',
        'unrelated caught',
        'wholly foreign return confirmed',
      ],
      rows,
    ),
    `A workspace of the most lots gets a proposal: ${offered.join(', ')}.`,
  ].join('\n\n');
}

/** The page with its table replaced. */
export const withScorers = (page: string, part: string): string =>
  page.replace(/<!-- scorers -->[\s\S]*<!-- \/scorers -->/, `<!-- scorers -->\n\n${part}\n\n<!-- /scorers -->`);

/** The tables of workspaces' own lot scorers in reports/lots-measured.md. */
import { table, withInterval } from '../report/text.js';
import { SCORED, type ScoredFamily } from './scorers.js';
import type { SpoiltCell } from './spoilt.js';

export function scorersPart(measured: readonly ScoredFamily[]): string {
  const [{ seed, parcels }] = measured;
  const rows = measured.flatMap(({ cells }) =>
    cells.map(({ family, session, held, size, lots, genuine, right, caught, foreign }) => [
      ...[`\`${family}\``, session, held, size, lots],
      ...[genuine, right, caught, foreign].map((share) => withInterval(share)),
    ]),
  );
  const offered = measured.map(({ family, offered: of }) => {
    const refused = of.flatMap(({ reason }) => (reason === null ? [] : [reason]));
    return `\`${family}\` ${of.length - refused.length} of ${of.length}${reasons(refused)}`;
  });
  return [
    `Seed ${seed}, 3 scans a visit. A workspace holds lots of 20 and 30 stones of one trader, a fifth of each return exchanged; ${parcels} other parcels a trader judge (traders: ${measured.map(({ family }) => `\`${family}\` ${SCORED[family]}`).join(', ')}). Brackets are 95% intervals by bootstrap over the judging parcels, with scorers fixed. \`mvs lots scorers\` measures them.`,
    table(
      [
        ...['parcels', 'session', 'lots held', 'stones', 'lots'],
        ...['genuine confirmed', 'as themselves', 'unrelated caught', 'wholly foreign return confirmed'],
      ],
      rows,
    ),
    `A workspace of 10 shaken lots gets a proposal: ${offered.join(', ')}.`,
    ...spoiltPart(measured.flatMap(({ spoilt }) => spoilt)),
  ].join('\n\n');
}

function spoiltPart(cells: readonly SpoiltCell[]): string[] {
  if (cells.length === 0) return [];
  const rows = cells.map(({ family, history, traders, refused, judged }) => [
    ...[`\`${family}\``, history, `${traders - refused.length} of ${traders}${reasons(refused)}`],
    ...(judged
      ? [
          judged.lots,
          ...[judged.genuine.shipped, judged.genuine.workspace, judged.genuine.difference].map((one) =>
            withInterval(one),
          ),
          ...[judged.caught.shipped, judged.caught.workspace].map((one) => withInterval(one)),
        ]
      : ['none', '', '', '', '', '']),
  ]);
  return [
    'Histories that may spoil a scorer, judged on lots of 20 stones of the same parcels (10 lots that are enrolled anew: on these), under the shipped scorer and under the one proposed; the difference is of the same lots.',
    table(
      [
        ...['parcels', 'history', 'proposals', 'lots', 'genuine confirmed: shipped', 'own', 'difference'],
        ...['caught: shipped', 'own'],
      ],
      rows,
    ),
  ];
}

/** Each kind of reason once, as far as its first colon. */
function reasons(refused: readonly string[]): string {
  const kinds = new Map(refused.map((reason) => [reason.replace(/\d+/g, ''), reason.split(':')[0]]));
  return kinds.size > 0 ? ` (${[...kinds.values()].join('; ')})` : '';
}

/** The page with its tables replaced. */
export const withScorers = (page: string, part: string): string =>
  page.replace(/<!-- scorers -->[\s\S]*<!-- \/scorers -->/, `<!-- scorers -->\n\n${part}\n\n<!-- /scorers -->`);

import { type Line, lines, REJECT_TARGET } from './charts.js';
import type { AcceptFigures, AllPoisoning, EvidenceParts, ProposalFigures } from './figures.js';
import { percent } from './text.js';

/** File names and pictures of the parts that were measured. Every one shows simulated stones. */
export function drawEvidence(
  { proposals, poisoning }: Partial<EvidenceParts>,
  source?: string,
): Record<string, string> {
  return {
    ...(proposals && { 'reached.svg': reached(proposals, source), 'accept.svg': accept(proposals[0].accept, source) }),
    ...(poisoning && { 'poisoning.svg': poisoned(poisoning, source) }),
  };
}

/** Points between the measured share and the label. */
function reached(populations: ProposalFigures[], source?: string): string {
  const series = populations.flatMap(({ population, rungs }): Line[] => {
    const line = (name: string, value: (rung: (typeof rungs)[number]) => number, way: Partial<Line> = {}): Line => ({
      name: `${population} ${name}`,
      points: rungs.map((rung) => [rung.rejectTarget, 100 * (value(rung) - (1 - rung.rejectTarget))]),
      population,
      ...way,
    });
    return [
      line('shipped', ({ before }) => before, { dotted: true }),
      line('own, mean', ({ after }) => after.mean),
      line('5%, 95%', ({ after }) => after.range[0], { dashed: true }),
      line('5%, 95%', ({ after }) => after.range[1], { dashed: true }),
    ];
  });
  return lines(
    'Wrong claims accepted less the label, at the claims needed (simulated)',
    { ...REJECT_TARGET, min: 0.92 },
    { name: 'percentage points' },
    series,
    source,
  );
}

function accept(figures: AcceptFigures[], source?: string): string {
  const at98 = figures.filter(({ rejectTarget }) => rejectTarget === 0.98);
  const counts = [...new Set(at98.filter(({ wrong }) => wrong.share > 0).map(({ claims }) => claims))];
  const series = counts.flatMap((count) =>
    (['random', 'look-alike'] as const).map((kind): Line => {
      const found = at98.filter(
        ({ claims, wrong, error }) => error && claims === count && (wrong.share === 0 || wrong.kind === kind),
      );
      return {
        name: `${kind}, ${count} claims`,
        points: found.map(({ wrong, error }) => [wrong.share, 100 * (error?.mean ?? 0)]),
        dashed: kind === 'random' || undefined,
      };
    }),
  );
  return lines(
    'expected_genuine_accept at 0.98 less the truth, where it was given (simulated)',
    { name: 'wrong claims among the submitted', share: true, min: 0, max: 0.4 },
    { name: 'percentage points' },
    series,
    source,
  );
}

/** Kinds that do not move the rung by this share anywhere are not drawn. */
const VISIBLE = 0.002;

function poisoned({ kinds }: AllPoisoning, source?: string): string {
  const names = [...new Set(kinds.map(({ kind }) => kind))];
  const series = names.flatMap((name): Line[] => {
    const rows = kinds.filter(({ kind }) => kind === name);
    if (rows.every(({ reached }) => Math.abs(reached['0.98'].mean - 0.02) < VISIBLE)) return [];
    return [{ name, points: rows.map(({ share, reached }) => [share, reached['0.98'].mean]) }];
  });
  return lines(
    `Wrong claims accepted at 0.98 by the share of poison, ${kinds[0].population} (simulated; label ${percent(0.02, 0)})`,
    { name: 'wrong claims among the submitted', share: true, min: 0, max: 0.8 },
    { name: 'wrong claims accepted', share: true, min: 0 },
    series,
    source,
  );
}

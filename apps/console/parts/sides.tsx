/** Gauges of both sides of a claim against their bands, one below the other. */
import type { ReactNode } from 'react';
import type { ClaimRecord, GaugeBand, ScanSetFacts } from '#client';
import { useBaseline } from '../api.js';
import { count } from '../format.js';
import { Gauge, limitsOf } from './band.js';
import { Hint } from './hint.js';
import { ShortTable } from './short-table.js';
import { Mark, Named } from './show.js';

const GAUGES: [code: string, gauge: GaugeBand['gauge'] & keyof ScanSetFacts][] = [
  ['sharpness', 'sharpness'],
  ['detail_residual', 'detail_residual'],
  ['locally_polynomial_gauge', 'locally_polynomial'],
];

export function Sides({ of }: { of: ClaimRecord }) {
  const sides = [
    ['Rough', of.rough],
    ['Polish', of.polish],
  ] as const;
  const each = (cell: (side: ScanSetFacts, name: string) => ReactNode) => sides.map(([name, side]) => cell(side, name));
  const usual = useBaseline(of.population);
  const bandOf = (gauge: string) => of.gauge_bands?.find((band) => band.gauge === gauge);
  const usualOf = (side: string, gauge: string) =>
    usual?.find(({ measure }) => measure === `${side.toLowerCase()}_${gauge}`);
  return (
    <ShortTable
      label="both sides"
      heads={['Side', ...sides.map(([name]) => name)]}
      numbersFrom={1}
      rows={[
        ['stone', ...each((side) => side.references.join(', ') || '–')],
        [
          <Hint text="Scans used; copies of another scan are counted too.">scans</Hint>,
          ...each(({ scans, duplicates }) =>
            duplicates > 0 ? `${count(scans)}, ${count(duplicates)} copied` : count(scans),
          ),
        ],
        ...GAUGES.map(([code, gauge]) => {
          const band = bandOf(gauge);
          return [
            <>
              <Named code={code} />
              {band && <div>{limitsOf(band)}</div>}
            </>,
            ...each((side, name) => <Gauge value={side[gauge]} band={band} usual={usualOf(name, gauge)} />),
          ];
        }),
        [
          <Hint text="Whether an axis has a hole or stops short of the reference axis.">axis</Hint>,
          ...each(({ short_coverage }) => (short_coverage ? <Mark tone="doubt">incomplete</Mark> : 'whole')),
        ],
        [
          <Hint text="First digits of the SHA-256 of the scan set.">digest</Hint>,
          ...each((side) => <span className="long">{side.digest}</span>),
        ],
      ]}
    />
  );
}

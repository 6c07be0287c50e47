/** Gauges of both sides of a claim against their bands, one below the other. */
import { Table } from '@mantine/core';
import type { ClaimRecord, GaugeBand, ScanSetFacts } from '#client';
import { useBaseline } from '../api.js';
import { count } from '../format.js';
import { Gauge, limitsOf } from './band.js';
import { Hint } from './hint.js';
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
  const usual = useBaseline(of.population);
  const bandOf = (gauge: string) => of.gauge_bands?.find((band) => band.gauge === gauge);
  const usualOf = (side: string, gauge: string) =>
    usual?.find(({ measure }) => measure === `${side.toLowerCase()}_${gauge}`);
  return (
    <Table.ScrollContainer minWidth={300}>
      <Table className="figures" verticalSpacing={4} horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Side</Table.Th>
            {sides.map(([name]) => (
              <Table.Th key={name} scope="col" ta="end">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Row name="stone" of={sides.map(([, side]) => side.references.join(', ') || '–')} />
          <Row
            name={<Hint text="Scans used; copies of another scan are counted too.">scans</Hint>}
            of={sides.map(([, { scans, duplicates }]) =>
              duplicates > 0 ? `${count(scans)}, ${count(duplicates)} copied` : count(scans),
            )}
          />
          {GAUGES.map(([code, gauge]) => {
            const band = bandOf(gauge);
            return (
              <Row
                key={code}
                name={
                  <>
                    <Named code={code} />
                    {band && <div>{limitsOf(band)}</div>}
                  </>
                }
                of={sides.map(([name, side]) => (
                  <Gauge key={name} value={side[gauge]} band={band} usual={usualOf(name, gauge)} />
                ))}
              />
            );
          })}
          <Row
            name={<Hint text="Whether an axis has a hole or stops short of the reference axis.">axis</Hint>}
            of={sides.map(([name, { short_coverage }]) =>
              short_coverage ? (
                <Mark key={name} tone="doubt">
                  incomplete
                </Mark>
              ) : (
                'whole'
              ),
            )}
          />
          <Row
            name={<Hint text="First digits of the SHA-256 of the scan set.">digest</Hint>}
            of={sides.map(([, side]) => side.digest)}
          />
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const Row = ({ name, of }: { name: React.ReactNode; of: React.ReactNode[] }) => (
  <Table.Tr>
    <Table.Th scope="row" fw={400} c="dimmed">
      {name}
    </Table.Th>
    {of.map((value, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the sides keep their places
      <Table.Td key={i} ta="end" className="long">
        {value}
      </Table.Td>
    ))}
  </Table.Tr>
);

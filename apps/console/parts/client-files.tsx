/** A client's scans over each other, of files that the operator drops: in this page alone. */
import { Group, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useMemo, useRef, useState } from 'react';
import { SERIES } from '#pictures';
import { type Curve, spectraOption } from '#pictures/spectra';
import { referenceAxis } from '#science/spectra/axis';
import { type Belonging, belonging, type ClaimSides } from '../belonging.js';
import { count, counted } from '../format.js';
import { type Drawn, drawn, NO_SCANS, readScans, type Scans, type Side } from '../scans.js';
import { Chart } from './chart.js';
import { Mark, Muted } from './show.js';

const SIDES: readonly Side[] = ['rough', 'polish'];
const COLORS = { rough: SERIES[0], polish: SERIES[1] };
const SCANS = ['scan', 'scans'] as const;

/** @param of the claim that they should belong to */
export function ClientFiles({ of }: { of: ClaimSides }) {
  const [given, setGiven] = useState<Record<Side, Scans>>({ rough: NO_SCANS, polish: NO_SCANS });
  const [said, setSaid] = useState<Partial<Record<Side, Belonging>>>({});
  /** The files that a side was given last: those given before may be read later. */
  const latest = useRef<Partial<Record<Side, File[]>>>({});
  const take = async (side: Side, files: File[]) => {
    latest.current[side] = files;
    const scans = await readScans(files);
    if (latest.current[side] !== files) return;
    setGiven((before) => ({ ...before, [side]: scans }));
    setSaid((before) => ({ ...before, [side]: undefined }));
    const whose = await belonging(side, scans.scans, of);
    if (latest.current[side] === files) setSaid((before) => ({ ...before, [side]: whose }));
  };
  // A browser opens what is dropped beside a field in place of the page.
  const keepPage = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };
  useWindowEvent('dragover', keepPage);
  useWindowEvent('drop', keepPage);
  const refused = SIDES.flatMap((side) => given[side].refused);
  const some = SIDES.some((side) => given[side].scans.length > 0);
  return (
    <Stack gap="xs" data-unsaved={some || undefined}>
      <Group gap="xs" grow align="stretch">
        {SIDES.map((side) => (
          <Zone key={side} side={side} of={given[side]} said={said[side]} take={(files) => void take(side, files)} />
        ))}
      </Group>
      <Muted>Files of the client, drawn in this page: nothing is sent, and nothing is kept.</Muted>
      {refused.length > 0 && (
        <Stack gap={4} component="ul" m={0} pl="md" fz="sm" role="alert" aria-label="files that are not drawn">
          {refused.map((why) => (
            <li key={why} className="long">
              {why}
            </li>
          ))}
        </Stack>
      )}
      {some && <Picture of={given} />}
    </Stack>
  );
}

interface ZoneProps {
  side: Side;
  of: Scans;
  said: Belonging | undefined;
  take: (files: File[]) => void;
}

const Zone = ({ side, of, said, take }: ZoneProps) => (
  <label className="drop" onDrop={(event) => take([...event.dataTransfer.files])}>
    <Text component="span" size="sm">
      Scans of the {side}
      {of.scans.length > 0 && `: ${counted(of.scans.length, SCANS)} `}
      {said && <Mark tone={said.tone}>{said.says}</Mark>}
    </Text>
    {said?.why && <Muted>{said.why}</Muted>}
    <input
      type="file"
      multiple
      onChange={({ currentTarget }) => {
        take([...(currentTarget.files ?? [])]);
        // The same name can then be chosen again, once the file is mended.
        currentTarget.value = '';
      }}
    />
  </label>
);

function Picture({ of }: { of: Record<Side, Scans> }) {
  const [sides, option] = useMemo(() => {
    const sides = drawn(of.rough, of.polish);
    return [sides, optionOf(sides)] as const;
  }, [of]);
  const where = sides.differences.map(({ range: [from, to], difference }) => ({
    range: `${from.toFixed(0)} to ${to.toFixed(0)} cm⁻¹`,
    higher: `${difference > 0 ? 'rough' : 'polish'} higher by ${Math.abs(difference).toPrecision(2)}`,
  }));
  const label = [
    ...SIDES.filter((side) => sides[side].length > 0).map((side) => `${side}, ${counted(sides[side].length, SCANS)}`),
    ...(where.length > 0 ? [`differing most from ${where[0].range}`] : []),
  ].join(', ');
  return (
    <>
      <Chart label={label} option={option} height={320} />
      {sides.shared > 0 && (
        <Text size="sm">
          <Mark tone="doubt">{counted(sides.shared, SCANS)}</Mark> of the rough {sides.shared === 1 ? 'is' : 'are'} on
          the side of the polish too.
        </Text>
      )}
      {where.length > 0 && (
        <Text size="sm" component="ol" m={0} pl="lg" className="figures" aria-label="where the sides differ most">
          {where.map(({ range, higher }) => (
            <li key={range}>
              {range}: {higher}
            </li>
          ))}
        </Text>
      )}
    </>
  );
}

/** In units of the mean two-phonon absorption, by which sides of any path lie over each other. */
function optionOf(sides: Drawn) {
  const wavenumbers = referenceAxis();
  const curves = SIDES.flatMap((side) =>
    sides[side].map(
      (values): Curve => ({
        ...{ name: `${side}, ${count(sides[side].length)}`, wavenumbers, values },
        ...{ color: COLORS[side], dashed: side === 'polish' },
      }),
    ),
  );
  const pointedAt = sides.differences.map(({ range }, i) => ({ name: String(i + 1), range }));
  const { names, ...option } = spectraOption({ curves, unit: 'per two-phonon absorption', pointedAt });
  return {
    ...option,
    legend: { data: names, itemStyle: { opacity: 0 } },
    grid: { left: 30, right: 16, top: 60, bottom: 24 },
  };
}

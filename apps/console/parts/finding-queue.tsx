/** Open findings, those of one polish together: looked at one by one, and noted one by one or many at once. */
import { Anchor, Checkbox, Grid, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { Finding } from '#client';
import { useFinding, useFindings, useSession } from '../api.js';
import { count, counted } from '../format.js';
import { mayReview } from '../session.js';
import { inWords } from '../words.js';
import { FINDING_COLUMNS, FindingFacts, findingPage, Matrix } from './findings.js';
import { Listing } from './listing.js';
import { Answer, Section } from './page.js';
import { reviewAt, Steps, Taken, useChosen } from './queue.js';
import { LookedAtBy, ReviewForm } from './review.js';
import type { Column } from './table.js';

const idOf = ({ id }: Finding) => id;

/** Findings that say the same: of one kind, about one polish, against as many roughs. */
const sameAs = ({ kind, polish, roughs, breach }: Finding) =>
  [kind, roughs, breach !== null, ...(polish.references.length > 0 ? polish.references : polish.digests)].join('\n');

export function FindingQueue() {
  const open = useFindings({ status: 'open' });
  const here = useSession();
  const rows = useMemo(() => open.data?.pages.flatMap(({ items }) => items) ?? [], [open.data]);
  const groups = useMemo(() => Map.groupBy(rows, sameAs), [rows]);
  const leaders = useMemo(() => [...groups.values()].map(([first]) => first), [groups]);
  const { chosen, gone, go } = useChosen(leaders, idOf, !open.isFetching);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const alike = (of: Finding) => groups.get(sameAs(of)) ?? [of];
  const mark = (of: Finding, on: boolean) =>
    setMarked((before) => {
      const after = new Set(before);
      for (const { id } of alike(of))
        if (on) after.add(id);
        else after.delete(id);
      return after;
    });
  const columns: Column<Finding>[] = [
    ...FINDING_COLUMNS.slice(1, 4),
    {
      head: 'Alike',
      meaning: 'Open findings of this kind about this polish against as many roughs. They are noted together.',
      end: true,
      cell: (of) => (alike(of).length > 1 ? `×${count(alike(of).length)}` : '–'),
    },
    ...FINDING_COLUMNS.slice(5, 6),
    ...(mayReview(here)
      ? [
          {
            head: 'Mark',
            cell: (of: Finding) => (
              <Checkbox
                size="xs"
                className="above-link"
                aria-label={`mark ${inWords(of.kind)} of ${of.polish.references.join(', ') || of.polish.digests[0]}`}
                checked={marked.has(of.id)}
                onChange={({ currentTarget }) => mark(of, currentTarget.checked)}
              />
            ),
          },
        ]
      : []),
    // Beside the finding that is looked at there is room for what tells findings apart: their times may be scrolled to.
    ...FINDING_COLUMNS.slice(0, 1),
  ];
  const shown = leaders.find(({ id }) => id === chosen);
  // One that is no longer open is not noted again.
  const many = rows.filter(({ id }) => marked.has(id)).map(idOf);
  return (
    <Grid>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Listing
          answer={grouped(open, leaders)}
          of={['finding waits', 'findings wait']}
          columns={columns}
          keyOf={idOf}
          to={({ id }) => reviewAt(id, 'findings')}
          chosen={chosen}
          empty="No finding is open."
          aside={<Steps go={go} />}
          height="min(70dvh, 26rem)"
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        {many.length > 0 ? (
          <Section title={`Note ${counted(many.length, ['marked finding', 'marked findings'])}`}>
            <ReviewForm on="finding" ids={many} draft="marked findings" then={() => setMarked(new Set())} />
          </Section>
        ) : (
          chosen && (
            <FindingToReview
              key={chosen}
              id={chosen}
              gone={gone}
              alike={shown ? alike(shown).map(idOf) : [chosen]}
              then={() => go(1)}
            />
          )
        )}
      </Grid.Col>
    </Grid>
  );
}

/** The listing with the first of each group for its rows; it counts what waits, not groups. */
function grouped(open: ReturnType<typeof useFindings>, leaders: Finding[]) {
  const { data } = open;
  if (!data) return open;
  const all = data.pages.reduce((sum, { items }) => sum + items.length, 0);
  const pages = [{ ...data.pages[0], items: leaders }];
  const counted = open.hasNextPage ? open.counted : { total: all, total_exact: true };
  return { ...open, data: { ...data, pages }, counted } as typeof open;
}

function FindingToReview({ id, gone, alike, then }: { id: string; gone: boolean; alike: string[]; then: () => void }) {
  const finding = useFinding(id);
  return (
    <Answer to={finding}>
      {(of) => (
        <Section
          title={inWords(of.kind)}
          aside={
            <Anchor component={Link} to={findingPage(of)} size="sm">
              whole finding
            </Anchor>
          }
        >
          <Stack>
            {gone && <Taken review={of.review} />}
            <LookedAtBy others={of.looked_at_by} />
            <FindingFacts of={of} />
            <Matrix of={of} />
            {alike.length > 1 && (
              <Text size="sm">A note here is one for all {count(alike.length)} findings that say the same.</Text>
            )}
            <ReviewForm on="finding" ids={alike} draft={id} then={then} />
          </Stack>
        </Section>
      )}
    </Answer>
  );
}

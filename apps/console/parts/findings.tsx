/** Findings in rows, and the panel behind one as a matrix. */
import { Anchor, Stack } from '@mantine/core';
import { Link } from 'react-router';
import type { ClaimBehind, Finding, ShownScanSet } from '#client';
import { count, decimal } from '../format.js';
import { inWords, meaningOf } from '../words.js';
import { claimPage } from './claims.js';
import { Facts, Mark, Muted, Status, Time, Verdict, Word } from './show.js';
import type { Column } from './table.js';

export const findingPage = ({ id }: { id: string }) => `/findings/${encodeURIComponent(id)}`;

const KEY: Column<Finding> = {
  head: 'Key',
  wide: true,
  cell: ({ keys }) => (
    <span title={keys.map(({ name }) => name).join(', ')}>
      {keys[0]?.kind === 'test' && <Status code="test" />} {keys.map(({ name }) => name).join(', ')}
    </span>
  ),
};

export const FINDING_COLUMNS: Column<Finding>[] = [
  { head: 'Opened', cell: ({ opened_at }) => <Time at={opened_at} /> },
  {
    head: 'Kind',
    cell: ({ kind }) => <span title={meaningOf(kind)}>{inWords(kind)}</span>,
  },
  { head: 'Polish', cell: ({ polish }) => nameOf({ ...polish, digest: polish.digests[0] ?? '' }) },
  KEY,
  { head: 'State', cell: ({ status }) => <Status code={status} /> },
  {
    head: 'Breach',
    meaning: 'Whether a production key tried one polish against three or more roughs.',
    wide: true,
    cell: ({ breach }) =>
      breach === null ? (
        '–'
      ) : (
        <Mark tone="bad" title={breach}>
          broken
        </Mark>
      ),
  },
  {
    head: 'Roughs',
    meaning: 'Roughs claimed, or confirmed, for the polish.',
    end: true,
    cell: ({ roughs }) => count(roughs),
  },
  { head: 'Claims', end: true, wide: true, cell: ({ claims_total }) => count(claims_total) },
  { head: 'Population', wide: true, cell: ({ population }) => <span title={population}>{population}</span> },
  { head: 'Latest claim', wide: true, cell: ({ last_claim_at }) => <Time at={last_claim_at} as="ago" /> },
];

/** The client's name of a stone, else the digest of its scans. */
const nameOf = ({ references, digest }: ShownScanSet) => references.join(', ') || digest;

/** Scan sets by what they are called, in the order of their first claims. */
function named(sets: ShownScanSet[]): [name: string, digests: string[]][] {
  const by = new Map<string, Set<string>>();
  for (const set of sets) by.set(nameOf(set), (by.get(nameOf(set)) ?? new Set()).add(set.digest));
  return [...by].map(([name, digests]) => [name, [...digests]]);
}

/** The roughs claimed for the polish, and the answers: a panel that was probed reads as a column. */
export function Matrix({ of }: { of: Finding }) {
  const oldestFirst = of.claims.toReversed();
  const roughs = named(oldestFirst.map(({ rough }) => rough));
  const polishes = named(oldestFirst.map(({ polish }) => polish));
  const between = (rough: string, polish: string) =>
    oldestFirst.filter((claim) => nameOf(claim.rough) === rough && nameOf(claim.polish) === polish);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="scrolls" aria-label="the panel" tabIndex={0}>
      <table className="matrix figures">
        <thead>
          <tr>
            <th scope="col">Rough</th>
            {polishes.map(([polish, digests]) => (
              <th key={polish} scope="col" title={digests.join(', ')}>
                Polish {polish}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {roughs.map(([rough, digests]) => (
            <tr key={rough}>
              <th scope="row" title={digests.join(', ')}>
                {rough}
              </th>
              {polishes.map(([polish]) => (
                <td key={polish}>
                  <Stack gap={4}>
                    {between(rough, polish).map((claim) => (
                      <Cell key={claim.claim_id} of={claim} />
                    ))}
                    {between(rough, polish).length === 0 && <Muted>–</Muted>}
                  </Stack>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Cell = ({ of }: { of: ClaimBehind }) => (
  <span>
    <Anchor component={Link} to={claimPage(of)} size="sm">
      <Time at={of.submitted_at} />
    </Anchor>{' '}
    <Verdict of={of.verdict} /> <Muted>score {decimal(of.fused_score, 3)}</Muted>
    {of.label !== null && <Muted>, labelled {inWords(of.label)}</Muted>}
  </span>
);

export const FindingFacts = ({ of }: { of: Finding }) => (
  <Facts
    of={[
      ['polish', of.polish.references.join(', ') || of.polish.digests.join(', ')],
      [
        'rule',
        <>
          <Word code={of.rule} />
          {of.cosine !== null && <Muted>, cosine {decimal(of.cosine)}</Muted>} <Muted>{meaningOf(of.rule)}</Muted>
        </>,
      ],
      ['roughs', count(of.roughs)],
      ['claims', count(of.claims_total)],
      ['population', of.population],
      [
        'keys',
        of.keys.map(({ name, prefix, kind }) => (
          <div key={prefix}>
            {name} <Muted>{prefix}</Muted> {kind === 'test' && <Status code="test" />}
          </div>
        )),
      ],
      [
        'evidence',
        of.evidence.map(({ by, keys, roughs, claims }) => (
          <div key={`${by} ${keys.join()}`}>
            {count(claims)} claims on {count(roughs)} roughs{' '}
            <Muted>by {by === 'key' ? 'one key by itself' : 'the production keys together'}</Muted>
          </div>
        )),
      ],
      ['opened', <Time at={of.opened_at} />],
      ['latest claim', <Time at={of.last_claim_at} />],
    ]}
  />
);

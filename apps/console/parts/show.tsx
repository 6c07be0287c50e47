/** Values as every page shows them: with their meaning, or the other time zone, on hover. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ago, localTime, utcTime } from '../format.js';
import { inWords, meaningOf } from '../words.js';
import { Hint } from './hint.js';

/** Local time with its zone, or in a column whose head has the zone without it; UTC on hover. */
export function Time({ at, as = 'full' }: { at: string | null | undefined; as?: 'full' | 'ago' | 'row' }) {
  if (!at) return <>–</>;
  const local = localTime(at);
  return (
    <time dateTime={at} title={as === 'ago' ? `${local} (${utcTime(at)})` : utcTime(at)}>
      {as === 'ago' ? ago(at) : as === 'row' ? <InRow local={local} /> : local}
    </time>
  );
}

/** Without its zone, which the head of the column names; on a narrow screen without year and seconds. */
const InRow = ({ local }: { local: string }) => (
  <>
    <span data-wide>{local.slice(0, 5)}</span>
    {local.slice(5, 16)}
    <span data-wide>{local.slice(16, 19)}</span>
  </>
);

/** A code in words, with what it means on hover. */
export const Word = ({ code }: { code: string }) => <span title={meaningOf(code)}>{inWords(code)}</span>;

/** The name of a figure, with what it means. */
export const Named = ({ code }: { code: string }) => <Hint text={meaningOf(code)}>{inWords(code)}</Hint>;

export type Tone = 'good' | 'doubt' | 'ask' | 'bad' | 'plain';

/** A word that a colour sets apart; the word says it without the colour too. */
export const Mark = ({ tone = 'plain', title, children }: { tone?: Tone; title?: string; children: ReactNode }) => (
  <span className="mark" data-tone={tone} title={title}>
    {children}
  </span>
);

const TONES: Record<string, Tone | undefined> = {
  MATCH: 'good',
  accept: 'good',
  review: 'ask',
  reject: 'doubt',
  NO_MATCH: 'doubt',
  ok: 'good',
  sound: 'good',
  active: 'good',
  calibrated: 'good',
  steady: 'good',
  confirmed: 'good',
  running: 'ask',
  open: 'ask',
  degraded: 'doubt',
  explained: 'good',
  no_matter: 'good',
  client_asked: 'ask',
  key_revoked: 'ask',
  taken_back: 'ask',
  inconclusive: 'doubt',
  differs_from_shipped: 'doubt',
  dropping: 'doubt',
  paused: 'doubt',
  expired: 'bad',
  not_seen: 'doubt',
  unavailable: 'bad',
  wrong: 'bad',
  stopped: 'bad',
  damaged: 'bad',
  failed: 'bad',
  drifting: 'bad',
};

/** A code in words, in its colour. */
export const Status = ({ code }: { code: string }) => (
  <Mark tone={TONES[code]} title={meaningOf(code)}>
    {inWords(code)}
  </Mark>
);

export const Verdict = ({ of }: { of: string | null }) => <Status code={of ?? 'unfinished'} />;

/** Names and values below one another. */
export type Fact = readonly [name: ReactNode, value: ReactNode] | false | null | undefined;

export const Facts = ({ of }: { of: Fact[] }) => (
  <dl className="facts figures">
    {of.flatMap((fact, i) =>
      fact
        ? [
            // biome-ignore lint/suspicious/noArrayIndexKey: facts keep their places
            <dt key={`name ${i}`}>{fact[0]}</dt>,
            // biome-ignore lint/suspicious/noArrayIndexKey: facts keep their places
            <dd key={`value ${i}`}>{fact[1]}</dd>,
          ]
        : [],
    )}
  </dl>
);

export const Muted = ({ children }: { children: ReactNode }) => (
  <Text component="span" c="dimmed" size="sm">
    {children}
  </Text>
);

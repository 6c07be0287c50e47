/** A gauge's value against the band that it is judged by. */
import type { GaugeBand } from '#client';
import { decimal } from '../format.js';
import { Mark, Muted } from './show.js';

/** As "-0.23 to 0.31", or "at most 0.05". */
export function limitsOf({ low, high }: GaugeBand): string {
  if (low !== null && high !== null) return `${low} to ${high}`;
  return high !== null ? `at most ${high}` : `at least ${low ?? '–'}`;
}

interface BandProps {
  value: number;
  band: GaugeBand | undefined;
  /** Where nine tenths of the population's baseline lie. */
  usual?: { p05: number; p95: number };
}

export function Gauge({ value, band, usual }: BandProps) {
  if (!band) return <>{decimal(value)}</>;
  const { low, high, refused_below: refused } = band;
  const outside = (low !== null && value < low) || (high !== null && value > high);
  const tone = refused !== null && value < refused ? 'bad' : 'doubt';
  return (
    <>
      {outside ? (
        <Mark tone={tone} title={`outside ${limitsOf(band)}`}>
          {decimal(value)}
        </Mark>
      ) : (
        decimal(value)
      )}
      <Bar value={value} band={band} usual={usual} />
      {usual && (
        <Muted>
          usually {decimal(usual.p05, 3)} to {decimal(usual.p95, 3)}
        </Muted>
      )}
    </>
  );
}

/**
 * The band that judges in the middle, open where it has no limit, what is usual as a bar within, and a stroke where the value lies;
 * what is farther off stands at the end.
 */
function Bar({ value, band: { low, high }, usual }: BandProps & { band: GaugeBand }) {
  const ends = [low ?? Math.min(value, (high ?? 0) - 0.2), high ?? Math.max(value, (low ?? 0) + 0.2)];
  const room = (ends[1] - ends[0]) / 3;
  const from = ends[0] - (low === null ? 0 : room);
  const to = ends[1] + (high === null ? 0 : room);
  const share = (x: number) => 100 * Math.min(Math.max((x - from) / (to - from), 0), 1);
  const at = (x: number) => `${share(x).toFixed(1)}%`;
  const span = (low: number, high: number) => ({ x: at(low), width: `${(share(high) - share(low)).toFixed(1)}%` });
  return (
    <svg className="band" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <line x1="0" x2="100%" y1="4" y2="4" className="band-track" />
      <rect {...span(ends[0], ends[1])} y="1" height="6" />
      {usual && <rect {...span(usual.p05, usual.p95)} y="3" height="2" className="band-usual" />}
      <line x1={at(value)} x2={at(value)} y1="0" y2="8" className="band-value" />
    </svg>
  );
}

/** A jest reporter: a table of what each spec took, dearest first, with its sum, of what `setup.ts` noted. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Seconds of processor time: loading its modules, its own thread, its other threads, processes that it has waited for. */
const CAUSES = ['loading', 'main', 'threads', 'children'] as const;
export type SpecTimes = { spec: string; clock: number } & Record<(typeof CAUSES)[number], number>;

/** Rows of the table. */
const SHOWN = 60;
const COLUMNS = ['all', ...CAUSES, 'clock'] as const;

type Row = Record<(typeof COLUMNS)[number], number>;

const rowOf = (times: SpecTimes): Row => ({ ...times, all: CAUSES.reduce((sum, cause) => sum + times[cause], 0) });
const line = (row: Record<keyof Row, number | string>, name: string) =>
  [...COLUMNS.map((of) => (typeof row[of] === 'number' ? row[of].toFixed(1) : row[of]).padStart(9)), ` ${name}`].join(
    '',
  );

export default class TimesReporter {
  constructor(
    _config: unknown,
    private readonly options: { folder: string },
  ) {}

  onRunComplete(): void {
    const { folder } = this.options;
    const specs = readdirSync(folder)
      .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as SpecTimes)
      .map((times) => ({ name: times.spec, row: rowOf(times) }))
      .sort((a, b) => b.row.all - a.row.all);
    const heads = Object.fromEntries(COLUMNS.map((of) => [of, of])) as Record<keyof Row, string>;
    const sum = Object.fromEntries(
      COLUMNS.map((of) => [of, specs.reduce((total, { row }) => total + row[of], 0)]),
    ) as Row;
    console.log(
      [
        'Seconds of processor time by spec: loading its modules, its own thread, its other threads (fits, scoring, the',
        'compiler), its child processes (browsers among them); and by the clock.',
        line(heads, 'spec'),
        ...specs.slice(0, SHOWN).map(({ name, row }) => line(row, name)),
        line(sum, `all ${specs.length} specs`),
      ].join('\n'),
    );
  }
}

/** How a run of `mvs submit` ended, in words. */
import { escapeControls } from '#science/spectra/refusal';

/** A row of the table of answers, as far as it is told of. */
type Answered = Record<'pair' | 'stone' | 'action' | 'file' | 'fix', string>;

/** Of pairs that a run did not come to: they are counted, as nothing is to be mended about them. */
export const NOT_SENT = 'the run ended before it was sent';

/** Not named one by one beyond so many. */
const MAX_LINES = 50;

/** The pairs of a run: how each was answered, or why it was not. */
export class Tally {
  readonly #answered = new Map<string, Answered>();
  /** By stone. */
  readonly #open = new Map<string, string>();

  answer(stone: string, row: Answered): void {
    this.#answered.set(row.pair, row);
    this.#open.delete(stone);
  }

  /** @param why a phrase; a stone that was answered before may wait again, with another file */
  leave(stone: string, why: string): void {
    this.#open.set(stone, why);
  }

  get refused(): number {
    return [...this.#answered.values()].filter(({ action }) => action === 'mend').length;
  }

  /** One line of counts, which add up, then a line for each that is refused or not answered. */
  summary(): string[] {
    const rows = [...this.#answered.values()];
    const of = (action: string) => rows.filter((row) => row.action === action);
    const refused = of('mend');
    const counts = [
      ...[`${of('accept').length} match`, `${of('reject').length} no match`, `${of('review').length} to review`],
      ...[`${refused.length} refused`, `${this.#open.size} not answered`],
    ];
    const total = rows.length + this.#open.size;
    const open = [...this.#open].filter(([, why]) => why !== NOT_SENT);
    const unsent = this.#open.size - open.length;
    const lines = [
      // A refusal names the file itself.
      ...refused.map(
        ({ stone, file, fix }) => `refused: ${[stone, fix.includes(file) ? '' : file, fix].filter(Boolean).join(': ')}`,
      ),
      ...open.map(([stone, why]) => `not answered: ${escapeControls(stone)}: ${why}`),
      ...(unsent > 0 ? [`not sent: ${unsent} ${unsent === 1 ? 'pair' : 'pairs'}, as the run ended before`] : []),
    ];
    const more = lines.length > MAX_LINES ? [`and ${lines.length - MAX_LINES} more`] : [];
    return [`${total} ${total === 1 ? 'pair' : 'pairs'}: ${counts.join(', ')}`, ...lines.slice(0, MAX_LINES), ...more];
  }
}

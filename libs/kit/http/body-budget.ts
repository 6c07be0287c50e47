import { ByteBudget } from '#kit/admission/byte-budget';
import { Turns } from '#kit/admission/turns';
import { Problem } from './problem.js';

/** A body may bring so many bytes before it waits for its turn, and so many more with each turn. */
export const TURN_BYTES = 64 * 1024;
/** A body that took so long of the event loop waits for its turn too, whatever its bytes were. */
export const TURN_MS = 0.5;
/** Turns given in one turn of the event loop, and the time after which no further one is: half a megabyte is read. */
const TURNS = 8;
const TURNS_MS = 2;
/** Bodies whose bytes cost time have a third of it where others wait for theirs. */
const REST = 2;
/** Time over which the rate of an upload is looked at. */
export const RATE_WINDOW_MS = 5_000;

/** Memory for bodies, the turns in which they are read, and their least pace. */
export class BodyBudget {
  readonly memory: ByteBudget;
  readonly turns = new Turns(TURNS, TURNS_MS, REST);

  /**
   * @param limit bytes of bodies that all requests together hold
   * @param minRate bytes a second that an upload has to bring; slower ones end with 408
   */
  constructor(
    limit: number,
    readonly minRate = 0,
  ) {
    this.memory = new ByteBudget(
      limit,
      () => new Problem('bodies_full', undefined, { headers: { 'retry-after': '1' } }),
    );
  }
}

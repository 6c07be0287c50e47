/** Work in steps of some milliseconds, so that others on the same thread get a turn in between. */
export type Steps<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** @param turn after which the next step is taken */
export async function inTurns<T>(steps: Steps<T>, turn: () => Promise<unknown>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await turn();
  }
}

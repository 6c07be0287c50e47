/** Milliseconds of a call by stage; a stage that fails has its time too. */
export class Stages {
  readonly latency: Record<string, number>;

  /** @param before stages that are over */
  constructor(before: Record<string, number> = {}) {
    this.latency = { ...before };
  }

  async time<T>(stage: string, work: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work;
    } finally {
      this.latency[stage] = since(began);
    }
  }
}

/** What the work comes to. @throws what `late` makes where it takes longer (ms) */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds since a moment of `performance.now()`, to the microsecond. */
export const since = (began: number): number => Math.round((performance.now() - began) * 1000) / 1000;

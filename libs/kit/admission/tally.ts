/** Refused credentials and rates, counted in memory and recorded once a minute, so that a flood cannot fill the log. */
export interface TallyEntry {
  status: number;
  reason: string;
  count: number;
}

export class Tally {
  private counts = new Map<string, TallyEntry>();
  private since: Date;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly now: () => Date,
    private readonly record: (entries: TallyEntry[], from: Date, to: Date) => void,
    intervalMs = 60_000,
  ) {
    this.since = now();
    this.timer = setInterval(() => this.flush(), intervalMs);
    this.timer.unref();
  }

  add(status: number, reason: string): void {
    const entry = this.counts.get(reason);
    if (entry) entry.count++;
    else this.counts.set(reason, { status, reason, count: 1 });
  }

  flush(): void {
    const from = this.since;
    this.since = this.now();
    if (this.counts.size === 0) return;
    const entries = [...this.counts.values()];
    this.counts = new Map();
    this.record(entries, from, this.since);
  }

  /** Records what is left. */
  close(): void {
    clearInterval(this.timer);
    this.flush();
  }
}

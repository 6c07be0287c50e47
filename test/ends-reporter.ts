/** So long (ms) a run that is over may take to close what it still holds. */
const CLOSES_WITHIN_MS = 60_000;

/** A jest reporter: a run that is over and does not end by itself is ended, as failed, and says what held it. */
export default class EndsReporter {
  onRunComplete(): void {
    setTimeout(() => {
      console.error(`The run is over, but these hold its process: ${process.getActiveResourcesInfo().join(', ')}`);
      process.exit(1);
    }, CLOSES_WITHIN_MS).unref();
  }
}

/** A jest reporter that ends, as failed, a run that does not end by itself, and says what held it. */
import { relative } from 'node:path';

/** So long (ms) a spec may take: no measure of anything, a test that hangs fails on the busiest machine. */
const SPEC_WITHIN_MS = 1_200_000;
/** So long (ms) a run that is over may take to close what it still holds. */
const CLOSES_WITHIN_MS = 60_000;

function endAs(message: string): void {
  console.error(message);
  process.exit(1);
}

export default class EndsReporter {
  private readonly running = new Map<string, NodeJS.Timeout>();

  onTestFileStart({ path }: { path: string }): void {
    const hangs = () => endAs(`${relative('.', path)} has not ended within ${SPEC_WITHIN_MS / 60_000} minutes.`);
    this.running.set(path, setTimeout(hangs, SPEC_WITHIN_MS).unref());
  }

  onTestFileResult({ path }: { path: string }): void {
    clearTimeout(this.running.get(path));
  }

  onRunComplete(): void {
    const held = () => process.getActiveResourcesInfo().join(', ');
    setTimeout(() => endAs(`The run is over, but these hold its process: ${held()}`), CLOSES_WITHIN_MS).unref();
  }
}

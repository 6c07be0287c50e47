// npm run soak [requests] [seed]: hostile requests against the running service, 100,000 of them by default.
import { soak } from './soak.js';

const [requests = 100_000, seed = 1] = process.argv.slice(2).map(Number);
const report = await soak({
  seed,
  requests,
  seconds: 6 * 3600,
  idle: 10_000,
  drips: 100,
  guesses: 1000,
  onProgress: (sent, rss) => console.log(`${sent} sent, the service holds ${rss} MiB`),
});
const { faults, ...figures } = report;
console.log(figures);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

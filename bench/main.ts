// npm run bench [name...] [-- --option...]: measurements, never assertions. One file a bench; a new one is listed here.
import { spawnSync } from 'node:child_process';
import { withSoftwareAdapter } from '#science/compute/webgpu';

const benches: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  audit: () => import('./audit.js'),
  calibration: () => import('./calibration.js'),
  compute: () => import('./compute.js'),
  'event-store': () => import('./event-store.js'),
  drift: () => import('./drift.js'),
  models: () => import('./models.js'),
  simulator: () => import('./simulator.js'),
  findings: () => import('./findings.js'),
  uploads: () => import('./uploads.js'),
  views: () => import('./views.js'),
  fairness: () => import('./fairness.js'),
  inversion: () => import('./inversion.js'),
  kill: () => import('./kill.js'),
  service: () => import('./service.js'),
  start: () => import('./start.js'),
  production: () => import('./production.js'),
  pauses: () => import('./pauses.js'),
  cells: () => import('./cells.js'),
  lots: () => import('./lots.js'),
  scorer: () => import('./scorer.js'),
  queue: () => import('./queue.js'),
  console: () => import('./console.js'),
  seals: () => import('./seals.js'),
  victims: () => import('./victims.js'),
};

if (process.argv.includes('--help')) {
  console.log(`npm run bench [NAME...], all of them by default: ${Object.keys(benches).join(', ')}`);
  process.exit(0);
}

// The software WebGPU adapter, where it is all there is, must be in the environment from the start.
const env = withSoftwareAdapter(process.env);
if (env !== process.env) {
  const { status } = spawnSync(process.execPath, process.argv.slice(1), { env, stdio: 'inherit' });
  process.exit(status ?? 1);
}

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const names = named.length > 0 ? named : Object.keys(benches);
for (const name of names) {
  const bench = benches[name];
  if (!bench) {
    console.error(`no bench is called ${name}; there are: ${Object.keys(benches).join(', ')}`);
    process.exit(3);
  }
  console.log(`## ${name}\n`);
  await (await bench()).run();
}

// npm run bench [name...] [-- --option...]: measurements, never assertions. One file a bench; a new one is listed here.
const benches: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  'event-store': () => import('./event-store.js'),
  growth: () => import('./growth.js'),
  kill: () => import('./kill.js'),
  service: () => import('./service.js'),
  production: () => import('./production.js'),
  queue: () => import('./queue.js'),
  victims: () => import('./victims.js'),
};

if (process.argv.includes('--help')) {
  console.log(`npm run bench [NAME...], all of them by default: ${Object.keys(benches).join(', ')}`);
  process.exit(0);
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

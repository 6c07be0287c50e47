/** The double as a process of its own: `node dist/test/eventstoredb/main.js FILE PORT`; faults come as messages of the parent. */
import { type Faults, startDouble } from './double.js';
import { openDoubleLog } from './log.js';

const [file, port] = process.argv.slice(2);
const double = await startDouble(openDoubleLog(file), { port: Number(port ?? 0) });
process.on('message', (faults: Partial<Faults> & { cut?: boolean }) => {
  if (faults.cut) double.cut();
  Object.assign(double.faults, faults);
  process.send?.({ faults: double.faults });
});
process.send?.({ ready: double.connectionString });
console.log(`EventStoreDB double on ${double.connectionString}`);

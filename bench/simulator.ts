import { POPULATIONS, populationNamed, simulateStone } from '#simulator';

const ROUNDS = 5;
const STONES = 200;

/** Stones (6 rough scans and 1 polish scan) simulated in a second of one core's time. */
export async function run(): Promise<void> {
  console.log('| population | points per scan | stones per second of CPU time, median | least | most |');
  console.log('|---|---:|---:|---:|---:|');
  for (const name of Object.keys(POPULATIONS)) {
    const population = populationNamed(name);
    for (let stone = 0; stone < STONES / 2; stone++) simulateStone(population, 1, stone);
    const rates = Array.from({ length: ROUNDS }, (_, round) => {
      const start = process.cpuUsage();
      for (let stone = 0; stone < STONES; stone++) simulateStone(population, 2 + round, stone);
      const { user, system } = process.cpuUsage(start);
      return (STONES / (user + system)) * 1e6;
    }).sort((a, b) => a - b);
    const points = simulateStone(population, 1, 0, { roughScans: 1 }).rough[0].wavenumbers.length;
    const [median, min, max] = [rates[ROUNDS >> 1], rates[0], rates[ROUNDS - 1]].map((rate) => rate.toFixed(0));
    console.log(`| ${name} | ${points} | ${median} | ${min} | ${max} |`);
  }
  console.log('');
}

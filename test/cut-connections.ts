import { Redis } from 'ioredis';
import { Random } from '#simulator';

/**
 * Kills one random connection of a Redis every so often (not this one). The function returned ends it, and may be called
 * twice.
 */
export async function cutConnections(url: string, everyMs: number, seed: number): Promise<() => Promise<number>> {
  const killer = new Redis(url);
  const random = new Random('cut connections', seed);
  killer.on('error', () => {});
  let cut = 0;
  const timer = setInterval(async () => {
    const clients = String(await killer.client('LIST').catch(() => ''))
      .split('\n')
      .filter((line) => line && !line.includes('cmd=client'));
    const [, id] = /id=(\d+)/.exec(clients[Math.floor(random.uniform() * clients.length)] ?? '') ?? [];
    if (id) cut += Number(await killer.client('KILL', 'ID', id).catch(() => 0));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    killer.disconnect();
    return cut;
  };
}

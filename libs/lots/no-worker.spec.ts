/** The Redis profile while nobody works on its queues. */
import pino from 'pino';
import type { Answered } from '../../apps/server/test/client.js';
import { claimOf, TestService } from '../../apps/server/test/fixture.js';
import { sentLot, Trader } from '../../apps/server/test/lots.js';
import { startWorker } from '../../apps/worker/worker.js';
import { redisIsHere, startRedis, type TestRedis } from '../../test/redis.js';

/** Long enough for a lot to be encoded on a busy machine, and short enough to be waited for. */
const REQUEST_MS = 10_000;

(redisIsHere ? describe : describe.skip)('a lot while no worker is there', () => {
  let redis: TestRedis;
  let service: TestService;
  let trader: Trader;
  beforeAll(async () => {
    redis = await startRedis();
    service = await TestService.start({ REDIS_URL: redis.url, MVS_MAX_REQUEST_MS: String(REQUEST_MS) });
    trader = await Trader.in(service, 'trader');
  });
  afterAll(async () => {
    await service?.stop();
    await redis?.stop();
  });

  it('is refused with 503 as a claim is, enrolled or checked, within the time of a request; nothing of it is kept', async () => {
    const { enrol, back } = sentLot();
    const logger = pino({ level: 'silent' });
    const worker = await startWorker({ redisUrl: redis.url, concurrency: 8, batch: 4, logger });
    const { body } = await trader.enrol(enrol, { name: 'spring' }).finally(() => worker.close());
    const refused = ({ status, headers, body: { code } }: Answered) => [status, headers.get('retry-after'), code];
    const answers = await Promise.all([
      service.verify(claimOf(1)),
      trader.enrol(sentLot(1).enrol, { name: 'autumn' }),
      trader.check(body.lot_id, back),
    ]);
    expect(answers.map(refused)).toEqual(Array(3).fill([503, '1', 'scoring_timed_out']));
    const shown = (await trader.get('/lots')).body.items;
    expect(shown).toMatchObject([{ name: 'spring', checks: 0 }]);
  });
});

/** Tells if a replica that answers operators is there: each says so in Redis, and those that answer claims alone ask. */
import { Redis } from 'ioredis';
import { PREFIX, REPORT_EVERY_MS, redisOptions, SILENT_AFTER_MS } from './protocol.js';

const KEY = `${PREFIX}:operators`;

export class OperatorReplicas {
  private readonly redis: Redis;
  private timer: NodeJS.Timeout | undefined;

  constructor(redisUrl: string) {
    this.redis = new Redis(redisOptions(redisUrl, false));
    this.redis.on('error', () => {});
  }

  /** From now on, until it is closed. */
  announce(): void {
    const say = () => void this.redis.set(KEY, '1', 'PX', SILENT_AFTER_MS).catch(() => {});
    this.timer = setInterval(say, REPORT_EVERY_MS).unref();
    this.redis.once('ready', say);
  }

  /**
   * True if one has been heard of within the last seconds.
   * @throws where Redis does not say
   */
  async seen(): Promise<boolean> {
    return (await this.redis.exists(KEY)) > 0;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.redis.disconnect();
  }
}

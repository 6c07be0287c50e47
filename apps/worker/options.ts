/** The worker's command line. */
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';

export interface WorkerFlags {
  concurrency: number;
  batch: number;
  redis?: string;
}

const whole = (text: string): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 1024)
    throw new InvalidArgumentError('It must be a whole number from 1 to 1024.');
  return number;
};

export const workerCommand = (): Command =>
  new Command('worker')
    .description('Scores claims that wait in Redis. Needs REDIS_URL and the model, nothing else.')
    .option('--concurrency <jobs>', 'jobs in hand at once', whole, Math.max(16, 8 * availableParallelism()))
    .option('--batch <jobs>', 'most jobs encoded together', whole, 8)
    .option('--redis <url>', 'address of Redis (default: REDIS_URL)')
    .addHelpText(
      'after',
      '\nExample:\n  REDIS_URL=redis://127.0.0.1:6379 npm run worker -- --concurrency 32 --batch 16',
    );

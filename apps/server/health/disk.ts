import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** More than a claim's events take with their places in the indices. */
const BYTES = 256 * 1024;
/** Time for which a successful try is believed. */
const BELIEVED_MILLISECONDS = 5000;

/** Checks that the data directory still takes a claim's bytes: tries it with a file that is removed afterwards. */
export class Disk {
  private readonly file: string;
  private trying: Promise<void> | undefined;
  private believedUntil = Number.NEGATIVE_INFINITY;

  constructor(directory: string) {
    this.file = join(directory, 'room.tmp');
  }

  /** @throws what the disk says */
  async check(): Promise<void> {
    if (performance.now() < this.believedUntil) return;
    this.trying ??= this.tryIt().finally(() => {
      this.trying = undefined;
    });
    await this.trying;
    this.believedUntil = performance.now() + BELIEVED_MILLISECONDS;
  }

  private async tryIt(): Promise<void> {
    try {
      const file = await open(this.file, 'w', 0o600);
      try {
        await file.writeFile(Buffer.alloc(BYTES, 1));
        await file.datasync();
      } finally {
        await file.close();
      }
    } finally {
      await rm(this.file, { force: true });
    }
  }
}

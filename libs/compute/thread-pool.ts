import { availableParallelism } from 'node:os';
import { type Transferable, Worker } from 'node:worker_threads';

/** What goes to a thread. */
export interface Order {
  module: string;
  exportName: string;
  args: unknown[];
}

/** What a thread answers. */
export type Answer = { value: unknown } | { error: unknown };

/** A result whose buffers move to the caller instead of being copied. */
export class Transferred<T> {
  constructor(
    readonly value: T,
    readonly transfer: Transferable[],
  ) {}
}

interface Task {
  order: Order;
  transfer: Transferable[];
  resolve(value: never): void;
  reject(error: unknown): void;
}

/**
 * Worker threads for the large jobs: training, evaluation, calibration. Each thread takes one task at a time, first come
 * first served; a module stays loaded in its thread, and with it whatever it keeps (a kernel, say). Idle threads do not
 * keep the process alive.
 */
export class ThreadPool {
  private readonly waiting: Task[] = [];
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Task>();
  private closed = false;

  constructor(readonly size = availableParallelism()) {
    if (!Number.isSafeInteger(size) || size < 1) throw new RangeError(`a pool cannot have ${size} threads`);
  }

  /**
   * Runs `exportName(...args)` of a module on some thread. The function may return a promise, and `new Transferred(value,
   * buffers)` to hand buffers over without copying. What it throws rejects here; if its thread dies, the task rejects
   * and a fresh thread takes the place.
   *
   * @param module URL of a built module, as in `new URL('./evaluate-worker.js', import.meta.url)`
   * @param transfer buffers and ports inside `args` that move to the thread
   */
  run<T>(module: URL | string, exportName: string, args: unknown[] = [], transfer: Transferable[] = []): Promise<T> {
    if (this.closed) return Promise.reject(new Error('the thread pool is closed'));
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ order: { module: String(module), exportName, args }, transfer, resolve, reject });
      this.deal();
    });
  }

  /** Ends the threads; tasks that wait or run reject. */
  async close(): Promise<void> {
    this.closed = true;
    const error = new Error('the thread pool is closed');
    for (const task of this.waiting.splice(0)) task.reject(error);
    for (const task of this.busy.values()) task.reject(error);
    const threads = [...this.idle.splice(0), ...this.busy.keys()];
    this.busy.clear();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  private deal(): void {
    while (this.waiting.length > 0 && this.busy.size < this.size) {
      const task = this.waiting.shift() as Task;
      const thread = this.idle.pop() ?? this.start();
      try {
        thread.postMessage(task.order, task.transfer);
      } catch (error) {
        // An argument that cannot be cloned: the thread has seen nothing of it.
        this.rest(thread);
        task.reject(error);
        continue;
      }
      this.busy.set(thread, task);
      thread.ref();
    }
  }

  private rest(thread: Worker): void {
    this.busy.delete(thread);
    this.idle.push(thread);
    thread.unref();
  }

  private start(): Worker {
    const thread = new Worker(new URL('./thread.js', import.meta.url));
    thread.on('message', (answer: Answer) => {
      const task = this.busy.get(thread);
      this.rest(thread);
      if (task) 'error' in answer ? task.reject(answer.error) : task.resolve(answer.value as never);
      this.deal();
    });
    const lost = (reason: unknown) => {
      const task = this.busy.get(thread);
      this.busy.delete(thread);
      const at = this.idle.indexOf(thread);
      if (at >= 0) this.idle.splice(at, 1);
      task?.reject(new Error(`a worker thread died in ${task.order.exportName}`, { cause: reason }));
      this.deal();
    };
    thread.on('error', lost);
    thread.on('exit', (code) => lost(new Error(`exit code ${code}`)));
    thread.on('messageerror', lost);
    return thread;
  }
}

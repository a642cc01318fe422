/**
 * Loaded before a worker (`node --expose-gc --import`); answers each message of the parent process with the memory in
 * use after a garbage collection.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

const MIB = 1_024 * 1_024;

/** The memory of a process, in MiB. */
export interface MemoryInUse {
  readonly rss: number;
  /** Heap and buffers. */
  readonly heap: number;
}

process.on('message', () => {
  void answer();
});
process.channel?.unref();

async function answer(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const inUse: MemoryInUse = { rss: rss / MIB, heap: (heapUsed + external) / MIB };
  process.send?.(inUse);
}

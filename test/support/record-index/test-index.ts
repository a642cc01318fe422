import type { RecordIndexOptions } from '../../../shared/messaging/record-index/record-index.ts';
import { openIndexFile, RecordIndex } from '../../../shared/messaging/record-index/record-index.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import type { Timers } from '../../../shared/platform/system-ports.ts';

export function manualTimers() {
  const waiting = new Set<() => void>();
  const delays: number[] = [];
  const schedule = (callback: () => void, afterMs = 0) => {
    waiting.add(callback);
    delays.push(afterMs);
    return () => void waiting.delete(callback);
  };
  const timers: Timers = { schedule, nextTurn: (callback) => void schedule(callback) };
  return {
    timers,
    delays,
    fire: (): boolean => {
      const due = [...waiting];
      waiting.clear();
      for (const callback of due) callback();
      return due.length > 0;
    },
  };
}

export interface TestIndexOptions extends Partial<RecordIndexOptions> {
  readonly folder?: string;
  readonly origin?: string;
}

/** Its clock shows the time of the newest record put here; not closed by the test. */
export function openTestIndex({ folder, origin = 'test', ...options }: TestIndexOptions = {}) {
  const { timers, delays, fire } = manualTimers();
  const { log = silentLog } = options;
  const file = folder === undefined ? undefined : openIndexFile(folder, 'test', origin, log);
  let newestMs = 0;
  const index = new RecordIndex({
    name: 'test',
    file,
    retentionMs: 1_000,
    clock: { now: () => newestMs },
    timers,
    log,
    ...options,
  });
  const put = (id: string, text: string, writtenAtMs = 0, isOpen = false): void => {
    newestMs = Math.max(newestMs, writtenAtMs);
    index.put(id, { value: Buffer.from(text), writtenAtMs, isOpen });
  };
  const find = (id: string): string | undefined => {
    const value = index.find(id)?.value;
    return value === undefined ? undefined : Buffer.from(value).toString();
  };
  const isWriting = () => index.size().waiting > 0 && index.health().status === 'ready';
  const write = (): void => {
    for (let turn = 0; turn < 1_000 && isWriting(); turn += 1) fire();
    fire();
  };
  return { index, file, put, find, fire, write, delays };
}

import type { ByteSink } from './byte-sink.ts';

/** Writes lines in large pieces. */
export interface LineWriter {
  /**
   * Takes a line with its end. A promise says that the next one may come only when it has resolved; it rejects with what
   * went wrong with this line or an earlier one.
   */
  write(line: string): Promise<void> | undefined;
  /** Resolves, when all lines are on the disk to stay, with the length of the file. */
  sync(): Promise<number>;
}

/** A line of 60 instalments has 20 KB: one call of the system for 50 of them. */
const BUFFER_BYTES = 1_024 * 1_024;
/** Most bytes of UTF-8 for one unit of a string. */
const MOST_BYTES_A_UNIT = 3;

/** Lines to a sink, by two buffers in turn: one is filled while the other is written. */
export function createLineWriter(sink: ByteSink): LineWriter {
  let filling = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let spare = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let used = 0;
  let underWay: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    await underWay;
    if (used === 0) return;
    const full = filling;
    underWay = sink.write(full.subarray(0, used));
    underWay.catch(() => undefined);
    filling = spare;
    spare = full;
    used = 0;
  };
  const fits = (line: string): boolean => line.length * MOST_BYTES_A_UNIT <= BUFFER_BYTES - used;
  const put = (line: string): void => {
    used += filling.write(line, used, 'utf8');
  };
  const putAfterFlush = async (line: string): Promise<void> => {
    await flush();
    if (fits(line)) return put(line);
    await underWay;
    underWay = sink.write(Buffer.from(line, 'utf8'));
    underWay.catch(() => undefined);
  };

  return {
    write: (line) => {
      if (!fits(line)) return putAfterFlush(line);
      put(line);
      return undefined;
    },
    sync: async () => {
      await flush();
      await underWay;
      return sink.sync();
    },
  };
}

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createProgressPrinter,
  type ProgressState,
} from '../../../../scripts/recalculate/report/progress.ts';

const HALF_WAY: ProgressState = {
  done: 42_000,
  failed: 3,
  doneBefore: 0,
  bytesRead: 5_000,
  bytesBefore: 0,
  totalBytes: 10_000,
  elapsedMs: 60_000,
};

describe('the progress of a run', () => {
  let written: string[] = [];
  const streamOf = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) });

  beforeEach(() => {
    written = [];
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The first line in a log. */
  const lineOf = (state: ProgressState) => {
    written = [];
    const printer = createProgressPrinter(streamOf(false), () => state);
    vi.advanceTimersByTime(1_000);
    printer.end();
    return written.join('');
  };

  it('is redrawn on one line of a terminal, below permanent lines, and cleared at the end', () => {
    const printer = createProgressPrinter(streamOf(true), () => HALF_WAY);
    vi.advanceTimersByTime(500);
    expect(written).toEqual([
      '\r\u001B[K\u001B[?7l50%, 42,000 done, 700/s, 1 min 0 s left, 3 failed\u001B[?7h',
    ]);
    written = [];
    printer.say('no reply for 30 s');
    printer.end();
    vi.advanceTimersByTime(60_000);
    const clear = '\r\u001B[K\u001B[?7l\u001B[?7h';
    expect(written).toEqual([clear, 'no reply for 30 s\n', clear]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is a line in a log after one second and then every ten', () => {
    const printer = createProgressPrinter(streamOf(false), () => HALF_WAY);
    vi.advanceTimersByTime(999);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(10_001);
    printer.say('trying again');
    printer.end();
    const line = '50%, 42,000 done, 700/s, 1 min 0 s left, 3 failed\n';
    expect(written).toEqual([line, line, 'trying again\n']);
  });

  it('has no share and no remaining time without the size of the input, and no rate in the first second', () => {
    expect(lineOf({ ...HALF_WAY, totalBytes: undefined })).toBe('42,000 done, 700/s, 3 failed\n');
    expect(lineOf({ ...HALF_WAY, elapsedMs: 999 })).toBe('50%, 42,000 done, 3 failed\n');
  });

  it('has the rate and remaining time of the resumed part only, and at most 100 %', () => {
    const resumed = { ...HALF_WAY, doneBefore: 36_000, bytesBefore: 4_000 };
    expect(lineOf(resumed)).toBe('50%, 42,000 done, 100/s, 5 min 0 s left, 3 failed\n');
    expect(lineOf({ ...HALF_WAY, bytesRead: 12_000 })).toMatch(/^100%, .* 0.0 s left/);
    expect(lineOf({ ...HALF_WAY, bytesRead: 9_999 })).toMatch(/^99%/);
    expect(lineOf({ ...HALF_WAY, bytesRead: 0, totalBytes: 0 })).toMatch(/^100%/);
  });
});

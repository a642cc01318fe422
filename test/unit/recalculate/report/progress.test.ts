import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgressPrinter } from '../../../../scripts/recalculate/report/progress.ts';
import {
  durationText,
  progressBar,
  progressLine,
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
  it('is a bar with percentage, number, rate, remaining time and failures, in the width of the terminal', () => {
    const bar = `[${'#'.repeat(14)}${'-'.repeat(15)}]`;
    expect(progressBar(HALF_WAY, 79)).toBe(`${bar}  50%  42,000 done  700/s  1m 00s left  3 failed`);
    expect(progressBar(HALF_WAY, 200)).toContain(`[${'#'.repeat(20)}${'-'.repeat(20)}]`);
    expect(progressBar(HALF_WAY, 54)).toBe('50%  42,000 done  700/s  1m 00s left  3 failed');
    for (const columns of [1, 20, 50, 60, 80, 120]) {
      expect(progressBar(HALF_WAY, columns).length).toBeLessThanOrEqual(columns);
    }
  });

  it('is a text line in a log', () => {
    expect(progressLine(HALF_WAY)).toBe('50%, 42,000 done, 700/s, 1m 00s left, 3 failed after 1m 00s');
  });

  it('has no percentage and no remaining time without the size of the input', () => {
    const state = { ...HALF_WAY, totalBytes: undefined };
    expect(progressBar(state, 80)).toBe('42,000 done  700/s  3 failed');
    expect(progressLine(state)).toBe('42,000 done, 700/s, 3 failed after 1m 00s');
  });

  it('calculates rate and remaining time from the resumed part only', () => {
    const state = { ...HALF_WAY, doneBefore: 36_000, bytesBefore: 4_000 };
    expect(progressLine(state)).toBe('50%, 42,000 done, 100/s, 5m 00s left, 3 failed after 1m 00s');
  });

  it('has no rate before the first second, and at most 100 %', () => {
    const started = { ...HALF_WAY, elapsedMs: 999 };
    expect(progressBar(started, 80)).toMatch(/ 50%  42,000 done  3 failed$/);
    expect(progressLine({ ...HALF_WAY, bytesRead: 12_000 })).toMatch(/^100%, .* 0s left/);
    expect(progressLine({ ...HALF_WAY, bytesRead: 9_999 })).toMatch(/^99%/);
    expect(progressLine({ ...HALF_WAY, bytesRead: 0, totalBytes: 0 })).toMatch(/^100%/);
    expect(progressLine({ ...HALF_WAY, done: 90 })).toContain(' 1.5/s');
  });

  it('writes durations in the two largest units', () => {
    const texts = [0, 59_499, 60_000, 428_000, 3_600_000, 11_100_000].map(durationText);
    expect(texts).toEqual(['0s', '59s', '1m 00s', '7m 08s', '1h 00m', '3h 05m']);
  });
});

describe('the printer of progress', () => {
  let written: string[] = [];
  const streamOf = (isTTY: boolean) => ({ isTTY, columns: 60, write: (text: string) => written.push(text) });
  const clear = '\r\u001B[K';

  beforeEach(() => {
    written = [];
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('redraws one line on a terminal at most five times a second and only after a change', () => {
    let done = 0;
    const printer = createProgressPrinter(streamOf(true), () => ({ ...HALF_WAY, done: (done += 1) }));
    vi.advanceTimersByTime(1_000);
    expect(written).toHaveLength(5);
    expect(written.every((text) => text.startsWith(clear) && !text.includes('\n'))).toBe(true);
    expect(written.every((text) => text.length - clear.length < 60)).toBe(true);
    printer.end();
    written = [];
    const still = createProgressPrinter(streamOf(true), () => HALF_WAY);
    vi.advanceTimersByTime(1_000);
    expect(written).toHaveLength(1);
    still.end();
  });

  it('writes permanent lines above the bar, and clears the bar at the end', () => {
    const printer = createProgressPrinter(streamOf(true), () => HALF_WAY);
    vi.advanceTimersByTime(200);
    const [bar] = written;
    printer.say('no reply for 30 s');
    printer.end();
    vi.advanceTimersByTime(60_000);
    expect(written).toEqual([bar, clear, 'no reply for 30 s\n', bar, clear]);
  });

  it('writes lines without control characters after one second and then every ten without a terminal', () => {
    const printer = createProgressPrinter(streamOf(false), () => HALF_WAY);
    vi.advanceTimersByTime(999);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(10_001);
    printer.say('trying again');
    printer.end();
    vi.advanceTimersByTime(60_000);
    const line = `${progressLine(HALF_WAY)}\n`;
    expect(written).toEqual([line, line, 'trying again\n']);
  });

  it('draws on a terminal without a known width', () => {
    const printer = createProgressPrinter({ ...streamOf(true), columns: 0 }, () => HALF_WAY);
    vi.advanceTimersByTime(200);
    expect(written[0]).toContain('done');
    printer.end();
  });

  it('writes nothing at the end if nothing was drawn', () => {
    createProgressPrinter(streamOf(true), () => HALF_WAY).end();
    expect(written).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

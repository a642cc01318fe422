/** Shows the progress of a run: a line that is redrawn on a terminal, otherwise log lines. */

import { SingleBar } from 'cli-progress';
import { durationText } from './run-report.ts';

export interface ProgressState {
  /** Number of processed lines, including failed ones and those of a resumed run. */
  readonly done: number;
  readonly failed: number;
  /** The part of {@link done} that an earlier run processed. */
  readonly doneBefore: number;
  /** Processed bytes of the input, before decompression. */
  readonly bytesRead: number;
  /** The part of {@link bytesRead} that was skipped because an earlier run processed it. */
  readonly bytesBefore: number;
  /** Undefined if the size of the input is unknown; the remaining time then cannot be estimated. */
  readonly totalBytes: number | undefined;
  readonly elapsedMs: number;
}

export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface ProgressLine {
  /** Writes a permanent line; the progress continues below it. */
  say(line: string): void;
  end(): void;
}

const SECOND_MS = 1_000;
const LINE_MS = 10_000;
const CLEAR_LINE = '\r\u001B[K';

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Shows what `state` returns from the first second on, when the rate is certain enough to estimate the remaining time. */
export function showProgress(stream: ProgressStream, state: () => ProgressState): ProgressLine {
  const bar = new SingleBar({
    format: () => progressText(state()),
    stream: stream as NodeJS.WritableStream,
    fps: 2,
    noTTYOutput: true,
    notTTYSchedule: LINE_MS,
    clearOnComplete: true,
    gracefulExit: false,
  });
  const start = setTimeout(() => bar.start(1, 0), SECOND_MS);
  return {
    say: (line) => stream.write(`${stream.isTTY === true ? CLEAR_LINE : ''}${line}\n`),
    end: () => {
      clearTimeout(start);
      bar.stop();
    },
  };
}

/** `42%, 1,234 done, 250/s, 12.0 s left, 3 failed`. */
function progressText(state: ProgressState): string {
  const { done, doneBefore, failed, bytesRead, bytesBefore, totalBytes, elapsedMs } = state;
  const parts = [
    `${count.format(done)} done`,
    `${count.format(((done - doneBefore) * SECOND_MS) / elapsedMs)}/s`,
  ];
  if (totalBytes !== undefined) {
    // Rounded down, so that 100 % means complete.
    const share = totalBytes === 0 ? 1 : Math.min(1, bytesRead / totalBytes);
    parts.unshift(`${Math.floor(share * 100)}%`);
    const leftMs = (Math.max(0, totalBytes - bytesRead) / (bytesRead - bytesBefore)) * elapsedMs;
    if (Number.isFinite(leftMs)) parts.push(`${durationText(leftMs / SECOND_MS)} left`);
  }
  return [...parts, `${count.format(failed)} failed`].join(', ');
}

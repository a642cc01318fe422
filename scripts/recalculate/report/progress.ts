/** Shows the progress of a run: a line that is redrawn on a terminal, otherwise log lines. */

import { durationText } from './report.ts';

/** The progress of a run. */
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
  /** Time since the start of this run. */
  readonly elapsedMs: number;
}

/** The stream for progress, normally standard error. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface ProgressPrinter {
  /** Writes a permanent line; the progress continues below it. */
  say(line: string): void;
  /** Clears the line of a terminal. Nothing is shown afterwards. */
  end(): void;
}

const SECOND_MS = 1_000;
/** Before this, the rate is too uncertain to estimate the remaining time. */
const MIN_ELAPSED_MS = 1_000;
const REDRAW_MS = 500;
const LINE_MS = 10_000;
/** Does not wrap, since a wrapped line cannot be redrawn. */
const START_OF_LINE = '\r\u001B[K\u001B[?7l';
const WRAP_AGAIN = '\u001B[?7h';

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Calls `state` whenever it writes. Does not keep the process alive. */
export function createProgressPrinter(stream: ProgressStream, state: () => ProgressState): ProgressPrinter {
  const isTerminal = stream.isTTY === true;
  const clear = (): void => {
    if (isTerminal) stream.write(START_OF_LINE + WRAP_AGAIN);
  };
  const show = (): void => {
    const text = progressText(state());
    stream.write(isTerminal ? `${START_OF_LINE}${text}${WRAP_AGAIN}` : `${text}\n`);
  };
  const first = setTimeout(show, SECOND_MS).unref();
  const timer = setInterval(show, isTerminal ? REDRAW_MS : LINE_MS).unref();
  return {
    say: (line) => {
      clear();
      stream.write(`${line}\n`);
    },
    end: () => {
      clearTimeout(first);
      clearInterval(timer);
      clear();
    },
  };
}

/** `42%, 1,234 done, 250/s, 12.0 s left, 3 failed`. */
function progressText(state: ProgressState): string {
  const { done, doneBefore, failed, bytesRead, bytesBefore, totalBytes, elapsedMs } = state;
  const parts = [`${count.format(done)} done`];
  // Rounded down, so that 100 % means complete.
  const share = totalBytes === 0 ? 1 : bytesRead / (totalBytes ?? 0);
  if (totalBytes !== undefined) parts.unshift(`${Math.floor(Math.min(1, share) * 100)}%`);
  if (elapsedMs >= MIN_ELAPSED_MS) {
    parts.push(`${count.format(((done - doneBefore) * SECOND_MS) / elapsedMs)}/s`);
    const ownBytes = bytesRead - bytesBefore;
    if (totalBytes !== undefined && ownBytes > 0) {
      const leftMs = (Math.max(0, totalBytes - bytesRead) / ownBytes) * elapsedMs;
      parts.push(`${durationText(leftMs / SECOND_MS)} left`);
    }
  }
  return [...parts, `${count.format(failed)} failed`].join(', ');
}

/** Shows how far a run is: a line drawn over and over on a terminal, lines of a log anywhere else. */

import { progressBar, progressLine, type ProgressState } from './progress.ts';

/** Where progress is shown: the standard error stream. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** Shows progress by itself from when it is made until its end. */
export interface ProgressPrinter {
  /** Writes a line that stays; the bar goes on below it. */
  say(line: string): void;
  /** The last word: a terminal's line is cleared. Nothing is shown afterwards. */
  end(): void;
}

/** Five times a second is as often as an eye follows. */
const REDRAW_MS = 200;
const FIRST_LINE_MS = 1_000;
const LINE_MS = 10_000;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = '\r\u001B[K';

/** Asks `state` whenever it is about to show something. Does not keep the process alive. */
export function createProgressPrinter(stream: ProgressStream, state: () => ProgressState): ProgressPrinter {
  return stream.isTTY === true ? drawBar(stream, state) : writeLines(stream, state);
}

function drawBar(stream: ProgressStream, state: () => ProgressState): ProgressPrinter {
  let shown = '';
  const draw = (): void => {
    // A full last column would wrap, and what has wrapped cannot be drawn over.
    // A terminal that knows no width says 0.
    const bar = progressBar(state(), (stream.columns || DEFAULT_COLUMNS) - 1);
    if (bar === shown) return;
    stream.write(`${CLEAR_LINE}${bar}`);
    shown = bar;
  };
  const clear = (): void => {
    if (shown !== '') stream.write(CLEAR_LINE);
    shown = '';
  };
  const timer = setInterval(draw, REDRAW_MS).unref();
  return {
    say: (line) => {
      clear();
      stream.write(`${line}\n`);
      draw();
    },
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}

function writeLines(stream: ProgressStream, state: () => ProgressState): ProgressPrinter {
  const tell = (): void => {
    stream.write(`${progressLine(state())}\n`);
    timer = setTimeout(tell, LINE_MS).unref();
  };
  let timer = setTimeout(tell, FIRST_LINE_MS).unref();
  return {
    say: (line) => void stream.write(`${line}\n`),
    end: () => clearTimeout(timer),
  };
}

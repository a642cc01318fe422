/** Shows the progress of a run: a bar on a terminal, otherwise log lines. */

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

const MAX_BAR = 40;
/** A shorter bar is not drawn. */
const MIN_BAR = 5;
const SECOND_MS = 1_000;
/** Before this, the rate is too uncertain to estimate the remaining time. */
const MIN_ELAPSED_MS = 1_000;

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/**
 * One line of at most `columns` characters: a bar if the size is known, then the number of processed lines, the rate
 * and the remaining time.
 */
export function progressBar(state: ProgressState, columns: number): string {
  const text = facts(state).join('  ');
  const share = shareOf(state);
  if (share === undefined) return text.slice(0, columns);
  const percent = `${percentText(share).padStart(4)}  `;
  const width = Math.min(MAX_BAR, columns - text.length - percent.length - '[] '.length);
  if (width < MIN_BAR) return `${percent}${text}`.trimStart().slice(0, columns);
  const filled = Math.floor(share * width);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${percent}${text}`;
}

/** The progress as a log line. */
export function progressLine(state: ProgressState): string {
  const share = shareOf(state);
  const parts = [...(share === undefined ? [] : [percentText(share)]), ...facts(state)];
  return `${parts.join(', ')} after ${durationText(state.elapsedMs)}`;
}

function facts(state: ProgressState): readonly string[] {
  const perSecond = rateOf(state);
  const left = leftMs(state);
  return [
    `${count.format(state.done)} done`,
    ...(perSecond === undefined ? [] : [`${rateText(perSecond)}/s`]),
    ...(left === undefined ? [] : [`${durationText(left)} left`]),
    `${count.format(state.failed)} failed`,
  ];
}

/** The processed part of the input, 0 to 1; at most 1 for a file that grows. */
function shareOf({ bytesRead, totalBytes }: ProgressState): number | undefined {
  if (totalBytes === undefined) return undefined;
  return totalBytes === 0 ? 1 : Math.min(1, bytesRead / totalBytes);
}

/** Rounded down, so that 100 % means complete. */
function percentText(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

function rateOf({ done, doneBefore, elapsedMs }: ProgressState): number | undefined {
  return elapsedMs < MIN_ELAPSED_MS ? undefined : ((done - doneBefore) * SECOND_MS) / elapsedMs;
}

function rateText(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : count.format(perSecond);
}

/** Estimates the remaining time from the rate of this run. */
function leftMs({ bytesRead, bytesBefore, totalBytes, elapsedMs }: ProgressState): number | undefined {
  const ownBytes = bytesRead - bytesBefore;
  if (totalBytes === undefined || ownBytes <= 0 || elapsedMs < MIN_ELAPSED_MS) return undefined;
  return (Math.max(0, totalBytes - bytesRead) / ownBytes) * elapsedMs;
}

/** `12s`, `7m 08s`, `3h 05m`. */
export function durationText(durationMs: number): string {
  const seconds = Math.round(durationMs / SECOND_MS);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  return `${count.format(Math.floor(minutes / 60))}h ${twoDigits(minutes % 60)}m`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** The stream for progress, normally standard error. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** Shows progress from its creation until its end. */
export interface ProgressPrinter {
  /** Writes a permanent line; the bar continues below it. */
  say(line: string): void;
  /** Clears the line of a terminal. Nothing is shown afterwards. */
  end(): void;
}

/** The bar is redrawn at most five times a second. */
const REDRAW_MS = 200;
const FIRST_LINE_MS = 1_000;
const LINE_MS = 10_000;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = '\r\u001B[K';

/** Calls `state` whenever it draws. Does not keep the process alive. */
export function createProgressPrinter(stream: ProgressStream, state: () => ProgressState): ProgressPrinter {
  return stream.isTTY === true ? drawBar(stream, state) : writeLines(stream, state);
}

function drawBar(stream: ProgressStream, state: () => ProgressState): ProgressPrinter {
  let shown = '';
  const draw = (): void => {
    // A full last column would wrap, and a wrapped line cannot be redrawn.
    // Some terminals report a width of 0.
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
  const report = (): void => {
    stream.write(`${progressLine(state())}\n`);
    timer = setTimeout(report, LINE_MS).unref();
  };
  let timer = setTimeout(report, FIRST_LINE_MS).unref();
  return {
    say: (line) => void stream.write(`${line}\n`),
    end: () => clearTimeout(timer),
  };
}

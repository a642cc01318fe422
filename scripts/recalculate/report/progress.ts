/** The progress of a run: a bar that is redrawn on a terminal, lines of a log anywhere else. */

/** How far a run is. */
export interface ProgressState {
  /** Lines of the input that are done, failed ones and those of the run that this one resumes included. */
  readonly done: number;
  readonly failed: number;
  /** Of {@link done}, what an earlier run did. */
  readonly doneBefore: number;
  /** Bytes of the input that are done, before decompression. */
  readonly bytesRead: number;
  /** Of {@link bytesRead}, what was skipped as done by an earlier run. */
  readonly bytesBefore: number;
  /** Undefined where the size of the input is unknown: then there is no estimate of what is left. */
  readonly totalBytes: number | undefined;
  /** Since this run began. */
  readonly elapsedMs: number;
}

const MAX_BAR = 40;
/** A shorter bar shows nothing. */
const MIN_BAR = 5;
const SECOND_MS = 1_000;
/** Before this the rate is too uncertain to estimate the time left. */
const MIN_ELAPSED_MS = 1_000;

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** One line of at most `columns` characters: a bar where the size is known, then what is done, the rate and the time left. */
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

/** The same for a log, where every line stands by itself. */
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

/** How much of the input is behind, 0 to 1; a file that grows meanwhile stays at 1. */
function shareOf({ bytesRead, totalBytes }: ProgressState): number | undefined {
  if (totalBytes === undefined) return undefined;
  return totalBytes === 0 ? 1 : Math.min(1, bytesRead / totalBytes);
}

/** Rounded down: 100 % is when all is done. */
function percentText(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

function rateOf({ done, doneBefore, elapsedMs }: ProgressState): number | undefined {
  return elapsedMs < MIN_ELAPSED_MS ? undefined : ((done - doneBefore) * SECOND_MS) / elapsedMs;
}

function rateText(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : count.format(perSecond);
}

/** As long as the rest takes at the pace of this run so far. */
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

/** Where progress is shown: the standard error stream. */
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

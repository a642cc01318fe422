/** Shows the progress of a run: a line that is redrawn on a terminal, otherwise log lines. */

import { SingleBar } from 'cli-progress';
import type { InputChunk } from './input-records.ts';
import type { PortfolioInput } from './read-portfolio.ts';
import { durationText } from './run-report.ts';
import type { Tally } from '../../shared/portfolio/tally.ts';

/** Normally standard error. */
export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const SECOND_MS = 1_000;
const LINE_MS = 10_000;
const CLEAR_LINE = '\r\u001B[K';

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/**
 * Shows the lines that the run counts in the tally, such as `42%, 1,234 done, 250/s, 12.0 s left, 3 failed`, from the first second
 * on, when the rate is certain enough to estimate the remaining time. Without the size of the input that cannot be estimated.
 */
export function showProgress(
  stream: ProgressStream,
  { bytesRead: read, totalBytes }: Pick<PortfolioInput, 'bytesRead' | 'totalBytes'>,
  tally: Pick<Tally, 'calculated' | 'failed'>,
) {
  const startedAtMs = performance.now();
  const done = (): number => tally.calculated + tally.failed;
  // An earlier run has processed these.
  const [doneBefore, bytesBefore] = [done(), read()];
  let bytesRead = bytesBefore;
  const text = (): string => {
    const elapsedMs = performance.now() - startedAtMs;
    const rate = ((done() - doneBefore) * SECOND_MS) / elapsedMs;
    const parts = [`${count.format(done())} done`, `${count.format(rate)}/s`];
    if (totalBytes !== undefined) {
      // Rounded down, so that 100 % means complete.
      const share = totalBytes === 0 ? 1 : Math.min(1, bytesRead / totalBytes);
      parts.unshift(`${Math.floor(share * 100)}%`);
      const leftMs = (Math.max(0, totalBytes - bytesRead) / (bytesRead - bytesBefore)) * elapsedMs;
      if (Number.isFinite(leftMs)) parts.push(`${durationText(leftMs / SECOND_MS)} left`);
    }
    return [...parts, `${count.format(tally.failed)} failed`].join(', ');
  };
  const bar = new SingleBar({
    format: text,
    stream: stream as NodeJS.WritableStream,
    fps: 2,
    noTTYOutput: true,
    notTTYSchedule: LINE_MS,
    clearOnComplete: true,
    gracefulExit: false,
  });
  const start = setTimeout(() => bar.start(1, 0), SECOND_MS);
  return {
    onFinished: (chunk: InputChunk): void => {
      ({ bytesRead } = chunk);
    },
    /** Writes a permanent line; the progress continues below it. */
    say: (line: string): void => {
      stream.write(`${stream.isTTY === true ? CLEAR_LINE : ''}${line}\n`);
    },
    end: (): void => {
      clearTimeout(start);
      bar.stop();
    },
  };
}

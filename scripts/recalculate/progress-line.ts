import { SingleBar } from 'cli-progress';
import type { InputChunk } from './input-records.ts';
import type { PatientRequests } from './patient-requests.ts';
import type { PortfolioInput } from './read-portfolio.ts';
import { durationText } from './run-report.ts';
import type { Tally } from '../../shared/portfolio/tally.ts';

export interface ProgressStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const SECOND_MS = 1_000;
const LINE_MS = 10_000;
/** A running worker replies within a second. */
const SILENCE_MS = 10_000;

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Shows `42%, 1,234 done, 250/s, 12.0 s left, 3 failed`; without `totalBytes` neither percentage nor time left. */
export function showProgress(
  stream: ProgressStream,
  { bytesRead: read, totalBytes = 0 }: Pick<PortfolioInput, 'bytesRead' | 'totalBytes'>,
  tally: Pick<Tally, 'calculated' | 'failed'>,
  { silentMs }: Pick<PatientRequests, 'silentMs'>,
) {
  const startedAtMs = performance.now();
  const done = (): number => tally.calculated + tally.failed;
  // Earlier sessions of the run have processed these, so they do not count for the rate.
  const [doneBefore, bytesBefore] = [done(), read()];
  let bytesRead = bytesBefore;
  const text = (): string => {
    const elapsedMs = performance.now() - startedAtMs;
    const rate = ((done() - doneBefore) * SECOND_MS) / elapsedMs;
    const leftMs = ((totalBytes - bytesRead) / (bytesRead - bytesBefore)) * elapsedMs;
    return [
      // Rounded down, so that 100 % means complete.
      ...(totalBytes > 0 ? [`${Math.floor((bytesRead / totalBytes) * 100)}%`] : []),
      `${count.format(done())} done`,
      `${count.format(rate)}/s`,
      ...(totalBytes > 0 && Number.isFinite(leftMs) ? [`${durationText(leftMs / SECOND_MS)} left`] : []),
      `${count.format(tally.failed)} failed`,
      ...(silentMs() < SILENCE_MS
        ? []
        : [`no reply for ${durationText(silentMs() / SECOND_MS)}: is a schedule worker running?`]),
    ].join(', ');
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
    end: (): void => {
      clearTimeout(start);
      bar.stop();
    },
  };
}

import { startChild } from '../child-process.ts';
import { closedLoop, type LoopResult } from '../closed-loop.ts';
import { openHttpLoad } from './http-load.ts';
import { summarise, type Measurement } from '../measurement.ts';
import { ACTION_PATH, SAMPLE_BODY } from './sample-request.ts';

const WINDOWS = [1, 64] as const;
const WARM_UP_MS = 3_000;

/** The system as `npm start` runs it: one process, embedded broker; the HTTP client is this process. */
export async function benchEmbedded(options: {
  readonly rounds: number;
  readonly measureMs: number;
  readonly progress: (text: string) => void;
}): Promise<readonly Measurement[]> {
  const env = { KAFKA_BROKERS: '', PORT: '0', RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'warn' };
  const system = await startChild(['workers/main.ts'], /\/docs/, env);
  try {
    const base = /http:\/\/[^/\s]+/.exec(system.output)?.[0] ?? '';
    const http = await openHttpLoad(new URL(base + ACTION_PATH), { body: SAMPLE_BODY }, Math.max(...WINDOWS));
    const results = WINDOWS.map((): LoopResult[] => []);
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const [index, window] of WINDOWS.entries()) {
        options.progress(`round ${round}/${options.rounds}: embedded, window ${window}`);
        results[index]?.push(
          await closedLoop({
            window,
            warmUpMs: WARM_UP_MS,
            measureMs: options.measureMs,
            request: (slot) => http.request(slot),
          }),
        );
      }
    }
    http.close();
    return WINDOWS.map((window, index) =>
      summarise('embedded: schedule over HTTP', window, results[index] ?? []),
    );
  } finally {
    await system.stop();
  }
}

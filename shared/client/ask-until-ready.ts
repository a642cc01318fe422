/** Asking again until something is ready: the result of an asynchronous request, the outcome of a notification. */
import type { Received } from './answer.ts';
import { wait } from './client-system.ts';
import { EngineError } from './engine-error.ts';
import type { CallOptions, HttpSettings } from './http-call.ts';

/**
 * Asks until `nextDelayMs` returns undefined for an answer, waiting the returned time between questions. `attempts` counts
 * the questions. Rejects as each question does, and with code `timeout` after the time limit of `options`.
 */
export async function askUntilReady(
  { system, timeoutMs: usualTimeoutMs }: HttpSettings,
  options: CallOptions,
  ask: (options: CallOptions) => Promise<Received<unknown>>,
  nextDelayMs: (answer: Received<unknown>, questions: number) => number | undefined,
): Promise<Received<unknown>> {
  const timeoutMs = options.timeoutMs ?? usualTimeoutMs;
  const correlationId = options.correlationId ?? system.newId();
  const signal = options.signal ?? new AbortController().signal;
  const giveUpAt = system.now() + timeoutMs;
  const leftMs = (): number => giveUpAt - system.now();
  for (let questions = 1; ; questions += 1) {
    const answer = await ask({ ...options, correlationId, timeoutMs: leftMs() });
    const delayMs = nextDelayMs(answer, questions);
    if (delayMs === undefined) return answer;
    if (delayMs >= leftMs()) {
      const text = `Not ready within ${timeoutMs} ms`;
      throw new EngineError(text, { code: 'timeout', correlationId, attempts: questions });
    }
    await wait(system, delayMs, signal);
  }
}

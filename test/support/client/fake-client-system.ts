import type { ClientSystem } from '../../../shared/client/client-system.ts';

/** What the client sent with one attempt. */
export interface SentCall {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Simulated time, in milliseconds. */
  readonly at: number;
}

type Answerer = (call: SentCall, init: RequestInit) => Response | Promise<Response>;

/** Longer timers, which are those of time limits by default, do not fire. */
const LONGEST_TIMER_MS = 10_000;

/** A system whose `fetch` is answered by the functions in turn, the last of them for all others. Timers fire at once. */
export function fakeClientSystem(...answerers: [Answerer, ...Answerer[]]) {
  const calls: SentCall[] = [];
  let now = 0;
  let ids = 0;
  const system: ClientSystem = {
    now: () => now,
    random: () => 0.5,
    newId: () => `id-${(ids += 1)}`,
    startTimer: (delayMs, run) => {
      if (delayMs > LONGEST_TIMER_MS) return () => undefined;
      const at = now + delayMs;
      const timer = setImmediate(() => {
        now = Math.max(now, at);
        run();
      });
      return () => clearImmediate(timer);
    },
    fetch: async (input, init = {}) => {
      const { method, headers, body } = init;
      const call = {
        url: input as string,
        method,
        headers: headers as Record<string, string>,
        body: typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined,
        at: now,
      };
      calls.push(call);
      const answerer = answerers[Math.min(calls.length, answerers.length) - 1] ?? answerers[0];
      return answerer(call, init);
    },
  };
  return { system, calls };
}

/** An answer in JSON. */
export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers });
}

/**
 * Child process that generates live traffic: sends requests for schedules of twelve rows to the given address, at the
 * rate and for the time that the parent requests, and returns its measurements.
 */
import { openLoop } from '../load.ts';
import { answerParent } from '../processes.ts';
import { SCHEDULE_CALL } from '../samples.ts';
import { openHttpLoad } from './http-load.ts';

/** Three seconds of requests at 20 per second; more in flight means that the server no longer responds. */
const CONNECTIONS = 64;

/** The request of the parent process. */
export interface LiveWords {
  readonly perSecond: number;
  readonly forMs: number;
}

const http = await openHttpLoad(new URL(process.argv[2] ?? ''), SCHEDULE_CALL, CONNECTIONS);
const idle = Array.from({ length: CONNECTIONS }, (_, slot) => slot);
const waiting: ((slot: number) => void)[] = [];

answerParent(async (words: LiveWords) => ({ ...(await openLoop({ ...words, request })) }));

/** A connection carries one request at a time; the most recently used one is taken first, as in keep-alive pools. */
async function request(): Promise<void> {
  const slot = idle.pop() ?? (await new Promise<number>((resolve) => waiting.push(resolve)));
  try {
    await http.request(slot);
  } finally {
    const next = waiting.shift();
    if (next === undefined) idle.push(slot);
    else next(slot);
  }
}

/**
 * Child process: live traffic. Sends schedules of twelve rows to the address given, so many a second for so long as it
 * is told, and answers with what it measured.
 */
import { openHttpLoad } from './http-load.ts';
import { openLoop } from '../open-loop.ts';
import { SAMPLE_BODY } from './sample-request.ts';

/** Three seconds of requests at 20 a second; more than that under way means that nothing is answered any more. */
const CONNECTIONS = 64;

/** What the parent asks for. */
interface Words {
  readonly perSecond: number;
  readonly forMs: number;
}

const http = await openHttpLoad(new URL(process.argv[2] ?? ''), { body: SAMPLE_BODY }, CONNECTIONS);
const idle = Array.from({ length: CONNECTIONS }, (_, slot) => slot);
const waiting: ((slot: number) => void)[] = [];

/** A connection carries one request at a time; the one that was used last is taken first, as keep-alive pools do. */
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

process.on('message', (words: Words) => {
  openLoop({ ...words, request }).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
console.log('READY');

import { setTimeout as sleep } from 'node:timers/promises';

/** Rare enough that the questions of a test do not occupy the broker. */
const POLL_MS = 20;

/** Waits until the check returns true; rejects with the description and the state after `timeoutMs`. */
export async function eventually(
  what: string,
  timeoutMs: number,
  check: () => boolean | Promise<boolean>,
  state: () => unknown = () => '',
): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > until)
      throw new Error(`timed out after ${timeoutMs} ms waiting for ${what}; ${JSON.stringify(state())}`);
    await sleep(POLL_MS);
  }
}

export { sleep };

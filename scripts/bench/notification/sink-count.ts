/** In the process of a stand-in: counts what it receives, and answers the parent with the rate. */

const MS_PER_SECOND = 1_000;

/**
 * For a request `{count}` of the parent, waits for this many more messages, and returns the messages per second from the
 * first to the last one. The returned function counts a message.
 */
export function countReceived(): () => void {
  let wanted = 0;
  let taken = 0;
  let firstAtMs = 0;
  process.on('message', ({ count }: { count: number }) => {
    wanted = count;
    taken = 0;
  });
  process.on('SIGTERM', () => process.exit(0));
  return () => {
    taken += 1;
    const nowMs = performance.now();
    if (taken === 1) firstAtMs = nowMs;
    if (taken === wanted) process.send?.(((taken - 1) * MS_PER_SECOND) / (nowMs - firstAtMs));
  };
}

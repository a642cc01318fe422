/**
 * Does work that must not outlast a lease: its signal is aborted when the lease ends, or when the outer one is. So a
 * provider whose own time-out is longer than a lease allows for does not send when others may call the outcome unknown.
 */
export async function withinLease<T>(
  leftMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, Math.max(0, leftMs));
  outer.addEventListener('abort', abort, { once: true });
  if (outer.aborted) abort();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  }
}

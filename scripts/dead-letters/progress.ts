/** Shorter work says nothing. */
const SAY_EVERY_MS = 2_000;

export interface Progress {
  /** One more is done. */
  step(): void;
}

/** Tells now and then how much of long work is done. */
export function createProgress(say: (line: string) => void, total: number, what: string): Progress {
  let done = 0;
  let saidAt = performance.now();
  return {
    step: () => {
      done += 1;
      if (performance.now() - saidAt < SAY_EVERY_MS) return;
      saidAt = performance.now();
      say(`${done} of ${total} ${what}`);
    },
  };
}

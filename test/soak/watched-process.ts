import { errorText } from '../../shared/platform/errors.ts';
import { sleep } from '../support/conformance/wait.ts';
import type { EngineProcess } from '../support/worlds/engine-process.ts';

const PROBE_EVERY_MS = 1_000;
const PROBE_LIMIT_MS = 5_000;
/** A process that does not answer probes for this long counts as hanging. */
const HANG_MS = 15_000;
const ERROR_CHARACTERS = 600;

export type WatchedProcess = ReturnType<typeof watchProcess>;

/** Watches a process, and calls `onFault` with a line when it exits by itself or hangs. */
export function watchProcess(name: string, engine: EngineProcess, onFault: (line: string) => void) {
  const { child, url } = engine;
  const over = new AbortController();
  const report = (what: string): void =>
    onFault(`${name}: ${what} ${engine.stderr().slice(-ERROR_CHARACTERS)}`);
  child.once('exit', (code, signal) => {
    if (!over.signal.aborted) report(`exited with ${code ?? signal}`);
  });
  const watch = async (): Promise<void> => {
    for (let answeredAt = performance.now(); !over.signal.aborted; await sleep(PROBE_EVERY_MS)) {
      const answer = await probe(`${url}/health/live`);
      const silentMs = performance.now() - answeredAt;
      if (typeof answer === 'number') answeredAt = performance.now();
      else if (silentMs > HANG_MS) return report(`no response for ${silentMs} ms (${answer})`);
    }
  };
  const watching = watch();
  return {
    isReady: async (): Promise<boolean> => (await probe(`${url}/health/ready`)) === 200,
    /** Stops watching, and sends the signal; resolves with the exit code or signal. */
    end: async (signal: NodeJS.Signals): Promise<number | NodeJS.Signals> => {
      over.abort();
      await watching;
      return engine.end(signal);
    },
  };
}

async function probe(url: string): Promise<number | string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return errorText(error instanceof Error ? (error.cause ?? error) : error);
  }
}

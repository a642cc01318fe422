import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';

interface Runner {
  readonly running: boolean;
}

interface RunnerClass {
  readonly prototype: { fetch?: (this: Runner, nodeId: string) => Promise<unknown> };
}

const PATCHED = new WeakSet<object>();

/**
 * kafkajs' fetch manager may start new fetchers after the consumer was stopped: it waits for the fetcher of a silent
 * broker when the set of brokers has changed, and does not look again whether it was stopped meanwhile. A fetch of
 * a stopped consumer answers "nothing" at once, and the fetcher repeats it for ever, without a turn of the event loop: no
 * timer, no signal, no health check. Here such a fetch fails, which ends the fetcher and with it the manager; and each
 * fetch begins with a turn of the event loop, so that no loop of fetches can hold it up, whatever they answer. The turn
 * comes before the positions are read: after the answer it would let an old answer into a new generation (FetchGate).
 * Throws on a kafkajs that is built otherwise.
 */
export function endStoppedFetches(): void {
  const require = createRequire(import.meta.url);
  const { prototype } = require('kafkajs/src/consumer/runner') as RunnerClass;
  if (PATCHED.has(prototype)) return;
  const { fetch } = prototype;
  if (fetch === undefined) {
    throw new Error('a stopped consumer cannot be ended: kafkajs is not of the version in package.json');
  }
  PATCHED.add(prototype);
  prototype.fetch = async function fetchWhileRunning(this: Runner, nodeId: string) {
    if (!this.running) throw new Error('the consumer is stopped');
    await nextTurn();
    return fetch.call(this, nodeId);
  };
}

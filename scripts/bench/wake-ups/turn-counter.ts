/**
 * Loaded before the code of a process (`--import`): counts what its event loop does, and answers each message of the parent
 * process with the counts so far. Timers that Node sets itself, such as those of connections, are not counted.
 */

/** Counts since the start of the process. */
export interface LoopCounts {
  /** Turns of the event loop of the main thread. */
  readonly turns: number;
  /** Calls of setTimeout and setInterval. */
  readonly timers: number;
  /** Calls of setImmediate. */
  readonly immediates: number;
}

let timers = 0;
let immediates = 0;
const system = { setTimeout, setInterval, setImmediate };
// Their properties, such as the form that returns a promise, stay those of Node.
globalThis.setTimeout = Object.assign((...args: Parameters<typeof setTimeout>) => {
  timers += 1;
  return system.setTimeout(...args);
}, system.setTimeout);
globalThis.setInterval = Object.assign((...args: Parameters<typeof setInterval>) => {
  timers += 1;
  return system.setInterval(...args);
}, system.setInterval);
globalThis.setImmediate = Object.assign((...args: Parameters<typeof setImmediate>) => {
  immediates += 1;
  return system.setImmediate(...args);
}, system.setImmediate);

process.on('message', () => {
  const turns = performance.nodeTiming.uvMetricsInfo.loopCount;
  const counts: LoopCounts = { turns, timers, immediates };
  process.send?.(counts);
});
// The process ends as it does without a parent.
process.channel?.unref();

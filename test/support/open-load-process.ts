/**
 * Child process that sends calls at fixed times, whether or not earlier ones have been answered. It answers each message, the loads
 * that it sends at once, with their reports. Its connections stay open for the next ones.
 */
import { Agent, request } from 'node:http';

export interface OpenLoad {
  readonly url: string;
  readonly body?: string;
  readonly perSecond: number;
  readonly forMs: number;
  /** The calls of this time at the start, which also opens the connections, are not in the report. @default 0 */
  readonly uncountedMs?: number;
  readonly connections: number;
  /** The address of the caller. @default 127.0.0.1 */
  readonly from?: string;
}

/** How the calls of a load ended. Latencies are in milliseconds from the time at which the call was due. */
export interface LoadReport {
  calls: number;
  answered: number;
  refused: number;
  readonly other: Record<string, number>;
  readonly answeredMs: Latencies;
  readonly refusedMs: Latencies;
  /** How late the calls were sent because this process was late or had no connection. */
  readonly lateMs: Latencies;
}

interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

const TICK_MS = 2;
const SECOND_MS = 1_000;
const LIMIT_MS = 30_000;

/** Those of the loads so far, by address, number of connections and address of the caller. */
const agents = new Map<string, Agent>();

function agentFor({ url, connections, from }: OpenLoad): Agent {
  const key = JSON.stringify([url, connections, from]);
  const agent = agents.get(key) ?? new Agent({ keepAlive: true, maxSockets: connections });
  agents.set(key, agent);
  return agent;
}

async function run(load: OpenLoad): Promise<LoadReport> {
  const { url, body, perSecond, forMs, from: localAddress = '127.0.0.1', uncountedMs = 0 } = load;
  const agent = agentFor(load);
  const uncounted = Math.floor((perSecond * uncountedMs) / SECOND_MS);
  const calls = uncounted + Math.floor((perSecond * forMs) / SECOND_MS);
  const answeredMs: number[] = [];
  const refusedMs: number[] = [];
  const lateMs: number[] = [];
  const other: Record<string, number> = {};
  const startMs = performance.now();
  const send = (index: number): Promise<void> =>
    new Promise((resolve) => {
      const dueMs = startMs + (index * SECOND_MS) / perSecond;
      const isCounted = index >= uncounted;
      const end = (how: string): void => {
        const tookMs = performance.now() - dueMs;
        if (!isCounted && (how === '200' || how === '503')) return resolve();
        if (how === '200') answeredMs.push(tookMs);
        else if (how === '503') refusedMs.push(tookMs);
        else other[how] = (other[how] ?? 0) + 1;
        resolve();
      };
      const method = body === undefined ? 'GET' : 'POST';
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const call = request(url, { agent, method, headers, localAddress, timeout: LIMIT_MS }, (response) => {
        const { statusCode, headers: received } = response;
        const isComplete = statusCode !== 503 || received['retry-after'] !== undefined;
        response.resume().on('end', () => end(isComplete ? String(statusCode) : '503 without Retry-After'));
        response.on('error', (error) => end(error.message));
      });
      call.on('socket', () => {
        if (isCounted) lateMs.push(performance.now() - dueMs);
      });
      call.on('timeout', () => call.destroy(new Error('no answer')));
      call.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
      call.end(body);
    });
  const sent: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const dueCalls = Math.min(calls, ((performance.now() - startMs) * perSecond) / SECOND_MS);
      while (sent.length < dueCalls) sent.push(send(sent.length));
      if (sent.length < calls) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await Promise.all(sent);
  return {
    calls: calls - uncounted,
    answered: answeredMs.length,
    refused: refusedMs.length,
    other,
    answeredMs: summarise(answeredMs),
    refusedMs: summarise(refusedMs),
    lateMs: summarise(lateMs),
  };
}

function summarise(values: number[]): Latencies {
  values.sort((a, b) => a - b);
  const at = (share: number): number => Math.round(values[Math.floor(values.length * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), longest: Math.round(values.at(-1) ?? 0) };
}

process.on('message', (loads: readonly OpenLoad[]) => {
  void Promise.all(loads.map((load) => run(load))).then((reports) => process.send?.(reports));
});
process.on('disconnect', () => process.exit());

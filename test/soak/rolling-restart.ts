import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import type { TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import { sleep } from '../support/conformance/wait.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import { createHttpCaller, type CallEnd, type HttpCaller } from './http-caller.ts';
import { type CallKind, markedCall, type MarkedCall } from './marked-calls.ts';
import { readTopic } from './topic-reading.ts';
import type { SoakWorld } from './soak-world.ts';
import { SOAK_READY_LIMIT_MS } from './worker-pool.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;
const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE_CATALOGUE = 'shared/product/example-catalogue';
const PUBLISH_LIMIT_MS = 60_000;
const REQUEST_TOPICS: readonly TopicKey[] = ['scheduleRequests', 'productRequests', 'simulationRequests'];
/** Delay before a refused request is sent to the other ingress. */
const REPEAT_PAUSE_MS = 50;
/** A caller that is refused for this long gives up; the system must never be unavailable for so long. */
const REPEAT_LIMIT_MS = 20_000;
/** Calls are sent in groups at this interval, so that a restart finds several in flight. */
const BURST_MS = 100;
/** Traffic before the first restart and after the last one. */
const EDGE_MS = 1_000;

export interface RollingRestartOptions {
  /**
   * Workers in each worker process. Two worker processes and two ingresses run, so that one serves during a restart.
   */
  readonly workers: readonly string[];
  /** The calls to send; these workers serve all of them. */
  readonly calls: readonly CallKind[];
  readonly rounds: number;
  readonly callsPerSecond: number;
}

/** Results of a rolling restart of all processes under load. */
export interface RollingRestartReport {
  readonly rounds: number;
  readonly restarts: number;
  readonly calls: number;
  readonly answered: number;
  /** Refused by a draining ingress with 503 and Retry-After, then answered by the other one. */
  readonly refusedWhileDraining: number;
  /** Connections refused because the ingress was down. */
  readonly unconnected: number;
  /** Connections that an ingress closed before accepting the request, as the log shows. */
  readonly closedUnderRequest: number;
  /** How these calls ended: error code, and whether the connection was reused. */
  readonly closedHow: string;
  /** Responses that belong to another call. */
  readonly swapped: number;
  /** Calls without a response, or on the log without a reply. */
  readonly lost: number;
  /** The first unexpected statuses with their texts. */
  readonly wrongAnswers: readonly string[];
  /** Processes that did not exit with code 0. */
  readonly badExits: readonly string[];
  readonly slowestMs: number;
  readonly durationMs: number;
}

/** One process of the system and its replacements. */
interface Place {
  readonly workers: readonly string[];
  engine: EngineProcess;
  isDraining: boolean;
}

interface Tally {
  answered: number;
  refusedWhileDraining: number;
  unconnected: number;
  swapped: number;
  lost: number;
  slowestMs: number;
  /** How calls were cut, by correlation id. */
  readonly cut: Map<string, string>;
  readonly wrongAnswers: string[];
}

/** Restarts every process of a running system one after another, `rounds` times, under constant HTTP load. */
export async function rollingRestart(
  world: SoakWorld,
  options: RollingRestartOptions,
): Promise<RollingRestartReport> {
  const { say, env } = world;
  if (options.workers.includes('product')) await publishCatalogue(env);
  const processes = [options.workers, options.workers, ['ingress'], ['ingress']];
  const places = await openAll(processes, env);
  const startedAt = performance.now();
  const load = startLoad(places, options);
  const badExits: string[] = [];
  try {
    await sleep(EDGE_MS);
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const place of places) await replace(place, env, badExits);
      say(
        `rolling restart ${round}/${options.rounds}: ${load.calls()} calls, ${load.tally.answered} answered`,
      );
    }
    await sleep(EDGE_MS);
    await load.stop();
    const taken = await takenCalls(world, load.tally.cut);
    const { cut, ...figures } = load.tally;
    return {
      rounds: options.rounds,
      restarts: options.rounds * places.length,
      calls: load.calls(),
      ...figures,
      lost: figures.lost + taken,
      closedUnderRequest: cut.size,
      closedHow: [...new Set(cut.values())].join(', '),
      badExits,
      durationMs: performance.now() - startedAt,
    };
  } finally {
    await load.stop();
    await Promise.all(places.map(({ engine }) => engine.end('SIGKILL')));
  }
}

async function publishCatalogue(env: SoakWorld['env']): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/catalogue.ts', 'publish', EXAMPLE_CATALOGUE], {
    cwd: ROOT,
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    timeout: PUBLISH_LIMIT_MS,
  });
}

/** Starts all processes in parallel. If one fails to start, the others are stopped. */
async function openAll(processes: readonly (readonly string[])[], env: SoakWorld['env']): Promise<Place[]> {
  const opening = processes.map(async (workers): Promise<Place> => {
    const engine = await startEngine(workers, env, SOAK_READY_LIMIT_MS);
    return { workers, engine, isDraining: false };
  });
  const places = (await Promise.allSettled(opening)).flatMap((end) =>
    end.status === 'fulfilled' ? [end.value] : [],
  );
  if (places.length < processes.length) await Promise.all(places.map(({ engine }) => engine.end('SIGKILL')));
  return Promise.all(opening);
}

async function replace(place: Place, env: SoakWorld['env'], badExits: string[]): Promise<void> {
  place.isDraining = true;
  const code = await place.engine.end('SIGTERM');
  if (code !== 0) badExits.push(`${place.workers.join('+')}: ${code} ${place.engine.stderr().slice(-500)}`);
  place.engine = await startEngine(place.workers, env, SOAK_READY_LIMIT_MS);
  place.isDraining = false;
}

interface Load {
  readonly tally: Tally;
  calls(): number;
  /** Stops calling; resolves when the calls in flight have ended. Idempotent. */
  stop(): Promise<void>;
}

/** Sends calls at a constant rate: a load that waited for responses would pause together with the system. */
function startLoad(places: readonly Place[], { calls, callsPerSecond }: RollingRestartOptions): Load {
  const caller = createHttpCaller();
  const ingresses = places.filter(({ workers }) => workers.includes('ingress'));
  const tally: Tally = {
    answered: 0,
    refusedWhileDraining: 0,
    unconnected: 0,
    swapped: 0,
    lost: 0,
    slowestMs: 0,
    cut: new Map(),
    wrongAnswers: [],
  };
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  let number = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) * callsPerSecond) / 1_000;
    for (; number < due; number += 1) {
      const marked = markedCall(calls, number);
      const call = carryOut({ caller, ingresses, tally }, number, marked).finally(() =>
        underWay.delete(call),
      );
      underWay.add(call);
    }
  }, BURST_MS);
  return {
    tally,
    calls: () => number,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
      caller.close();
    },
  };
}

interface Calling {
  readonly caller: HttpCaller;
  readonly ingresses: readonly Place[];
  readonly tally: Tally;
}

/** Sends one call until it is answered; moves to the next ingress when one did not accept it. */
async function carryOut(
  { caller, ingresses, tally }: Calling,
  number: number,
  { path: action, body, answers }: MarkedCall,
): Promise<void> {
  const startedAt = performance.now();
  for (let attempt = 0; performance.now() - startedAt < REPEAT_LIMIT_MS; attempt += 1) {
    const place = ingresses[(number + attempt) % ingresses.length];
    if (place === undefined) break;
    const id = `soak-${number}-${attempt}`;
    const end = await caller.post(place.engine.url + action, body, id);
    const verdict = judge(end, { id, place, answers }, tally);
    if (verdict === 'over') {
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedAt);
      return;
    }
    await sleep(REPEAT_PAUSE_MS);
  }
  tally.lost += 1;
}

interface Asked {
  readonly id: string;
  readonly place: Place;
  readonly answers: (body: string) => boolean;
}

function judge(end: CallEnd, { id, place, answers }: Asked, tally: Tally): 'over' | 'again' {
  if (end.kind === 'unconnected') {
    tally.unconnected += 1;
    return 'again';
  }
  if (end.kind === 'cut') {
    tally.cut.set(id, end.reason);
    return 'again';
  }
  if (end.kind === 'broken') {
    tally.lost += 1;
    tally.wrongAnswers.push(`${id}: ${end.reason}`);
    return 'over';
  }
  if (end.status === 503 && end.retryAfter !== undefined && end.body.includes('"not-ready"')) {
    tally.refusedWhileDraining += 1;
    if (!place.isDraining) tally.wrongAnswers.push(`${id}: refused by an ingress that was not draining`);
    return 'again';
  }
  if (end.status !== 200) {
    tally.wrongAnswers.push(`${id}: ${end.status} ${end.body.slice(0, 300)}`);
    return 'over';
  }
  tally.answered += 1;
  if (end.correlationId !== id || !isOwn(end.body, answers)) tally.swapped += 1;
  return 'over';
}

/** An unreadable body counts as a wrong response. */
function isOwn(body: string, answers: Asked['answers']): boolean {
  try {
    return answers(body);
  } catch {
    return false;
  }
}

/** Counts the cut calls that are on the log: they were accepted, and their replies were lost. */
async function takenCalls({ broker, topic }: SoakWorld, cut: ReadonlyMap<string, string>): Promise<number> {
  if (cut.size === 0) return 0;
  const taken = new Set<string>();
  for (const key of REQUEST_TOPICS) {
    await readTopic(broker, topic(key), ({ headers }) => {
      // The ingress appends a UUID to the caller's id.
      const id = headerText(headers, HEADER.correlationId)?.split('.', 1)[0] ?? '';
      if (cut.has(id)) taken.add(id);
    });
  }
  return taken.size;
}

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import { sleep } from '../support/conformance/wait.ts';
import type { EngineProcess } from '../support/worlds/engine-process.ts';
import { callOnce, type CallKind, startLoad } from './http-load.ts';
import { nonZero, readTopic, type SoakWorld, startEngines, startOne } from './soak-world.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PUBLISH_LIMIT_MS = 60_000;
/** Delay before a refused request is sent to the other ingress. */
const REPEAT_PAUSE_MS = 50;
/** A caller that is refused for this long gives up; the system must never be unavailable for so long. */
const REPEAT_LIMIT_MS = 20_000;
const EDGE_MS = 1_000;
const SHOWN_CHARACTERS = 300;

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
  readonly restarts: number;
  readonly calls: number;
  readonly answered: number;
  /** Refused by a draining ingress with 503 and Retry-After, then answered by the other one. */
  readonly refusedWhileDraining: number;
  readonly unconnected: number;
  /** Connections that an ingress closed before it accepted the request, as the log shows. */
  readonly closedUnderRequest: number;
  readonly swapped: number;
  /** Calls without a response, or on the log without a reply. */
  readonly lost: number;
  readonly slowestMs: number;
  readonly durationMs: number;
  /** Empty: every call got its own response, and every process ended well. */
  readonly faults: readonly string[];
}

/** One process of the system and its replacements. */
interface Place {
  readonly workers: readonly string[];
  engine: EngineProcess;
  isDraining: boolean;
}

/** Restarts every process of a running system one after another, `rounds` times, under constant HTTP load. */
export async function rollingRestart(
  world: SoakWorld,
  options: RollingRestartOptions,
): Promise<RollingRestartReport> {
  const { say, env } = world;
  if (options.workers.includes('product')) await publishCatalogue(env);
  const kinds = [options.workers, options.workers, ['ingress'], ['ingress']];
  const engines = await startEngines(kinds, env);
  const places = engines.map((engine, index): Place => ({
    workers: kinds[index] ?? [],
    engine,
    isDraining: false,
  }));
  const ingresses = places.slice(-2);
  const startedAt = performance.now();
  const faults: string[] = [];
  const tally = { answered: 0, refusedWhileDraining: 0, unconnected: 0, swapped: 0, lost: 0, slowestMs: 0 };
  const cut = new Set<string>();
  const load = startLoad(options.callsPerSecond, async (number) => {
    const begunAt = performance.now();
    for (let attempt = 0; performance.now() - begunAt < REPEAT_LIMIT_MS; attempt += 1) {
      const place = ingresses[(number + attempt) % 2] as Place;
      const id = `soak-${number}-${attempt}`;
      const end = await callOnce(place.engine.url, id, { kinds: options.calls, number });
      if (end.kind === 'unconnected') tally.unconnected += 1;
      else if (end.kind === 'cut') cut.add(id);
      else if (end.kind === 'broken') {
        tally.lost += 1;
        faults.push(`${id}: ${end.reason}`);
        return;
      } else if (end.status === 503 && end.retryAfter !== null && end.body.includes('"not-ready"')) {
        tally.refusedWhileDraining += 1;
        if (!place.isDraining) faults.push(`${id}: refused by an ingress that was not draining`);
      } else {
        if (end.status === 200) tally.answered += 1;
        else faults.push(`${id}: ${end.status} ${end.body.slice(0, SHOWN_CHARACTERS)}`);
        if (!end.isOwn) tally.swapped += 1;
        tally.slowestMs = Math.max(tally.slowestMs, performance.now() - begunAt);
        return;
      }
      await sleep(REPEAT_PAUSE_MS);
    }
    tally.lost += 1;
  });
  try {
    await sleep(EDGE_MS);
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const place of places) await replace(place, env, faults);
      say(`rolling restart ${round}/${options.rounds}: ${load.calls()} calls, ${tally.answered} answered`);
    }
    await sleep(EDGE_MS);
    await load.stop();
    tally.lost += await acceptedCalls(world, cut);
    const figures = { ...tally, calls: load.calls(), closedUnderRequest: cut.size };
    if (figures.answered !== figures.calls)
      faults.push(`${figures.answered} responses to ${figures.calls} calls`);
    faults.push(...nonZero(figures, 'lost', 'swapped'));
    const restarts = options.rounds * places.length;
    return { ...figures, restarts, durationMs: performance.now() - startedAt, faults };
  } finally {
    await load.stop();
    for (const { engine } of places) engine.child.kill('SIGKILL');
  }
}

async function publishCatalogue(env: SoakWorld['env']): Promise<void> {
  const { PATH } = process.env;
  const args = ['scripts/catalogue.ts', 'publish', 'shared/product/example-catalogue'];
  const options = { cwd: ROOT, env: { PATH, ...env }, timeout: PUBLISH_LIMIT_MS };
  await promisify(execFile)(process.execPath, args, options);
}

async function replace(place: Place, env: SoakWorld['env'], faults: string[]): Promise<void> {
  place.isDraining = true;
  const code = await place.engine.end('SIGTERM');
  if (code !== 0) faults.push(`${place.workers.join('+')}: ${code} ${place.engine.stderr().slice(-500)}`);
  place.engine = await startOne(place.workers, env);
  place.isDraining = false;
}

/** Counts the cut calls that are on the log: they were accepted, and their replies were lost. */
async function acceptedCalls({ broker, topic }: SoakWorld, cut: ReadonlySet<string>): Promise<number> {
  const accepted = new Set<string>();
  for (const key of ['scheduleRequests', 'productRequests', 'simulationRequests'] as const) {
    if (cut.size === 0) return 0;
    await readTopic(broker, topic(key), ({ headers }) => {
      // The ingress appends a UUID to the caller's id.
      const id = headerText(headers, HEADER.correlationId)?.split('.', 1)[0] ?? '';
      if (cut.has(id)) accepted.add(id);
    });
  }
  return accepted.size;
}

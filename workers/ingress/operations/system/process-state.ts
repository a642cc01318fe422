import { z } from 'zod';
import type { SystemBreaker, SystemWorker } from '../../../../shared/api/operations/system-state.ts';
import { readAnswer } from '../../../../shared/platform/bounded-answer.ts';
import { openDeadline, type Timers } from '../../../../shared/platform/system-ports.ts';
import type { Health } from '../../../../shared/platform/health.ts';
import type { Metrics, Sample } from '../../../../shared/platform/metrics.ts';
import { noAnswer, ReadingError } from './cached-reading.ts';

/** What a process says about itself. */
export interface ProcessState {
  readonly workers: readonly SystemWorker[];
  readonly samples: readonly Sample[];
}

const PROVIDER_BREAKER = 'plat_notification_provider_open';
const START_TIME = 'process_start_time_seconds';
const METRICS = [START_TIME, PROVIDER_BREAKER];

const MAX_SAMPLES = 10_000;
const MAX_WORKERS = 32;
const MAX_BREAKERS = 64;
const MAX_REASON_LENGTH = 500;
const MAX_NAME_LENGTH = 200;
const TIMEOUT_MS = 2_000;

/** The state of this process. */
export async function ownState(
  metrics: Metrics,
  health: Readonly<Record<string, Health>>,
): Promise<ProcessState> {
  return { workers: toWorkers(health), samples: await metrics.samples(METRICS) };
}

/**
 * Reads health and metrics of another process at the address of its health port or ingress. Rejects when it does not answer in
 * time or with something else.
 */
export async function readProcess(address: string, timers: Timers): Promise<ProcessState> {
  using deadline = openDeadline(new AbortController().signal, TIMEOUT_MS, timers);
  const names = METRICS.map((name) => `name[]=${name}`).join('&');
  const base = address.replace(/\/+$/, '');
  try {
    const [health, metrics] = await Promise.all([
      // 503 while it is not ready, with the reasons.
      readText(`${base}/health/ready`, deadline.signal, [200, 503]),
      readText(`${base}/metrics?${names}`, deadline.signal, [200]),
    ]);
    return { workers: readWorkers(health), samples: parseSamples(metrics, MAX_SAMPLES) };
  } catch (error) {
    if (deadline.isTimedOut()) throw new ReadingError(noAnswer(TIMEOUT_MS), error);
    // What fetch reports has the reason, such as a refused connection, in its cause.
    const cause = (error as Error).cause as { readonly code?: string; readonly message?: string } | undefined;
    const reason = cause?.code ?? cause?.message;
    if (reason === undefined) throw error;
    throw new ReadingError(
      { code: 'unreachable', text: `cannot be reached: ${reason}`, detail: reason },
      error,
    );
  }
}

/** When the process was started, in epoch milliseconds, if it says so. */
export function startTimeMs({ samples }: ProcessState): number | undefined {
  const seconds = samples.find(({ name }) => name === START_TIME)?.value;
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** The circuit breakers of the providers that the process calls. */
export function breakersOf({ samples }: ProcessState): readonly Omit<SystemBreaker, 'process'>[] {
  return samples
    .filter(({ name }) => name === PROVIDER_BREAKER)
    .map(({ labels, value }): Omit<SystemBreaker, 'process'> => ({
      name: `${labels['channel']}/${labels['provider']}`,
      state: value === 0 ? 'closed' : 'open',
    }))
    .slice(0, MAX_BREAKERS);
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
/** Each begins where the one before ends: looking for it in other text takes minutes for a MiB of letters. */
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",? */gy;
/** Ours are names of workers, actions and providers. Another process is not trusted to be short. */
const MAX_LABEL_LENGTH = 200;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/** Reads Prometheus text as another process exposes it. Comments and lines that cannot be read are left out. */
function parseSamples(text: string, maxSamples: number): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (samples.length >= maxSamples) break;
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels = '', number = ''] = LINE.exec(line) ?? [];
    const value = readNumber(number);
    if (name === undefined || Number.isNaN(value)) continue;
    samples.push({ name, labels: readLabels(labels), value });
  }
  return samples;
}

const part = z.object({
  status: z.enum(['ready', 'starting', 'degraded', 'unhealthy']),
  reason: z.string().optional(),
});
const parts = z.record(z.string(), part);
/** An ingress lists its own parts and the other workers of its process; a health port lists the workers as parts. */
const healthAnswer = z.object({ ...part.shape, parts, workers: parts.optional() });

function readWorkers(text: string): readonly SystemWorker[] {
  const read = healthAnswer.safeParse(parseJson(text));
  if (!read.success) throw unexpected('the address answers, but not as a health port of this system');
  const { status, reason, parts: own, workers } = read.data;
  return toWorkers(workers === undefined ? own : { ingress: { status, reason }, ...workers });
}

function toWorkers(
  health: Readonly<Record<string, { status: Health['status']; reason?: string | undefined }>>,
): readonly SystemWorker[] {
  return Object.entries(health)
    .slice(0, MAX_WORKERS)
    .map(([name, { status, reason }]) => ({
      name: name.slice(0, MAX_NAME_LENGTH),
      status,
      ...(reason === undefined ? {} : { reason: reason.slice(0, MAX_REASON_LENGTH) }),
    }));
}

function unexpected(text: string, detail?: string): ReadingError {
  return new ReadingError({ code: 'unexpected-answer', text, ...(detail === undefined ? {} : { detail }) });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readText(url: string, signal: AbortSignal, statuses: readonly number[]): Promise<string> {
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!statuses.includes(response.status) || response.body === null) {
    await response.body?.cancel();
    const { pathname } = new URL(url);
    const { status } = response;
    throw unexpected(`${pathname} answers with status ${status}`, `${pathname}: ${status}`);
  }
  const text = await readAnswer(response);
  if (text === undefined) throw unexpected('the answer is longer than 1 MiB', '> 1 MiB');
  return text;
}

function readLabels(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value
        .slice(0, MAX_LABEL_LENGTH)
        .replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character),
    ]),
  );
}

function readNumber(text: string): number {
  if (text === '+Inf') return Infinity;
  return text === '' ? Number.NaN : Number(text);
}

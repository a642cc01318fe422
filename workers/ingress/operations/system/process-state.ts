import { jsonOf } from '../../../../shared/platform/json-pointer.ts';
import { z } from 'zod';
import type { SystemBreaker, SystemWorker } from '../../../../shared/api/operations/system-state.ts';
import { readAnswer } from '../../../../shared/platform/bounded-answer.ts';
import { openDeadline, type Timers } from '../../../../shared/platform/system-ports.ts';
import type { Health } from '../../../../shared/platform/health.ts';
import type { Metrics } from '../../../../shared/platform/metrics.ts';
import { noAnswer, ReadingError } from './cached-reading.ts';

interface ProcessState {
  readonly workers: readonly SystemWorker[];
  /** Epoch milliseconds of its start; undefined if its metrics lack it. */
  readonly startedAtMs: number | undefined;
  readonly breakers: readonly Omit<SystemBreaker, 'process'>[];
}

const PROVIDER_BREAKER = 'plat_notification_provider_open';
const START_TIME = 'process_start_time_seconds';
const METRICS = [START_TIME, PROVIDER_BREAKER];

const MAX_WORKERS = 32;
const MAX_BREAKERS = 64;
const MAX_REASON_LENGTH = 500;
const MAX_NAME_LENGTH = 200;
const TIMEOUT_MS = 2_000;

export async function ownState(
  metrics: Metrics,
  health: Readonly<Record<string, Health>>,
): Promise<ProcessState> {
  return toState(health, await metrics.text(METRICS));
}

/** Reads health and metrics of another process. Rejects with ReadingError unless it answers as expected within 2 s. */
export async function readProcess(address: string, timers: Timers): Promise<ProcessState> {
  using deadline = openDeadline(new AbortController().signal, TIMEOUT_MS, timers);
  const names = METRICS.map((name) => `name[]=${name}`).join('&');
  const base = address.replace(/\/+$/, '');
  try {
    const [health, metrics] = await Promise.all([
      // While the process is not ready, it answers with 503 and the reasons.
      readText(`${base}/health/ready`, deadline.signal, [200, 503]),
      readText(`${base}/metrics?${names}`, deadline.signal, [200]),
    ]);
    return toState(readHealth(health), metrics);
  } catch (error) {
    if (deadline.isTimedOut()) throw new ReadingError(noAnswer(TIMEOUT_MS), error);
    // The cause of an error of fetch has the reason, such as a refused connection.
    const cause = (error as Error).cause as { readonly code?: string; readonly message?: string } | undefined;
    const reason = cause?.code ?? cause?.message;
    if (reason === undefined) throw error;
    const fault = `cannot be reached: ${reason}`;
    throw new ReadingError({ fault, faultCode: 'unreachable', faultDetail: reason }, error);
  }
}

type WorkersHealth = Readonly<Record<string, Pick<SystemWorker, 'status' | 'reason'>>>;

/** Limits all texts and lists, since those of another process may be long. */
function toState(health: WorkersHealth, metrics: string): ProcessState {
  const samples = readSamples(metrics);
  const startedAt = samples.find(({ name }) => name === START_TIME);
  return {
    workers: Object.entries(health)
      .slice(0, MAX_WORKERS)
      .map(([name, { status, reason }]) => ({
        name: name.slice(0, MAX_NAME_LENGTH),
        status,
        reason: reason?.slice(0, MAX_REASON_LENGTH),
      })),
    startedAtMs: startedAt && startedAt.value * 1_000,
    breakers: samples
      .filter(({ name }) => name === PROVIDER_BREAKER)
      .slice(0, MAX_BREAKERS)
      .map(({ labels: { channel, provider }, value }) => ({
        name: `${channel}/${provider}`,
        state: value === 0 ? 'closed' : 'open',
      })),
  };
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
/** Each label must begin where the one before ends: searching a MiB of other text for the next would take minutes. */
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",? */gy;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/** Reads Prometheus text. Comments and lines that cannot be read are left out. */
function readSamples(text: string) {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', number] = LINE.exec(line) ?? [];
    const value = Number(number);
    return name === undefined || Number.isNaN(value) ? [] : [{ name, labels: readLabels(labels), value }];
  });
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const labels = [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
    name,
    value
      .slice(0, MAX_NAME_LENGTH)
      .replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character),
  ]);
  return Object.fromEntries(labels) as Readonly<Record<string, string>>;
}

const part = z.object({
  status: z.enum(['ready', 'starting', 'degraded', 'unhealthy']),
  reason: z.string().optional(),
});
const parts = z.record(z.string(), part);
/** An ingress lists its own parts and the other workers of its process; a health port lists the workers as parts. */
const healthAnswer = z.object({ ...part.shape, parts, workers: parts.optional() });

function readHealth(text: string): WorkersHealth {
  const read = healthAnswer.safeParse(jsonOf(text));
  if (!read.success) throw unexpected('the address answers, but not as a health port of this system');
  const { status, reason, parts: own, workers } = read.data;
  return workers === undefined ? own : { ingress: { status, reason }, ...workers };
}

function unexpected(fault: string, faultDetail?: string): ReadingError {
  return new ReadingError({ fault, faultCode: 'unexpected-answer', faultDetail });
}

async function readText(url: string, signal: AbortSignal, statuses: readonly number[]): Promise<string> {
  const response = await fetch(url, { signal, redirect: 'error' });
  const { status, body } = response;
  if (!statuses.includes(status) || body === null) {
    await body?.cancel();
    const { pathname } = new URL(url);
    throw unexpected(`${pathname} answers with status ${status}`, `${pathname}: ${status}`);
  }
  const text = await readAnswer(response);
  if (text === undefined) throw unexpected('the answer is longer than 1 MiB', '> 1 MiB');
  return text;
}

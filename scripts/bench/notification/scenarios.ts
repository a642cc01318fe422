/** How fast one worker delivers e-mails beside nodemailer alone, and what memory many of them take. */

import type { Child } from '../child-process.ts';
import { median } from '../closed-loop.ts';
import { atLeast } from '../interleaved.ts';
import {
  startMailSink,
  startRawMailer,
  startWorkerMailer,
  type Mailer,
  type WorkerMailer,
} from './mail-delivery.ts';
import type { Ratio } from '../measurement.ts';
import type { MemoryInUse } from '../memory-probe.ts';
import { rawKafka } from '../calls/raw-client.ts';

/** Aims: e-mails per second, share of nodemailer alone, MiB more memory from the first mark to the last. */
const AIM = { perSecond: 300, share: 0.6, growthMiB: 32 } as const;
/** Unmeasured, for the just-in-time compilers of all processes; its end tells how many are sent in a round. */
const WARM_UPS = [1_000, 3_000, 6_000] as const;
/** Notifications in one go while memory is measured: as many as then wait in Kafka at most. */
const PORTION = 5_000;
/** Shares of all notifications at which memory is looked at. */
const MARKS = [0.1, 0.5, 1] as const;
const MS_PER_SECOND = 1_000;

/** E-mails per second of one mailer, round by round. */
export interface DeliveryRate {
  readonly name: string;
  readonly rounds: readonly number[];
}

/** What a worker uses after so many notifications. */
export interface MemoryMark extends MemoryInUse {
  readonly notifications: number;
}

/** Figures of the delivery. */
export interface DeliveryResults {
  readonly rates: readonly DeliveryRate[];
  readonly memory: readonly MemoryMark[];
  readonly ratios: readonly Ratio[];
}

export interface DeliveryBenchOptions {
  readonly brokers: readonly string[];
  readonly rounds: number;
  readonly measureMs: number;
  /** Notifications over which memory is measured. */
  readonly notifications: number;
  readonly progress: (text: string) => void;
}

/** Mail server, nodemailer alone, worker and Kafka a process each; the commands wait on their topic when a round begins. */
export async function benchDelivery(options: DeliveryBenchOptions): Promise<DeliveryResults> {
  const { brokers } = options;
  const prefix = `bench-${process.pid}.delivery.`;
  const children: Child[] = [];
  const sink = await startMailSink(children);
  try {
    const raw = await startRawMailer(sink, children);
    const rates = await withWorker(sink, { brokers, prefix }, (worker) => inTurns(options, worker, raw));
    const memory = await withWorker(sink, { brokers, prefix: `${prefix}many.` }, (worker) =>
      memoryOf(options, worker),
    );
    return { rates, memory, ratios: [...rateRatios(rates), ...memoryRatios(memory)] };
  } finally {
    for (const child of children.toReversed()) await child.stop();
  }
}

async function withWorker<T>(
  sink: { readonly sink: Child; readonly port: number },
  place: { readonly brokers: readonly string[]; readonly prefix: string },
  use: (worker: WorkerMailer) => Promise<T>,
): Promise<T> {
  const worker = await startWorkerMailer(sink, place);
  try {
    return await use(worker);
  } finally {
    await worker.stop();
    const admin = rawKafka(place.brokers, 'bench-admin').admin();
    await admin.connect();
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(place.prefix));
    await admin.deleteTopics({ topics });
    await admin.disconnect();
  }
}

/** Each round lasts about as long for both; every second one goes the other way round. */
async function inTurns(
  { rounds, measureMs, progress }: DeliveryBenchOptions,
  worker: WorkerMailer,
  raw: Mailer,
): Promise<readonly DeliveryRate[]> {
  const mailers = [raw, worker];
  const lines = new Map(mailers.map((mailer) => [mailer, { count: 1, rates: [] as number[] }]));
  for (const count of WARM_UPS) {
    for (const [mailer, line] of lines) {
      progress(`warming up: ${mailer.name}`);
      line.count = Math.ceil(((await mailer.deliver(count)) * measureMs) / MS_PER_SECOND);
    }
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const mailer of round % 2 === 1 ? mailers : mailers.toReversed()) {
      const line = lines.get(mailer);
      if (line === undefined) continue;
      const rate = await mailer.deliver(line.count);
      progress(`round ${round}/${rounds}: ${mailer.name}, ${Math.round(rate)} e-mails a second`);
      line.rates.push(rate);
    }
  }
  return [...lines].map(([{ name }, { rates }]) => ({ name, rounds: rates }));
}

async function memoryOf(
  { notifications, progress }: DeliveryBenchOptions,
  worker: WorkerMailer,
): Promise<readonly MemoryMark[]> {
  const marks: MemoryMark[] = [];
  let done = 0;
  for (const share of MARKS) {
    const until = Math.round(notifications * share);
    while (done < until) {
      const portion = Math.min(PORTION, until - done);
      const rate = await worker.deliver(portion);
      done += portion;
      progress(`memory: ${done} of ${notifications} notifications, ${Math.round(rate)} a second`);
    }
    marks.push({ notifications: done, ...(await worker.memory()) });
  }
  return marks;
}

function rateRatios([raw, worker]: readonly DeliveryRate[]): readonly Ratio[] {
  if (raw === undefined || worker === undefined) return [];
  const perSecond = median(worker.rounds);
  return [
    {
      name: 'e-mails per second through one worker',
      value: perSecond,
      aim: `>= ${AIM.perSecond}`,
      reached: perSecond >= AIM.perSecond,
    },
    atLeast(
      'e-mails through one worker / nodemailer alone',
      {
        value: median(worker.rounds.map((rate, round) => rate / (raw.rounds[round] ?? Number.NaN))),
        byFastest: Math.max(...worker.rounds) / Math.max(...raw.rounds),
      },
      AIM.share,
    ),
  ];
}

function memoryRatios(marks: readonly MemoryMark[]): readonly Ratio[] {
  const [first] = marks;
  const last = marks.at(-1);
  if (first === undefined || last === undefined) return [];
  const grown = last.heap - first.heap;
  const span = `${first.notifications.toLocaleString('en-US')} to ${last.notifications.toLocaleString('en-US')}`;
  return [
    {
      name: `MiB more heap and buffers from ${span} notifications`,
      value: grown,
      aim: `<= ${AIM.growthMiB}`,
      reached: grown <= AIM.growthMiB,
    },
  ];
}

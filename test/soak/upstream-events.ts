import { isDeepStrictEqual } from 'node:util';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import { sleep } from '../support/conformance/wait.ts';
import { expectedSchedule } from './expected-schedule.ts';
import { planIncidents, type Incident } from './incidents.ts';
import { contractOf, type PortfolioContract } from './portfolio-contract.ts';
import { originTimestampMs, type Portfolio } from './portfolio-file.ts';
import type { SoakWorld } from './soak-world.ts';
import { lagOfBulkLane, matchReplies, messagesOn, readTopic, type ReplyFigures } from './topic-reading.ts';
import { startWorkerPool } from './worker-pool.ts';

/** An upstream system that uses Kafka only, and the incidents while it waits for replies. */
export interface UpstreamOptions {
  readonly portfolio: Portfolio;
  readonly workers: number;
  readonly workerKillsAt: readonly number[];
  /** If undefined, no broker is restarted. */
  readonly brokerRestartAt: number | undefined;
  readonly brokerAwayMs: number;
  readonly limitMs: number;
}

/** Results of the run. */
export interface UpstreamReport extends ReplyFigures {
  readonly contracts: number;
  readonly workerKills: number;
  readonly brokerRestarts: number;
  /** Items returned under another id, out of order, or not at all. */
  readonly misplaced: number;
  /** Items with an unexpected status; one item in {@link BAD_EVERY} messages must be refused. */
  readonly wrongStatus: number;
  /** Items compared with a calculation in this process, and those that differ. */
  readonly compared: number;
  readonly different: number;
  readonly trouble: readonly string[];
  readonly lag: number;
  readonly deadLetters: number;
  readonly durationMs: number;
}

/** With this number of schedules of 360 rows, a JSON reply is below 3 MiB. */
const ITEMS = 20;
/** One message in this number contains an item that cannot be calculated. */
const BAD_EVERY = 10;
const BAD_PLACE = 3;
const POLL_MS = 50;
/** Counting unanswered requests reads both topics. */
const LOOK_MS = 1_000;
const REPLY_TOPIC = 'upstream.schedules.replies';

type Item = PortfolioContract;

interface ReplyItem {
  readonly id: string | number;
  readonly status: number;
  readonly body: unknown;
}

/** Sends arrays of requests with plain kafkajs and a separate reply topic while workers and a broker are killed. */
export async function runUpstream(world: SoakWorld, options: UpstreamOptions): Promise<UpstreamReport> {
  const { portfolio } = options;
  const replyTopic = await world.createTopic(REPLY_TOPIC);
  const messages = Math.ceil(portfolio.contracts / ITEMS);
  const pool = await startWorkerPool(options.workers, ['schedule'], world.env);
  const counts = { workerKills: 0, brokerRestarts: 0 };
  const plan = planIncidents(
    incidentsOf(world, options, counts, () => pool.replaceOne()),
    world.say,
  );
  const deadBefore = await messagesOn(world.broker, world.topic('scheduleDeadLetters'));
  const startedAt = performance.now();
  try {
    const sent = produce(world, portfolio, replyTopic);
    await untilAnswered(world, replyTopic, { messages, plan, limitMs: options.limitMs });
    await sent;
    const durationMs = performance.now() - startedAt;
    const incidentFaults = await plan.settled();
    const lag = await lagOfBulkLane(world);
    await pool.stop();
    const requests = world.topic('scheduleBulkRequests');
    return {
      contracts: portfolio.contracts,
      ...counts,
      ...(await matchReplies(world.broker, { requests, replies: replyTopic })),
      ...(await checkReplies(world, replyTopic, portfolio)),
      trouble: [...incidentFaults, ...plan.left(), ...pool.crashes()],
      lag,
      deadLetters: (await messagesOn(world.broker, world.topic('scheduleDeadLetters'))) - deadBefore,
      durationMs,
    };
  } finally {
    await pool.abandon();
  }
}

function incidentsOf(
  world: SoakWorld,
  options: UpstreamOptions,
  counts: { workerKills: number; brokerRestarts: number },
  replaceOne: () => Promise<void>,
): Incident[] {
  const { restartBroker } = world;
  const kills = options.workerKillsAt.map((atShare) => ({
    atShare,
    name: 'kill -9 of a worker',
    run: async (): Promise<void> => {
      counts.workerKills += 1;
      await replaceOne();
    },
  }));
  if (restartBroker === undefined || options.brokerRestartAt === undefined) return kills;
  const run = async (): Promise<void> => {
    counts.brokerRestarts += 1;
    await restartBroker(options.brokerAwayMs);
  };
  return [...kills, { atShare: options.brokerRestartAt, name: 'kill -9 and restart of a broker', run }];
}

function itemsOf(portfolio: Portfolio, message: number): Item[] {
  const first = message * ITEMS;
  const count = Math.min(ITEMS, portfolio.contracts - first);
  return Array.from({ length: count }, (_, place) => {
    const contract = contractOf(portfolio.seed, first + place);
    if (!isBad(message, place)) return contract;
    return { ...contract, jsonParam: { ...contract.jsonParam, InstallmentsNo: 0 } };
  });
}

function isBad(message: number, place: number): boolean {
  return message % BAD_EVERY === 0 && place === BAD_PLACE;
}

/** Written with kafkajs alone, as any upstream system would. */
async function produce(world: SoakWorld, portfolio: Portfolio, replyTopic: string): Promise<void> {
  const kafka = new Kafka({
    clientId: 'upstream',
    brokers: [...world.brokers],
    logLevel: logLevel.NOTHING,
    retry: { retries: 20, maxRetryTime: 5_000 },
  });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  try {
    for (let message = 0; message * ITEMS < portfolio.contracts; message += 1) {
      await producer.send({
        topic: world.topic('scheduleBulkRequests'),
        acks: -1,
        messages: [
          {
            key: `upstream-${message}`,
            value: JSON.stringify(itemsOf(portfolio, message)),
            headers: {
              [HEADER.messageType]: 'CalculateRepaymentScheduleRequest',
              [HEADER.contentType]: 'application/json',
              [HEADER.correlationId]: `upstream-${message}`,
              [HEADER.replyTopic]: replyTopic,
              [HEADER.originTimestamp]: String(originTimestampMs(portfolio)),
            },
          },
        ],
      });
    }
  } finally {
    await producer.disconnect();
  }
}

interface Awaited {
  readonly messages: number;
  readonly plan: ReturnType<typeof planIncidents>;
  readonly limitMs: number;
}

/** Starts incidents as replies arrive, until every request has one or the time limit is reached. */
async function untilAnswered(
  world: SoakWorld,
  replyTopic: string,
  { messages, plan, limitMs }: Awaited,
): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  let nextLookAt = 0;
  while (performance.now() < giveUpAt) {
    await sleep(POLL_MS);
    // While a broker is down, its partitions have no leader for some seconds.
    const replies = await messagesOn(world.broker, replyTopic).catch(() => undefined);
    if (replies === undefined) continue;
    plan.reached(Math.min(1, replies / messages));
    if (replies < messages || performance.now() < nextLookAt) continue;
    nextLookAt = performance.now() + LOOK_MS;
    const { requests, unanswered } = await matchReplies(world.broker, {
      requests: world.topic('scheduleBulkRequests'),
      replies: replyTopic,
    });
    if (requests === messages && unanswered === 0) return;
  }
}

type ItemFigures = Pick<UpstreamReport, 'misplaced' | 'wrongStatus' | 'compared' | 'different'>;

/** Checks the first reply to each request; `differing` lists requests whose repeated replies differ. */
async function checkReplies(
  world: SoakWorld,
  replyTopic: string,
  portfolio: Portfolio,
): Promise<ItemFigures> {
  const figures = { misplaced: 0, wrongStatus: 0, compared: 0, different: 0 };
  const seen = new Set<string>();
  await readTopic(world.broker, replyTopic, ({ headers, value }) => {
    const id = headerText(headers, HEADER.correlationId) ?? '';
    if (seen.has(id)) return;
    seen.add(id);
    const message = Number(id.replace('upstream-', ''));
    const asked = itemsOf(portfolio, message);
    const parsed = JSON.parse(value?.toString('utf8') ?? 'null') as unknown;
    const items = Array.isArray(parsed) ? (parsed as ReplyItem[]) : [];
    figures.misplaced += Math.max(0, items.length - asked.length);
    for (const [place, { id: wanted, jsonParam }] of asked.entries()) {
      const item = items[place];
      if (item?.id !== wanted) {
        figures.misplaced += 1;
        continue;
      }
      const isRefusal = item.status === 400 || item.status === 422;
      if (isBad(message, place) ? !isRefusal : item.status !== 200) figures.wrongStatus += 1;
      // One item per message; the portfolio run compares whole results.
      if (place !== 0) continue;
      figures.compared += 1;
      const expected = JSON.parse(expectedSchedule(jsonParam, originTimestampMs(portfolio))) as unknown;
      if (!isDeepStrictEqual(item.body, expected)) figures.different += 1;
    }
  });
  return figures;
}

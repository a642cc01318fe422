import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Publisher } from '../../../shared/messaging/ports.ts';
import { allTopicSpecs } from '../../../shared/messaging/topics/topic-settings.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import type { Priority } from '../../../shared/notification/command.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { start } from '../../../workers/notification/main.ts';
import { guard } from '../../../workers/notification/providers/guarded-provider.ts';
import { after, SENT, scriptedProviders } from '../fakes/scripted-providers.ts';
import { idOf } from './notification-world.ts';

export interface LatencyOptions {
  readonly broker: Broker;
  readonly prefix: string;
  /** Normal commands that wait while the loaded rounds are measured. */
  readonly queued: number;
  /** Alternating rounds without and with the queue. */
  readonly rounds: number;
  /** Urgent commands of a round. */
  readonly perRound: number;
  /** Between two urgent commands, in milliseconds. */
  readonly pauseMs: number;
  /** From the start of the worker of a round to its first urgent command: the queue is being sent at its rate then. */
  readonly settleMs: number;
  /** Default: with a rate limit. */
  readonly provider?: typeof LIMITED | typeof UNLIMITED;
}

/** From the call that publishes a command to the call of the provider, in milliseconds, ascending. */
export interface Latencies {
  readonly idle: readonly number[];
  readonly loaded: readonly number[];
  /** Normal commands that were not sent at the end of the loaded rounds. */
  readonly left: number;
}

/** A provider as the bank's contract with it allows: 10 connections, 100 calls a second, 20 ms for each. */
const LIMITED = { concurrency: 10, ratePerSecond: 100, answerMs: 20 } as const;
/** A provider without a limit, which answers at once: then the processor is the limit. */
export const UNLIMITED = { concurrency: 10, ratePerSecond: undefined, answerMs: 0 } as const;
const BATCH = 500;
const WAIT_LIMIT_MS = 30_000;

/**
 * Measures urgent messages in alternating rounds: on topics without other messages, and on topics on which normal ones wait.
 * Both have a notification worker of their own, which runs only during its rounds.
 */
export async function measureUrgentLatencies(options: LatencyOptions): Promise<Latencies> {
  const { prefix, rounds, queued } = options;
  const idle = await openSide(options, `${prefix}idle.`);
  const loaded = await openSide(options, `${prefix}loaded.`);
  await loaded.queue(queued);
  const found = { idle: [] as number[], loaded: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    found.idle.push(...(await idle.round()));
    found.loaded.push(...(await loaded.round()));
  }
  await Promise.all([idle.close(), loaded.close()]);
  return {
    idle: ascending(found.idle),
    loaded: ascending(found.loaded),
    left: queued - loaded.normalCalls(),
  };
}

function ascending(values: readonly number[]): readonly number[] {
  return values.toSorted((one, other) => one - other);
}

/** Prints the percentiles; returns how many times the idle p99 the loaded one is. */
export function reportUrgentLatencies(name: string, { idle, loaded, left }: Latencies): number {
  const shares = [0.5, 0.9, 0.99];
  const texts = [idle, loaded].map((values) =>
    shares.map((share) => percentile(values, share).toFixed(1)).join(', '),
  );
  const ratio = percentile(loaded, 0.99) / percentile(idle, 0.99);
  process.stderr.write(
    `${name}: p50, p90, p99 in ms: idle ${texts[0]}; loaded ${texts[1]}; p99 ratio ${ratio.toFixed(2)}; ${left} left\n`,
  );
  return ratio;
}

/** The value below which this share of the ascending values lies. */
function percentile(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}

async function openSide(
  { broker, perRound, pauseMs, settleMs, provider: limits = LIMITED }: LatencyOptions,
  prefix: string,
) {
  const config = loadConfig({ DATA_DIR: 'memory', KAFKA_TOPIC_PREFIX: prefix });
  await broker.admin.createTopics(allTopicSpecs(prefix, config.notification.retryTiersMs));
  const codec = await createCodec(config, systemPorts.clock);
  const publisher = broker.createPublisher({ clientId: `${prefix}upstream` });
  await publisher.start();
  const calledAt = new Map<string, number>();
  let normalCalls = 0;
  const provider = scriptedProviders();
  const scripted = provider.add('stand-in', { concurrency: limits.concurrency });
  const answer = limits.answerMs === 0 ? () => SENT : after(limits.answerMs, SENT);
  scripted.answer = (message, signal) => {
    if (message.message === 'urgent') calledAt.set(message.id, performance.now());
    else normalCalls += 1;
    return answer(message, signal);
  };
  const guarded = guard(scripted, { ratePerSecond: limits.ratePerSecond }, systemPorts.monotonic);
  const providers = { ...provider, of: (channel: string) => (channel === 'sms' ? [guarded] : []) };
  const send = (given: readonly { readonly id: string; readonly priority: Priority }[]) =>
    publishCommands({ publisher, codec, prefix }, given);
  let next = 500_000_000;
  return {
    normalCalls: () => normalCalls,
    close: () => publisher.stop(),
    queue: async (count: number) => {
      for (let first = 0; first < count; first += BATCH) {
        const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index);
        await send(numbers.map((number) => ({ id: idOf(number), priority: 'normal' as const })));
      }
    },
    round: async (): Promise<number[]> => {
      const metrics = createMetrics();
      const context = { ...systemPorts, config, codec, broker, log: silentLog, metrics };
      const worker = await start({ ...context, processHealth: () => ({}) }, () => Promise.resolve(providers));
      await sleep(settleMs);
      const found: number[] = [];
      for (let count = 0; count < perRound; count += 1) {
        const id = idOf((next += 1));
        const publishedAt = performance.now();
        await send([{ id, priority: 'urgent' }]);
        while (!calledAt.has(id)) {
          if (performance.now() - publishedAt > WAIT_LIMIT_MS)
            throw new Error('an urgent message was not sent');
          await sleep(1);
        }
        found.push((calledAt.get(id) ?? Number.NaN) - publishedAt);
        await sleep(pauseMs);
      }
      await worker.stop(2_000);
      return found;
    },
  };
}

async function publishCommands(
  {
    publisher,
    codec,
    prefix,
  }: { readonly publisher: Publisher; readonly codec: MessageCodec; readonly prefix: string },
  given: readonly { readonly id: string; readonly priority: Priority }[],
): Promise<void> {
  const messages: OutgoingMessage[] = [];
  for (const { id, priority } of given) {
    const command = { notificationId: id, sender: undefined, receiver: '+40722123456', message: priority };
    const { value, headers } = await codec.encode('SendSmsCommand', command, 'avro');
    const topic = topicName(prefix, priority === 'urgent' ? 'smsUrgentCommands' : 'smsCommands');
    messages.push({ topic, key: id, value, headers });
  }
  await publisher.publish(messages);
}

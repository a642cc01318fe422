import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import type { Broker } from '../../../../shared/messaging/ports.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { DamagedWire } from '../../../support/damaged-wire.ts';
import { startFakeKafka, type FakeKafka } from '../../../support/fakes/kafka-log.ts';
import { createKafkaBroker, TESTED_CLIENTS } from '../../../support/kafka/broker.ts';
import { Picks } from '../../../support/random/pick.ts';

/**
 * Clients of brokers that damage one of ten responses: truncated by a reset, with a flipped bit, with a wrong length,
 * repeated, or mixed with the response of another connection. `DAMAGED_RESPONSES_SECONDS=600` runs the test for ten
 * minutes, and `DAMAGED_RESPONSES_SEED` varies the damage.
 */
const SECOND = 1_000;
const RUN_SECONDS = Number(process.env.DAMAGED_RESPONSES_SECONDS ?? 5);
const SEED = Number(process.env.DAMAGED_RESPONSES_SEED ?? 12);
const DAMAGED_PERCENT = 10;
const PARTITIONS = 4;
/**
 * Time limit for the remaining messages once responses are intact; back-offs and request timeouts take up to 5 s each.
 */
const RECOVERED_MS = 60 * SECOND;
const PAUSE_MS = 5;

const idOf = ({ topic, partition }: LogMessage) => `${topic}/${partition}`;

/** The messages that a reader received: correct ones by position, and those that differ from the stored ones. */
class Reader {
  readonly seen = new Set<string>();
  readonly wrong: string[] = [];
  readonly #kafka: FakeKafka;

  constructor(kafka: FakeKafka) {
    this.#kafka = kafka;
  }

  readonly take = (message: LogMessage): void => {
    const stored = this.#kafka.stored.get(idOf(message))?.[message.offset];
    const isRight =
      stored !== undefined &&
      stored.key?.toString() === message.key?.toString() &&
      stored.value?.equals(message.value ?? Buffer.alloc(0)) === true;
    const place = `${idOf(message)}/${message.offset}`;
    if (isRight) this.seen.add(place);
    else this.wrong.push(`${place}: ${message.value?.toString('latin1', 0, 40)}`);
  };

  missing(): number {
    const stored = [...this.#kafka.stored.values()].reduce((sum, records) => sum + records.length, 0);
    return stored - this.seen.size;
  }
}

/** A group member that is replaced when it crashes, as in the consumer runtime. */
async function consume(broker: Broker, reader: Reader, isOver: () => boolean): Promise<number> {
  let crashes = 0;
  while (!isOver()) {
    const crashed = Promise.withResolvers<void>();
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'consumer', topics: ['t'] });
    try {
      await source.start({
        onAssigned: () => undefined,
        onRevoking: () => undefined,
        onMessages: (_generation, messages) => messages.forEach(reader.take),
        onCrash: () => crashed.resolve(),
      });
      await Promise.race([crashed.promise, until(isOver)]);
    } catch {
      await sleep(PAUSE_MS);
    }
    crashes += isOver() ? 0 : 1;
    await source.stop(SECOND);
  }
  return crashes;
}

/** A tail replaces its consumer itself, but its first start may fail. */
async function startTail(broker: Broker, reader: Reader): Promise<void> {
  for (;;) {
    const tail = broker.createTail({ clientId: 'table', topics: ['t'], from: 'earliest' });
    try {
      await tail.start(reader.take);
      return;
    } catch {
      await tail.stop(SECOND);
    }
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(PAUSE_MS);
}

/** Publishes until the time is up; returns the messages that were confirmed but not stored. */
async function publish(broker: Broker, kafka: FakeKafka, isOver: () => boolean) {
  const publisher = broker.createPublisher({ clientId: 'publisher', deadlineMs: 10 * SECOND });
  await publisher.start().catch(() => undefined);
  const picks = new Picks(SEED + 1);
  const unstored: string[] = [];
  let confirmed = 0;
  const one = async (number: number): Promise<void> => {
    const partition = number % PARTITIONS;
    const value = `<${number}>`.repeat(picks.whole(1, 600));
    try {
      await publisher.publish([{ topic: 't', key: `k${number}`, partition, value: Buffer.from(value) }]);
    } catch {
      return;
    }
    confirmed += 1;
    const records = kafka.stored.get(`t/${partition}`) ?? [];
    if (!records.some(({ key }) => key?.toString() === `k${number}`)) unstored.push(value.slice(0, 40));
  };
  const running = new Set<Promise<void>>();
  for (let number = 0; !isOver(); number += 1) {
    const sent = one(number).finally(() => running.delete(sent));
    running.add(sent);
    await sleep(PAUSE_MS);
  }
  await Promise.all(running);
  await publisher.stop(SECOND);
  return { confirmed, unstored };
}

test.each(TESTED_CLIENTS)(
  '%s neither crashes, nor alters messages, nor confirms messages that are not stored when responses are damaged',
  async (client) => {
    const escaped: unknown[] = [];
    const onEscaped = (error: unknown) => escaped.push(error);
    process.on('uncaughtException', onEscaped).on('unhandledRejection', onEscaped);
    onTestFinished(() => {
      process.off('uncaughtException', onEscaped).off('unhandledRejection', onEscaped);
    });
    const kafka = await startFakeKafka(2, PARTITIONS, client);
    const options = { brokers: kafka.addresses, clientId: 'admin', log: silentLog };
    const broker = createKafkaBroker(options, client);
    onTestFinished(async () => {
      await broker.close();
      kafka.close();
    });
    const wire = new DamagedWire(new Picks(SEED), DAMAGED_PERCENT);
    kafka.onResponse = wire.onResponse;
    const group = new Reader(kafka);
    const table = new Reader(kafka);
    let isOver = false;
    let isDone = false;
    const consuming = consume(broker, group, () => isDone);
    const publishing = publish(broker, kafka, () => isOver);
    const tailing = startTail(broker, table);
    await sleep(RUN_SECONDS * SECOND);
    wire.percent = 0;
    isOver = true;
    const { confirmed, unstored } = await publishing;
    await tailing;
    await expect.poll(() => group.missing(), { timeout: RECOVERED_MS }).toBe(0);
    await expect.poll(() => table.missing(), { timeout: RECOVERED_MS }).toBe(0);
    isDone = true;
    const crashes = await consuming;
    const damaged = [...wire.counts.values()].reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `${client}: ${confirmed} confirmed, ${group.seen.size} read, ${damaged} responses damaged, ${crashes} consumers replaced: ` +
        `${JSON.stringify(Object.fromEntries(wire.counts))}\n`,
    );
    expect({ escaped, unstored, group: group.wrong, table: table.wrong }).toEqual({
      escaped: [],
      unstored: [],
      group: [],
      table: [],
    });
    expect(confirmed).toBeGreaterThan(0);
    expect(damaged).toBeGreaterThan(RUN_SECONDS);
  },
  RUN_SECONDS * SECOND + 3 * RECOVERED_MS,
);

import { expect, it, onTestFinished, vi } from 'vitest';
import type { Codec } from '../../../../shared/messaging/codec.ts';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import { PayloadError } from '../../../../shared/messaging/codec/avro-message.ts';
import type { DataFile } from '../../../../shared/messaging/data-file.ts';
import { openIndexFile } from '../../../../shared/messaging/record-index/record-index.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import type { OutgoingMessage } from '../../../../shared/messaging/message.ts';
import type { NotificationState } from '../../../../shared/notification/notification-state.ts';
import { OUTCOME_RETENTION_MS } from '../../../../shared/platform/retention.ts';
import { monotonicClock } from '../../../../shared/platform/system-ports.ts';
import { InfrastructureError, MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog, type Log } from '../../../../shared/platform/log.ts';
import { STATE_TYPE } from '../../../../shared/api/notification/state-record.ts';
import { DeliveryLog } from '../../../../workers/notification/state/delivery-log.ts';
import { notificationState } from '../../../support/builders/notification-state.ts';
import { publishingBy } from '../../../support/builders/notification-call.ts';
import { fastTimers } from '../../../support/fakes/virtual-time.ts';

const NOW = 1_700_000_000_000;
const TOPIC = 'outcomes';
/** Of a writer whose clock is a day ahead: the next attempt is in five seconds. */
const RETRY_AHEAD = { updatedAt: NOW + 86_400_000, nextAttemptAt: NOW + 86_405_000 };

interface JsonRecord {
  readonly type: string;
  readonly payload: unknown;
  readonly isLate?: boolean;
}

/** Encodes states as JSON; records with `isLate` are decoded only when `schema` resolves, after these failures. */
function jsonCodec(schema: Promise<void>, failures: Error[]): Codec {
  return {
    decode: ({ value }) => {
      const { isLate, ...read } = JSON.parse(value?.toString() ?? '') as JsonRecord;
      const decoded = { kind: 'decoded', format: 'json', ...read } as const;
      if (isLate !== true) return decoded;
      return schema.then(() => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return decoded;
      });
    },
    isBatch: () => false,
    encode: (type, payload) => ({ value: Buffer.from(JSON.stringify({ type, payload })), headers: {} }),
    prepare: () => Promise.resolve(),
  };
}

const longestLeaseMs = (providers = 10) => providers * 1_000;
const stateOf = (id: string, fields: Partial<NotificationState> = {}): NotificationState =>
  notificationState(id, { owner: 'one', leaseUntil: NOW + 1_000, ...fields });

/** Delivery logs over one topic, each with the identity of its own process. */
async function world() {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([{ topic: TOPIC, partitions: 1, config: { 'cleanup.policy': 'compact' } }]);
  const publisher = broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  const schema = Promise.withResolvers<void>();
  const schemaFailures: Error[] = [];
  const codec = jsonCodec(schema.promise, schemaFailures);
  const failures: Error[] = [];
  const failing = publishingBy(broker, (publish) => (messages) => {
    const failure = failures.shift();
    return failure === undefined ? publish(messages) : Promise.reject(failure);
  }).createPublisher({ clientId: 'failing' });
  await failing.start();
  const time = { nowMs: NOW };
  const open = async (self: string, log: Log = silentLog, indexFile?: DataFile): Promise<DeliveryLog> => {
    const names = { topic: TOPIC, clientId: self, self };
    const ports = { clock: { now: () => time.nowMs }, monotonic: monotonicClock, timers: fastTimers(50) };
    const own = { broker, publisher: failing, urgentPublisher: failing, codec, indexFile, log };
    const deliveryLog = new DeliveryLog({ ...names, ...ports, ...own, longestLeaseMs });
    await deliveryLog.start();
    onTestFinished(() => deliveryLog.stop(0));
    return deliveryLog;
  };
  const write = (...records: readonly Omit<OutgoingMessage, 'topic'>[]) =>
    publisher.publish(records.map((record) => ({ topic: TOPIC, ...record })));
  const writeState = (id: string, payload: NotificationState, isLate = false) =>
    write({ key: id, value: Buffer.from(JSON.stringify({ type: STATE_TYPE, payload, isLate })) });
  const records: NotificationState[] = [];
  const tail = broker.createTail({ clientId: 'reader', topics: [TOPIC], from: 'earliest' });
  await tail.start(({ value }) => {
    if (value !== null)
      records.push((JSON.parse(value.toString()) as { payload: NotificationState }).payload);
  });
  return { open, codec, write, writeState, records, failures, schema, schemaFailures, time };
}

it('grants a round to the first of two claims on the log, and renews the lease of its process', async () => {
  const { open } = await world();
  const [one, two] = [await open('one'), await open('two')];
  const both = await Promise.all([one.claim(stateOf('a')), two.claim(stateOf('a', { owner: 'two' }))]);
  expect(both).toEqual([true, false]);
  expect([one.find('a')?.owner, two.find('a')?.owner]).toEqual(['one', 'one']);
  const renewed = { leaseUntil: NOW + 2_000 };
  expect(await one.claim(stateOf('a', renewed))).toBe(true);
  expect(one.find('a')).toMatchObject(renewed);
});

it('grants a round to a new use of an id 72 hours after its outcome, although no other notification followed', async () => {
  const { open, writeState, time } = await world();
  const one = await open('one');
  await writeState('a', stateOf('a', { status: 'sent', updatedAt: NOW }));
  await expect.poll(() => one.find('a')?.status).toBe('sent');
  time.nowMs = NOW + OUTCOME_RETENTION_MS;
  expect(one.find('a')?.status).toBe('sent');
  time.nowMs += 1;
  expect(one.find('a')).toBeUndefined();
  await expect(one.claim(stateOf('a', { updatedAt: time.nowMs }))).resolves.toBe(true);
});

it('limits what another process wrote with a clock that is days ahead: lease, wait and retention', async () => {
  const { open, writeState, time } = await world();
  const one = await open('one');
  const ahead = 4 * 86_400_000;
  const lease = { leaseUntil: NOW + ahead, updatedAt: NOW };
  await writeState('two', stateOf('two', { ...lease, providers: ['a', 'b'] }));
  await writeState('many', stateOf('many', lease));
  await writeState('retrying', stateOf('retrying', { status: 'retrying', ...RETRY_AHEAD }));
  await writeState('sent', stateOf('sent', { status: 'sent', updatedAt: NOW }));
  await writeState('ahead', stateOf('ahead', { status: 'sent', updatedAt: NOW + ahead }));
  await one.caughtUp(1_000);
  const left = ['two', 'many'].map((id) => (one.find(id)?.leaseEndsMs ?? 0) - monotonicClock.elapsedMs());
  expect(left.map((ms) => Math.ceil(ms / 1_000))).toEqual([2, 10]);
  expect(one.find('retrying')).toMatchObject({ status: 'retrying', nextAttemptAt: NOW + 5_000 });
  expect(one.find('sent')?.status).toBe('sent');
  expect(one.figures()).toMatchObject({ size: 5, intents: 2, overdue: 0, retrying: 1 });
  time.nowMs = NOW + OUTCOME_RETENTION_MS + 1;
  expect(['sent', 'ahead'].map((id) => one.find(id))).toEqual([undefined, undefined]);
  expect(one.find('retrying')?.status).toBe('retrying');
});

it('counts the open notifications that it has from the file of the last process, and their leases start again', async () => {
  const { open, writeState } = await world();
  const folder = scratchFolder();
  const file = () => openIndexFile(folder, 'ledger', 'test', silentLog);
  const first = await open('one', silentLog, file());
  await writeState('a', stateOf('a', { status: 'retrying', nextAttemptAt: NOW }));
  await writeState('b', stateOf('b', { updatedAt: NOW, providers: ['x', 'y'], leaseUntil: NOW + 60_000 }));
  await writeState('c', stateOf('c', { status: 'sent', updatedAt: NOW }));
  await first.caughtUp(1_000);
  await first.stop(1_000);
  const next = await open('two', silentLog, file());
  expect(next.figures()).toMatchObject({ size: 3, intents: 1, overdue: 0, retrying: 1 });
  const leftMs = (next.find('b')?.leaseEndsMs ?? 0) - monotonicClock.elapsedMs();
  expect(Math.ceil(leftMs / 1_000)).toBe(2);
});

it('keeps the text of a notification through its states, and its channel when it was sent', async () => {
  const { open } = await world();
  const one = await open('one');
  const headers = { [HEADER.textHash]: 'abcdEFG-' };
  await one.claim(stateOf('a', { channel: 'email' }), 'urgent', headers);
  expect(one.find('a')).toMatchObject({ status: 'sending', textHash: 'abcdEFG-' });
  await one.settle(stateOf('a', { channel: 'email', status: 'sent' }));
  expect(one.find('a')).toEqual({ status: 'sent', attempt: 0, channel: 'email', textHash: 'abcdEFG-' });
  await one.settle(stateOf('b', { status: 'sent' }));
  expect(one.find('b')).toEqual({ status: 'sent', attempt: 0, channel: 'sms', textHash: undefined });
  expect(one.figures()).toMatchObject({ intents: 0, retrying: 0 });
});

it.each<[string, Partial<NotificationState>]>([
  ['an outcome of the round', { status: 'failed' }],
  ['a later round', { attempt: 2 }],
  ['another channel', { channel: 'email' }],
  ['another owner', { owner: 'two' }],
])('rejects a claim after %s', async (_, before) => {
  const { open, writeState } = await world();
  const one = await open('one');
  await writeState('a', stateOf('a', before));
  expect(await one.claim(stateOf('a'))).toBe(false);
});

it('retries an outcome until it is on the log, and logs a rejection once', async () => {
  const { open, failures, records } = await world();
  const error = vi.fn<Log['error']>();
  const one = await open('one', { ...silentLog, error });
  failures.push(
    new MessagingError('not-sent', 'away', { canRetry: true }),
    new MessagingError('broker-refused', 'no', { canRetry: false }),
    new MessagingError('broker-refused', 'no', { canRetry: false }),
  );
  await one.settle(stateOf('a', { status: 'sent' }));
  expect(one.find('a')?.status).toBe('sent');
  expect(error).toHaveBeenCalledOnce();
  await expect.poll(() => records.map(({ status }) => status)).toEqual(['sent']);
});

it('retries to encode an outcome, and rejects one that can never be encoded', async () => {
  const { open, codec, records } = await world();
  const one = await open('one');
  const encode = vi.spyOn(codec, 'encode');
  encode.mockRejectedValueOnce(new InfrastructureError('away', 'no schema yet'));
  await one.settle(stateOf('a', { status: 'sent' }));
  encode.mockRejectedValueOnce(new PayloadError('NotificationState', []));
  const settled = one.settle(stateOf('b', { status: 'failed' }));
  await expect(settled).rejects.toMatchObject({ code: 'payload-does-not-fit' });
  expect(one.find('b')).toBeUndefined();
  await expect.poll(() => records.map(({ notificationId }) => notificationId)).toEqual(['a']);
});

it('accepts a declared outcome unless another one supersedes it', async () => {
  const { open, writeState } = await world();
  const one = await open('one');
  expect(await one.declare(stateOf('a', { status: 'parked' }))).toBe(true);
  await writeState('b', stateOf('b', { status: 'sent', attempt: 2 }));
  expect(await one.declare(stateOf('b', { status: 'parked' }))).toBe(false);
  expect(await one.declare(stateOf('b', { status: 'sent' }))).toBe(true);
  await writeState('d', stateOf('d', { status: 'parked', attempt: 2 }));
  expect(await one.declare(stateOf('d', { status: 'parked' }))).toBe(false);
  await writeState('c', stateOf('c', { status: 'parked', channel: 'email' }));
  expect(await one.declare(stateOf('c', { status: 'parked' }))).toBe(false);
});

it('writes a superseding outcome again, without intent fields, after a record of its own process', async () => {
  const { open, writeState, records } = await world();
  const one = await open('one');
  await writeState('a', stateOf('a', { status: 'failed', attempt: 2, code: 'gone' }));
  await one.settle(stateOf('a', { status: 'retrying', code: 'busy', nextAttemptAt: NOW }));
  await expect.poll(() => records.length).toBe(3);
  const known = { notificationId: 'a', channel: 'sms', attempts: [], updatedAt: NOW };
  expect(records[2]).toEqual({ ...known, status: 'failed', attempt: 2, code: 'gone' });
});

it('writes an outcome again that an intent of a process which has ended hides on the log', async () => {
  const { open, writeState, records } = await world();
  await open('two');
  await writeState('a', stateOf('a', { status: 'sent' }));
  await writeState('a', stateOf('a'));
  await expect.poll(() => records.map(({ status }) => status)).toEqual(['sent', 'sending', 'sent']);
});

it('skips and counts records of other types, and removes an entry on its tombstone', async () => {
  const { open, write, writeState } = await world();
  const one = await open('one');
  expect(one.health()).toEqual({ status: 'ready' });
  await writeState('a', stateOf('a', { status: 'retrying' }));
  await write({ key: 'a', value: null });
  await write({ key: 'b', value: Buffer.from('{"type":"Other","payload":{}}') });
  await one.caughtUp(1_000);
  expect(one.find('a')).toBeUndefined();
  expect(one.figures()).toMatchObject({ retrying: 0, badRecords: 1 });
  expect(one.health()).toEqual({ status: 'degraded', reason: `${TOPIC} has 1 records that cannot be read` });
});

it('leaves records on the topic while one waits for its schema, and reads each once after that', async () => {
  const { open, codec, writeState, schema } = await world();
  const one = await open('one');
  const decode = vi.spyOn(codec, 'decode');
  await writeState('a', stateOf('a', { status: 'retrying', attempt: 1 }), true);
  for (let id = 0; id < 300; id += 1) await writeState(String(id), stateOf(String(id), { status: 'sent' }));
  await writeState('a', stateOf('a', { status: 'sending', attempt: 2 }));
  await expect(one.caughtUp(1_000)).rejects.toMatchObject({ code: 'tail-behind' });
  expect(one.health()).toEqual({ status: 'degraded', reason: `${TOPIC} waits for a schema` });
  expect(decode).toHaveBeenCalledTimes(1);
  schema.resolve();
  await expect.poll(() => one.find('a')).toMatchObject({ status: 'sending', attempt: 2 });
  for (let id = 0; id < 300; id += 1) expect(one.find(String(id))?.status).toBe('sent');
  expect(decode).toHaveBeenCalledTimes(302);
  expect(one.health()).toEqual({ status: 'ready' });
});

it('handles a transient decoding failure of a record that arrives while it stops', async () => {
  const { open, codec, writeState } = await world();
  const unhandled = vi.fn<(error: unknown) => void>();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const one = await open('one');
  const decoded = Promise.withResolvers<void>();
  codec.decode = () => {
    void one.stop(100).then(decoded.resolve);
    return Promise.reject(new InfrastructureError('registry-unavailable', 'away'));
  };
  await writeState('a', stateOf('a'));
  await decoded.promise;
  await new Promise(setImmediate);
  expect(unhandled).not.toHaveBeenCalled();
});

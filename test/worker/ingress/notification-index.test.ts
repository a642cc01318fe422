import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import {
  commandsOf,
  failing,
  hasAcceptance,
  idOf,
  recordsOf,
  send,
  SMS,
  statusOf,
} from '../../support/builders/notification-call.ts';
import { untilAdmitted } from '../../support/builders/schedule-call.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';
import {
  createTestBroker,
  metricsOf,
  openNotificationIngress,
} from '../../support/worlds/ingress-fixture.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';

/** `KEYED_REQUESTS=250000` for more than any instance ever held in memory. */
const KEYED_REQUESTS = Number(process.env.KEYED_REQUESTS ?? 300);
const LIMIT_MS = 60_000 + 10 * KEYED_REQUESTS;
const CONCURRENT = 32;
const UNKNOWN = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
const secondsLeft = ({ headers }: Response): number => Number(headers.get('retry-after'));
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

it('recognises the key of the first request after many later ones', { timeout: LIMIT_MS }, async () => {
  const { url } = await openNotificationIngress({ indexLimits: { waitingBytes: 50_000 } });
  const first = await idOf(send(url, 'sms', SMS, withKey('first')));
  let next = 0;
  const callInTurn = async (): Promise<void> => {
    for (; next < KEYED_REQUESTS;) {
      const key = withKey(`key ${(next += 1)}`);
      await idOf(untilAdmitted(() => send(url, 'sms', SMS, key)));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, callInTurn));
  const kept = async () =>
    Number(/plat_ingress_notifications_kept (\d+)/.exec(await metricsOf({ url }))?.[1]);
  await expect.poll(kept).toBeGreaterThanOrEqual(KEYED_REQUESTS);
  expect(await idOf(send(url, 'sms', SMS, withKey('first')))).toBe(first);
  expect((await statusOf(url, first)).status).toBe(200);
});

it('refuses notifications and is not ready while it is full, and sends none that it could forget', async () => {
  const broker = await createTestBroker();
  const indexLimits = { waitingBytes: 5_000, memoryBytes: 40_000 };
  const { url } = await openNotificationIngress({ broker, indexLimits });
  let accepted = 0;
  let refused: Response;
  for (;;) {
    refused = await send(url, 'sms', SMS, withKey(`key ${accepted}`));
    if (refused.status !== 202) break;
    accepted += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(accepted).toBeGreaterThan(0);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await refused.json()).toMatchObject({
    code: 'not-ready',
    detail: 'Accepted notifications cannot be recorded at the moment.',
  });
  const ready = await fetch(`${url}/health/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.text()).toContain('its memory is full: set DATA_DIR');
  expect(await commandsOf(broker, 'sms')).toHaveLength(accepted);
});

it('has no acceptance after a restart that never reached the log', async () => {
  // As on a disk, so that the index is in files.
  const broker: Broker = { ...(await createSharedBroker(3)), health: () => ({ status: 'ready' }) };
  const env = { DATA_DIR: scratchFolder() };
  const cut = failing(broker, hasAcceptance);
  const first = await startOn(cut, startIngressWorker, env);
  expect((await send(first.url, 'sms', SMS, withKey('a'))).status).toBe(504);
  expect((await send(first.url, 'sms', { ...SMS, message: 'Other' }, withKey('a'))).status).toBe(409);
  // What is in the index is written after 250 ms, and by a stop.
  await first.stop(0);
  const second = await startOn(broker, startIngressWorker, env);
  const other = await startOn(broker, startIngressWorker);
  const id = await idOf(send(second.url, 'sms', SMS, withKey('a')));
  await expect.poll(async () => (await statusOf(other.url, id)).status).toBe(200);
  const commands = await commandsOf(broker, 'sms');
  expect(commands.map((command) => command.id)).toEqual([id, id]);
  expect(await recordsOf(broker, TOPIC.notificationAcceptances)).toHaveLength(1);
});

it('answers 503 about a notification whose acceptance cannot be read', async () => {
  const broker = await createSharedBroker(3);
  const first = await openNotificationIngress({ broker });
  const id = await idOf(send(first.url, 'sms', SMS, withKey('a')));
  const codec = await createCodec(loadConfig({}), systemClock);
  const problem = createProblem('undecodable-message');
  const unable = Object.assign(Object.create(codec) as MessageCodec, {
    decode: () => ({ kind: 'undecodable', format: 'avro', problem }),
  });
  const { url } = await openNotificationIngress({ broker, codec: unable });
  expect((await statusOf(url, id)).status).toBe(503);
  expect((await send(url, 'sms', { ...SMS, message: 'Other' }, withKey('a'))).status).toBe(503);
  expect(await commandsOf(broker, 'sms')).toHaveLength(1);
});

it('waits for what another instance has accepted before it takes an id for unknown, and returns 503 if that takes long', async () => {
  const broker = await createTestBroker();
  const first = await openNotificationIngress({ broker });
  const late: (() => void)[] = [];
  let isHeld = true;
  const released = (): boolean => late.length === 0;
  const createTail: Broker['createTail'] = (options) => {
    const tail = broker.createTail(options);
    if (options.clientId !== 'ingress-notifications') return tail;
    const [start, caughtUp] = [tail.start.bind(tail), tail.caughtUp.bind(tail)];
    return Object.assign(tail, {
      start: (receive: (message: LogMessage) => void) =>
        start((message) => (isHeld ? void late.push(() => receive(message)) : receive(message))),
      caughtUp: async (timeoutMs: number) => {
        await caughtUp(timeoutMs);
        await expect.poll(released, { timeout: timeoutMs }).toBe(true);
      },
    });
  };
  const { url } = await openNotificationIngress({ broker: { ...broker, createTail } });
  const id = await idOf(send(first.url, 'sms', SMS));
  await expect.poll(() => late.length).toBeGreaterThan(0);
  const behind = await statusOf(url, id);
  expect([behind.status, behind.headers.get('retry-after')]).toEqual([503, '1']);
  const waiting = statusOf(url, id);
  await new Promise((resolve) => setTimeout(resolve, 100));
  isHeld = false;
  for (const receive of late.splice(0)) receive();
  expect((await waiting).status).toBe(200);
  expect((await statusOf(url, UNKNOWN)).status).toBe(404);
});

it('refuses new keys, and no others, while acceptances of the last 24 hours may be lost', async () => {
  const broker = createEmbeddedBroker({ limits: { maxRecordsPerTopic: 20 } });
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(Object.values(TOPIC).map((topic) => ({ topic, partitions: 1 })));
  const first = await startOn(broker, startIngressWorker);
  for (let request = 0; request < 40; request += 1) await idOf(send(first.url, 'sms', SMS));
  expect((await send(first.url, 'sms', SMS, withKey('a'))).status).toBe(202);
  const second = await startOn(broker, startIngressWorker);
  const refused = await send(second.url, 'sms', SMS, withKey('b'));
  expect(refused.status).toBe(503);
  // Until 24 hours after the notifications above.
  expect(secondsLeft(refused)).toBeGreaterThan(86_000);
  expect(secondsLeft(refused)).toBeLessThanOrEqual(86_400);
  expect(await refused.json()).toMatchObject({ code: 'not-ready' });
  expect((await send(second.url, 'sms', SMS, withKey('a'))).status).toBe(202);
  expect((await send(second.url, 'sms', SMS)).status).toBe(202);
  const unknown = await statusOf(second.url, UNKNOWN);
  expect(unknown.status).toBe(503);
  expect(secondsLeft(unknown)).toBeGreaterThan(86_000);
  expect((await statusOf(first.url, UNKNOWN)).status).toBe(404);
  const later = { now: () => Date.now() + 25 * 3_600_000 };
  const third = await startOn(broker, startIngressWorker, {}, later);
  expect((await send(third.url, 'sms', SMS, withKey('b'))).status).toBe(202);
});

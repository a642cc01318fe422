import { expect, it } from 'vitest';
import { MessagingError } from '../../../shared/platform/errors.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { authorize, JWT_SECRET } from '../../support/builders/access-token.ts';
import { notificationState } from '../../support/builders/notification-state.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { openNotificationIngress, publishTo } from '../../support/worlds/ingress-fixture.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { openRawHttp } from '../../support/raw-http.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';
import {
  ADDRESS,
  commandsOf,
  EMAIL,
  idOf,
  recordsOf,
  send,
  SMS,
  statusOf,
  writeState,
} from '../../support/builders/notification-call.ts';

const HOUR_MS = 3_600_000;
const OTHER = { ...SMS, message: 'Other' };
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const DERIVED = /^[0-9a-f]{8}-[0-9a-f]{4}-8/;

const content = (text: string) => Buffer.from(text).toString('base64');

const keyOf = async (subject: string) => ({
  headers: { ...(await authorize(subject)), 'idempotency-key': 'a' },
});

/** A broker whose tails deliver records by another function, which gets their own. */
function deliveringBy(broker: Broker, deliver: (message: LogMessage, take: () => void) => void): Broker {
  return {
    ...broker,
    createTail: (options) => {
      const tail = broker.createTail(options);
      const start = tail.start.bind(tail);
      return Object.assign(tail, {
        start: (take: (message: LogMessage) => void) =>
          start((message) => deliver(message, () => take(message))),
      });
    },
  };
}

function movedClock() {
  const startMs = Date.now();
  const time = { nowMs: startMs };
  const clock = { now: () => time.nowMs, elapsedMs: () => time.nowMs - startMs };
  return { startMs, time, clock };
}

const writeSent = (broker: Broker, id: string, updatedAt: number) =>
  writeState(broker, notificationState(id, { status: 'sent', updatedAt }), updatedAt);

/** The acceptances after compaction: the last one of each id, and all in the open segment. */
async function compacted(broker: Broker, openSegment: number): Promise<Broker> {
  const all = await recordsOf(broker, TOPIC.notificationAcceptances);
  const isKept = ({ key }: LogMessage, index: number) =>
    index >= all.length - openSegment ||
    !all.slice(index + 1, all.length - openSegment).some((later) => later.key?.equals(key ?? Buffer.of()));
  const target = await createSharedBroker(1);
  await publishTo(
    target,
    all.filter(isKept).map(({ partition: _p, offset: _o, ...message }) => message),
  );
  return target;
}

it('a key (N3) returns 409 for a different request, and executes the first of concurrent ones', async () => {
  const broker = await createSharedBroker(3);
  const { url } = await startOn(broker, startIngressWorker);
  const attachmentList = [{ name: 'a.txt', content: content('one') }];
  await idOf(send(url, 'email', { ...EMAIL, attachmentList }, withKey('a')));
  const changes = [
    { message: 'Other' },
    { cc: 'b@mail.example' },
    { contentType: 'text/html' },
    { attachmentList: [{ name: 'a.txt', content: content('two') }] },
    { attachmentList: [{ name: 'b.txt', content: content('one') }] },
  ];
  for (const change of changes) {
    const response = await send(url, 'email', { ...EMAIL, attachmentList, ...change }, withKey('a'));
    expect(await response.json()).toMatchObject({ status: 409, code: 'idempotency-conflict' });
  }
  expect(await commandsOf(broker, 'email')).toHaveLength(1);
  const bodies = Array.from({ length: 20 }, (_, index) => (index % 4 === 3 ? OTHER : SMS));
  const responses = await Promise.all(bodies.map((body) => send(url, 'sms', body, withKey('a'))));
  // They arrive over connections of their own, so that any of them may be the first.
  const first = responses.findIndex(({ status }) => status === 202);
  const expected = bodies.map(({ message }) => (message === bodies[first]?.message ? 202 : 409));
  expect(responses.map(({ status }) => status)).toEqual(expected);
  const ids = await Promise.all(responses.filter(({ status }) => status === 202).map(idOf));
  expect(new Set(ids).size).toBe(1);
  expect(await commandsOf(broker, 'sms')).toHaveLength(1);
});

it('a key returns the first response to a repetition, on every instance and after a restart', async () => {
  const broker = await createSharedBroker(3);
  const first = await startOn(broker, startIngressWorker);
  const second = await startOn(broker, startIngressWorker);
  const id = await idOf(send(first.url, 'sms', SMS, withKey('a')));
  expect(id).toMatch(DERIVED);
  const equivalent = { receiver: '0040 722-123-456', message: SMS.message, unknown: 1 };
  for (const body of [SMS, equivalent])
    expect(await idOf(send(first.url, 'sms', body, withKey('a')))).toBe(id);
  await first.stop(1_000);
  await expect.poll(async () => (await statusOf(second.url, id)).status).toBe(200);
  expect(await idOf(send(second.url, 'sms', SMS, withKey('a')))).toBe(id);
  await second.stop(1_000);
  const third = await startOn(broker, startIngressWorker);
  expect(await idOf(send(third.url, 'sms', SMS, withKey('a')))).toBe(id);
  expect((await send(third.url, 'sms', OTHER, withKey('a'))).status).toBe(409);
  expect(await commandsOf(broker, 'sms')).toHaveLength(1);
});

it('a key is scoped to its caller and channel, also after a restart on the embedded broker with a data folder', async () => {
  const broker = await createSharedBroker(3);
  const env = { AUTH_JWT_SECRET: JWT_SECRET, DATA_DIR: scratchFolder() };
  const first = await startOn(broker, startIngressWorker, env);
  const [ana, eve] = [await keyOf('ana'), await keyOf('eve')];
  const upper = { headers: { ...ana.headers, 'idempotency-key': 'A' } };
  const id = await idOf(send(first.url, 'sms', SMS, ana));
  await first.stop(1_000);
  const { url } = await startOn(broker, startIngressWorker, env);
  expect(await idOf(send(url, 'sms', SMS, ana))).toBe(id);
  const others = [send(url, 'sms', SMS, eve), send(url, 'email', EMAIL, ana), send(url, 'sms', SMS, upper)];
  expect(new Set([id, ...(await Promise.all(others.map(idOf)))]).size).toBe(4);
  const receivers = (await commandsOf(broker, 'sms')).map(({ key }) => key);
  expect([receivers.length, new Set(receivers).size]).toEqual([3, 1]);
});

it('a key publishes the command again under the same id after a 504 or 503, and returns 409 for a different request for 24 hours', async () => {
  const publisher = new FakePublisher();
  const failures = ['send-unknown', 'not-sent', 'send-unknown'];
  publisher.onPublish = async () => {
    const code = failures.shift();
    if (code !== undefined) throw new MessagingError(code, 'away', { canRetry: true });
  };
  const { time, clock } = movedClock();
  const ports = { clock, monotonic: clock };
  const { url } = await openNotificationIngress({ notificationPublisher: publisher, ...ports });
  const status = async (body: object, key: string) => (await send(url, 'sms', body, withKey(key))).status;
  expect([await status(SMS, 'a'), await status(SMS, 'a'), await status(SMS, 'b')]).toEqual([504, 503, 504]);
  expect([await status(OTHER, 'a'), await status(SMS, 'a'), await status(SMS, 'a')]).toEqual([409, 202, 202]);
  expect(await status(OTHER, 'a')).toBe(409);
  const topics = publisher.sent.map(({ topic }) => topic);
  expect(topics).toEqual([TOPIC.smsCommands, TOPIC.notificationAcceptances]);
  time.nowMs += 24 * HOUR_MS - 1;
  expect(await status(OTHER, 'b')).toBe(409);
  time.nowMs += 1;
  expect(await status(OTHER, 'b')).toBe(202);
});

it('a key makes all instances agree on the first acceptance on the log, also after compaction', async () => {
  const broker = await createSharedBroker(1);
  const deferred: (() => void)[] = [];
  let isDelayed = true;
  const delayed = deliveringBy(broker, (_message, take) => {
    if (isDelayed) deferred.push(take);
    else take();
  });
  const one = await startOn(broker, startIngressWorker);
  const two = await startOn(delayed, startIngressWorker);
  const id = await idOf(send(one.url, 'sms', SMS, withKey('a')));
  expect(await idOf(send(two.url, 'sms', OTHER, withKey('a')))).toBe(id);
  isDelayed = false;
  for (const take of deferred.splice(0)) take();
  await expect.poll(async () => (await recordsOf(broker, TOPIC.notificationAcceptances)).length).toBe(3);
  const urls = [one.url, two.url, (await startOn(broker, startIngressWorker)).url];
  for (const openSegment of [0, 1, 3])
    urls.push((await startOn(await compacted(broker, openSegment), startIngressWorker)).url);
  for (const url of urls) {
    expect(await idOf(send(url, 'sms', SMS, withKey('a')))).toBe(id);
    expect((await send(url, 'sms', OTHER, withKey('a'))).status).toBe(409);
  }
  expect(await commandsOf(broker, 'sms')).toHaveLength(2);
  expect(await recordsOf(broker, TOPIC.notificationAcceptances)).toHaveLength(3);
});

it('a key is refused when it is sent twice, but may contain a comma', async () => {
  const broker = await createSharedBroker(1);
  const { url } = await startOn(broker, startIngressWorker);
  const raw = await openRawHttp(Number(new URL(url).port));
  const body = JSON.stringify(SMS);
  raw.send(
    `POST ${ADDRESS}/sms/send HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `X-Communication-Channel: 1\r\nX-Sender-Id: platrealm\r\nIdempotency-Key: a\r\nidempotency-key: a\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await raw.closed();
  const answer = await raw.received(() => true);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('The header Idempotency-Key must be sent once.');
  expect(await commandsOf(broker, 'sms')).toEqual([]);
  await idOf(send(url, 'sms', SMS, withKey('a, a')));
});

it('a key expires after 24 hours and then identifies a new notification on every instance', async () => {
  const broker = await createSharedBroker(3);
  const { time, clock } = movedClock();
  const { url } = await startOn(broker, startIngressWorker, {}, clock);
  const first = await idOf(send(url, 'sms', SMS, withKey('a')));
  time.nowMs += 24 * HOUR_MS - 1;
  expect(await idOf(send(url, 'sms', SMS, withKey('a')))).toBe(first);
  time.nowMs += 1;
  const second = await idOf(send(url, 'sms', OTHER, withKey('a')));
  expect(second).not.toBe(first);
  expect(await idOf(send(url, 'sms', OTHER, withKey('a')))).toBe(second);
  const restarted = await startOn(broker, startIngressWorker, {}, clock);
  time.nowMs += 23 * HOUR_MS;
  expect(await idOf(send(restarted.url, 'sms', OTHER, withKey('a')))).toBe(second);
  await writeSent(broker, first, time.nowMs);
  await expect.poll(async () => (await statusOf(restarted.url, first)).status).toBe(200);
  expect(await (await statusOf(restarted.url, second)).json()).toMatchObject({ notificationId: second });
  const commands = await commandsOf(broker, 'sms');
  expect(commands).toHaveLength(2);
  expect(new Set(commands.map(({ id }) => id))).toEqual(new Set([first, second]));
});

it('a key identifies the same new notification at instances that know its earlier uses by acceptance or by state', async () => {
  const broker = await createSharedBroker(3);
  const { startMs, time, clock } = movedClock();
  const one = await startOn(broker, startIngressWorker, {}, clock);
  const first = await idOf(send(one.url, 'sms', SMS, withKey('a')));
  await writeSent(broker, first, startMs + 700);
  time.nowMs += 25 * HOUR_MS;
  const second = await idOf(send(one.url, 'sms', SMS, withKey('a')));
  await writeSent(broker, second, time.nowMs + 700);
  time.nowMs += 25 * HOUR_MS;
  const endMs = time.nowMs;
  const later = deliveringBy(broker, ({ topic, timestampMs }, take) => {
    if (topic !== TOPIC.notificationAcceptances || timestampMs >= endMs) take();
  });
  const two = await startOn(later, startIngressWorker, {}, clock);
  const ids = await Promise.all([one, two].map(({ url }) => idOf(send(url, 'sms', SMS, withKey('a')))));
  expect(new Set([first, second, ...ids]).size).toBe(3);
  const commands = await commandsOf(broker, 'sms');
  expect(new Set(commands.map(({ id }) => id))).toEqual(new Set([first, second, ...ids]));
});

it('a key shows the notification of an earlier use as sent, and not at all once that is no longer known', async () => {
  const broker = await createSharedBroker(3);
  const { startMs, time, clock } = movedClock();
  const { url } = await startOn(broker, startIngressWorker, {}, clock);
  const first = await idOf(send(url, 'sms', SMS, withKey('a')));
  await writeSent(broker, first, startMs + 700);
  time.nowMs = startMs + 30 * HOUR_MS;
  const second = await idOf(send(url, 'sms', SMS, withKey('a')));
  const seen = async (id: string) => (await statusOf(url, id)).json() as Promise<{ status: unknown }>;
  const timeline = async () => (await fetch(`${url}/api/operations/v1/notifications/${first}`)).json();
  expect(await seen(first)).toMatchObject({ notificationId: first, status: 'sent' });
  expect(await timeline()).toMatchObject({ status: 'sent', events: [{ event: 'sent' }] });
  time.nowMs = startMs + 75 * HOUR_MS;
  expect(await seen(first)).toMatchObject({ status: 404, code: 'unknown-notification' });
  expect(await timeline()).toMatchObject({ status: 404 });
  expect(await seen(second)).toMatchObject({ notificationId: second, status: 'accepted' });
});

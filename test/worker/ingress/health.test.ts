import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRequester } from '../../../shared/messaging/requester/requester.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { openRawHttp } from '../../support/raw-http.ts';
import { hasAcceptance, idOf, send, SMS } from '../../support/builders/notification-call.ts';
import {
  createTestBroker,
  jsonCodec,
  openHealthPort,
  openNotificationIngress,
  openTestIngress,
  postEcho,
  startTestIngress,
} from '../../support/worlds/ingress-fixture.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

interface HealthAnswer {
  readonly status: number;
  readonly body: Health & { parts: Record<string, Health>; workers: Record<string, Health> };
}

async function ask({ url }: { readonly url: string }, path = '/health/ready'): Promise<HealthAnswer> {
  const response = await fetch(url + path);
  return { status: response.status, body: (await response.json()) as HealthAnswer['body'] };
}

it('an instance that is ready except for the schemas of its messages is not ready, as it refuses requests', async () => {
  const codec = { ...jsonCodec, prepare: () => new Promise<never>(() => undefined) };
  const ingress = await startTestIngress({ codec });
  const parts = async () => {
    const { status, body } = await ask(ingress);
    return [status, body.parts['results']?.status, body.parts['traffic']?.status];
  };
  await expect.poll(parts).toEqual([503, 'ready', 'starting']);
  expect((await postEcho(ingress, {})).status).toBe(503);
});

it('an instance whose publishers cannot reach the broker is not ready', async () => {
  const [publisher, notificationPublisher] = [new FakePublisher(), new FakePublisher()];
  const broker = await createTestBroker();
  const requester = createRequester({
    ...systemPorts,
    broker: { ...broker, createPublisher: () => publisher },
    codec: jsonCodec,
    log: silentLog,
    replyTopic: TOPIC.ingressReplies,
    instanceId: 'one',
  });
  const ingress = await openTestIngress({ requester, broker, notificationPublisher });
  for (const one of [publisher, notificationPublisher]) {
    expect((await ask(ingress)).status).toBe(200);
    one.healthy = false;
    const { status, body } = await ask(ingress);
    expect([status, body.reason]).toEqual([503, expect.stringContaining('cannot be sent')]);
    one.healthy = true;
  }
  expect((await ask(ingress)).status).toBe(200);
});

it('an instance says in its health that acceptances of notifications are not on the log yet', async () => {
  const notificationPublisher = new FakePublisher();
  let isAway = true;
  notificationPublisher.onPublish = (messages) =>
    isAway && hasAcceptance(messages) ? Promise.reject(new Error('away')) : Promise.resolve();
  const ingress = await openNotificationIngress({ notificationPublisher });
  const part = async () => {
    const { status, body } = await ask(ingress);
    return [status, body.parts['notifications']?.status];
  };
  await idOf(send(ingress.url, 'sms', SMS));
  expect(await part()).toEqual([200, 'degraded']);
  isAway = false;
  await expect.poll(part).toEqual([200, 'ready']);
});

it('an unhealthy worker of the process fails liveness but not readiness', async () => {
  const schedule = { status: 'unhealthy', reason: 'no progress' } as const;
  const ingress = await openTestIngress({ otherWorkers: () => ({ schedule }) });
  const body = { status: 'unhealthy', reason: 'schedule: no progress' };
  expect(await ask(ingress, '/health/live')).toMatchObject({ status: 503, body });
  expect(await ask(ingress)).toMatchObject({ status: 200, body: { status: 'ready' } });
});

const SCRAPES = 500;
/** Their answers are longer than what the system takes for a caller that does not read. */
const UNREAD_SCRAPES = 3_000;
const SCRAPE = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';

it.each([
  ['an ingress', openTestIngress],
  ['a health port', openHealthPort],
])('%s reads its metrics once for all scrapes that arrive at the same time', async (_name, open) => {
  const metrics = createMetrics();
  let readings = 0;
  metrics.onScrape(() => (readings += 1));
  const caller = await openRawHttp(Number(new URL((await open({ metrics })).url).port));
  caller.send(SCRAPE.repeat(SCRAPES));
  await caller.received((text) => text.split('HTTP/1.1 200 OK').length > SCRAPES);
  expect(readings).toBeLessThan(SCRAPES / 10);
});

it('a health port closes connections whose callers send no request, or do not read the answers', async () => {
  const metrics = createMetrics({ processMetrics: true });
  const port = Number(new URL((await openHealthPort({ metrics, timeoutMs: 500 })).url).port);
  const silent = await openRawHttp(port);
  const unread = await openRawHttp(port);
  unread.socket.pause();
  unread.send(SCRAPE.repeat(UNREAD_SCRAPES));
  await silent.closed();
  await sleep(1_000);
  unread.socket.resume();
  await unread.closed();
  const text = await unread.received(() => true);
  expect(text.split('HTTP/1.1 200 OK').length - 1).toBeLessThan(UNREAD_SCRAPES);
});

it('a health port closes further connections than a hundred at once', async () => {
  const port = Number(new URL((await openHealthPort({ timeoutMs: 60_000 })).url).port);
  for (let open = 0; open < 100; open += 1) await openRawHttp(port);
  await expect((await openRawHttp(port)).closed()).resolves.not.toThrow();
});

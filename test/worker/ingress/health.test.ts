import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createRequester } from '../../../shared/messaging/requester/requester.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { startHealthServer, type Health } from '../../../shared/platform/health.ts';
import { createMetrics, type Metrics } from '../../../shared/platform/metrics.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { openRawHttp } from '../../support/raw-http.ts';
import { hasAcceptance, idOf, send, SMS } from '../../support/builders/notification-call.ts';
import {
  createTestBroker,
  jsonCodec,
  openNotificationIngress,
  openTestIngress,
  postEcho,
  startTestIngress,
  type IngressSettings,
} from '../../support/worlds/ingress-fixture.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

interface HealthAnswer {
  readonly status: number;
  readonly body: Health & { parts: Record<string, Health>; workers: Record<string, Health> };
}

async function ask(settings: IngressSettings, path: string, open = openTestIngress): Promise<HealthAnswer> {
  const response = await fetch((await open(settings)).url + path);
  return { status: response.status, body: (await response.json()) as HealthAnswer['body'] };
}

it('an instance without a reply partition is alive but not ready', async () => {
  const requester = createFakeRequester(
    () => Promise.reject(new Error('unused')),
    new Promise(() => undefined),
  );
  const ready = await ask({ requester }, '/health/ready', startTestIngress);
  expect(ready).toMatchObject({ status: 503, body: { status: 'starting' } });
  expect(ready.body.reason).toContain('reply consumer');
  expect(await ask({ requester }, '/health/live', startTestIngress)).toMatchObject({ status: 200 });
});

it('an instance that is ready except for the schemas of its messages is not ready, as it refuses requests', async () => {
  const codec = { ...jsonCodec, prepare: () => new Promise<never>(() => undefined) };
  const ingress = await startTestIngress({ codec });
  const parts = async () => {
    const response = await fetch(`${ingress.url}/health/ready`);
    const { parts: own } = (await response.json()) as HealthAnswer['body'];
    return [response.status, own['results']?.status, own['traffic']?.status];
  };
  await expect.poll(parts).toEqual([503, 'ready', 'starting']);
  expect((await postEcho(ingress, {})).status).toBe(503);
});

it('an instance whose publisher cannot reach the broker is not ready', async () => {
  const publisher = new FakePublisher();
  const broker = await createTestBroker();
  const requester = createRequester({
    ...systemPorts,
    broker: {
      ...broker,
      admin: broker.admin,
      createPublisher: () => publisher,
      createTail: (tail) => broker.createTail(tail),
    },
    codec: jsonCodec,
    log: silentLog,
    replyTopic: TOPIC.ingressReplies,
    instanceId: 'one',
  });
  const { url } = await openTestIngress({ requester, broker });
  const status = async () => (await fetch(`${url}/health/ready`)).status;
  expect(await status()).toBe(200);
  publisher.healthy = false;
  expect(await status()).toBe(503);
  publisher.healthy = true;
  expect(await status()).toBe(200);
});

it('an instance is not ready while it cannot send notifications', async () => {
  const notificationPublisher = new FakePublisher();
  const { url } = await openTestIngress({ notificationPublisher });
  const ready = async () => {
    const response = await fetch(`${url}/health/ready`);
    return { status: response.status, body: (await response.json()) as HealthAnswer['body'] };
  };
  expect((await ready()).status).toBe(200);
  notificationPublisher.healthy = false;
  const notifications = { status: 'starting', reason: expect.stringContaining('cannot be sent') as string };
  expect(await ready()).toMatchObject({ status: 503, body: { parts: { notifications } } });
  notificationPublisher.healthy = true;
  expect((await ready()).status).toBe(200);
});

it('an instance says in its health that acceptances of notifications are not on the log yet', async () => {
  const notificationPublisher = new FakePublisher();
  let isAway = true;
  notificationPublisher.onPublish = (messages) =>
    isAway && hasAcceptance(messages) ? Promise.reject(new Error('away')) : Promise.resolve();
  const { url } = await openNotificationIngress({ notificationPublisher });
  const part = async () => {
    const response = await fetch(`${url}/health/ready`);
    const { parts } = (await response.json()) as HealthAnswer['body'];
    return [response.status, parts['notifications']?.status];
  };
  await idOf(send(url, 'sms', SMS));
  expect(await part()).toEqual([200, 'degraded']);
  isAway = false;
  await expect.poll(part).toEqual([200, 'ready']);
});

it('an unhealthy worker of the process fails liveness but not readiness', async () => {
  const schedule = { status: 'unhealthy', reason: 'no progress' } as const;
  const settings = { otherWorkers: () => ({ schedule }) };
  const live = await ask(settings, '/health/live');
  expect(live).toMatchObject({
    status: 503,
    body: { status: 'unhealthy', reason: 'schedule: no progress' },
  });
  expect(await ask(settings, '/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
});

const HEALTH_PORT = {
  host: '127.0.0.1',
  allowedHosts: [],
  port: 0,
  timers: systemPorts.timers,
  health: () => ({}),
};
const SCRAPES = 500;
/** Their answers are longer than what the system takes for a caller that does not read. */
const UNREAD_SCRAPES = 3_000;
const SCRAPE = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';

it.each([
  ['an ingress', async (metrics: Metrics) => (await openTestIngress({ metrics })).url],
  [
    'a health port',
    async (metrics: Metrics) => {
      const server = await startHealthServer({ ...HEALTH_PORT, metrics });
      onTestFinished(() => server.stop());
      return server.url;
    },
  ],
])('%s reads its metrics once for all scrapes that arrive at the same time', async (_name, open) => {
  const metrics = createMetrics();
  let readings = 0;
  metrics.onScrape(() => (readings += 1));
  const caller = await openRawHttp(Number(new URL(await open(metrics)).port));
  caller.send(SCRAPE.repeat(SCRAPES));
  await caller.received((text) => text.split('HTTP/1.1 200 OK').length > SCRAPES);
  expect(readings).toBeLessThan(SCRAPES / 10);
});

it('a health port closes connections whose callers send no request, or do not read the answers', async () => {
  const server = await startHealthServer({
    ...HEALTH_PORT,
    metrics: createMetrics({ processMetrics: true }),
    timeoutMs: 500,
  });
  onTestFinished(() => server.stop());
  const port = Number(new URL(server.url).port);
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

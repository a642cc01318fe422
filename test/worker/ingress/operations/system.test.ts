import {
  createTestBroker,
  metricsOf,
  openHealthPort,
  openNotificationIngress,
  openTestIngress,
} from '../../../support/worlds/ingress-fixture.ts';
import { expect, it, vi } from 'vitest';
import { systemReply, type SystemState } from '../../../../shared/api/operations/system-state.ts';
import { createMetrics } from '../../../../shared/platform/metrics.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../../workers/ingress/main.ts';
import {
  createLetterTopics,
  operationsOf,
  publishLetters,
} from '../../../support/worlds/operations-calls.ts';
import { createSharedBroker, startOn } from '../../../support/worlds/ingress-system.ts';
import { startScheduleWorker } from '../../../../workers/schedule/main.ts';

const SYSTEM = '/api/operations/v1/system';

async function stateOf({ url }: { readonly url: string }): Promise<SystemState> {
  const response = await fetch(url + SYSTEM);
  expect(response.status).toBe(200);
  return systemReply.parse(await response.json());
}

function groupOf(state: SystemState) {
  return state.groups.find(({ groupId }) => groupId === 'plat.schedule.interactive');
}

it('shows groups, members and lag of workers in other processes, and the catalogue', async () => {
  const broker = await createSharedBroker(3);
  const ingress = await startOn(broker, startIngressWorker);
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  const value = Buffer.from('{}');
  await publisher.publish(
    [0, 0, 2].map((partition) => ({ topic: TOPIC.scheduleRequests, key: null, partition, value })),
  );
  const unread = await stateOf(ingress);
  const catalogue = { version: 0 };
  expect(unread).toMatchObject({ status: 'critical', broker: { kind: 'embedded' }, catalogue });
  expect(unread.findings.map(({ code }) => code)).toEqual(['group-without-members', 'catalogue-absent']);
  expect(groupOf(unread)).toMatchObject({ worker: 'schedule', state: 'empty', lag: 3, members: [] });
  expect(groupOf(unread)?.partitions.map(({ lag }) => lag)).toEqual([2, 0, 1]);
  // Without the lane of bulk requests, whose group keeps its state.
  await startOn(broker, startScheduleWorker);
  await expect.poll(async () => groupOf(await stateOf(ingress))?.lag).toBe(0);
  const read = groupOf(await stateOf(ingress));
  expect(read).toMatchObject({
    state: 'stable',
    members: [{ clientId: 'schedule-interactive', partitions: [0, 1, 2] }],
  });
  expect(read?.partitions.map(({ committed = 0 }) => committed)).toEqual([2, 0, 1]);
  const record = { topic: TOPIC.catalogueRecords, key: 'product/A', value };
  await publisher.publish([{ ...record, timestampMs: 1_800_000_000_000 }]);
  await expect
    .poll(async () => (await stateOf(ingress)).catalogue)
    .toEqual({ version: 1, changedAt: '2027-01-15T08:00:00.000Z' });
});

const lettersOf = ({ findings }: SystemState) =>
  findings
    .filter(({ subject }) => subject === 'dead letters')
    .map(({ code, parameters: { count, since } }) => ({ code, count, since }));

it('open dead letters and parked notifications are findings and metrics until an operator has handled them', async () => {
  const broker = await createTestBroker();
  await createLetterTopics(broker);
  await publishLetters(broker, 4, (number) => ({
    [HEADER.deadLetterCode]: number === 1 ? 'outcome-unknown' : 'smtp-550',
  }));
  const { url } = await openNotificationIngress({ broker });
  const first = await stateOf({ url });
  expect(first.status).toBe('warning');
  expect(lettersOf(first)).toEqual([
    { code: 'dead-letters-open', count: 4, since: '2026-05-01T10:00:00.000Z' },
    { code: 'notifications-parked', count: 1, since: '2026-05-01T10:00:01.000Z' },
  ]);
  await expect
    .poll(() => metricsOf({ url }))
    .toMatch(
      /plat_dead_letters_open\{kind="open"\} 4\n[^]*plat_dead_letters_oldest_seconds\{kind="parked"\} \d{5,}/,
    );
  const { post } = operationsOf(url);
  const reason = 'seen';
  await post('/dead-letters/mark-sent', { selection: { codes: ['outcome-unknown'] }, reason });
  await post('/dead-letters/discard', { selection: { codes: ['smtp-550'] }, limit: 1, reason });
  await expect
    .poll(async () => lettersOf(await stateOf({ url })))
    .toEqual([{ code: 'dead-letters-open', count: 2, since: '2026-05-01T10:00:02.000Z' }]);
  await publishLetters(broker, 1, () => ({ [HEADER.deadLetterCode]: 'smtp-550' }));
  await expect
    .poll(async () => lettersOf(await stateOf({ url })))
    .toEqual([{ code: 'dead-letters-open', count: 3, since: '2026-05-01T10:00:00.000Z' }]);
  await post('/dead-letters/discard', { selection: { codes: ['smtp-550'] }, reason });
  await expect.poll(async () => lettersOf(await stateOf({ url })), { timeout: 5_000 }).toEqual([]);
  await expect.poll(() => metricsOf({ url })).toContain('plat_dead_letters_open{kind="open"} 0');
});

it('shows the workers of its process with their reasons', async () => {
  const metrics = createMetrics();
  const open = metrics.gauge('plat_notification_provider_open');
  open.set({ channel: 'sms', provider: 'main' }, 1);
  const ingress = await openTestIngress({
    metrics,
    otherWorkers: () => ({ schedule: { status: 'degraded', reason: 'commits have failed for 60 s' } }),
  });
  const state = await stateOf(ingress);
  expect(state.processes).toMatchObject([
    {
      name: 'this',
      workers: [
        { name: 'ingress', status: 'ready' },
        { name: 'schedule', status: 'degraded', reason: 'commits have failed for 60 s' },
      ],
    },
  ]);
  expect(state.breakers).toEqual([{ process: 'this', name: 'sms/main', state: 'open' }]);
  expect(state.findings.map(({ code }) => code)).toContain('breaker-open');
});

it('shows other processes by the addresses of their health ports, and which of them cannot be read', async () => {
  const healthPort = await openHealthPort({
    health: () => ({ schedule: { status: 'starting', reason: 'not yet assigned' } }),
  });
  const other = await openTestIngress();
  // Something that answers with a page, and a port on which nothing listens.
  const foreign = await openTestIngress();
  const closed = await openHealthPort();
  await closed.stop();
  const urls = [healthPort.url, other.url, `${foreign.url}/docs`, closed.url];
  const system = { retryTiersMs: [], processUrls: urls, version: '1.2.3', settings: [] };
  const ingress = await openTestIngress({ system });
  const { processes, findings, version } = await stateOf(ingress);
  expect(version).toBe('1.2.3');
  expect(processes.slice(1)).toMatchObject([
    { workers: [{ name: 'schedule', status: 'starting', reason: 'not yet assigned' }] },
    { workers: [{ name: 'ingress', status: 'ready' }] },
    { fault: '/docs/health/ready answers with status 404', faultDetail: '/docs/health/ready: 404' },
    { fault: 'cannot be reached: ECONNREFUSED', faultDetail: 'ECONNREFUSED' },
  ]);
  const codes = processes.slice(3).map(({ faultCode, workers }) => [faultCode, workers]);
  expect(codes).toEqual([
    ['unexpected-answer', []],
    ['unreachable', []],
  ]);
  expect(findings.filter(({ severity }) => severity === 'critical').map(({ code }) => code)).toEqual(
    'worker-not-ready process-unreadable process-unreadable'.split(' '),
  );
});

it('a broker that cannot be read is a finding, with what was read before', async () => {
  const broker = await createTestBroker();
  const ingress = await openTestIngress({ broker });
  const before = await stateOf(ingress);
  expect(before.broker.fault).toBeUndefined();
  vi.spyOn(broker.admin, 'groups').mockRejectedValue(new Error('connection lost'));
  await expect.poll(async () => (await stateOf(ingress)).broker.fault).toBe('connection lost');
  const after = await stateOf(ingress);
  expect(after.broker.lastReadAt).toMatch(/^20/);
  expect(after.groups).toEqual(before.groups);
  expect(after.findings[0]).toMatchObject({ severity: 'critical', code: 'broker-unreadable' });
});

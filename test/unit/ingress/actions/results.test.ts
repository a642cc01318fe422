import { createHmac } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import { loadConfig } from '../../../../shared/platform/load-config.ts';
import { hashSubject } from '../../../../workers/ingress/access/access.ts';
import { KeptResults } from '../../../../workers/ingress/actions/kept-results.ts';
import { callerIn, createResultIds } from '../../../../workers/ingress/actions/result-ids.ts';
import { chooseResultSecret } from '../../../../workers/runtime/result-secret.ts';
import { readIngressOptions } from '../../../../workers/ingress/server/http-limits.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const TICKET = {
  issuedAtMs: 1_700_000_000_000,
  deadlineMs: 1_700_000_060_000,
  owner: hashSubject('u1'),
  action: 'PLAT_BP_X',
};

const result = (id: string | Buffer | (string | Buffer)[], timestampMs: number, bytes = 10): LogMessage => ({
  topic: 'results',
  partition: 0,
  offset: 0,
  key: null,
  value: Buffer.alloc(bytes, id.toString()),
  headers: { [HEADER.correlationId]: id },
  timestampMs,
});

const secret = (
  configured: string | undefined,
  accessRequired: boolean,
  brokerKind: 'embedded' | 'kafka',
  dataFolder?: string,
) => chooseResultSecret({ configured, accessRequired, brokerKind, dataFolder });

const ids = createResultIds('secret', systemPorts.newId);

it('ids contain their ticket, and are unique also in correlation ids that tell callers apart without naming them', () => {
  const issued = ['address ::1', 'address ::2', 'address ::1'].map((caller) => ids.issue(TICKET, caller));
  for (const { id, correlationId } of issued) {
    expect(ids.read(id)).toEqual({ ...TICKET, correlationId });
    expect(id).toMatch(/^[\w-]+\.[\w-]+$/);
    expect(correlationId).not.toContain('::');
  }
  expect(new Set(issued.map(({ id }) => id)).size).toBe(3);
  const [one, two, again] = issued.map(({ correlationId }) => callerIn(correlationId));
  expect([one === two, one === again]).toEqual([false, true]);
  expect(callerIn('an id of another system')).toBe('');
});

it('ids are refused when a character was changed, the secret differs, or they are of another release', () => {
  const { id } = ids.issue(TICKET, 'address ::1');
  expect(createResultIds('other', systemPorts.newId).read(id)).toBeUndefined();
  const changed = Array.from(
    id.slice(0, -1),
    (one, at) => id.slice(0, at) + (one === 'A' ? 'B' : 'A') + id.slice(at + 1),
  );
  const body = Buffer.from(`2\nid\n1\n2\nowner\naction`).toString('base64url');
  const mac = createHmac('sha256', 'secret').update(body).digest().subarray(0, 16).toString('base64url');
  for (const wrong of [...changed, id.slice(0, -4), id.slice(0, id.indexOf('.')), `${body}.${mac}`])
    expect(ids.read(wrong)).toBeUndefined();
});

it('ids fit into a path parameter with the longest action name, and contain no subject', () => {
  const owner = hashSubject('a long subject '.repeat(100));
  const { id } = ids.issue({ ...TICKET, owner, action: 'x'.repeat(64) }, 'subject u1');
  expect(id.length).toBeLessThan(480);
  expect(Buffer.from(id, 'base64url').toString()).not.toContain('subject');
});

it('requires a secret for result ids that outlive the process, and keeps it in the data folder', () => {
  expect(secret('given', true, 'kafka')).toBe('given');
  expect(() => secret(undefined, true, 'kafka')).toThrow(/RESULT_ID_SECRET/);
  expect(secret(undefined, false, 'kafka')).toBe(secret(undefined, false, 'kafka'));
  expect(() => secret(undefined, true, 'kafka', scratchFolder())).toThrow(/RESULT_ID_SECRET/);
  // All workers of a process have the same.
  expect(secret(undefined, true, 'embedded')).toBe(secret(undefined, true, 'embedded'));
  expect(secret(undefined, true, 'embedded')).toBe(secret(undefined, false, 'embedded'));
  expect(secret(undefined, false, 'embedded')).not.toBe(secret(undefined, false, 'kafka'));
  const folder = scratchFolder();
  expect(secret('given', true, 'embedded', folder)).toBe('given');
  expect(readdirSync(folder)).toEqual([]);
  const kept = secret(undefined, false, 'embedded', folder);
  expect(kept.length).toBeGreaterThanOrEqual(32);
  expect(readdirSync(folder)).toEqual(['result-id-secret']);
  const file = path.join(folder, 'result-id-secret');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // Access control may be switched on later.
  expect(secret(undefined, true, 'embedded', folder)).toBe(kept);
  expect(secret(undefined, true, 'embedded', scratchFolder())).not.toBe(kept);
  writeFileSync(file, '');
  expect(() => secret(undefined, true, 'embedded', folder)).toThrow(/result-id-secret is damaged/);
});

const OPTIONS = {
  ...readIngressOptions(loadConfig({})),
  asyncTimeoutMs: 100,
  resultRetentionMs: 900,
  resultStoreBytes: 3_000,
};

async function startFeed() {
  let tail = new FakeTail({ clientId: '', topics: [], from: 'earliest' });
  const createTail = (options: FakeTail['options']) => (tail = new FakeTail(options));
  const clock = { nowMs: 100, now: () => clock.nowMs };
  const feed = new KeptResults({ createTail }, { options: OPTIONS, clock });
  expect(feed.isCurrent()).toBe(false);
  await feed.start();
  return { feed, clock, deliver: (message: LogMessage) => tail.deliver(message), tail };
}

it('the feed keeps the first result of a correlation id, from the last of repeated headers', async () => {
  const { feed, deliver, tail } = await startFeed();
  deliver(result(Buffer.from('a'), 50, 1));
  deliver(result('a', 60, 2));
  deliver(result(['x', 'b'], 60));
  deliver({ ...result('c', 60), headers: {} });
  expect(feed.find('a')?.value?.length).toBe(1);
  expect([feed.find('b') === undefined, feed.find('x')]).toEqual([false, undefined]);
  deliver({ ...result('d', 60), value: null });
  expect(feed.size()).toEqual({ records: 3, bytes: 3 * 512 + 1 + 10 });
  expect(feed.isCurrent()).toBe(true);
  tail.ready = false;
  expect(feed.isCurrent()).toBe(false);
});

it('the feed ignores and evicts results beyond the retention', async () => {
  const { feed, clock, deliver } = await startFeed();
  clock.nowMs = 1_001;
  deliver(result('late', 0));
  deliver(result('in time', 1));
  expect([feed.find('late'), feed.find('in time') === undefined]).toEqual([undefined, false]);
  clock.nowMs = 1_002;
  expect([feed.find('in time'), feed.isEvicted('in time')]).toEqual([undefined, false]);
  expect(feed.mayHaveEvicted(0)).toBe(false);
});

it('the feed evicts the oldest results above the size limit', async () => {
  const { feed, deliver } = await startFeed();
  for (const [index, id] of ['a', 'b', 'c'].entries()) deliver(result(id, 10 * (index + 1), 800));
  expect(['a', 'b', 'c'].filter((id) => feed.find(id) !== undefined)).toEqual(['b', 'c']);
  expect(feed.size()).toEqual({ records: 2, bytes: 2 * (800 + 512) });
  expect(['a', 'b', 'c'].map((id) => feed.isEvicted(id))).toEqual([true, false, false]);
});

it('the feed may have evicted the result of a request that seems to be issued after it, by another clock', async () => {
  const { feed, deliver } = await startFeed();
  for (const id of ['a', 'b', 'c']) deliver(result(id, 30, 800));
  const issued = [30, 35, 60_030, 60_031].map((issuedAtMs) => feed.mayHaveEvicted(issuedAtMs));
  expect(issued).toEqual([true, true, true, false]);
});

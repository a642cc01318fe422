import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HEADER } from '../../../../shared/messaging/header-names.ts';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import { hashSubject } from '../../../../workers/ingress/access/access.ts';
import { chooseResultSecret, createResultIds } from '../../../../workers/ingress/actions/result-ids.ts';
import { createResultStore } from '../../../../workers/ingress/actions/result-store.ts';

const TICKET = {
  issuedAtMs: 1_700_000_000_000,
  deadlineMs: 1_700_000_060_000,
  owner: hashSubject('u1'),
  action: 'PLAT_BP_X',
};

const message = (id: string | Buffer | (string | Buffer)[], timestampMs: number, bytes = 10): LogMessage => ({
  topic: 'results',
  partition: 0,
  offset: 0,
  key: null,
  value: Buffer.alloc(bytes, id.toString()),
  headers: { [HEADER.correlationId]: id },
  timestampMs,
});

const secret = (configured: string | undefined, accessRequired: boolean, brokerKind: 'embedded' | 'kafka') =>
  chooseResultSecret({ configured, accessRequired, brokerKind });

describe('result ids', () => {
  it('say what they were issued for, and no two are alike', () => {
    const ids = createResultIds('secret');
    const { id, correlationId } = ids.issue(TICKET);
    expect(ids.read(id)).toEqual({ ...TICKET, correlationId });
    expect(ids.issue(TICKET).id).not.toBe(id);
    expect(id).toMatch(/^[\w-]+\.[\w-]+$/);
  });

  it('are unknown when any character was changed, or the secret is another', () => {
    const ids = createResultIds('secret');
    const { id } = ids.issue(TICKET);
    expect(createResultIds('other').read(id)).toBeUndefined();
    for (let at = 0; at < id.length - 1; at++) {
      const changed = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1);
      expect(ids.read(changed)).toBeUndefined();
    }
  });

  it('are unknown when the signature is cut off, or the format is that of another release', () => {
    const ids = createResultIds('secret');
    const { id } = ids.issue(TICKET);
    expect(ids.read(id.slice(0, -4))).toBeUndefined();
    expect(ids.read(id.slice(0, id.indexOf('.')))).toBeUndefined();
    const body = Buffer.from(`2\nid\n1\n2\nowner\naction`).toString('base64url');
    const mac = createHmac('sha256', 'secret').update(body).digest().subarray(0, 16).toString('base64url');
    expect(ids.read(`${body}.${mac}`)).toBeUndefined();
  });

  it('fit a path parameter with the longest name of the interface, and show no subject', () => {
    const owner = hashSubject('a subject that is rather long '.repeat(100));
    const { id } = createResultIds('secret').issue({ ...TICKET, owner, action: 'x'.repeat(64) });
    expect(id.length).toBeLessThan(480);
    expect(Buffer.from(id, 'base64url').toString()).not.toContain('subject');
  });
});

describe('the secret of result ids', () => {
  it('must be configured where callers are authenticated and results outlive the process', () => {
    expect(secret('given', true, 'kafka')).toBe('given');
    expect(() => secret(undefined, true, 'kafka')).toThrow(/RESULT_ID_SECRET/);
    expect(secret(undefined, false, 'kafka')).toBe(secret(undefined, false, 'kafka'));
    expect(secret(undefined, true, 'embedded')).not.toBe(secret(undefined, true, 'embedded'));
  });
});

describe('the result store', () => {
  it('finds by correlation id, the first answer of several, the last of repeated headers', () => {
    const store = createResultStore({ now: () => 100, retentionMs: 1_000, maxBytes: 10_000 });
    store.add(message(Buffer.from('a'), 50, 1));
    store.add(message('a', 60, 2));
    store.add(message(['x', 'b'], 60));
    store.add({ ...message('c', 60), headers: {} });
    expect(store.find('a')?.value?.length).toBe(1);
    expect(store.find('b')).toBeDefined();
    expect(store.find('x')).toBeUndefined();
    expect(store.size().records).toBe(2);
  });

  it('forgets after the retention, counted from when the result was written', () => {
    let nowMs = 0;
    const store = createResultStore({ now: () => nowMs, retentionMs: 1_000, maxBytes: 10_000 });
    store.add(message('a', 0));
    nowMs = 1_000;
    expect(store.find('a')).toBeDefined();
    nowMs = 1_001;
    expect(store.find('a')).toBeUndefined();
    store.add(message('late', 0));
    expect(store.size()).toEqual({ records: 0, bytes: 0 });
    expect(store.mayHaveEvicted(0)).toBe(false);
  });

  it('stays within its bytes by dropping the oldest, and knows from when on it is complete', () => {
    const store = createResultStore({ now: () => 100, retentionMs: 1_000, maxBytes: 3_000 });
    for (const [index, id] of ['a', 'b', 'c'].entries()) store.add(message(id, 10 * (index + 1), 800));
    expect([store.find('a'), store.find('b') !== undefined, store.find('c') !== undefined]).toEqual([
      undefined,
      true,
      true,
    ]);
    expect(store.size().bytes).toBeLessThanOrEqual(3_000);
    expect([store.mayHaveEvicted(10), store.mayHaveEvicted(11)]).toEqual([true, false]);
  });
});

import { expect, it, onTestFinished } from 'vitest';
import { SUPPRESSION_REASONS } from '../../../shared/api/operations/suppression-calls.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import { FakeTail } from '../../support/fakes/tail.ts';
import { Picks } from '../../support/random/pick.ts';

/** A list in memory, and how its instance reads the next records of the log. */
async function openList(log: readonly OutgoingMessage[]) {
  const tails: FakeTail[] = [];
  const createTail = (options: FakeTail['options']): FakeTail => {
    const tail = new FakeTail(options);
    tails.push(tail);
    return tail;
  };
  const broker = { kind: 'embedded', createTail, admin: { offsets: () => Promise.resolve([]) } };
  const config = loadConfig({ DATA_DIR: 'memory' });
  const context = { ...systemPorts, broker: broker as never, config, log: silentLog };
  const list = new Suppressions(context, { clientId: 'test', secret: 'a secret for tests only' });
  await list.start();
  onTestFinished(() => list.stop(0));
  let offset = 0;
  const read = (upTo = log.length) => {
    for (; offset < upTo; offset += 1) {
      const { topic = '', key = '', value = null } = log[offset] ?? {};
      const message = { key: Buffer.from(String(key)), value: Buffer.from(value ?? []), headers: {} };
      tails[0]?.deliver({ ...message, topic, partition: 0, offset, timestampMs: Date.now() });
    }
  };
  return { list, read, tail: tails[0] };
}

const at = (second: number) => new Date(1_800_000_000_000 + second * 1_000).toISOString();
const HASHES = ['0123456789abcdef', 'fedcba9876543210'];

it('ends in the same list after reports in any order, twice each, over two instances (N8)', async () => {
  const picks = new Picks(20_260_116);
  for (let run = 0; run < 40; run += 1) {
    const reports = Array.from({ length: picks.whole(1, 12) }, () => ({
      hash: picks.of(HASHES[0], HASHES[1]) ?? '',
      reason: picks.of(...SUPPRESSION_REASONS),
      at: at(picks.whole(0, 9)),
      by: 'x',
      ...(picks.chance(20) && { removed: true as const }),
    }));
    const lists = [0, 1, 2].map(async () => {
      const log: OutgoingMessage[] = [];
      const instances = [await openList(log), await openList(log)] as const;
      const twice = [...reports, ...reports].map((report) => ({ report, place: picks.share() }));
      for (const { report } of twice.toSorted((one, other) => one.place - other.place)) {
        const { list, read } = picks.of(...instances);
        read(picks.whole(0, log.length));
        log.push(...(report.removed ? list.records(report) : list.recordReported(report)));
      }
      for (const { read } of instances) read();
      return instances.map(({ list }) =>
        HASHES.map((hash) => list.find(hash).map((entry) => `${entry.reason} ${entry.at}`)),
      );
    });
    const [[first] = [], ...others] = await Promise.all(lists);
    for (const one of others.flat()) expect(one).toEqual(first);
  }
});

it('keeps a bounce beside what is reported before, after or with it', async () => {
  const bounced = { hash: HASHES[0] ?? '', reason: 'bounced', at: at(1), by: 'x' } as const;
  const unsubscribed = { ...bounced, reason: 'unsubscribed', at: at(2) } as const;
  for (const order of [
    [bounced, unsubscribed],
    [unsubscribed, bounced],
  ]) {
    const log: OutgoingMessage[] = [];
    const { list, read } = await openList(log);
    log.push(...order.flatMap((entry) => list.recordReported(entry)));
    read();
    expect(list.find(bounced.hash)).toEqual([bounced, unsubscribed]);
  }
});

it('writes and finds nothing while the topic is not read', async () => {
  const { list, tail } = await openList([]);
  if (tail) tail.ready = false;
  const entry = { hash: HASHES[0] ?? '', reason: 'bounced', at: at(1), by: 'x' } as const;
  expect(() => list.find(entry.hash)).toThrow(/not being read/);
  expect(() => list.recordReported(entry)).toThrow(/not being read/);
});

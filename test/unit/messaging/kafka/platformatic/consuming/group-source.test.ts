import { afterEach, describe, expect, it } from 'vitest';
import { PlatformaticGroupSource } from '../../../../../../shared/messaging/kafka/platformatic/consuming/group-source.ts';
import type { GroupSink } from '../../../../../../shared/messaging/ports.ts';
import { silentLog } from '../../../../../../shared/platform/log.ts';
import { systemTimers, type Timers } from '../../../../../../shared/platform/timers.ts';
import { recordBatch } from '../../../../../support/builders/record-batches.ts';
import { fastTimers } from '../../../../../support/fakes/virtual-time.ts';
import { FakePlatformaticCluster, GROUP_REQUEST } from '../../../../../support/fakes/platformatic-cluster.ts';

const CORRUPT_MESSAGE = 2;
const NOT_COORDINATOR = 16;
const COORDINATOR_LOAD_IN_PROGRESS = 14;
const ILLEGAL_GENERATION = 22;
const UNKNOWN_MEMBER_ID = 25;
const REBALANCE_IN_PROGRESS = 27;
const GROUP_AUTHORIZATION_FAILED = 30;
/** Timers fire after this part of their time, that of heartbeats every 5 ms; the clock keeps its pace. */
const FACTOR = 200;
const started: PlatformaticGroupSource[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((source) => source.stop()));
});

function setUp(over: Partial<GroupSink> = {}, time: { timers?: Timers; now?: () => number } = {}) {
  const { timers = fastTimers(FACTOR), now = () => performance.now() } = time;
  const cluster = new FakePlatformaticCluster();
  cluster.addTopic('t', 2);
  const events: string[] = [];
  const stopped: unknown[] = [];
  const source = new PlatformaticGroupSource(
    { groupId: 'g', clientId: 'c', topics: ['t'] },
    {
      createClient: cluster.createClient,
      log: silentLog,
      onStopped: (one) => stopped.push(one),
      admin: { partitionCounts: () => Promise.resolve(new Map([['t', 2]])) },
      timers,
      monotonic: { elapsedMs: now },
    },
  );
  started.push(source);
  const sink: GroupSink = {
    onAssigned: (generation, partitions) => {
      events.push(`assigned ${generation}: ${partitions.map(({ partition }) => partition).join(' ')}`);
    },
    onRevoking: (generation) => events.push(`revoking ${generation}`),
    onMessages: (generation, messages) => {
      events.push(...messages.map(({ value }) => `${generation}: ${String(value)}`));
    },
    onCrash: (error) => events.push(`crash: ${(error as Error & { code: string }).code}`),
    ...over,
  };
  const write = async (partition: number, first: number, value: string) => {
    cluster.append('t', partition, await recordBatch(first, [{ value }]), 1);
  };
  return { cluster, source, sink, events, stopped, write };
}

const at = (partition: number, offset: number) => ({ topic: 't', partition, offset });
const poll = (check: () => unknown) => expect.poll(check, { timeout: 5_000, interval: 5 });

describe('a group source', () => {
  it('joins, and delivers from the commits or the first retained message', async () => {
    const { cluster, source, sink, events, write } = setUp();
    cluster.committed.set('t/0', 1);
    await write(0, 0, 'old');
    await write(0, 1, 'new');
    cluster.partition('t', 1).first = 5;
    await write(1, 5, 'first');
    await source.start(sink);
    await poll(() => events.toSorted()).toEqual(['1: first', '1: new', 'assigned 1: 0 1']);
    await expect(source.start(sink)).rejects.toMatchObject({ code: 'consumer-used' });
  });

  it('commits the current generation only, and none after it was stopped', async () => {
    const { cluster, source, sink } = setUp();
    await source.start(sink);
    expect(await source.commit(0, [at(0, 9)])).toBe(false);
    expect(await source.commit(1, [at(0, 3)])).toBe(true);
    expect(cluster.committed).toEqual(new Map([['t/0', 3]]));
    cluster.fail('commit', 'broken');
    await expect(source.commit(1, [at(0, 4)])).rejects.toMatchObject({ code: 'broker-unavailable' });
    await source.stop();
    expect(await source.commit(1, [at(0, 5)])).toBe(false);
  });

  it('reports a rebalance, completes the commits of the sink, and joins again', async () => {
    const { cluster, source, sink, events, write } = setUp();
    const commits: Promise<boolean>[] = [];
    await source.start({
      ...sink,
      onRevoking: (generation) => {
        events.push(`revoking ${generation}`);
        commits.push(source.commit(generation, [at(0, 1)]));
      },
    });
    await write(0, 0, 'a');
    await poll(() => events).toContain('1: a');
    cluster.fail('heartbeat', REBALANCE_IN_PROGRESS);
    await poll(() => events.at(-1)).toBe('assigned 2: 0 1');
    expect(events).toEqual(['assigned 1: 0 1', '1: a', 'revoking 1', 'assigned 2: 0 1']);
    expect(await Promise.all(commits)).toEqual([true]);
    const { heartbeat, commit, join } = GROUP_REQUEST;
    const sent = cluster.groupRequests;
    const committedAt = sent.indexOf(commit);
    expect(sent.slice(committedAt - 1, committedAt + 2)).toEqual([heartbeat, commit, join]);
    // For heartbeats, for fetches, and for everything else.
    expect(cluster.open).toBe(3);
  });

  it.each([
    ['whose generation is over', ILLEGAL_GENERATION],
    ['that was expelled', UNKNOWN_MEMBER_ID],
  ])('drops the commit of a member %s, and joins again', async (_, error) => {
    const { cluster, source, sink, events } = setUp();
    await source.start(sink);
    cluster.fail('commit', error);
    expect(await source.commit(1, [at(0, 1)])).toBe(false);
    await poll(() => events.at(-1)).toBe('assigned 2: 0 1');
    expect(cluster.committed.size).toBe(0);
  });

  it('repeats a join while the coordinator moves or loads, or the connection breaks', async () => {
    const { cluster, source, sink, events } = setUp();
    for (const failure of [NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS, 'broken'] as const) {
      cluster.fail('join', failure);
    }
    cluster.fail('coordinator', 'broken');
    await source.start(sink);
    expect(events).toEqual(['assigned 1: 0 1']);
  });

  it('does not join again after it was stopped between two attempts', async () => {
    const waits: (() => void)[] = [];
    const schedule: Timers['schedule'] = (callback) => {
      waits.push(callback);
      return () => undefined;
    };
    const { cluster, source, sink } = setUp({}, { timers: { ...systemTimers, schedule } });
    cluster.fail('join', COORDINATOR_LOAD_IN_PROGRESS);
    const starting = source.start(sink);
    await poll(() => waits.length).toBe(1);
    await source.stop();
    waits[0]?.();
    await expect(starting).rejects.toMatchObject({ code: 'consumer-used' });
    expect(cluster.groupRequests.filter((key) => key === GROUP_REQUEST.join)).toHaveLength(1);
  });

  it('reports that it has stopped when its start fails', async () => {
    const { cluster, source, sink, stopped } = setUp();
    cluster.fail('join', GROUP_AUTHORIZATION_FAILED);
    await expect(source.start(sink)).rejects.toMatchObject({ code: 'broker-refused' });
    expect(stopped).toEqual([source]);
  });

  it('keeps joining while other members join during its joins, however long that takes', async () => {
    let nowMs = 0;
    const { cluster, source, sink, events } = setUp({}, { now: () => (nowMs += 10_000) });
    for (let round = 0; round < 3; round += 1) cluster.fail('sync', REBALANCE_IN_PROGRESS);
    await source.start(sink);
    expect(events).toEqual(['assigned 1: 0 1']);
  });

  it('survives heartbeats that are not answered, and asks for the coordinator again', async () => {
    const { cluster, source, sink, events } = setUp();
    await source.start(sink);
    cluster.groupRequests.length = 0;
    cluster.fail('heartbeat', 'broken');
    const { coordinator, heartbeat } = GROUP_REQUEST;
    await poll(() => cluster.groupRequests.slice(0, 2)).toEqual([coordinator, heartbeat]);
    expect(events).toEqual(['assigned 1: 0 1']);
  });

  it('gives a heartbeat a third of the session, behind no commit or fetch', async () => {
    const { cluster, source, sink } = setUp();
    await source.start(sink);
    await source.commit(1, [at(0, 1)]);
    await poll(() => cluster.senders.get(GROUP_REQUEST.heartbeat)?.limitMs).toBe(2_000);
    const clients = (['heartbeat', 'commit', 'fetch'] as const).map(
      (request) => cluster.senders.get(GROUP_REQUEST[request])?.client,
    );
    expect(new Set(clients).size).toBe(3);
  });

  it('crashes without permission for its group, and rejects a start without it', async () => {
    const one = setUp();
    await one.source.start(one.sink);
    one.cluster.fail('heartbeat', GROUP_AUTHORIZATION_FAILED);
    await poll(() => one.events.at(-1)).toBe('crash: broker-refused');
    const other = setUp();
    other.cluster.fail('join', GROUP_AUTHORIZATION_FAILED);
    await expect(other.source.start(other.sink)).rejects.toMatchObject({ code: 'broker-refused' });
    expect(other.events).toEqual([]);
  });

  it('crashes when its sink throws, leaves the group, and closes its connections', async () => {
    const { cluster, source, sink, events, stopped, write } = setUp({
      onMessages: () => {
        throw new Error('a bug');
      },
    });
    await write(0, 0, 'a');
    await source.start(sink);
    await poll(() => events.at(-1)).toBe('crash: broker-unavailable');
    await poll(() => cluster.open).toBe(0);
    expect(cluster.groupRequests.at(-1)).toBe(GROUP_REQUEST.leave);
    expect(stopped).toEqual([source]);
  });

  it('divides the partitions anew when it is the leader and a topic has more of them', async () => {
    const { cluster, source, sink, events } = setUp();
    await source.start(sink);
    await poll(() => cluster.fetches.length).toBeGreaterThan(1);
    cluster.addTopic('t', 3);
    // A failed fetch makes the source query the leaders.
    cluster.fail('fetch', 'broken');
    await poll(() => events.length).toBe(3);
    expect(events).toEqual(['assigned 1: 0 1', 'revoking 1', 'assigned 2: 0 1 2']);
  });

  it('divides the partitions anew when a topic was created again with fewer of them, but not while it is deleted', async () => {
    const { cluster, source, sink, events } = setUp();
    await source.start(sink);
    await poll(() => cluster.fetches.length).toBeGreaterThan(1);
    const left = cluster.partition('t', 0);
    cluster.partitions.clear();
    cluster.fail('fetch', 'broken');
    const queried = cluster.metadataRequests;
    await poll(() => cluster.metadataRequests).toBeGreaterThan(queried + 1);
    expect(events).toEqual(['assigned 1: 0 1']);
    cluster.partitions.set('t/0', left);
    await poll(() => events).toEqual(['assigned 1: 0 1', 'revoking 1', 'assigned 2: 0']);
  });

  it('reports a partition that cannot be read, but none during a rebalance', async () => {
    const { cluster, source, sink, events } = setUp({
      onRevoking: () => events.push(`revoking, unreadable: ${source.unreadable()?.partition}`),
    });
    expect(source.unreadable()).toBeUndefined();
    await source.start(sink);
    cluster.partition('t', 1).error = CORRUPT_MESSAGE;
    await poll(() => source.unreadable()).toMatchObject({ topic: 't', partition: 1 });
    cluster.fail('heartbeat', REBALANCE_IN_PROGRESS);
    await poll(() => events.length).toBe(3);
    expect(events[1]).toBe('revoking, unreadable: undefined');
  });

  it('leaves the group and closes its connections on stop, also while it joins', async () => {
    const { cluster, source, sink, stopped } = setUp();
    cluster.topicError = 3;
    const refusal = source.start(sink).catch((error: unknown) => error);
    await poll(() => cluster.groupRequests).toContain(GROUP_REQUEST.join);
    await source.stop();
    expect(await refusal).toMatchObject({ code: 'consumer-used' });
    expect(cluster.groupRequests).toContain(GROUP_REQUEST.leave);
    expect([cluster.open, stopped]).toEqual([0, [source]]);
  });
});

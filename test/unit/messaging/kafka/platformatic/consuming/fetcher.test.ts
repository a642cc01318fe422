import { afterEach, describe, expect, it } from 'vitest';
import { clusterMetadata } from '../../../../../../shared/messaging/kafka/platformatic/connection/cluster.ts';
import type { FetchedRecords } from '../../../../../../shared/messaging/kafka/platformatic/consuming/fetch.ts';
import {
  PartitionFetcher,
  type FetchListener,
} from '../../../../../../shared/messaging/kafka/platformatic/consuming/fetcher.ts';
import { silentLog } from '../../../../../../shared/platform/log.ts';
import type { PartitionOffset } from '../../../../../../shared/messaging/message.ts';
import { recordBatch } from '../../../../../support/builders/record-batches.ts';
import { FakePlatformaticCluster } from '../../../../../support/fakes/platformatic-cluster.ts';

const TOPIC_AUTHORIZATION_FAILED = 29;
const LEADER_NOT_AVAILABLE = 5;
const started: PartitionFetcher[] = [];

afterEach(() => {
  for (const fetcher of started.splice(0)) fetcher.stop();
});

function setUp(
  partitions: number,
  positions: readonly PartitionOffset[],
  listener: Partial<FetchListener> = {},
) {
  const cluster = new FakePlatformaticCluster();
  cluster.addTopic('t', partitions);
  const queries = cluster.createClient({ clientId: 'queries' });
  const values: string[] = [];
  const answers: FetchedRecords[] = [];
  const fetcher = new PartitionFetcher(
    positions,
    {
      topics: ['t'],
      client: cluster.createClient({ clientId: 'test' }),
      metadata: (topics) => clusterMetadata(queries, topics),
      log: silentLog,
    },
    {
      onFetched: (fetched) => {
        answers.push(fetched);
        values.push(...fetched.messages.map(({ value }) => String(value)));
      },
      ...listener,
    },
  );
  started.push(fetcher);
  const write = async (partition: number, first: number, ...texts: string[]) => {
    const bytes = await recordBatch(
      first,
      texts.map((value) => ({ value })),
    );
    cluster.append('t', partition, bytes, texts.length);
  };
  return { cluster, fetcher, values, answers, write };
}

const at = (partition: number, offset: number) => ({ topic: 't', partition, offset });
const poll = (check: () => unknown) => expect.poll(check, { timeout: 5_000, interval: 5 });

describe('a fetcher', () => {
  it('delivers each message once, from its positions on', async () => {
    const { fetcher, values, write } = setUp(2, [at(0, 1), at(1, 0)]);
    await write(0, 0, 'a', 'b', 'c');
    fetcher.start();
    await poll(() => values).toEqual(['b', 'c']);
    await write(1, 0, 'd');
    await write(0, 3, 'e');
    await poll(() => values.toSorted()).toEqual(['b', 'c', 'd', 'e']);
    expect([fetcher.position(at(0, 0)), fetcher.position(at(1, 0))]).toEqual([4, 1]);
  });

  it('reads the other partitions of a leader while the batches of one are damaged', async () => {
    const { cluster, fetcher, values, write } = setUp(2, [at(0, 0), at(1, 0)]);
    const damaged = await recordBatch(0, [{ value: 'lost' }]);
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
    cluster.append('t', 0, damaged, 1);
    await write(1, 0, 'a');
    fetcher.start();
    await poll(() => values).toEqual(['a']);
    await write(1, 1, 'b');
    await poll(() => values).toEqual(['a', 'b']);
    expect([fetcher.position(at(0, 0)), fetcher.isHealthy()]).toEqual([0, false]);
  });

  it('has one request pending per broker, does not wait in the first, and lists starved partitions first', async () => {
    const { cluster, fetcher, values, write } = setUp(3, [at(0, 0), at(1, 0), at(2, 0)]);
    cluster.partition('t', 2).leader = 2;
    await write(0, 0, 'a');
    fetcher.start();
    await poll(() => cluster.fetches.length).toBeGreaterThan(5);
    expect(values).toEqual(['a']);
    const ofFirst = cluster.fetches.filter(({ node }) => node === 1);
    expect(ofFirst[0]).toEqual({ node: 1, maxWaitMs: 0, partitions: [at(0, 0), at(1, 0)] });
    expect(ofFirst[1]).toEqual({ node: 1, maxWaitMs: 2_000, partitions: [at(1, 0), at(0, 1)] });
    expect(cluster.fetches.find(({ node }) => node === 2)?.partitions).toEqual([at(2, 0)]);
  });

  it('states which empty answers prove that there is no record', async () => {
    const { fetcher, answers, write } = setUp(2, [at(0, 0), at(1, 0)]);
    await write(0, 0, 'a');
    fetcher.start();
    await poll(() => answers.length).toBeGreaterThan(3);
    expect(answers.slice(0, 3).map(({ partition, isExhaustive }) => [partition, isExhaustive])).toEqual([
      [0, true],
      [1, false],
      [1, true],
    ]);
  });

  it('does not deliver a paused partition, and fetches it again when it is resumed', async () => {
    const { cluster, fetcher, values, write } = setUp(2, [at(0, 0), at(1, 0)]);
    fetcher.start();
    await poll(() => fetcher.isHealthy()).toBe(true);
    fetcher.pause([at(0, 0)]);
    await write(0, 0, 'a');
    await write(1, 0, 'b');
    await poll(() => values).toEqual(['b']);
    const count = cluster.fetches.length;
    await poll(() => cluster.fetches.length).toBeGreaterThan(count + 3);
    expect(values).toEqual(['b']);
    expect(cluster.fetches.at(-1)).toMatchObject({ maxWaitMs: 250, partitions: [at(1, 1)] });
    fetcher.resume([at(0, 0)]);
    await poll(() => values).toEqual(['b', 'a']);
  });

  it('sends nothing while all partitions are paused', async () => {
    const { cluster, fetcher, values, write } = setUp(1, [at(0, 0)]);
    fetcher.start();
    await poll(() => fetcher.isHealthy()).toBe(true);
    fetcher.pause([at(0, 0)]);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    const count = cluster.fetches.length;
    await write(0, 0, 'a');
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    expect(cluster.fetches.length).toBe(count);
    fetcher.resume([at(0, 0)]);
    await poll(() => values).toEqual(['a']);
  });

  it('follows a leader that moves, without losing or repeating messages', async () => {
    const { cluster, fetcher, values, write } = setUp(2, [at(0, 0), at(1, 0)]);
    await write(0, 0, 'a');
    fetcher.start();
    await poll(() => values).toEqual(['a']);
    cluster.partition('t', 0).leader = 3;
    await write(0, 1, 'b');
    await write(1, 0, 'c');
    await poll(() => values.toSorted()).toEqual(['a', 'b', 'c']);
    await poll(() => fetcher.isHealthy()).toBe(true);
    expect(cluster.fetches.at(-1)?.node).not.toBe(2);
  });

  it('repeats a failed fetch and a failed query from the same position, and is not healthy meanwhile', async () => {
    const { cluster, fetcher, values, write } = setUp(1, [at(0, 0)]);
    cluster.fail('metadata', 'broken');
    fetcher.start();
    await poll(() => fetcher.isHealthy()).toBe(true);
    cluster.fail('fetch', 'broken');
    await poll(() => fetcher.isHealthy()).toBe(false);
    await write(0, 0, 'a', 'b');
    await poll(() => values).toEqual(['a', 'b']);
    expect(fetcher.isHealthy()).toBe(true);
  });

  it('reports the partition that cannot be read for the longest time, unless it is paused', async () => {
    const { cluster, fetcher, values, write } = setUp(3, [at(0, 0), at(1, 0), at(2, 0)]);
    fetcher.start();
    await poll(() => fetcher.isHealthy()).toBe(true);
    expect(fetcher.unreadable()).toBeUndefined();
    cluster.partition('t', 1).error = LEADER_NOT_AVAILABLE;
    await poll(() => fetcher.unreadable()?.partition).toBe(1);
    cluster.partition('t', 2).error = LEADER_NOT_AVAILABLE;
    await poll(() => fetcher.unreadable()?.forMs).toBeGreaterThan(200);
    expect(fetcher.unreadable()?.partition).toBe(1);
    fetcher.pause([at(1, 0)]);
    expect(fetcher.unreadable()?.partition).toBe(2);
    fetcher.resume([at(1, 0)]);
    expect(fetcher.unreadable()?.partition).toBe(2);
    cluster.partition('t', 1).error = 0;
    cluster.partition('t', 2).error = 0;
    await write(1, 0, 'a');
    await poll(() => values).toEqual(['a']);
    await poll(() => fetcher.unreadable()).toBeUndefined();
  });

  it('waits longer after each failure in succession, up to a second', async () => {
    const { cluster, fetcher } = setUp(1, [at(0, 0)]);
    cluster.partition('t', 0).error = LEADER_NOT_AVAILABLE;
    fetcher.start();
    await poll(() => cluster.fetches.length).toBeGreaterThan(2);
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    expect(cluster.metadataRequests).toBeLessThan(8);
  });

  it.each([
    ['was removed by retention', 10, 20],
    ['is beyond the end of a topic that was created again', 0, 0],
  ])('continues with the first retained message if its position %s', async (_, first, written) => {
    const { cluster, fetcher, values, write } = setUp(1, [at(0, 7)]);
    cluster.partition('t', 0).first = first;
    await write(0, written, 'a');
    fetcher.start();
    await poll(() => values.length).toBe(1);
    expect(values).toEqual(['a']);
  });

  it('reports a missing permission', async () => {
    const refused: Error[] = [];
    const { cluster, fetcher } = setUp(1, [at(0, 0)], { onRefused: (error) => refused.push(error) });
    cluster.partition('t', 0).error = TOPIC_AUTHORIZATION_FAILED;
    fetcher.start();
    await poll(() => refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ apiId: 'TOPIC_AUTHORIZATION_FAILED' });
  });

  it('ends its connections and calls when it is stopped, also by its listener', async () => {
    let calls = 0;
    const { cluster, fetcher, write } = setUp(2, [at(0, 0), at(1, 0)], {
      onFetched: () => {
        calls += 1;
        fetcher.stop();
      },
    });
    await write(0, 0, 'a');
    await write(1, 0, 'b');
    fetcher.start();
    await poll(() => calls).toBe(1);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    expect([calls, cluster.open, fetcher.isHealthy()]).toEqual([1, 1, false]);
  });
});

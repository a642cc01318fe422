import type { SystemCatalogue, SystemGroup } from '../../../../shared/api/operations/system-state.ts';
import type { Broker, GroupState } from '../../../../shared/messaging/ports.ts';
import { workerGroups, type WorkerGroup } from '../../../../shared/messaging/topics/consumer-groups.ts';
import { topicName } from '../../../../shared/messaging/topics/topic-list.ts';

interface BrokerStateDeps {
  readonly broker: Pick<Broker, 'admin' | 'readRanges'>;
  readonly topicPrefix: string;
  readonly retryTiersMs: readonly number[];
}

/** Maximum number of members and partitions shown of a group; its lag counts all. Its topic has 12 partitions. */
const MAX_SHOWN = { members: 64, partitions: 128 } as const;

/** Creates a function that asks the broker for the groups of all workers and the version of the catalogue. */
export function createBrokerState(deps: BrokerStateDeps) {
  const { broker, topicPrefix, retryTiersMs } = deps;
  const known = workerGroups(topicPrefix, retryTiersMs);
  const readCatalogue = catalogueReader(deps);
  return async (): Promise<{ groups: SystemGroup[]; catalogue: SystemCatalogue | undefined }> => {
    const states = await broker.admin.groups(known);
    const groups = known.flatMap((group, index) => toGroup(group, states[index]) ?? []);
    return { groups, catalogue: await readCatalogue() };
  };
}

function toGroup({ worker, isDelayed }: WorkerGroup, state: GroupState | undefined): SystemGroup | undefined {
  const topic = state?.partitions[0]?.topic;
  if (state === undefined || topic === undefined) return undefined;
  const partitions = state.partitions.map(({ partition, low, high, committed }) => ({
    partition,
    // A group without a commit begins with the first retained message. A newer commit may be past the end as read.
    lag: Math.max(0, high - Math.max(committed ?? low, low)),
    end: high,
    committed,
  }));
  return {
    groupId: state.groupId,
    worker,
    topic,
    state: state.state,
    delayed: isDelayed,
    lag: partitions.reduce((sum, { lag }) => sum + lag, 0),
    members: state.members.slice(0, MAX_SHOWN.members).map(({ assigned, ...member }) => ({
      ...member,
      partitions: assigned.map(({ partition }) => partition).slice(0, MAX_SHOWN.partitions),
    })),
    partitions: partitions.slice(0, MAX_SHOWN.partitions),
  };
}

function catalogueReader({ broker, topicPrefix }: BrokerStateDeps) {
  const topic = topicName(topicPrefix, 'catalogueRecords');
  let known: SystemCatalogue | undefined;
  return async (): Promise<SystemCatalogue | undefined> => {
    const counts = await broker.admin.partitionCounts([topic]);
    if (!counts.has(topic)) return undefined;
    const ranges = await broker.admin.offsets(topic);
    const version = ranges.reduce((sum, { high }) => sum + high, 0);
    // The last records are read only when the end of the topic has moved.
    if (known?.version === version) return known;
    const last = ranges
      .filter(({ low, high }) => high > low)
      .map(({ partition, high }) => ({ topic, partition, from: high - 1, to: high }));
    let changedAtMs = -Infinity;
    await broker.readRanges(last, ({ timestampMs }) => {
      changedAtMs = Math.max(changedAtMs, timestampMs);
      return 'more';
    });
    const isChanged = changedAtMs > -Infinity;
    return (known = isChanged ? { version, changedAt: new Date(changedAtMs).toISOString() } : { version });
  };
}

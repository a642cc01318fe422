/** What a number of contracts or calls needs: processes, brokers, partitions, network and disk. Pure arithmetic on constants. */

/** What one unit of work, a contract or a call, costs. Microseconds of processor time, user and system. */
export interface UnitCost {
  /** The process that sends the request: the command for a portfolio, the ingress for a call. */
  readonly requesterUs: number;
  readonly workerUs: number;
  /** The brokers, if every topic has one replica. */
  readonly brokerUs: number;
  /** Each further replica, in the brokers. */
  readonly replicaUs: number;
  /** Bytes of the request and of the reply on the log, compressed where the project compresses, in one replica. */
  readonly requestBytes: number;
  readonly replyBytes: number;
  /** How long the topic keeps requests. */
  readonly requestHours: number;
  /** Read and write calls of the brokers for the unit, on sockets and files. */
  readonly brokerSystemCalls: number;
}

/** The machines that the plan assumes. */
export interface Machines {
  /** The share of a processor that is planned for; the rest is for garbage collection, peaks and a failed machine. */
  readonly usedShare: number;
  readonly coresOfBroker: number;
  readonly networkBytesPerSecond: number;
  readonly diskBytesPerSecond: number;
  /** How long the topics keep replies, and how many bytes of them in each partition. */
  readonly replyHours: number;
  readonly replyBytesOfPartition: number;
  /** Partitions of a request topic unless it is created with more. */
  readonly partitions: number;
}

/** Units in a time. */
export interface Demand {
  readonly cost: UnitCost;
  readonly perSecond: number;
  /** How long the demand lasts in hours; a day for calls. */
  readonly hours: number;
  readonly replicas: number;
}

/** The resources whose number the plan determines. */
export const RESOURCES = ['requester', 'worker', 'brokerCores', 'network', 'disk'] as const;
export type Resource = (typeof RESOURCES)[number];

export interface Plan {
  readonly requesters: number;
  readonly workers: number;
  readonly brokers: number;
  /** Of the request topic: at least one for each worker, and no fewer than it has anyway. */
  readonly partitions: number;
  /** Processor cores in use by everything. */
  readonly cores: number;
  /** Bytes per second of the busiest direction of each broker, and to its disk. */
  readonly networkOfBroker: number;
  readonly diskOfBroker: number;
  /** Bytes on all brokers at most: requests and replies until their topics delete them. */
  readonly storedBytes: number;
}

/** The units per second that each resource allows, the lowest first. */
export type Limits = readonly { readonly resource: Resource; readonly perSecond: number }[];

const US_PER_SECOND = 1_000_000;
const SECONDS_PER_HOUR = 3_600;

/** The smallest installation for the demand. */
export function planFor(demand: Demand, machines: Machines): Plan {
  const { cost, perSecond, replicas } = demand;
  const { usedShare, coresOfBroker, networkBytesPerSecond, diskBytesPerSecond } = machines;
  const coresFor = (us: number): number => (perSecond * us) / US_PER_SECOND;
  const processesFor = (us: number): number => Math.ceil(coresFor(us) / usedShare);
  const brokerCores = coresFor(brokerUsOf(cost, replicas));
  const written = perSecond * (cost.requestBytes + cost.replyBytes) * replicas;
  const workers = processesFor(cost.workerUs);
  const brokers = Math.max(
    replicas,
    Math.ceil(brokerCores / (coresOfBroker * usedShare)),
    Math.ceil(written / (networkBytesPerSecond * usedShare)),
    Math.ceil(written / (diskBytesPerSecond * usedShare)),
  );
  return {
    requesters: processesFor(cost.requesterUs),
    workers,
    brokers,
    partitions: Math.max(machines.partitions, workers),
    cores: coresFor(cost.requesterUs) + coresFor(cost.workerUs) + brokerCores,
    networkOfBroker: written / brokers,
    diskOfBroker: written / brokers,
    storedBytes: replicas * (requestsStored(demand) + repliesStored(demand, machines)),
  };
}

/** What an installation can do: each process has one thread for its messages. */
export function limitsOf(
  cost: UnitCost,
  installation: Pick<Plan, 'requesters' | 'workers' | 'brokers'> & { readonly replicas: number },
  machines: Machines,
): Limits {
  const { requesters, workers, brokers, replicas } = installation;
  const { usedShare, coresOfBroker, networkBytesPerSecond, diskBytesPerSecond } = machines;
  const cores = (count: number, us: number): number => (count * usedShare * US_PER_SECOND) / us;
  const bytes = (perSecond: number): number =>
    (brokers * usedShare * perSecond) / ((cost.requestBytes + cost.replyBytes) * replicas);
  const perSecond: Readonly<Record<Resource, number>> = {
    requester: cores(requesters, cost.requesterUs),
    worker: cores(workers, cost.workerUs),
    brokerCores: cores(brokers * coresOfBroker, brokerUsOf(cost, replicas)),
    network: bytes(networkBytesPerSecond),
    disk: bytes(diskBytesPerSecond),
  };
  return RESOURCES.map((resource) => ({ resource, perSecond: perSecond[resource] })).toSorted(
    (one, other) => one.perSecond - other.perSecond,
  );
}

/**
 * Units per second on one machine with this number of cores that requester, workers and brokers share, if nothing waits: the
 * rate is limited by the single thread of a process or by the processors.
 */
export function rateOnOneMachine(
  cost: UnitCost,
  installation: { readonly cores: number; readonly workers: number; readonly replicas: number },
): number {
  const { cores, workers, replicas } = installation;
  const sumUs = cost.requesterUs + cost.workerUs + brokerUsOf(cost, replicas);
  return US_PER_SECOND * Math.min(1 / cost.requesterUs, workers / cost.workerUs, cores / sumUs);
}

function brokerUsOf(cost: UnitCost, replicas: number): number {
  return cost.brokerUs + cost.replicaUs * (replicas - 1);
}

function requestsStored({ cost, perSecond, hours }: Demand): number {
  return perSecond * cost.requestBytes * SECONDS_PER_HOUR * Math.min(hours, cost.requestHours);
}

function repliesStored({ cost, perSecond, hours }: Demand, machines: Machines): number {
  const kept = perSecond * cost.replyBytes * SECONDS_PER_HOUR * Math.min(hours, machines.replyHours);
  return Math.min(kept, machines.partitions * machines.replyBytesOfPartition);
}

const MIB = 1_024 * 1_024;
const SECOND_MS = 1_000;

/** The largest batch that a topic accepts by default (message.max.bytes). */
const MAX_MESSAGE_BYTES = 8 * MIB;

/** Settings of brokers for development and tests. With three nodes, a write needs two of three replicas in sync. */
export function brokerSettings(nodeCount: number): Record<string, string> {
  const copies = String(Math.min(3, nodeCount));
  const inSync = nodeCount >= 3 ? '2' : '1';
  return {
    /** Off, so that a misspelt topic is an error. */
    'auto.create.topics.enable': 'false',
    'group.initial.rebalance.delay.ms': '0',
    'default.replication.factor': copies,
    'min.insync.replicas': inSync,
    'offsets.topic.num.partitions': '4',
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.num.partitions': '4',
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.num.partitions': '4',
    'share.coordinator.state.topic.replication.factor': copies,
    'share.coordinator.state.topic.min.isr': inSync,
    'message.max.bytes': String(MAX_MESSAGE_BYTES),
    'replica.fetch.max.bytes': String(MAX_MESSAGE_BYTES),
    /** The default, 128 MiB, is a third of the heap. */
    'log.cleaner.dedupe.buffer.size': String(16 * MIB),
    'log.cleaner.backoff.ms': String(SECOND_MS),
    'broker.session.timeout.ms': String(3 * SECOND_MS),
    'broker.heartbeat.interval.ms': '500',
    /** How long a broker waits for a controller that a test has frozen; the default is 30 s. */
    'controller.socket.timeout.ms': String(3 * SECOND_MS),
    /** The default, a record every 500 ms from an idle controller, takes a third of the processor time of all nodes. */
    'metadata.max.idle.interval.ms': String(10 * SECOND_MS),
    'replica.fetch.wait.max.ms': String(2 * SECOND_MS),
    'num.network.threads': '2',
    'num.io.threads': '4',
  };
}

export interface NodePlan {
  readonly nodeId: number;
  readonly brokerPort: number;
  readonly controllerPort: number;
  readonly listeners: readonly Listener[];
}

/** Tests add listeners to the plain one: with TLS, with a login, or behind a proxy. */
export interface Listener {
  readonly name: string;
  readonly port: number;
  /** The port that the broker names to clients: that of a proxy in front of the listener. @default port */
  readonly advertisedPort?: number;
  readonly protocol: 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  readonly settings?: Readonly<Record<string, string>>;
}

export function nodeSettings(node: NodePlan, cluster: readonly NodePlan[], dataFolder: string) {
  const listeners: readonly Listener[] = [
    { name: 'PLAINTEXT', port: node.brokerPort, protocol: 'PLAINTEXT' },
    { name: 'CONTROLLER', port: node.controllerPort, protocol: 'PLAINTEXT' },
    ...node.listeners,
  ];
  const list = (textOf: (listener: Listener) => string): string => listeners.map(textOf).join(',');
  return {
    'process.roles': 'broker,controller',
    'node.id': String(node.nodeId),
    listeners: list(({ name, port }) => `${name}://127.0.0.1:${port}`),
    'advertised.listeners': list(
      ({ name, port, advertisedPort = port }) => `${name}://127.0.0.1:${advertisedPort}`,
    ),
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': list(({ name, protocol }) => `${name}:${protocol}`),
    /** The voters are set here, not in the data folder, which is copied from one formatted with other ports. */
    'controller.quorum.voters': cluster
      .map((one) => `${one.nodeId}@127.0.0.1:${one.controllerPort}`)
      .join(','),
    'log.dirs': dataFolder,
    ...brokerSettings(cluster.length),
    ...Object.fromEntries(
      listeners.flatMap(({ name, settings = {} }) =>
        Object.entries(settings).map(([key, value]) => [`listener.name.${name.toLowerCase()}.${key}`, value]),
      ),
    ),
  };
}

/** The text of a Java properties file. Throws RangeError for a value with a line break. */
export function renderProperties(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([key, value]) => {
    if (/[\r\n]/.test(value)) throw new RangeError(`the setting ${key} has a line break`);
    return `${key}=${value.replaceAll('\\', '\\\\')}`;
  });
  return `${lines.join('\n')}\n`;
}

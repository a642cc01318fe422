const MIB = 1_024 * 1_024;
const SECOND_MS = 1_000;

/** Largest batch that a broker takes: our topics allow 8 MiB (docs: message.max.bytes). */
const MAX_MESSAGE_BYTES = 8 * MIB;

/**
 * Broker settings that hold for every real Kafka of the project's tests: the local one and the container.
 * `nodeCount` decides on replication: three nodes keep three copies and need two of them for a write.
 */
export function brokerSettings(nodeCount: number): Record<string, string> {
  const copies = String(Math.min(3, nodeCount));
  const inSync = nodeCount >= 3 ? '2' : '1';
  return {
    /** Workers must not depend on it: a mistyped topic is an error here as in production. */
    'auto.create.topics.enable': 'false',
    /** The default makes the first consumer of each group wait 3 s for others. */
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
    /** The default, 128 MiB, would be half of the small heap. */
    'log.cleaner.dedupe.buffer.size': String(16 * MIB),
    /** Compaction is looked at every second, so that a test need not wait 15 s for it. */
    'log.cleaner.backoff.ms': String(SECOND_MS),
    /** A killed node is noticed after 3 s (default 9 s). */
    'broker.session.timeout.ms': String(3 * SECOND_MS),
    'broker.heartbeat.interval.ms': '500',
    'num.network.threads': '2',
    'num.io.threads': '4',
  };
}

export interface NodePlan {
  readonly nodeId: number;
  readonly brokerPort: number;
  readonly controllerPort: number;
  /** A second listener, whose clients are sent to another port: that of a proxy in front of it. */
  readonly proxied?: ProxiedListener;
}

export interface ProxiedListener {
  readonly port: number;
  readonly advertisedPort: number;
}

/** Settings of one combined node (broker and controller) of a local cluster on loopback. */
export function nodeSettings(node: NodePlan, cluster: readonly NodePlan[], dataFolder: string) {
  const own = `PLAINTEXT://127.0.0.1:${node.brokerPort},CONTROLLER://127.0.0.1:${node.controllerPort}`;
  const { proxied } = node;
  const listeners = proxied === undefined ? own : `${own},PROXIED://127.0.0.1:${proxied.port}`;
  const advertised = proxied === undefined ? own : `${own},PROXIED://127.0.0.1:${proxied.advertisedPort}`;
  return {
    'process.roles': 'broker,controller',
    'node.id': String(node.nodeId),
    listeners,
    'advertised.listeners': advertised,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT',
    /** Static voters: the ports may differ when kept data is used again. */
    'controller.quorum.voters': cluster
      .map((one) => `${one.nodeId}@127.0.0.1:${one.controllerPort}`)
      .join(','),
    'log.dirs': dataFolder,
    ...brokerSettings(cluster.length),
  };
}

/**
 * Text of a Java properties file, one `key=value` a line. A backslash is doubled, since the format treats it as an
 * escape (folders on Windows). Throws RangeError for a line break, which the format cannot hold plainly.
 */
export function renderProperties(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([key, value]) => {
    if (/[\r\n]/.test(value)) throw new RangeError(`the setting ${key} has a line break`);
    return `${key}=${value.replaceAll('\\', '\\\\')}`;
  });
  return `${lines.join('\n')}\n`;
}

/** The same settings as environment of the apache/kafka image: `a.b.c` is KAFKA_A_B_C there. */
export function asContainerEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      `KAFKA_${key.toUpperCase().replaceAll('.', '_')}`,
      value,
    ]),
  );
}

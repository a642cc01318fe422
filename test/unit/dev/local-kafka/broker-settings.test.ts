import { describe, expect, it } from 'vitest';
import {
  asContainerEnvironment,
  brokerSettings,
  nodeSettings,
  renderProperties,
} from '../../../../scripts/dev/local-kafka/broker-settings.ts';

const cluster = [1, 2, 3].map((nodeId) => ({
  nodeId,
  brokerPort: 21_000 + nodeId,
  controllerPort: 22_000 + nodeId,
}));

describe('settings of a local broker', () => {
  it('replicate to three nodes with two in sync, and on one node to one', () => {
    expect(brokerSettings(3)).toMatchObject({
      'default.replication.factor': '3',
      'offsets.topic.replication.factor': '3',
      'min.insync.replicas': '2',
    });
    expect(brokerSettings(1)).toMatchObject({
      'default.replication.factor': '1',
      'offsets.topic.replication.factor': '1',
      'min.insync.replicas': '1',
    });
  });

  it('disable automatic topics and the group delay, and allow messages of 8 MiB, also between brokers', () => {
    expect(brokerSettings(1)).toMatchObject({
      'auto.create.topics.enable': 'false',
      'group.initial.rebalance.delay.ms': '0',
      'message.max.bytes': '8388608',
      'replica.fetch.max.bytes': '8388608',
    });
  });

  it('listen on loopback only and list all voters', () => {
    const settings = nodeSettings(cluster[1]!, cluster, '/data/node-2');
    expect(settings).toMatchObject({
      'node.id': '2',
      listeners: 'PLAINTEXT://127.0.0.1:21002,CONTROLLER://127.0.0.1:22002',
      'controller.quorum.voters': '1@127.0.0.1:22001,2@127.0.0.1:22002,3@127.0.0.1:22003',
      'log.dirs': '/data/node-2',
    });
    expect(JSON.stringify(settings)).not.toContain('0.0.0.0');
  });

  it('advertise the proxy to clients of the proxied listener only', () => {
    const node = { ...cluster[0]!, proxied: { port: 23_001, advertisedPort: 24_001 } };
    const settings = nodeSettings(node, cluster, '/data/node-1');
    expect(settings.listeners).toBe(
      'PLAINTEXT://127.0.0.1:21001,CONTROLLER://127.0.0.1:22001,PROXIED://127.0.0.1:23001',
    );
    expect(settings['advertised.listeners']).toBe(
      'PLAINTEXT://127.0.0.1:21001,CONTROLLER://127.0.0.1:22001,PROXIED://127.0.0.1:24001',
    );
  });

  it('name the protocol and the settings of a secured listener', () => {
    const secured = [
      {
        name: 'LOGINS',
        port: 23_001,
        protocol: 'SASL_SSL' as const,
        settings: { 'ssl.client.auth': 'none' },
      },
    ];
    expect(nodeSettings({ ...cluster[0]!, secured }, cluster, '/data/node-1')).toMatchObject({
      listeners: 'PLAINTEXT://127.0.0.1:21001,CONTROLLER://127.0.0.1:22001,LOGINS://127.0.0.1:23001',
      'listener.security.protocol.map': expect.stringMatching(/,LOGINS:SASL_SSL$/),
      'listener.name.logins.ssl.client.auth': 'none',
    });
  });

  it('are rendered one per line with escaped backslashes', () => {
    expect(renderProperties({ 'node.id': '1', 'log.dirs': String.raw`C:\data\n1` })).toBe(
      `node.id=1\nlog.dirs=${String.raw`C:\\data\\n1`}\n`,
    );
    expect(() => renderProperties({ a: 'one\ntwo=2' })).toThrow(RangeError);
  });

  it('are converted to the environment of the container image', () => {
    expect(asContainerEnvironment({ 'group.initial.rebalance.delay.ms': '0' })).toEqual({
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    });
  });
});

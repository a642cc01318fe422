import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, it, vi } from 'vitest';
import { startLocalKafka } from '../../scripts/dev/local-kafka/start-local-kafka.ts';
import { openKafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';

const { kafka, suite } = kafkaOrSkip();
const SETTLED = { timeout: 20_000, interval: 50 };

/** Only Kafka on the local Java has nodes that a test may kill. */
const localOnly = kafka.source === 'local' ? ['a local broker'] : [];

suite.each(localOnly)('%s', () => {
  it('restarts with its data after being killed', async () => {
    const own = await startLocalKafka({ registry: false });
    const scope = await openKafkaScope(own.brokers);
    try {
      const topic = await scope.createTopic('kept', { numPartitions: 1 });
      const producer = scope.createClient().producer();
      await producer.connect();
      await producer.send({ topic, acks: -1, messages: [{ value: 'kept' }] });
      await producer.disconnect();
      const node = own.nodes[0]!;
      const before = node.pid;
      await node.kill('SIGKILL');
      expect(isAlive(before)).toBe(false);
      await node.restart();
      expect(node.pid).not.toBe(before);
      await vi.waitFor(async () => {
        expect(await scope.admin.fetchTopicOffsets(topic)).toMatchObject([{ offset: '1' }]);
      }, SETTLED);
    } finally {
      await scope.close();
      await own.stop();
    }
    expect(existsSync(own.folder)).toBe(false);
  });

  it('stops with the command that started it, even if that is killed', async () => {
    const command = spawn(process.execPath, ['scripts/kafka.ts', '--no-registry', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: command.stdout }), 'line')) as [string];
    const { nodes, folder } = JSON.parse(line) as { nodes: { pid: number }[]; folder: string };
    expect(isAlive(nodes[0]!.pid)).toBe(true);
    command.kill('SIGKILL');
    await vi.waitFor(() => {
      expect(isAlive(nodes[0]!.pid)).toBe(false);
      expect(existsSync(folder)).toBe(false);
    }, SETTLED);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

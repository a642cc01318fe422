import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, it, vi } from 'vitest';
import { kafkaOrSkip } from '../support/kafka/suite.ts';

const { kafka, suite } = kafkaOrSkip();
const SETTLED = { timeout: 20_000, interval: 50 };

/** Only Kafka on the local Java has nodes that a test may kill. */
const localOnly = kafka.source === 'local' ? ['a local broker'] : [];

suite.each(localOnly)('%s', () => {
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

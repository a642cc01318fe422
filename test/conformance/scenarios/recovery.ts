import { expect } from 'vitest';
import { echoSystem } from '../../support/conformance/echo.ts';
import { eventually, sleep } from '../../support/conformance/wait.ts';
import { numbered, type ScenarioTest, type World } from '../../support/conformance/world.ts';

const PACE_MS = 5;

/** Restarts the broker after the first send has ended, however long that takes, and sends until it is back. */
async function duringRestart(world: World, send: (index: number) => Promise<unknown>): Promise<void> {
  const sends = [send(0)];
  await sends[0];
  // In flight when the broker ends.
  sends.push(send(1), send(2));
  const back = new AbortController();
  const restarting = world.target.restart().finally(() => back.abort());
  while (!back.signal.aborted) {
    await sleep(PACE_MS);
    sends.push(send(sends.length));
  }
  await restarting;
  await Promise.all(sends);
}

export function recoveryScenarios(test: ScenarioTest): void {
  test('does not lose an accepted request in a restart, and all clients continue', async ({ world }) => {
    const system = await echoSystem(world, 4);
    await system.worker();
    await system.ask('k', { id: 'before' });
    await system.allAnswered(['before']);
    const accepted: string[] = [];
    await duringRestart(world, (index) =>
      system.ask(`key-${index % 17}`, { id: `n-${index}` }).then(
        () => accepted.push(`n-${index}`),
        () => undefined,
      ),
    );
    await system.ask('k', { id: 'after' });
    expect(accepted.length).toBeGreaterThan(0);
    await system.allAnswered([...accepted, 'after'], 2 * world.target.stepMs);
    expect(system.unequalRepeats()).toEqual([]);
    await system.allCommitted();
  });

  test('delivers to a tail all messages that were accepted before, during and after a restart', async ({
    world,
  }) => {
    const { topic, publisher } = await world.topicWithPublisher(3);
    const { tail, values } = await world.tail({ topics: [topic], from: 'latest' });
    const accepted: string[] = [];
    await duringRestart(world, async (index) => {
      const [message] = numbered(topic, 'n', index, index + 1);
      if (message === undefined) return;
      await publisher.publish([{ ...message, key: `key-${index % 7}` }]).then(
        () => accepted.push(String(message.value)),
        () => undefined,
      );
    });
    await publisher.publish(numbered(topic, 'after', 0, 1));
    const missing = () => [...accepted, 'after-0'].filter((value) => !values.includes(value)).length;
    await eventually('every accepted message', world.target.stepMs, () => missing() === 0, missing);
    await eventually('readiness', world.target.stepMs, () => tail.isReady() && publisher.isHealthy());
    expect(accepted.length).toBeGreaterThan(0);
  });
}

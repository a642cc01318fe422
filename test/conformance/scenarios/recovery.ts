import { expect } from 'vitest';
import { echoSystem, numberedIds } from '../../support/conformance/echo.ts';
import { sleep } from '../../support/conformance/wait.ts';
import { numbered, type ScenarioTest } from '../../support/conformance/world.ts';
import { eventually } from '../../support/conformance/wait.ts';

const SECOND = 1_000;

/** The guarantees after a broker is killed and restarted with its stored data. */
export function recoveryScenarios(test: ScenarioTest): void {
  test(
    'does not lose an accepted request in a restart, and all clients continue',
    {
      timeout: 60 * SECOND,
    },
    async ({ world }) => {
      const system = await echoSystem(world, 4);
      await system.worker();
      await system.ask('k', { id: 'before' });
      await system.allAnswered(['before']);
      const requested = numberedIds('n', 300);
      const accepted: string[] = [];
      const load = requested.map(async (id, index) => {
        await sleep(index);
        await system.ask(`key-${index % 17}`, { id }).then(
          () => accepted.push(id),
          () => undefined,
        );
      });
      // At least one request is accepted before the restart, however long that takes.
      await Promise.race(load);
      await world.target.restart();
      await Promise.all(load);
      await system.ask('k', { id: 'after' });
      expect(accepted.length).toBeGreaterThan(0);
      await system.allAnswered([...accepted, 'after'], 2 * world.target.stepMs);
      expect(system.unequalRepeats()).toEqual([]);
      await system.allCommitted();
    },
  );

  test(
    'delivers to a tail all messages that were accepted before, during and after a restart',
    {
      timeout: 60 * SECOND,
    },
    async ({ world }) => {
      const topic = await world.topic(3);
      const publisher = await world.publisher();
      const seen = new Set<string>();
      const { tail } = await world.tail({ topics: [topic], from: 'latest' }, ({ value }) =>
        seen.add(String(value)),
      );
      const accepted: string[] = [];
      const load = numbered(topic, 'n', 0, 300).map(async (message, index) => {
        await sleep(index);
        await publisher.publish([{ ...message, key: `key-${index % 7}` }]).then(
          () => accepted.push(String(message.value)),
          () => undefined,
        );
      });
      // As above.
      await Promise.race(load);
      await world.target.restart();
      await Promise.all(load);
      await publisher.publish(numbered(topic, 'after', 0, 1));
      const missing = () => [...accepted, 'after-0'].filter((value) => !seen.has(value));
      await eventually(
        'every accepted message',
        world.target.stepMs,
        () => missing().length === 0,
        () => missing().length,
      );
      await eventually('readiness', world.target.stepMs, () => tail.isReady() && publisher.isHealthy());
      expect(accepted.length).toBeGreaterThan(0);
    },
  );
}

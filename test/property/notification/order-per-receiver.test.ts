import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventually } from '../../support/conformance/wait.ts';
import { idOf, notificationWorld } from '../../support/worlds/notification-world.ts';
import { permanent, SENT, transient } from '../../support/fakes/scripted-providers.ts';

const RUNS = 12;
const FINAL: ReadonlySet<string | undefined> = new Set(['sent', 'failed']);

/** The number of transient failures of each notification before it is sent; 9 means that it is rejected permanently. */
const fates = fc.array(fc.constantFrom(0, 0, 0, 1, 2, 9), { minLength: 10, maxLength: 60 });
const receivers = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 60, maxLength: 60 });
const passingWorkers = fc.integer({ min: 0, max: 2 });

it(
  'delivers the notifications of each receiver in the order of acceptance despite failures',
  {
    timeout: 120_000,
  },
  async () => {
    await fc.assert(
      fc.asyncProperty(fates, receivers, passingWorkers, async (failures, keys, passing) => {
        const world = await notificationWorld({ tiersMs: [15, 30] });
        const left = new Map<string, number>(failures.map((count, index) => [idOf(index), count]));
        const only = world.providers.add('only');
        only.answer = ({ id }) => {
          const count = left.get(id) ?? 0;
          if (count === 9) return permanent();
          left.set(id, count - 1);
          return count > 0 ? transient() : SENT;
        };
        const stayer = await world.worker();
        for (const index of failures.keys()) await world.sms({ id: idOf(index), key: `key-${keys[index]}` });
        for (let count = 0; count < passing; count += 1) await (await world.worker()).stop(1_000);
        await eventually('the last notification', 20_000, () =>
          failures.every((_, index) => FINAL.has(world.states.get(idOf(index))?.status)),
        );
        const isReady = () => stayer.health().status === 'ready';
        await eventually('nothing waits', 20_000, isReady);
        only.condition = 'degraded';
        const all = /all providers for sms are unavailable, its notifications wait: only$/;
        expect(stayer.health()).toMatchObject({
          status: 'degraded',
          reason: expect.stringMatching(all) as string,
        });
        world.providers.list.length = 0;
        await eventually('a channel without a provider has nothing to send', 20_000, isReady);
        await stayer.stop(1_000);
        const ended = world.history
          .filter(({ status }) => FINAL.has(status))
          .map(({ notificationId }) => notificationId);
        for (let key = 0; key <= 5; key += 1) {
          const accepted = [...failures.keys()].filter((index) => keys[index] === key).map(idOf);
          expect(ended.filter((id) => accepted.includes(id))).toEqual(accepted);
        }
        expect([...world.providers.delivered.values()].every((times) => times === 1)).toBe(true);
        await world.broker.close();
      }),
      { numRuns: RUNS },
    );
  },
);

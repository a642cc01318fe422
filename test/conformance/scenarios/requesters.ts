import { expect } from 'vitest';
import { createRequester } from '../../../shared/messaging/requester/requester.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { jsonCodec } from '../../support/conformance/codec.ts';
import { echoSystem, numberedIds } from '../../support/conformance/echo.ts';
import type { ScenarioTest } from '../../support/conformance/world.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

const SECOND = 1_000;

/** The guarantees of requesters that share a reply topic. */
export function requesterScenarios(test: ScenarioTest): void {
  test('delivers every reply to its requester if two share a reply topic', async ({ world }) => {
    const system = await echoSystem(world, 4);
    await system.worker();
    const requesters = ['one', 'two'].map((instanceId) => {
      const { replies: replyTopic } = system.topics;
      return createRequester({
        broker: world.broker,
        codec: jsonCodec,
        ...systemPorts,
        log: silentLog,
        replyTopic,
        instanceId: world.name(instanceId),
      });
    });
    for (const requester of requesters) {
      world.after(() => requester.stop(SECOND));
      await requester.start();
    }
    const ask = requesters.flatMap((requester, index) =>
      numberedIds(`requester-${index}`, 300).map(async (id) => {
        const { requests: topic } = system.topics;
        const reply = await requester.request({
          topic,
          type: 'Echo',
          payload: { id },
          timeoutMs: world.target.stepMs,
        });
        expect(reply).toMatchObject({ kind: 'reply', type: 'Echoed', payload: { id } });
      }),
    );
    await Promise.all(ask);
    expect(requesters.map((requester) => requester.pending())).toEqual([0, 0]);
  });
}

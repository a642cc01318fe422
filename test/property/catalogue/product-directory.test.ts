import { array, assert, asyncProperty, constantFrom, integer, option, record } from 'fast-check';
import { expect, it } from 'vitest';
import { ProductDirectory } from '../../../workers/ingress/operations/product-directory.ts';
import { encodeRecord } from '../../../shared/product/storage/catalogue-message.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { FakeTail } from '../../support/fakes/tail.ts';
import {
  CATALOGUE_TOPIC,
  catalogueCodec,
  guidOf,
  productValue,
  recordOf,
} from '../../support/worlds/catalogue-world.ts';

const codec = catalogueCodec();

interface Change {
  readonly code: string;
  readonly version: number;
  /** Undefined: the version is removed. */
  readonly name: string | undefined;
}

async function messageOf({ code, version, name }: Change): Promise<LogMessage> {
  const value = productValue(code, { Version: version, Id: guidOf(version), Name: name ?? 'Removed' });
  const encoded = await encodeRecord(codec, CATALOGUE_TOPIC, recordOf('product', value));
  const key = Buffer.from(String(encoded.key));
  return {
    topic: CATALOGUE_TOPIC,
    partition: 0,
    offset: 0,
    timestampMs: 0,
    key,
    value: name === undefined ? null : encoded.value,
    headers: encoded.headers ?? {},
  };
}

/** A directory that lets other work run after each name that it reads; `onTurn` is that work. */
async function openDirectory(onTurn: () => void = () => undefined) {
  let tail = new FakeTail({ clientId: '', topics: [], from: 'earliest' });
  let elapsedMs = 0;
  const directory = new ProductDirectory({
    codec,
    log: silentLog,
    topic: CATALOGUE_TOPIC,
    clientId: 'c',
    monotonic: { ...systemPorts.monotonic, elapsedMs: () => (elapsedMs += 10) },
    timers: {
      ...systemPorts.timers,
      nextTurn: (run) => {
        systemPorts.timers.nextTurn(() => {
          onTurn();
          run();
        });
      },
    },
    broker: { createTail: (options) => (tail = new FakeTail(options)) },
  });
  await directory.start();
  return {
    directory,
    deliver: (messages: readonly LogMessage[]) => messages.forEach((one) => tail.deliver(one)),
  };
}

it('after any changes, also while it is made, the list is that of the records that are left', async () => {
  const change = record({
    code: constantFrom('A', 'a', 'B', 'C-1'),
    version: integer({ min: 1, max: 3 }),
    name: option(constantFrom('Loan', 'Card'), { nil: undefined }),
  });
  const steps = array(record({ before: array(change), during: array(change) }), { maxLength: 4 });
  await assert(
    asyncProperty(steps, async (all) => {
      let waiting: LogMessage[] = [];
      const changed = await openDirectory(() => changed.deliver(waiting.splice(0, 1)));
      const fresh = await openDirectory();
      for (const { before, during } of all) {
        const messages = await Promise.all([...before, ...during].map(messageOf));
        changed.deliver(messages.slice(0, before.length));
        waiting = messages.slice(before.length);
        await Promise.all([changed.directory.products(), changed.directory.products()]);
        changed.deliver(waiting.splice(0));
        fresh.deliver(messages);
      }
      expect(await changed.directory.products()).toEqual(await fresh.directory.products());
    }),
    { numRuns: 60 },
  );
});

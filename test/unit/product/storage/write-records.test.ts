import { expect, it } from 'vitest';
import { writeRecords } from '../../../../shared/product/storage/write-records.ts';
import type { OutgoingMessage } from '../../../../shared/messaging/message.ts';
import {
  CATALOGUE_TOPIC,
  catalogueCodec,
  guidOf,
  interestListValue,
  productValue,
  recordOf,
} from '../../../support/worlds/catalogue-world.ts';

/** Keys in the order in which changes are written. */
async function keysWritten(
  put: Parameters<typeof writeRecords>[1]['put'],
  remove: readonly string[] = [],
): Promise<readonly string[]> {
  const keys: string[] = [];
  const publisher = {
    start: () => Promise.resolve(),
    publish: (messages: readonly OutgoingMessage[]) => {
      keys.push(...messages.map(({ key }) => String(key)));
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    isHealthy: () => true,
  };
  const broker = { createPublisher: () => publisher };
  const target = { broker, codec: catalogueCodec(), topic: CATALOGUE_TOPIC, clientId: 'test' };
  await writeRecords(target, { put, remove });
  return keys;
}

const product = (fields: object) => recordOf('product', productValue('TL', fields));

it('writes lists before the products that refer to them, and removes them after those', async () => {
  const put = [product({}), recordOf('interest-list', interestListValue('INT'))];
  const keys = await keysWritten(put, ['interest-list/old/1', 'product/old/1']);
  expect(keys).toEqual(['interest-list/int/1', 'product/tl/1', 'product/old/1', 'interest-list/old/1']);
});

it('writes the new version before the end of the previous one, so that one is always valid (L1)', async () => {
  const ended = product({ EndDate: '2023-12-31' });
  const following = product({ Version: 2, Id: guidOf(2), StartDate: '2024-01-01' });
  expect(await keysWritten([ended, following])).toEqual(['product/tl/2', 'product/tl/1']);
  const closed = product({ Version: 2, Id: guidOf(2), Status: 'Closed' });
  expect(await keysWritten([closed, product({})])).toEqual(['product/tl/1', 'product/tl/2']);
});

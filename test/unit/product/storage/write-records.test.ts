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

/** Keys in the order in which changes are written, batch by batch. */
async function batchesWritten(
  put: Parameters<typeof writeRecords>[1]['put'],
  remove: readonly string[] = [],
): Promise<readonly (readonly string[])[]> {
  const batches: string[][] = [];
  const publisher = {
    start: () => Promise.resolve(),
    publish: (messages: readonly OutgoingMessage[]) => {
      batches.push(messages.map(({ key }) => String(key)));
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    isHealthy: () => true,
  };
  const broker = { createPublisher: () => publisher };
  const target = { broker, codec: catalogueCodec(), topic: CATALOGUE_TOPIC, clientId: 'test' };
  await writeRecords(target, { put, remove });
  return batches;
}

const keysWritten = async (...changes: Parameters<typeof batchesWritten>) =>
  (await batchesWritten(...changes)).flat();

const product = (fields: object) => recordOf('product', productValue('TL', fields));

it('writes lists before the products that refer to them, and removes them after those', async () => {
  const put = [product({}), recordOf('interest-list', interestListValue('INT'))];
  const batches = await batchesWritten(put, ['interest-list/old/1', 'product/old/1']);
  // A removal waits for the acknowledgement of all records.
  const removed = ['product/old/1', 'interest-list/old/1'];
  expect(batches).toEqual([['interest-list/int/1', 'product/tl/1'], removed]);
});

it('removes discounts before the charges that they name, and these before filters and conventions', async () => {
  const lists = ['discount', 'insurance', 'commission', 'interest', 'custom'].map((kind) => `${kind}-list`);
  const inOrder = ['product', ...lists, 'schedule-type', 'periodicity', 'calendar'];
  const keys = inOrder.map((kind) => `${kind}/old/1`);
  expect(await keysWritten([], keys.toSorted())).toEqual(keys);
});

it('writes the new version before the end of the previous one, so that one is always valid (L1)', async () => {
  const ended = product({ EndDate: '2023-12-31' });
  const following = product({ Version: 2, Id: guidOf(2), StartDate: '2024-01-01' });
  expect(await keysWritten([ended, following])).toEqual(['product/tl/2', 'product/tl/1']);
  const closed = product({ Version: 2, Id: guidOf(2), Status: 'Closed' });
  expect(await keysWritten([closed, product({})])).toEqual(['product/tl/1', 'product/tl/2']);
});

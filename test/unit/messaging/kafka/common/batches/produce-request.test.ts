import { expect, test } from 'vitest';
import { encodeProduceRequest } from '../../../../../../shared/messaging/kafka/common/batches/produce-request.ts';
import { KafkaEncoder } from '../../../../../support/builders/record-batches.ts';

test('writes the batches of each topic in the layout of Kafka', () => {
  const batches = [
    { topic: 'payments', partition: 3, batch: Buffer.from('one') },
    { topic: 'rates', partition: 0, batch: Buffer.from('two') },
    { topic: 'payments', partition: 4, batch: Buffer.alloc(70_000, 'x') },
  ];
  const topics = ['payments', 'rates'].map((topic) => {
    const own = batches.filter((batch) => batch.topic === topic);
    const partitions = own.map(({ partition, batch }) =>
      new KafkaEncoder().writeInt32(partition).writeBytes(batch),
    );
    return new KafkaEncoder().writeString(topic).writeArray(partitions);
  });
  const withoutTransaction = new KafkaEncoder().writeInt16(-1);
  const expected = withoutTransaction.writeInt16(-1).writeInt32(4_000).writeArray(topics).buffer;
  expect(encodeProduceRequest(-1, 4_000, batches)).toEqual(expected);
});

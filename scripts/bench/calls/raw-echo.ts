/** Child process: answers each request with one message of the given size under the same correlation id. */
import { rawConsumer, rawKafka, rawProducer } from './raw-client.ts';

const [brokers = '', requestTopic = '', replyTopic = '', partitions = '12', replyBytes = '1000'] =
  process.argv.slice(2);
const kafka = rawKafka(brokers.split(','), 'raw-echo');
const producer = await rawProducer(kafka);
const value = Buffer.alloc(Number(replyBytes), 0x61);
const consumer = await rawConsumer(
  kafka,
  { topic: requestTopic, groupId: `${requestTopic}.echo`, partitions: Number(partitions) },
  (_, headers) => {
    const correlationId = headers.kafka_correlationId as Buffer;
    producer
      .send({
        topic: replyTopic,
        acks: -1,
        messages: [{ key: correlationId, value, headers: { kafka_correlationId: correlationId } }],
      })
      .catch((error: unknown) => {
        console.error(error);
        process.exit(1);
      });
  },
);
process.on('SIGTERM', () => {
  Promise.all([consumer.disconnect(), producer.disconnect()]).then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
console.log('READY');

/** Child process that answers each request with one message of the given size and the same correlation id. */
import { answerParent, endProcess } from '../processes.ts';
import { rawKafka, rawProducer, runConsumer } from '../raw-kafka.ts';

const SESSION_MS = 6_000;
const [brokers = '', requestTopic = '', replyTopic = '', partitions = '12', replyBytes = '1000'] =
  process.argv.slice(2);
const kafka = rawKafka(brokers.split(','), 'raw-echo');
const producer = await rawProducer(kafka);
const value = Buffer.alloc(Number(replyBytes), 0x61);
const group = { topic: requestTopic, groupId: `${requestTopic}.echo`, sessionMs: SESSION_MS };
await runConsumer(kafka, group, {
  partitionsConsumedConcurrently: Number(partitions),
  eachMessage: async ({ message }) => {
    const correlationId = message.headers?.['kafka_correlationId'] as Buffer;
    const headers = { kafka_correlationId: correlationId };
    producer
      .send({ topic: replyTopic, acks: -1, messages: [{ key: correlationId, value, headers }] })
      .catch(endProcess);
  },
});
answerParent(() => Promise.resolve(undefined));

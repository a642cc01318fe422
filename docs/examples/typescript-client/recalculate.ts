/**
 * Recalculates a portfolio over Kafka:
 *
 *     KAFKA_BROKERS=127.0.0.1:9092 node recalculate.ts ../portfolio.ndjson > results.ndjson
 *
 * A line of the portfolio is a contract, {"id": ..., "jsonParam": {...}}. Each gives one line of results, in the order of the
 * replies; so does a line that is no contract. Outside this repository import from 'banking-product-engine-client/kafka'.
 */
import { open } from 'node:fs/promises';
import { Kafka, logLevel } from 'kafkajs';
import { connectKafkaClient, type BulkRequest } from '../../../shared/client/kafka/kafka-client.ts';

type Contract = BulkRequest<'calculateRepaymentSchedule'>;

const engine = await connectKafkaClient({
  kafka: new Kafka({
    clientId: 'upstream-recalculation',
    brokers: (process.env['KAFKA_BROKERS'] ?? '127.0.0.1:9092').split(','),
    logLevel: logLevel.ERROR,
  }),
  replyTopic: process.env['REPLY_TOPIC'] ?? 'upstream.client.replies.v1',
  topicPrefix: process.env['TOPIC_PREFIX'] ?? '',
});
try {
  for await (const { id, reply, problem } of engine.calculateMany(
    'calculateRepaymentSchedule',
    contracts(),
  )) {
    console.log(JSON.stringify(problem === undefined ? { id, schedule: reply } : { id, problem }));
    if (problem !== undefined) process.exitCode = 1;
  }
} finally {
  await engine.close();
}

async function* contracts(): AsyncGenerator<Contract> {
  const file = await open(process.argv[2] ?? '../portfolio.ndjson');
  let number = 0;
  for await (const line of file.readLines()) {
    number += 1;
    try {
      yield JSON.parse(line) as Contract;
    } catch {
      console.log(JSON.stringify({ line: number, problem: { code: 'malformed-line' } }));
      process.exitCode = 1;
    }
  }
}

import { createRequire } from 'node:module';
import type { RecordMetadata } from 'kafkajs';
import type { PublishSlice } from './kafka-publish-queue.ts';
import { partitionId } from './message.ts';

/** A broker's answer for one partition of a request; error code 0 says that its records are on the log. */
export type PartitionAnswer = Pick<RecordMetadata, 'topicName' | 'partition' | 'errorCode'>;

/** A partition whose records a request did not, or perhaps did not, bring to the log. */
export interface PublishFailure {
  readonly slice: PublishSlice;
  readonly error: unknown;
  /** The error speaks of this partition; else of a request with several, any of which may be on the log. */
  readonly isOwn: boolean;
}

interface ProduceRequest {
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly messages: readonly object[] }[];
  }[];
}

interface ProduceResponse {
  readonly topics: readonly {
    readonly topicName: string;
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[];
  }[];
}

interface ResponseFormat {
  readonly decode: (raw: Buffer) => Promise<ProduceResponse>;
  readonly parse: (data: ProduceResponse) => Promise<ProduceResponse>;
}

interface ProduceDefinition {
  protocol?: (choice: {
    version: number;
  }) => (request: ProduceRequest) => { readonly request: object; readonly response: ResponseFormat };
}

const require = createRequire(import.meta.url);
const PATCHED = new WeakSet<object>();
/** Where the answers go, by the first record of each partition of a request. */
const collectors = new WeakMap<object, PartitionAnswer[]>();

/**
 * A produce request is answered partition by partition, but kafkajs throws the first error among the answers and forgets
 * the rest, also those of other brokers: who repeats the request then stores the records of all healthy partitions once
 * more, at each move of a leader and often on a new topic. Here a request that `collectAnswers` knows throws nothing, so
 * that kafkajs waits for the answers of all brokers. Does nothing on a kafkajs that is built otherwise.
 */
export function keepPartitionAnswers(): void {
  const definition = require('kafkajs/src/protocol/requests/produce') as ProduceDefinition;
  const { protocol } = definition;
  if (protocol === undefined || PATCHED.has(definition)) return;
  PATCHED.add(definition);
  definition.protocol = (choice) => {
    const make = protocol(choice);
    return (request) => {
      const made = make(request);
      const answers = collectorOf(request);
      if (answers === undefined) return made;
      const parse = (data: ProduceResponse) => {
        for (const { topicName, partitions } of data.topics) {
          for (const { partition, errorCode } of partitions)
            answers.push({ topicName, partition, errorCode });
        }
        return Promise.resolve(data);
      };
      return { request: made.request, response: { decode: made.response.decode, parse } };
    };
  };
}

/** The list into which the answers for these slices come while kafkajs sends them. */
export function collectAnswers(slices: readonly PublishSlice[]): readonly PartitionAnswer[] {
  const answers: PartitionAnswer[] = [];
  for (const { entries } of slices) {
    const [first] = entries;
    if (first !== undefined) collectors.set(first.record, answers);
  }
  return answers;
}

/**
 * The slices that are not certainly on the log. `error`: why the request as a whole failed, for those without an answer;
 * kafkajs also leaves out, and reports as sent, what goes to a partition that its metadata does not show.
 */
export function failuresOf(
  slices: readonly PublishSlice[],
  answers: readonly PartitionAnswer[],
  error: unknown = new Error('the broker did not confirm the partition'),
): readonly PublishFailure[] {
  if (answers.length === slices.length && answers.every(({ errorCode }) => errorCode === 0)) return [];
  const codes = new Map(
    answers.map((answer) => [partitionId(answer.topicName, answer.partition), answer.errorCode]),
  );
  const failures: PublishFailure[] = [];
  for (const slice of slices) {
    const code = codes.get(partitionId(slice.queue.topic, slice.queue.partition));
    if (code === undefined) failures.push({ slice, error, isOwn: slices.length === 1 });
    else if (code !== 0) failures.push({ slice, error: brokerError(code), isOwn: true });
  }
  return failures;
}

function collectorOf({ topicData }: ProduceRequest): PartitionAnswer[] | undefined {
  const first = topicData[0]?.partitions[0]?.messages[0];
  return first === undefined ? undefined : collectors.get(first);
}

function brokerError(code: number): Error {
  const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
    createErrorFromCode: (code: number) => Error;
  };
  return createErrorFromCode(code);
}

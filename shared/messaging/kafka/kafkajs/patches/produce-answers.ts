import { AsyncLocalStorage } from 'node:async_hooks';
import { encodeProduceRequest, PRODUCE_VERSIONS } from '../../common/batches/produce-request.ts';
import { kafkajsModule, replaceFunction } from './internals.ts';

/** Topics and partitions of a produce request, as kafkajs has them. */
export interface ProduceRequest {
  readonly acks: number;
  /** How long the leader waits for its followers, in milliseconds. */
  readonly timeout: number;
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number }[];
  }[];
}

/** A broker's response to a produce request; error code 0 means that the partition's records are stored. */
export interface ProduceAnswer {
  readonly topics: readonly {
    readonly topicName: string;
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[];
  }[];
}

/** Provides the records of one send, and receives the result of each of its requests; kafkajs sends a request to each broker. */
export interface ProduceListener {
  /** The record batch of a partition. May throw or reject. */
  batchOf(topic: string, partition: number): Buffer | Promise<Buffer>;
  /** Called before a request is sent to a broker; after this call its records may be stored. */
  begin(request: ProduceRequest): void;
  answer(answer: ProduceAnswer): void;
  /** A request ended without a response. */
  lose(request: ProduceRequest, error: unknown): void;
  /** A request cannot be encoded, and was not sent. */
  refuseToWrite(request: ProduceRequest, error: unknown): void;
}

interface ProduceDefinition {
  protocol: (choice: { version: number }) => (request: ProduceRequest) => {
    readonly request: { readonly encode: () => Promise<unknown> };
    readonly response: {
      readonly decode: (raw: Buffer) => Promise<ProduceAnswer>;
      readonly parse: (answer: ProduceAnswer) => Promise<ProduceAnswer>;
    };
  };
}

interface BrokerClass {
  readonly prototype: { produce: (request: ProduceRequest) => Promise<ProduceAnswer> };
}

/** Set by `produceListeners.run()` around a send. */
export const produceListeners = new AsyncLocalStorage<ProduceListener>();

/**
 * A send goes to several brokers, and each responds with a result for each partition, but kafkajs throws the first error and
 * drops all other results. Here a send with a listener reports the response or failure of each broker when it arrives, and
 * continues until all requests have ended. Its record batches come from the listener: kafkajs would write each record in several
 * buffers for each of its headers, which takes five times as long. Sends without a listener are unchanged.
 */
export function reportProduceAnswers(): void {
  const definition = kafkajsModule('protocol/requests/produce') as ProduceDefinition;
  replaceFunction(definition, 'protocol', (protocol, choice) => {
    const make = protocol(choice);
    return (request) => {
      const made = make(request);
      const listener = produceListeners.getStore();
      if (listener === undefined) return made;
      const encode = () =>
        encodeRequest(request, choice.version, listener).catch((error: unknown) => {
          listener.refuseToWrite(request, error);
          throw error;
        });
      return {
        request: { ...made.request, encode },
        response: { decode: made.response.decode, parse: unchanged },
      };
    };
  });
  const { prototype } = kafkajsModule('broker') as BrokerClass;
  replaceFunction(prototype, 'produce', function produceAndReport(produce, request) {
    const listener = produceListeners.getStore();
    const sent = produce.call(this, request);
    if (listener === undefined) return sent;
    listener.begin(request);
    return sent.then(
      (answer) => {
        listener.answer(answer);
        return answer;
      },
      (error: unknown) => {
        listener.lose(request, error);
        return { topics: [] };
      },
    );
  });
}

/** The request in the form of an encoder of kafkajs. */
async function encodeRequest(
  { acks, timeout, topicData }: ProduceRequest,
  version: number,
  listener: ProduceListener,
): Promise<{ readonly buf: Buffer; readonly buffer: Buffer }> {
  if (version < PRODUCE_VERSIONS.oldest) throw new Error('Kafka before 0.11 has no record batches');
  const batches = topicData.flatMap(({ topic, partitions }) =>
    partitions.map(async ({ partition }) => {
      return { topic, partition, batch: await listener.batchOf(topic, partition) };
    }),
  );
  const buffer = encodeProduceRequest(acks, timeout, await Promise.all(batches));
  return { buf: buffer, buffer };
}

/** Replaces the function in which kafkajs throws the first error. */
function unchanged(answer: ProduceAnswer): Promise<ProduceAnswer> {
  return Promise.resolve(answer);
}

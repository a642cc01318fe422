import { AsyncLocalStorage } from 'node:async_hooks';
import { kafkajsModule, replaceFunction } from './internals.ts';

/** Topics and partitions of a produce request, as kafkajs has them. */
export interface ProduceRequest {
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number }[];
  }[];
}

/** A broker's answer to a produce request; error code 0 says that the partition's records are on the log. */
export interface ProduceAnswer {
  readonly topics: readonly {
    readonly topicName: string;
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[];
  }[];
}

/** Receives the result of each request of one send; kafkajs makes a request for each broker. */
export interface ProduceListener {
  /** A request goes to a broker: from now on its records may be on the log. */
  begin(request: ProduceRequest): void;
  answer(answer: ProduceAnswer): void;
  /** A request ended without an answer. */
  lose(request: ProduceRequest, error: unknown): void;
  /** A request cannot be encoded, so no part of it is sent. */
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

/** The listener of the send that is called within `produceListeners.run()`. */
export const produceListeners = new AsyncLocalStorage<ProduceListener>();

/**
 * A produce request is answered partition by partition and goes to several brokers, but kafkajs throws the first error of
 * all and drops the rest. Here a send with a listener reports each broker's answer or failure as it comes, and kafkajs goes
 * on until all have ended. Sends without a listener fail as ever.
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
        made.request.encode().catch((error: unknown) => {
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
    const begun = produce.call(this, request);
    if (listener === undefined) return begun;
    listener.begin(request);
    return begun.then(
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

/** kafkajs throws here at the first partition that failed. */
function unchanged(answer: ProduceAnswer): Promise<ProduceAnswer> {
  return Promise.resolve(answer);
}

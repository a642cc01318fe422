import { createRequire } from 'node:module';
import { type ProduceAnswer, type ProduceRequest, roundOf } from '../publishing/produce-round.ts';

interface ResponseFormat {
  readonly decode: (raw: Buffer) => Promise<ProduceAnswer>;
  readonly parse: (answer: ProduceAnswer) => Promise<ProduceAnswer>;
}

interface RequestFormat {
  readonly encode: () => Promise<unknown>;
}

type MakeProduce = (request: ProduceRequest) => {
  readonly request: RequestFormat;
  readonly response: ResponseFormat;
};

interface ProduceDefinition {
  protocol?: (choice: { version: number }) => MakeProduce;
}

interface BrokerClass {
  readonly prototype: { produce?: (request: ProduceRequest) => Promise<ProduceAnswer> };
}

const PATCHED = new WeakSet<object>();

/**
 * A produce request is answered partition by partition and goes to several brokers, but kafkajs throws the first error of
 * all and forgets the rest. Here a send of ours (`roundOf`) hears each broker's answer or failure as it comes, and kafkajs
 * goes on until all have ended. Sends of others fail as ever. Throws on a kafkajs that is built otherwise, since
 * confirmed messages would then count as lost.
 */
export function hearProduceAnswers(): void {
  const require = createRequire(import.meta.url);
  const definition = require('kafkajs/src/protocol/requests/produce') as ProduceDefinition;
  const { prototype } = require('kafkajs/src/broker') as BrokerClass;
  if (PATCHED.has(prototype)) return;
  const { protocol } = definition;
  const { produce } = prototype;
  if (protocol === undefined || produce === undefined) {
    throw new Error(
      'the answers of produce requests cannot be read: kafkajs is not of the version in package.json',
    );
  }
  PATCHED.add(prototype);
  definition.protocol = (choice) => {
    const make = protocol(choice);
    return (request) => {
      const made = make(request);
      const round = roundOf(request);
      if (round === undefined) return made;
      const encode = () =>
        made.request.encode().catch((error: unknown) => {
          round.refuseToWrite(request, error);
          throw error;
        });
      return {
        request: { ...made.request, encode },
        response: { decode: made.response.decode, parse: unchanged },
      };
    };
  };
  prototype.produce = function produceAndTell(this: object, request: ProduceRequest) {
    const round = roundOf(request);
    const begun = produce.call(this, request);
    if (round === undefined) return begun;
    round.begin(request);
    return begun.then(
      (answer) => {
        round.answer(answer);
        return answer;
      },
      (error: unknown) => {
        round.lose(request, error);
        return { topics: [] };
      },
    );
  };
}

/** kafkajs throws here at the first partition that failed. */
function unchanged(answer: ProduceAnswer): Promise<ProduceAnswer> {
  return Promise.resolve(answer);
}

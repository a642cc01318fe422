import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  produceListeners,
  reportProduceAnswers,
  type ProduceAnswer,
  type ProduceRequest,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/produce-answers.ts';
import { encodeProduceRequest } from '../../../../../../shared/messaging/kafka/common/batches/produce-request.ts';
import { kafkajsBroker } from '../../../../../support/fakes/kafkajs-broker.ts';

const require = createRequire(import.meta.url);
const NOT_LEADER = 6;

const request: ProduceRequest = {
  acks: -1,
  timeout: 1_000,
  topicData: [{ topic: 't', partitions: [{ partition: 0 }] }],
};
const answer: ProduceAnswer = {
  topics: [{ topicName: 't', partitions: [{ partition: 0, errorCode: NOT_LEADER }] }],
};

/** A listener that records its calls, with these record batches by partition. */
function recordCalls(batches: readonly Buffer[] = []) {
  const calls: string[] = [];
  const listener = {
    batchOf: (topic: string, partition: number) => {
      const batch = batches[partition];
      if (batch === undefined) throw new TypeError(`no batch for ${topic}`);
      return batch;
    },
    begin: () => calls.push('begin'),
    answer: (given: ProduceAnswer) => calls.push(`answer ${given.topics[0]?.partitions[0]?.errorCode}`),
    lose: (_: unknown, error: unknown) => calls.push(`lose ${String(error)}`),
    refuseToWrite: (_: unknown, error: unknown) => calls.push(`refuse ${String(error)}`),
  };
  return { calls, listener };
}

interface Made {
  readonly request: { readonly encode: () => Promise<{ readonly buffer: Buffer }> };
  readonly response: { readonly parse: (given: ProduceAnswer) => Promise<ProduceAnswer> };
}

/** A produce request as kafkajs makes it. */
function makeRequest(version = 7): Made {
  const { protocol } = require('kafkajs/src/protocol/requests/produce') as {
    protocol: (choice: { version: number }) => (request: object) => Made;
  };
  return protocol({ version })(request);
}

beforeAll(() => {
  reportProduceAnswers();
});

describe('a send with a listener', () => {
  test('reports the response of a broker with all its error codes', async () => {
    const { calls, listener } = recordCalls();
    const broker = kafkajsBroker(async () => answer);
    expect(await produceListeners.run(listener, () => broker.produce(request))).toBe(answer);
    expect(calls).toEqual(['begin', 'answer 6']);
    expect(await produceListeners.run(listener, () => makeRequest().response.parse(answer))).toBe(answer);
  });

  test('reports a lost request and continues without a response', async () => {
    const { calls, listener } = recordCalls();
    const broker = kafkajsBroker(() => Promise.reject(new Error('connection lost')));
    expect(await produceListeners.run(listener, () => broker.produce(request))).toEqual({ topics: [] });
    expect(calls).toEqual(['begin', 'lose Error: connection lost']);
  });

  test.each([3, 7])('writes its record batches into a request of version %i', async (version) => {
    const batch = Buffer.from('records');
    const { calls, listener } = recordCalls([batch]);
    const made = produceListeners.run(listener, () => makeRequest(version));
    const expected = encodeProduceRequest(-1, 1_000, [{ topic: 't', partition: 0, batch }]);
    expect((await made.request.encode()).buffer).toEqual(expected);
    expect(calls).toEqual([]);
  });

  test('reports a request that cannot be encoded', async () => {
    const { calls, listener } = recordCalls();
    const made = produceListeners.run(listener, () => makeRequest());
    await expect(made.request.encode()).rejects.toThrow(TypeError);
    expect(calls).toEqual(['refuse TypeError: no batch for t']);
    const old = produceListeners.run(recordCalls([Buffer.alloc(1)]).listener, () => makeRequest(2));
    await expect(old.request.encode()).rejects.toThrow('Kafka before 0.11');
  });
});

describe('a send without a listener', () => {
  test('rejects as in kafkajs', async () => {
    await expect(makeRequest().response.parse(answer)).rejects.toMatchObject({
      type: 'NOT_LEADER_FOR_PARTITION',
    });
    const broker = kafkajsBroker(() => Promise.reject(new Error('connection lost')));
    await expect(broker.produce(request)).rejects.toThrow('connection lost');
  });
});

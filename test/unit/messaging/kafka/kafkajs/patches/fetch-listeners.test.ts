import { beforeAll, describe, expect, test } from 'vitest';
import {
  fetchListeners,
  reportFetchAnswers,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/fetch-listeners.ts';
import type { FetchAnswer } from '../../../../../../shared/messaging/kafka/kafkajs/patches/fetch-messages.ts';
import { kafkajsBroker } from '../../../../../support/fakes/kafkajs-broker.ts';
import { settleMicrotasks } from '../../../../../support/fakes/work.ts';

beforeAll(() => {
  reportFetchAnswers();
});

describe('a fetch', () => {
  const request = { topics: [{ topic: 'a', partitions: [{ partition: 0, fetchOffset: '5' }] }] };

  test('reports its answer to its listener', async () => {
    const answers: FetchAnswer[] = [];
    const answer = { isEmpty: true, partitions: [] };
    const broker = kafkajsBroker(async () => ({ responses: [], answer }));
    const pending = new Map();
    const listener = { answered: (one: FetchAnswer) => answers.push(one), maxWaitMs: () => 700, pending };
    await fetchListeners.run(listener, () => broker.fetch(request));
    expect({ answers, pending: pending.size }).toEqual({ answers: [answer], pending: 0 });
  });

  test('succeeds without a listener', async () => {
    const broker = kafkajsBroker(async () => ({ responses: [] }));
    expect(await broker.fetch(request)).toEqual({ responses: [] });
  });

  test('waits as long as its listener says, and returns nothing when the listener ends it', async () => {
    const sent = Promise.withResolvers<object>();
    const asked: object[] = [];
    const broker = kafkajsBroker((protocol) => {
      asked.push(protocol);
      return sent.promise;
    });
    const inflight = new Map();
    const requestQueue = { inflight, rejectAll: (error: Error) => sent.reject(error) };
    let disconnects = 0;
    const disconnect = async () => {
      disconnects += 1;
    };
    const pool = [{}, { requestQueue, disconnect }];
    Object.assign(broker, { connectionPool: { ...broker.connectionPool, pool } });
    const listener = {
      answered: () => undefined,
      maxWaitMs: () => 700,
      pending: new Map<object, () => void>(),
    };
    const response = fetchListeners.run(listener, () => broker.fetch({ ...request, maxWaitTime: 250 }));
    await settleMicrotasks();
    for (const end of listener.pending.values()) end();
    expect(disconnects).toBe(0);
    inflight.set(1, {});
    for (const end of listener.pending.values()) end();
    expect(disconnects).toBe(1);
    expect(await response).toMatchObject({ responses: [] });
    expect(asked).toMatchObject([{ maxWaitTime: 700 }]);
    expect(listener.pending.size).toBe(0);
  });
});

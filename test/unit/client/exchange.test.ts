import type { KafkaMessage, Producer, ProducerRecord } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { createExchanges } from '../../../shared/client/kafka/exchange.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { fakeClientSystem } from '../../support/client/fake-client-system.ts';

const REQUEST = {
  topic: 'requests',
  key: 'k',
  value: '{}',
  headers: { [HEADER.messageType]: 'CalculatePMTRequest' },
};

function open(send: (record: ProducerRecord) => Promise<unknown> = async () => undefined) {
  const { system } = fakeClientSystem(() => new Response());
  const records: ProducerRecord[] = [];
  const producer = {
    send: async (record: ProducerRecord) => {
      records.push(record);
      await send(record);
    },
  } as unknown as Producer;
  const ports = { ...system, epochMs: () => 0, newUuid: system.newId };
  return {
    records,
    ...createExchanges(producer, { replyTopic: 'replies', timeoutMs: 30_000, system: ports }),
  };
}

function replyTo(correlationId: string, value: string): KafkaMessage {
  const headers = { [HEADER.correlationId]: Buffer.from(correlationId) };
  return { key: null, value: Buffer.from(value), headers, timestamp: '0', attributes: 0, offset: '0' };
}

describe('requests over Kafka', () => {
  it('get the reply with their correlation id, in any order; other replies are ignored', async () => {
    const { exchange, take, records } = open();
    const first = exchange(REQUEST, { correlationId: 'a' });
    const second = exchange(REQUEST, { correlationId: 'b' });
    for (const id of ['other', 'b', 'b', 'a']) take(replyTo(id, id));
    expect(String((await first).value)).toBe('a');
    expect(String((await second).value)).toBe('b');
    expect(records[0]).toMatchObject({
      topic: 'requests',
      acks: -1,
      messages: [
        {
          key: 'k',
          value: '{}',
          headers: { ...REQUEST.headers, [HEADER.correlationId]: 'a', [HEADER.replyTopic]: 'replies' },
        },
      ],
    });
  });

  it('refuse an id that another request waits with', async () => {
    const { exchange, take } = open();
    const first = exchange(REQUEST, { correlationId: 'a' });
    await expect(exchange(REQUEST, { correlationId: 'a' })).rejects.toThrow(
      'a request with the id a is waiting',
    );
    take(replyTo('a', ''));
    await first;
  });

  it('fail at once if the message cannot be sent', async () => {
    const { exchange } = open(() => Promise.reject(new Error('no leader')));
    await expect(exchange(REQUEST, {})).rejects.toMatchObject({
      code: 'unreachable',
      message: 'The message was not sent: no leader',
    });
  });

  it('fail when replies can no longer be read, also later ones', async () => {
    const { exchange, send, end } = open();
    const waiting = exchange(REQUEST, { correlationId: 'a' }).catch((error: unknown) => error);
    end('unreachable', new Error('not authorised'));
    const failure = { code: 'unreachable', message: 'Replies can no longer be read: not authorised' };
    expect(await waiting).toMatchObject({ ...failure, correlationId: 'a' });
    await expect(exchange(REQUEST, {})).rejects.toMatchObject(failure);
    await expect(send(REQUEST, 'b')).rejects.toMatchObject(failure);
  });
});

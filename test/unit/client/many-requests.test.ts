import type { KafkaMessage } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { EngineError } from '../../../shared/client/engine-error.ts';
import type { ExchangeOptions, RequestToSend } from '../../../shared/client/kafka/exchange.ts';
import {
  calculateMany,
  type BulkOptions,
  type BulkRequest,
} from '../../../shared/client/kafka/many-requests.ts';
import { createProblem, isRetryable, type Problem } from '../../../shared/platform/problem.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { fakeClientSystem } from '../../support/client/fake-client-system.ts';

const PMT = {
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
  FinancedAmount: 1000,
};
type Request = BulkRequest<'calculatePmt'>;

function requests(count: number): Request[] {
  return Array.from({ length: count }, (_, index) => ({ id: `c-${index}`, jsonParam: PMT }));
}

interface Sent extends RequestToSend, ExchangeOptions {
  readonly at: number;
}

/** What the engine does with a message: replies, or nothing until the caller no longer waits. */
type Engine = (items: readonly Request[], sent: Sent) => KafkaMessage | 'silence' | Promise<KafkaMessage>;

function reply(body: unknown, headers: Record<string, string> = {}): KafkaMessage {
  const value = Buffer.from(JSON.stringify(body));
  return { key: null, value, headers, timestamp: '0', attributes: 0, offset: '0' };
}

function refusal(problem: Problem): KafkaMessage {
  return reply(problem, {
    [HEADER.errorCode]: problem.code,
    [HEADER.errorRetryable]: String(isRetryable(problem)),
  });
}

const calculated: Engine = (items) =>
  reply(items.map(({ id }) => ({ id, status: 200, body: { PMTValue: 1, PrincipalValue: 1 } })));

function open(
  engine: Engine,
  options: BulkOptions = {},
  source: AsyncIterable<Request> | Iterable<Request> = requests(5),
) {
  const { system } = fakeClientSystem(() => new Response());
  const sent: Sent[] = [];
  let ids = 0;
  const results = calculateMany(
    {
      topic: 'bulk',
      reader: { registry: undefined, parseJson: (text) => JSON.parse(text) as unknown },
      system: { ...system, epochMs: () => 1_700_000_000_000, newUuid: () => `m-${(ids += 1)}` },
      exchanges: {
        exchange: async (request, waiting) => {
          const message = { ...request, ...waiting, at: system.now() };
          sent.push(message);
          const answer = engine(JSON.parse(String(request.value)) as Request[], message);
          if (answer !== 'silence') return answer;
          await new Promise<void>((resolve) => system.startTimer(waiting.timeoutMs ?? 0, resolve));
          throw new EngineError('none', { code: 'timeout', correlationId: '', attempts: 1 });
        },
        send: () => Promise.resolve(),
        take: () => undefined,
        end: () => undefined,
      },
    },
    'calculatePmt',
    source,
    { requestsPerMessage: 2, repeatAfterMs: 4_000, ...options },
  );
  return { results, sent };
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function* damagedFile(): AsyncGenerator<Request> {
  yield* requests(2);
  throw new Error('the file is damaged');
}

describe('many requests', () => {
  it('travel in messages of the chosen size, and each gets its result', async () => {
    const { results, sent } = open((items) =>
      reply(
        items.map(({ id }) =>
          id === 'c-1'
            ? { id, status: 422, body: createProblem('not-computable') }
            : {
                id,
                status: 200,
                body: { PMTValue: 1, PrincipalValue: 1 },
                headers: { 'plat-warnings': 'no-effect;a' },
              },
        ),
      ),
    );
    const all = (await collect(results)).toSorted((one, other) => one.index - other.index);
    expect(all.map(({ id, index }) => [id, index])).toEqual(requests(5).map(({ id }, index) => [id, index]));
    expect(all[0]).toMatchObject({ reply: { PMTValue: 1 }, warnings: [{ code: 'no-effect', path: 'a' }] });
    expect(all[1]).toMatchObject({ problem: { code: 'not-computable' } });
    expect(sent.map(({ value }) => (JSON.parse(String(value)) as unknown[]).length)).toEqual([2, 2, 1]);
    expect(sent[0]).toMatchObject({
      topic: 'bulk',
      key: 'm-1',
      correlationId: 'm-1',
      headers: { [HEADER.messageType]: 'CalculatePMTRequest', [HEADER.originTimestamp]: '1700000000000' },
    });
  });

  it('are read only while fewer messages than allowed are in flight', async () => {
    let read = 0;
    async function* source(): AsyncGenerator<Request> {
      for (const request of requests(20)) {
        read += 1;
        yield request;
      }
    }
    const { promise: answered, resolve: answerAll } = Promise.withResolvers<void>();
    const { results, sent } = open(
      async (items, message) => {
        await answered;
        return calculated(items, message) as KafkaMessage;
      },
      { messagesInFlight: 3 },
      source(),
    );
    const first = results.next();
    await new Promise(setImmediate);
    expect(sent).toHaveLength(3);
    expect(read).toBe(6);
    answerAll();
    expect((await first).value).toMatchObject({ id: 'c-0' });
    expect(await collect(results)).toHaveLength(19);
  });

  it('are repeated unchanged while there is no reply, after twice as long each time', async () => {
    let copies = 0;
    const { results, sent } = open(
      (items, message) => ((copies += 1) < 3 ? 'silence' : calculated(items, message)),
      {},
      requests(2),
    );
    expect(await collect(results)).toHaveLength(2);
    expect(sent.map(({ at }) => at)).toEqual([0, 4_000, 12_000]);
    expect(
      new Set(sent.map(({ key, value, correlationId }) => `${key} ${String(value)} ${correlationId}`)).size,
    ).toBe(1);
  });

  it('are repeated after a refusal that may pass', async () => {
    let copies = 0;
    const { results, sent } = open(
      (items, message) =>
        (copies += 1) < 3 ? refusal(createProblem('broker-unavailable')) : calculated(items, message),
      {},
      requests(2),
    );
    expect(await collect(results)).toHaveLength(2);
    expect(sent.map(({ at }) => at)).toEqual([0, 1_000, 3_000]);
  });

  it('are sent in halves when a message is refused as a whole, down to the request that is the reason', async () => {
    const { results, sent } = open(
      (items, message) =>
        items.some(({ id }) => id === 'c-2')
          ? refusal(createProblem('reply-too-large'))
          : calculated(items, message),
      { requestsPerMessage: 4 },
      requests(4),
    );
    const all = await collect(results);
    expect(all.map(({ id, problem }) => [id, problem?.code])).toEqual([
      ['c-0', undefined],
      ['c-1', undefined],
      ['c-2', 'reply-too-large'],
      ['c-3', undefined],
    ]);
    expect(new Set(sent.map(({ correlationId }) => correlationId)).size).toBe(5);
  });

  it('end with code timeout when a message gets no reply in time', async () => {
    const { results } = open(() => 'silence', { timeoutMs: 9_000 });
    await expect(collect(results)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('end when the source fails', async () => {
    await expect(collect(open(calculated, {}, damagedFile()).results)).rejects.toThrow('the file is damaged');
  });

  it('abort what is in flight when the caller leaves', async () => {
    let signal: AbortSignal | undefined;
    const { results } = open((items, message) => {
      signal = message.signal;
      return calculated(items, message);
    });
    await results.next();
    await results.return(undefined);
    expect(signal?.aborted).toBe(true);
  });
});

describe('options of many requests', () => {
  it('that are undefined have their defaults', async () => {
    const absent = Object.fromEntries(
      ['requestsPerMessage', 'messagesInFlight', 'repeatAfterMs', 'timeoutMs', 'originTimestampMs'].map(
        (name) => [name, undefined],
      ),
    ) as BulkOptions;
    const { results, sent } = open(calculated, absent);
    expect(await collect(results)).toHaveLength(5);
    expect(sent.map(({ headers, timeoutMs }) => [headers[HEADER.originTimestamp], timeoutMs])).toEqual([
      ['1700000000000', 30_000],
    ]);
  });

  it.each([
    [{ requestsPerMessage: 0 }, 'requestsPerMessage must be a whole number from 1 to 500'],
    [{ requestsPerMessage: 501 }, 'requestsPerMessage must be a whole number from 1 to 500'],
    [{ messagesInFlight: 0 }, 'messagesInFlight must be a whole number, 1 or more'],
    [{ messagesInFlight: Number.NaN }, 'messagesInFlight must be a whole number, 1 or more'],
  ])('%j are refused before anything is sent', async (options, text) => {
    const { results, sent } = open(calculated, options);
    await expect(results.next()).rejects.toThrow(new RangeError(text));
    expect(sent).toEqual([]);
  });
});

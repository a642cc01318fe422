import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { createCalculateChunk } from '../../../../scripts/recalculate/calculate-chunk.ts';
import type { Contract } from '../../../../scripts/recalculate/input-records.ts';
import type { RequestBatch, ReplyBatchItem } from '../../../../shared/messaging/codec/request-batch.ts';
import type { OutgoingRequest } from '../../../../shared/messaging/requester/requester.ts';
import type { Reply } from '../../../../shared/messaging/outcome.ts';
import { createProblem, type ErrorCode } from '../../../../shared/platform/problem.ts';
import { codecOf } from '../../../support/builders/codec-calls.ts';
import { PROBLEM, REPLY, schedule, smallRequest } from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();

const contract = (line: number, members: object = {}): Contract => ({
  line,
  id: `c-${line}`,
  request: { ...smallRequest, ...members },
  rows: 4,
  warnings: [],
  former: undefined,
});
const contracts = (count: number) => Array.from({ length: count }, (_, index) => contract(index + 1));

const valueOf = async (type: string, payload: unknown) => (await codec.encode(type, payload, 'avro')).value;
const good = await valueOf(REPLY, schedule);
const idsOf = (request: OutgoingRequest) =>
  (request.payload as RequestBatch).items.map(({ id }) => String(id));
const answering = (items: readonly ReplyBatchItem[]) =>
  ({ kind: 'reply', type: 'ReplyBatch', payload: { items } }) as const;
const problemReply = (code: ErrorCode) =>
  ({ kind: 'problem', problem: createProblem(code, { correlationId: 'run-1-1' }) }) as const;
const allGood = (request: OutgoingRequest): Reply =>
  answering(idsOf(request).map((id) => ({ id, status: 200, value: good })));

function scene(answer: (request: OutgoingRequest) => Reply) {
  const requests: OutgoingRequest[] = [];
  const calculate = createCalculateChunk({
    codec,
    request: async (request) => {
      requests.push(request);
      return answer(request);
    },
    topic: 'bulk',
    partitions: 3,
    correlationPrefix: 'run-1',
    originTimestampMs: 1_700_000_000_000,
    timeoutMs: 120_000,
  });
  const outcomes = async (list: readonly Contract[]) =>
    Promise.all((await calculate(list)).map(async (late) => late()));
  return { requests, outcomes };
}

it('sends each chunk as one message, to the partitions round-robin', async () => {
  const { requests, outcomes } = scene(allGood);
  for (let turn = 0; turn < 4; turn += 1) await outcomes(contracts(2));
  expect(requests.map(({ partition, correlationId }) => [partition, correlationId])).toEqual([
    [0, 'run-1-1'],
    [1, 'run-1-2'],
    [2, 'run-1-3'],
    [0, 'run-1-4'],
  ]);
  const times = { originTimestampMs: 1_700_000_000_000, timeoutMs: 120_000 };
  expect(requests[0]).toMatchObject({ topic: 'bulk', type: 'RequestBatch', ...times });
});

it('returns for each contract its schedule with warnings or its problem', async () => {
  const refusal = createProblem('not-computable', { detail: 'no' });
  const problem = await valueOf(PROBLEM, refusal);
  const { outcomes } = scene(() =>
    answering([
      { id: '1', status: 200, value: good, warnings: 'ignored;jsonParam.X' },
      { id: '2', status: 422, value: problem },
    ]),
  );
  expect(await outcomes(contracts(2))).toMatchObject([
    { kind: 'schedule', schedule: { rows: schedule.rows }, warnings: 'ignored;jsonParam.X' },
    { kind: 'problem', problem: { code: 'not-computable', detail: 'no' } },
  ]);
});

it('halves a failing message until only the failing contract remains', async () => {
  const { requests, outcomes } = scene((request) =>
    idsOf(request).includes('6') ? problemReply('reply-too-large') : allGood(request),
  );
  const found = await outcomes(contracts(8));
  const kinds = Array.from({ length: 8 }, (_, index) => (index === 5 ? 'problem' : 'schedule'));
  expect(found.map(({ kind }) => kind)).toEqual(kinds);
  const halves = ['', '.1', '.2', '.2.1', '.2.1.1', '.2.1.2', '.2.2'].map((part) => `run-1-1${part}`);
  expect(requests.map(({ correlationId }) => correlationId)).toEqual(halves);
});

it('omits the correlation id of the batch from problems, so that a resumed run writes the same line', async () => {
  const { outcomes } = scene(() => problemReply('unexpected'));
  expect(await outcomes(contracts(1))).toEqual([{ kind: 'problem', problem: createProblem('unexpected') }]);
});

const changedIds = (change: (ids: string[]) => string[]) =>
  scene((request) => answering(change(idsOf(request)).map((id) => ({ id, status: 200, value: good }))));

it.each([
  ['of other contracts', (ids: string[]) => ids.map((id) => `9${id}`)],
  ['fewer than requested', (ids: string[]) => ids.slice(1)],
])('refuses answers that are %s', async (_, change) => {
  const unexpected = { problem: { code: 'unexpected' } };
  expect(await changedIds(change).outcomes(contracts(2))).toMatchObject([unexpected, unexpected]);
});

it('sends contracts one by one if answers are in a different order', async () => {
  const { requests, outcomes } = changedIds((ids) => ids.toReversed());
  expect((await outcomes(contracts(2))).map(({ kind }) => kind)).toEqual(['schedule', 'schedule']);
  expect(requests.map(idsOf)).toEqual([['1', '2'], ['1'], ['2']]);
});

it('refuses a contract whose figures cannot be encoded, and sends the others, if there are any', async () => {
  const tooFine = { UpFrontValue: new Decimal('1e-40') };
  const { requests, outcomes } = scene(allGood);
  expect(await outcomes([contract(1, tooFine)])).toMatchObject([{ kind: 'problem' }]);
  expect(requests).toEqual([]);
  const found = await outcomes([contract(1), contract(2, tooFine), contract(3)]);
  expect(found).toMatchObject([
    { kind: 'schedule' },
    { kind: 'problem', problem: { code: 'not-computable', errors: [{ path: 'UpFrontValue' }] } },
    { kind: 'schedule' },
  ]);
  expect(requests.map(idsOf)).toEqual([['1', '3']]);
});

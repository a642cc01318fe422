import { expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { bodyOf, createBatchWorld, faultsOf, jsonBatch, textOf } from '../../support/worlds/batch-world.ts';
import { PROOF_REQUEST, PROOF_TOTALS, type Row } from '../../support/builders/schedule-call.ts';

it('answers a JSON request of both topics on the topic and partition in its headers, with its correlation id', async () => {
  const { ask } = await createBatchWorld();
  const headers = {
    [HEADER.replyPartition]: Buffer.from([0, 0, 0, 1]),
    [HEADER.correlationId]: Buffer.from([0xff, 0x00, 0x07]),
  };
  const request = { jsonParam: { ...PROOF_REQUEST, AdvanceAmount: 5, Unknown: 1 } };
  for (const topic of [TOPIC.scheduleRequests, TOPIC.scheduleBulkRequests]) {
    const reply = await ask(jsonBatch(request, undefined, { topic, headers }));
    expect(reply.partition).toBe(1);
    expect(reply.headers[HEADER.correlationId]).toEqual(Buffer.from([0xff, 0x00, 0x07]));
    expect((bodyOf(reply) as Row[]).map((row) => row['TotalInstallment'])).toEqual(PROOF_TOTALS);
    expect(textOf(reply, HEADER.warnings)?.split(', ').toSorted()).toEqual([
      'no-effect;jsonParam.AdvanceAmount',
      'unknown-member;jsonParam.Unknown',
    ]);
  }
});

it('answers an invalid request with all faults, the error headers of both client families and its correlation id', async () => {
  const { ask, deadLetters } = await createBatchWorld();
  const request = { jsonParam: { ...PROOF_REQUEST, Amount: -1, InstallmentDay: 40 } };
  const reply = await ask(jsonBatch(request, undefined, { topic: TOPIC.scheduleRequests }));
  const problem = bodyOf(reply) as { errors: unknown };
  expect(problem).toMatchObject({ code: 'not-computable', correlationId: 'batch-1' });
  expect(faultsOf(problem)?.toSorted()).toEqual([
    'jsonParam.Amount out-of-range',
    'jsonParam.InstallmentDay out-of-range',
  ]);
  expect(textOf(reply, HEADER.errorCode)).toBe('not-computable');
  expect(textOf(reply, HEADER.errorRetryable)).toBe('false');
  expect(textOf(reply, HEADER.nestIsDisposed)).toBeDefined();
  expect(JSON.parse(textOf(reply, HEADER.nestError) ?? '')).toMatchObject({ errors: problem.errors });
  expect(deadLetters).toEqual([]);
});

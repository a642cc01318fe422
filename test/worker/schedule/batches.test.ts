import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CALCULATE_PMT } from '../../../shared/api/actions/pmt-action.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { readReply } from '../../../shared/messaging/requester/read-reply.ts';
import {
  MAX_BATCH_REPLY_BYTES,
  REPLY_BATCH,
  type ReplyBatch,
} from '../../../shared/messaging/codec/request-batch.ts';
import type { Reply } from '../../../shared/messaging/outcome.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import type { StartWorker } from '../../../workers/runtime/worker.ts';
import { startProductWorker } from '../../../workers/product/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import {
  avroBatch,
  bodyOf,
  createBatchWorld,
  jsonAnswers,
  jsonBatch,
  payloadOf,
  textOf,
  type BatchMessage,
  type BatchWorld,
} from '../../support/worlds/batch-world.ts';
import { publishingBy } from '../../support/builders/notification-call.ts';
import { PROOF_REQUEST, PROOF_TOTALS, type Row } from '../../support/builders/schedule-call.ts';

const REQUEST = 'CalculateRepaymentScheduleRequest';
const totalsOf = (body: unknown) => (body as Row[]).map((row) => row['TotalInstallment']);

/** The Avro encoding of a request. */
const avroValue = async (codec: MessageCodec, jsonParam: object, type = REQUEST): Promise<Buffer> =>
  (await codec.encode(type, payloadOf(jsonParam, type), 'avro')).value;

/** The items of an Avro reply, each decoded as by a requester. */
async function avroAnswers(world: BatchWorld, message: BatchMessage) {
  const reply = await world.ask(message);
  const batch = await readReply(world.codec, reply);
  if (batch.kind !== 'reply') throw new Error(`refused: ${JSON.stringify(batch.problem)}`);
  expect(batch.type).toBe(REPLY_BATCH);
  const { items } = batch.payload as ReplyBatch;
  const read = (value: Buffer) => readReply(world.codec, { value, headers: {} });
  return Promise.all(items.map(async (item) => ({ ...item, reply: await read(item.value) })));
}

const rowsOf = (reply: Reply | undefined): number =>
  reply?.kind === 'reply' ? (reply.payload as { rows: readonly unknown[] }).rows.length : -1;

it('answers a JSON array of requests with one reply, whose items equal the single replies in order', async () => {
  const world = await createBatchWorld();
  const withWarning = { ...PROOF_REQUEST, HolidayShift: true, HolidayCountry: 'RO', Colour: 'red' };
  const items = [
    { id: 'c-1', jsonParam: PROOF_REQUEST },
    { id: 2, jsonParam: withWarning },
    { jsonParam: { ...PROOF_REQUEST, InstallmentsNo: 3 } },
  ];
  const reply = await world.ask(jsonBatch(items));
  expect(textOf(reply, HEADER.messageType)).toBe(REPLY_BATCH);
  expect(textOf(reply, HEADER.contentType)).toBe('application/json');
  expect(textOf(reply, HEADER.correlationId)).toBe('batch-1');
  expect(textOf(reply, HEADER.warnings)).toBeUndefined();
  const answers = jsonAnswers(reply);
  expect(answers.map(({ id }) => id)).toEqual(['c-1', 2, undefined]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers[0]).not.toHaveProperty('headers');
  expect(answers[2]).not.toHaveProperty('id');
  expect(totalsOf(answers[0]?.body)).toEqual(PROOF_TOTALS);
  expect(answers[1]?.headers).toEqual({
    'plat-warnings': 'unknown-member;jsonParam.Colour',
    'plat-holiday-calendar': expect.stringMatching(/^RO;version=/) as string,
  });
  const single = await world.ask(jsonBatch({ jsonParam: withWarning }));
  expect(answers[1]?.body).toEqual(bodyOf(single));
  expect(textOf(reply, HEADER.versions)).toMatch(/^engine=[\d.]+, rules=\d+$/);
  expect(textOf(single, HEADER.versions)).toMatch(
    /^engine=[\d.]+, rules=\d+, day=\d{4}-\d\d-\d\d, calendar=RO;version=[\d.]+$/,
  );
});

it('answers a RequestBatch in Avro with a ReplyBatch, also for mixed calculations', async () => {
  const world = await createBatchWorld();
  const { codec } = world;
  const payment = (CALCULATE_PMT.examples[0].request as { jsonParam: object }).jsonParam;
  const items = [
    { id: 'c-1', value: await avroValue(codec, PROOF_REQUEST) },
    { id: 7, value: await avroValue(codec, { ...PROOF_REQUEST, HolidayShift: true, HolidayCountry: 'RO' }) },
    { value: await avroValue(codec, payment, 'CalculatePMTRequest') },
  ];
  const answers = await avroAnswers(world, await avroBatch(codec, items));
  expect(answers.map(({ id, status, reply }) => [id, status, reply.kind === 'reply' && reply.type])).toEqual([
    ['c-1', 200, 'CalculateRepaymentScheduleReply'],
    ['7', 200, 'CalculateRepaymentScheduleReply'],
    [undefined, 200, 'CalculatePMTReply'],
  ]);
  expect(answers[1]?.holidayCalendar).toMatch(/^RO;version=/);
  expect(rowsOf(answers[0]?.reply)).toBe(6);
});

it('answers 500 requests in order, and starts undated schedules on the day of the message (D2)', async () => {
  const world = await createBatchWorld({ replyConfig: { 'max.message.bytes': String(8 * 1_024 * 1_024) } });
  const undated = { ...PROOF_REQUEST, ActivationDate: undefined };
  const items = Array.from({ length: 500 }, (_, index) => ({
    id: `c-${index}`,
    jsonParam: { ...undated, InstallmentsNo: 1 + (index % 12) },
  }));
  const answers = jsonAnswers(await world.ask(jsonBatch(items)));
  expect(answers.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  expect(answers.map(({ body }) => (body as Row[]).length)).toEqual(
    items.map(({ jsonParam }) => jsonParam.InstallmentsNo),
  );
  const [first] = (answers[0]?.body ?? []) as Row[];
  expect(first?.['DueDate']).toMatch(/^2024-02-01/);
});

it('answers an invalid item of an array with its problem, and the other items as usual', async () => {
  const world = await createBatchWorld();
  const good = JSON.stringify({ id: 'good', jsonParam: PROOF_REQUEST });
  const bad = [
    '5',
    JSON.stringify({ id: 'x'.repeat(201), jsonParam: { ...PROOF_REQUEST, Amount: 'much' } }),
    JSON.stringify({ id: { nested: 1 }, jsonParam: PROOF_REQUEST }),
    JSON.stringify({ id: 'shape', jsonParam: { ...PROOF_REQUEST, Amount: 'much' } }),
    JSON.stringify({ id: 'value', jsonParam: { ...PROOF_REQUEST, Amount: -1 } }),
  ];
  const text = `[${[good, ...bad.flatMap((one) => [one, good])].join(', ')}]`;
  const answers = jsonAnswers(await world.ask(jsonBatch(text)));
  expect(answers).toHaveLength(1 + 2 * bad.length);
  for (const answer of answers.filter((_, index) => index % 2 === 0)) {
    expect(answer).toMatchObject({ id: 'good', status: 200 });
    expect(totalsOf(answer.body)).toEqual(PROOF_TOTALS);
  }
  const refused = answers.filter((_, index) => index % 2 === 1);
  const reported = refused.map(({ id, status, body }) => {
    const { code, errors = [] } = body as Problem;
    return [id, status, code, errors.map(({ path }) => path)];
  });
  expect(reported).toEqual([
    [undefined, 400, 'invalid-request', ['body']],
    [undefined, 400, 'invalid-request', ['id', 'jsonParam.Amount']],
    [undefined, 400, 'invalid-request', ['id']],
    ['shape', 400, 'invalid-request', ['jsonParam.Amount']],
    ['value', 422, 'not-computable', ['jsonParam.Amount']],
  ]);
  expect(world.deadLetters).toEqual([]);
});

it('answers an undecodable item of an Avro batch with its own problem', async () => {
  const world = await createBatchWorld();
  const { codec } = world;
  const good = await avroValue(codec, PROOF_REQUEST);
  const nested = (await avroBatch(codec, [{ value: good }])).value;
  const tiny = { ...PROOF_REQUEST, CalculateDAE: 1, Amount: 0.001 };
  const values: [string, Buffer, string, number][] = [
    ['cut', good.subarray(0, good.length - 1), 'undecodable-message', 400],
    ['empty', Buffer.alloc(0), 'undecodable-message', 400],
    ['unknown-schema', Buffer.from([0, 0, 0, 0, 7, 1]), 'undecodable-message', 400],
    ['a-batch', nested, 'undecodable-message', 400],
    ['', good, 'invalid-request', 400],
    ['value', await avroValue(codec, { ...PROOF_REQUEST, Amount: 1, InstallmentsNo: 6 }), '', 200],
    ['no-amount', await avroValue(codec, tiny), 'not-computable', 422],
  ];
  const items = values.flatMap(([id, value]) => [{ id, value }].concat({ id: 'good', value: good }));
  const answers = await avroAnswers(world, await avroBatch(codec, items));
  for (const { id, status, reply } of answers.filter((_, index) => index % 2 === 1)) {
    expect([id, status, rowsOf(reply)]).toEqual(['good', 200, 6]);
  }
  const others = answers.filter((_, index) => index % 2 === 0);
  expect(others.map(({ id, status }) => [id, status])).toEqual(
    values.map(([id, , , status]) => [id === '' ? undefined : id, status]),
  );
  expect(others.map(({ reply }) => (reply.kind === 'problem' ? reply.problem.code : ''))).toEqual(
    values.map(([, , code]) => code),
  );
});

it('refuses as a whole a message with no or too many requests, or that is no array', async () => {
  const world = await createBatchWorld();
  const item = '{"jsonParam": {}}';
  const malformed = [`[${item}, {"jsonParam"`, `[${item},]`, `[${item}] {}`, `[${item}}`];
  const texts = ['[]', `[${'{},'.repeat(500)}{}]`, ...malformed];
  for (const [index, text] of texts.entries()) {
    const reply = await world.ask(jsonBatch(text));
    expect(textOf(reply, HEADER.messageType)).toBe('ProblemReply');
    const { code, correlationId, errors = [] } = bodyOf(reply) as Problem;
    const expected = index < 2 ? ['invalid-request', 'items'] : ['malformed-json', 'body'];
    expect([code, ...errors.map(({ path }) => path)]).toEqual(expected);
    expect(correlationId).toBe('batch-1');
  }
});

it('refuses a batch whose reply exceeds the message size, with the advice to send fewer requests', async () => {
  const world = await createBatchWorld({ replyConfig: { 'max.message.bytes': '20000' } });
  const long = { jsonParam: { ...PROOF_REQUEST, InstallmentsNo: 1_200 } };
  const refusals = [
    await world.ask(jsonBatch(Array.from({ length: 20 }, () => ({ jsonParam: PROOF_REQUEST })))),
    await world.ask(jsonBatch(Array.from({ length: 60 }, () => long))),
  ];
  for (const reply of refusals) {
    expect(textOf(reply, HEADER.errorCode)).toBe('reply-too-large');
    expect(textOf(reply, HEADER.errorRetryable)).toBe('false');
    expect((bodyOf(reply) as Problem).detail).toContain('send smaller batches');
  }
  const one = jsonAnswers(await (await createBatchWorld()).ask(jsonBatch([long])));
  expect(60 * JSON.stringify(one[0]?.body).length).toBeGreaterThan(MAX_BATCH_REPLY_BYTES);
});

it('returns the same bytes if a message is redelivered', async () => {
  const world = await createBatchWorld();
  const { codec } = world;
  const undated = { ...PROOF_REQUEST, ActivationDate: undefined };
  const items = [
    { id: 1, jsonParam: undated },
    { id: 'bad', jsonParam: {} },
  ];
  const batches = [jsonBatch(items), await avroBatch(codec, [{ value: await avroValue(codec, undated) }])];
  for (const batch of batches) {
    const [first, second] = [await world.ask(batch), await world.ask(batch)];
    expect(second.offset).not.toBe(first.offset);
    expect(second.value).toEqual(first.value);
  }
});

it('refuses a batch on the interactive topic and names the bulk topic, if the worker has one', async () => {
  const world = await createBatchWorld();
  const batch = await avroBatch(world.codec, [{ value: await avroValue(world.codec, PROOF_REQUEST) }]);
  const topic = TOPIC.scheduleRequests;
  const json = await world.ask(jsonBatch([{ jsonParam: PROOF_REQUEST }], REQUEST, { topic }));
  expect(bodyOf(json)).toMatchObject({
    code: 'invalid-request',
    detail: expect.stringContaining(TOPIC.scheduleBulkRequests) as string,
  });
  const avro = await world.ask({ ...batch, topic });
  expect(avro.value?.[0]).toBe(0);
  expect(textOf(avro, HEADER.nestError)).toContain(TOPIC.scheduleBulkRequests);
  const product = await createBatchWorld({ start: startProductWorker });
  const reply = await product.ask({ ...batch, topic: TOPIC.productRequests });
  expect(textOf(reply, HEADER.nestError)).toContain('accepts one request per message.');
});

it('answers the array of the API guide as documented', async () => {
  const guide = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const section = guide.slice(guide.indexOf('### Many requests in one message'));
  const [request = '', reply = ''] = [...section.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text);
  const world = await createBatchWorld();
  const answers = jsonAnswers(await world.ask(jsonBatch(request, 'CalculatePMTRequest')));
  const expected = JSON.parse(reply) as readonly object[];
  expect(answers).toHaveLength(expected.length);
  expect(answers).toMatchObject(expected);
});

it('processes at most four batches at a time while their replies cannot be published', async () => {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const start: StartWorker = ({ broker, ...context }) => {
    const slow = publishingBy(broker, (publish) => async (messages) => {
      waiting += 1;
      await gate.promise;
      await publish(messages);
    });
    return startScheduleWorker({ ...context, broker: slow });
  };
  const world = await createBatchWorld({ start });
  const batches = 10;
  for (let index = 0; index < batches; index += 1) {
    await world.send({ ...jsonBatch([{ jsonParam: PROOF_REQUEST }]), key: `k-${index}` });
  }
  await expect.poll(() => waiting).toBe(4);
  await sleep(100);
  expect(waiting).toBe(4);
  gate.resolve();
  await expect.poll(() => world.replies.length).toBe(batches);
});

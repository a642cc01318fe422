import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ThreadPool, type CalculationThreads } from '../../../workers/runtime/thread-pool.ts';
import { restoreEnvironment } from '../../../shared/product/storage/lending-environment.ts';
import { CREATE_OFFER_DOCUMENT } from '../../../shared/api/actions/offer-document-action.ts';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createScheduleHandlers } from '../../../workers/schedule/schedule-calculations.ts';
import { createReplyReader } from '../../../workers/ingress/actions/send-reply.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { fakeRequest } from '../../support/fakes/messages.ts';
import { commissions, EXPENSIVE_REQUESTS, EXPLAINED_LOAN } from '../../support/expensive-requests.ts';
import { createUpstream, jsonAnswers, jsonBatch, payloadOf } from '../../support/worlds/batch-world.ts';
import { post, PROOF_REQUEST } from '../../support/builders/schedule-call.ts';

const PROGRAM = new URL('../../../workers/calculation-thread.ts', import.meta.url);
const REQUEST = 'CalculateRepaymentScheduleRequest';
const TEST_LIMIT_MS = 60_000;
const SNAPSHOT = { records: {}, charges: undefined, defaultHolidayCalendar: undefined };
const [LONG = EXPLAINED_LOAN] = Object.values(EXPENSIVE_REQUESTS);
const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });

const workOf = async (jsonParam: object) => ({
  type: REQUEST,
  value: (await codec.encode(REQUEST, payloadOf(jsonParam), 'avro')).value,
  format: 'avro' as const,
  originTimestampMs: 0,
  deadlineMs: undefined,
  units: 400_000,
  requester: 'replies',
  snapshot: SNAPSHOT,
  isPatient: false,
});

describe('calculation in a thread', { timeout: TEST_LIMIT_MS }, () => {
  /** One pool for all tests, since each thread takes a second to load the engine; the last test stops it. */
  let threads: CalculationThreads;
  beforeAll(() => {
    threads = new ThreadPool(PROGRAM, loadConfig({}), { now: () => 0 });
  });
  afterAll(() => threads.stop());

  it('returns the same bytes as on the event loop, even if the thread already has the snapshot', async () => {
    const handler = createScheduleHandlers(restoreEnvironment(SNAPSHOT))[REQUEST];
    const outcome = await handler?.(payloadOf(EXPLAINED_LOAN), fakeRequest());
    if (outcome?.kind !== 'done' || outcome.reply === undefined) throw new Error(JSON.stringify(outcome));
    const expected = await codec.encode(outcome.reply.type, outcome.reply.payload, 'avro');
    for (let round = 0; round < 2; round++) {
      const beside = await threads.calculate(await workOf(EXPLAINED_LOAN));
      if (beside?.kind !== 'done') throw new Error(JSON.stringify(beside));
      expect(beside.reply?.encoded?.value.equals(expected.value)).toBe(true);
      expect(beside.reply?.encoded?.headers).toEqual(expected.headers);
    }
  });

  it('returns a refusal', async () => {
    const outcome = await threads.calculate(await workOf({ ...LONG, ScheduleType: 'Unheard of' }));
    expect(outcome).toMatchObject({
      kind: 'refused',
      problem: { code: 'not-computable', errors: [{ path: 'jsonParam.ScheduleType' }] },
    });
  });

  it('follows a catalogue without the default calendar, whose record was deleted', async () => {
    const defaultHolidayCalendar = 'Bank';
    const bank = { name: 'Bank', version: '1', weekend: ['Sunday'], holidays: [] };
    const calendars = [{ source: 'calendar/Bank/1', record: bank }];
    const before = { records: { calendars }, charges: undefined, defaultHolidayCalendar };
    const work = await workOf({ ...EXPLAINED_LOAN, InstallmentsNo: 3, HolidayShift: true });
    expect(await threads.calculate({ ...work, snapshot: before })).toMatchObject({
      reply: { holidayCalendar: 'Bank;version=1', sources: { day: EXPLAINED_LOAN.ActivationDate } },
    });
    const after = { ...SNAPSHOT, defaultHolidayCalendar };
    for (let round = 0; round < 2; round++) {
      expect(await threads.calculate({ ...work, snapshot: after })).toMatchObject({
        problem: { code: 'not-computable', errors: [{ path: 'jsonParam.HolidayCountry' }] },
      });
    }
    const other = await workOf({ ...EXPLAINED_LOAN, InstallmentsNo: 3 });
    expect(await threads.calculate({ ...other, snapshot: after })).toMatchObject({ kind: 'done' });
  });

  it('is refused if its deadline cannot be met, unless it is a batch item', async () => {
    const work = { ...(await workOf(EXPLAINED_LOAN)), deadlineMs: 1_000 };
    const calls = Array.from({ length: 10 }, () => threads.calculate(work));
    const patient = threads.calculate({ ...work, isPatient: true });
    const ends = await Promise.all(calls);
    expect(ends[0]).toMatchObject({ kind: 'done' });
    expect(ends.filter((end) => end === undefined).length).toBeGreaterThan(5);
    expect(await patient).toMatchObject({ kind: 'done' });
    expect(await threads.calculate(work)).toMatchObject({ kind: 'done' });
  });

  it('waits for a rendering, which completes a call', async () => {
    const long = { ...EXPLAINED_LOAN, Commission: commissions(20) };
    const work = { ...(await workOf(long)), isPatient: true };
    let ended = 0;
    const calculations = Array.from({ length: 4 }, () => threads.calculate(work).then(() => (ended += 1)));
    await expect.poll(() => ended, { timeout: TEST_LIMIT_MS }).toBeGreaterThan(0);
    const problem = await codec.encode('ProblemReply', createProblem('unexpected'), 'json');
    expect(await threads.render(problem)).toMatchObject({ kind: 'problem', problem: { code: 'unexpected' } });
    expect(ended).toBeLessThan(calculations.length);
    await Promise.all(calculations);
  });

  it('comes before a document that is printed after it', async () => {
    const work = { ...(await workOf(EXPLAINED_LOAN)), isPatient: true };
    let ended = 0;
    const calculations = Array.from({ length: 6 }, () => threads.calculate(work).then(() => (ended += 1)));
    expect(await threads.print(JSON.stringify(CREATE_OFFER_DOCUMENT.examples[0].reply), work)).toBeDefined();
    expect(ended).toBeGreaterThanOrEqual(calculations.length - 1);
    await Promise.all(calculations);
  });

  it('leaves room for those of other requesters, and rejects with InfrastructureError when the process stops, so that another worker takes over', async () => {
    const work = { ...(await workOf(EXPLAINED_LOAN)), deadlineMs: 3_000 };
    const calculate = (requester: string) =>
      threads.calculate({ ...work, requester }).catch((error: unknown) => error);
    const flood = Array.from({ length: 50 }, () => calculate('flood'));
    const other = calculate('other');
    await threads.stop();
    const ends = [...(await Promise.all(flood)), await other];
    expect(ends.filter((end) => end === undefined).length).toBeGreaterThan(25);
    expect(ends.at(-1)).toBeInstanceOf(InfrastructureError);
    expect(ends[0]).toBeInstanceOf(InfrastructureError);
    await expect(threads.calculate(work)).rejects.toThrow(InfrastructureError);
  });
});

it('has at most 64 MiB of replies rendered or waiting for it, so that many callers cannot exhaust the memory', async () => {
  const threads = new ThreadPool(PROGRAM, loadConfig({}), { now: () => 0 });
  await threads.stop();
  const small = { value: Buffer.alloc(1), headers: {} };
  const large = threads.render({ value: Buffer.alloc(67_108_864), headers: {} });
  expect(await threads.render(small)).toBeUndefined();
  await expect(large).rejects.toThrow(InfrastructureError);
  // It has given its place back.
  await expect(threads.render(small)).rejects.toThrow(InfrastructureError);
});

describe('handler of long calculations', () => {
  const busy: CalculationThreads = {
    calculate: () => Promise.resolve(undefined),
    print: () => Promise.resolve(undefined),
    render: () => Promise.resolve(undefined),
    stop: () => Promise.resolve(),
  };
  const handlers = createScheduleHandlers(restoreEnvironment(SNAPSHOT), { threads: busy, codec });

  it('calculates a short request on the event loop', () => {
    expect(handlers[REQUEST]?.(payloadOf(PROOF_REQUEST), fakeRequest())).toMatchObject({ kind: 'done' });
  });

  it('refuses a request with a deadline if too many are waiting, and retries a request without one', async () => {
    const waiting = await handlers[REQUEST]?.(payloadOf(LONG), fakeRequest({ deadlineMs: 10_000 }));
    expect(waiting).toMatchObject({ kind: 'refused', problem: { code: 'overloaded', status: 503 } });
    const other = await handlers[REQUEST]?.(payloadOf(LONG), fakeRequest());
    expect(other).toMatchObject({ kind: 'retry', problem: { code: 'overloaded' } });
  });

  it('refuses a large reply if too many are waiting', async () => {
    const reply = await createReplyReader(codec, busy)({ value: Buffer.alloc(262_145), headers: {} });
    expect(reply).toMatchObject({ kind: 'problem', problem: { code: 'overloaded', status: 503 } });
  });
});

it(
  'a worker with threads answers a large reply over HTTP, also with respond-async, and in an array',
  { timeout: TEST_LIMIT_MS },
  async () => {
    const config = loadConfig({ PORT: '0', REPLY_TIMEOUT_MS: '60000', DATA_DIR: 'memory' });
    const system = await startWorkers({ config, names: ['schedule', 'ingress'], log: silentLog });
    onTestFinished(() => system.stop(0));
    const { url = '', broker } = system;
    const response = await post(url, { jsonParam: EXPLAINED_LOAN });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await response.text();
    const rows = JSON.parse(text) as { Explanation: unknown[] }[];
    expect(rows).toHaveLength(1_200);
    expect(rows[0]?.Explanation.length).toBeGreaterThan(5);
    const later = await post(url, { jsonParam: EXPLAINED_LOAN }, { headers: { prefer: 'respond-async' } });
    expect(later.status).toBe(202);
    const place = later.headers.get('location') ?? '';
    await expect.poll(async () => (await fetch(url + place)).status, { timeout: 30_000 }).toBe(200);
    expect(await (await fetch(url + place)).text()).toBe(text);

    const { ask } = await createUpstream(broker);
    const long = { ...EXPLAINED_LOAN, InstallmentsNo: 400, Commission: commissions(2) };
    const reply = await ask(jsonBatch([long, PROOF_REQUEST].map((jsonParam) => ({ jsonParam }))));
    const items = jsonAnswers(reply) as { status: number; body: unknown[] }[];
    expect(items.map(({ status, body }) => [status, body?.length])).toEqual([
      [200, 400],
      [200, 6],
    ]);
  },
);

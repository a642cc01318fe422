import { describe, expect, it, onTestFinished } from 'vitest';
import { createCalculationThreads, type CalculationThreads } from '../../../workers/runtime/thread-pool.ts';
import { restoreEnvironment } from '../../../shared/catalogue/lending-environment.ts';
import { MESSAGE_FORMS } from '../../../shared/contract/actions/message-forms.ts';
import type { Request } from '../../../shared/messaging/handler/request.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createScheduleHandlers } from '../../../workers/schedule/main.ts';
import { startWorkers } from '../../../workers/start-workers.ts';
import { commissions, EXPENSIVE_REQUESTS, EXPLAINED_LOAN } from '../../support/expensive-requests.ts';
import { createLogCaller } from '../../support/log-caller.ts';
import { post, PROOF_REQUEST } from '../../support/builders/schedule-call.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

const PROGRAM = new URL('../../../workers/calculation-thread.ts', import.meta.url);
const REQUEST = 'CalculateRepaymentScheduleRequest';
const TEST_LIMIT_MS = 60_000;
const SNAPSHOT = { records: {}, charges: undefined, defaultHolidayCalendar: undefined };
const [LONG = EXPLAINED_LOAN] = Object.values(EXPENSIVE_REQUESTS);
const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });

function payloadOf(jsonParam: object): unknown {
  const read = MESSAGE_FORMS[REQUEST]?.parse({ jsonParam });
  if (read?.kind !== 'valid') throw new Error(`not a request: ${JSON.stringify(read)}`);
  return read.payload;
}

function startThreads(program: URL = PROGRAM): CalculationThreads {
  const threads = createCalculationThreads(program, loadConfig({}), systemPorts);
  onTestFinished(() => threads.stop());
  return threads;
}

const workOf = async (jsonParam: object) => ({
  type: REQUEST,
  value: (await codec.encode(REQUEST, payloadOf(jsonParam), 'avro')).value,
  format: 'avro' as const,
  originTimestampMs: 0,
  deadlineMs: undefined,
  processorMs: 400,
  requester: 'replies',
  snapshot: SNAPSHOT,
  isPatient: false,
});

const contextOf = (changes: Partial<Request>): Request => ({
  correlationId: undefined,
  originTimestampMs: 0,
  deadlineMs: undefined,
  attempt: 1,
  signal: new AbortController().signal,
  message: { topic: '', partition: 0, offset: 0, key: null, value: null, headers: {}, timestampMs: 0 },
  format: 'avro',
  isBatchItem: false,
  ...changes,
});

describe('calculation in a thread', { timeout: TEST_LIMIT_MS }, () => {
  it('returns the same bytes as on the event loop, even if the thread already has the snapshot', async () => {
    const threads = startThreads();
    const handler = createScheduleHandlers(restoreEnvironment(SNAPSHOT))[REQUEST];
    const outcome = await handler?.(payloadOf(EXPLAINED_LOAN), contextOf({}));
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
    const outcome = await startThreads().calculate(await workOf({ ...LONG, ScheduleType: 'Unheard of' }));
    expect(outcome).toMatchObject({
      kind: 'refused',
      problem: { code: 'not-computable', errors: [{ path: 'jsonParam.ScheduleType' }] },
    });
  });

  it('follows a catalogue without the default calendar, whose record was deleted', async () => {
    const threads = startThreads();
    const defaultHolidayCalendar = 'Bank';
    const bank = { name: 'Bank', version: '1', weekend: ['Sunday'], holidays: [] };
    const calendars = [{ source: 'calendar/Bank/1', record: bank }];
    const before = { records: { calendars }, charges: undefined, defaultHolidayCalendar };
    const work = await workOf({ ...EXPLAINED_LOAN, InstallmentsNo: 3, HolidayShift: true });
    expect(await threads.calculate({ ...work, snapshot: before })).toMatchObject({
      reply: { holidayCalendar: 'Bank;version=1' },
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

  it('rejects with InfrastructureError when the process stops, so that another worker takes over the request', async () => {
    const threads = startThreads();
    const outcomes = [threads.calculate(await workOf(LONG)), threads.calculate(await workOf(LONG))];
    const ended = Promise.allSettled(outcomes);
    await threads.stop();
    for (const outcome of await ended) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(InfrastructureError) });
    }
    await expect(threads.calculate(await workOf(LONG))).rejects.toThrow(InfrastructureError);
  });

  it('rejects only the current calculation when a thread exits, and starts a new thread', async () => {
    const dying =
      "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(3));";
    const threads = startThreads(new URL(`data:text/javascript,${encodeURIComponent(dying)}`));
    for (let round = 0; round < 2; round++) {
      await expect(threads.calculate(await workOf(EXPLAINED_LOAN))).rejects.toThrow('exited with code 3');
    }
  });

  it('rejects each calculation while no thread can be created', async () => {
    // The system has no thread left; here Node refuses the address of the program at the same place.
    const threads = startThreads(new URL('http://127.0.0.1/program.js'));
    const work = await workOf(EXPLAINED_LOAN);
    const both = await Promise.allSettled([threads.calculate(work), threads.calculate(work)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('is refused without being started if its deadline has passed', async () => {
    const threads = startThreads();
    const first = threads.calculate(await workOf(EXPLAINED_LOAN));
    const late = threads.calculate({ ...(await workOf(EXPLAINED_LOAN)), deadlineMs: 1 });
    expect(await Promise.all([first, late])).toMatchObject([
      { kind: 'done' },
      { kind: 'refused', problem: { code: 'deadline-exceeded' } },
    ]);
  });

  it('is refused if too many calculations are waiting, unless it is a batch item', async () => {
    const idle = new URL(`data:text/javascript,${encodeURIComponent('setInterval(() => {}, 1000);')}`);
    const threads = startThreads(idle);
    const work = await workOf(EXPLAINED_LOAN);
    const taken: Promise<unknown>[] = [];
    let refusedAfter = 0;
    for (; refusedAfter < 100; refusedAfter++) {
      const outcome = threads.calculate(work);
      taken.push(outcome.catch(() => 'interrupted'));
      if ((await Promise.race([outcome, Promise.resolve('waits')])) === undefined) break;
    }
    expect(refusedAfter).toBeLessThan(20);
    const patient = threads.calculate({ ...work, isPatient: true }).catch((error: unknown) => error);
    await threads.stop();
    expect(await patient).toBeInstanceOf(InfrastructureError);
    expect((await Promise.all(taken)).filter((end) => end === undefined)).toHaveLength(1);
  });

  it('of one requester leaves room for those of others', async () => {
    const idle = new URL(`data:text/javascript,${encodeURIComponent('setInterval(() => {}, 1000);')}`);
    const threads = startThreads(idle);
    const work = { ...(await workOf(EXPLAINED_LOAN)), deadlineMs: Date.now() + TEST_LIMIT_MS };
    const calculate = (requester: string) =>
      threads.calculate({ ...work, requester }).catch(() => 'interrupted');
    const flood = Array.from({ length: 50 }, () => calculate('flood'));
    const others = Array.from({ length: 5 }, () => calculate('other'));
    await threads.stop();
    expect((await Promise.all(flood)).filter((end) => end === undefined).length).toBeGreaterThan(25);
    expect(await Promise.all(others)).not.toContain(undefined);
  });

  it('takes turns with the items of batches', async () => {
    const threads = startThreads();
    const work = { ...(await workOf({ ...EXPLAINED_LOAN, InstallmentsNo: 60 })), isPatient: true };
    let ended = 0;
    const items = Array.from({ length: 40 }, () => threads.calculate(work).then(() => (ended += 1)));
    await threads.calculate({ ...work, isPatient: false });
    expect(ended).toBeLessThan(items.length / 2);
    expect(await Promise.all(items)).toContain(items.length);
  });

  it('with a deadline takes precedence over waiting calculations without one', async () => {
    const idle = new URL(`data:text/javascript,${encodeURIComponent('setInterval(() => {}, 1000);')}`);
    const threads = startThreads(idle);
    const work = await workOf(EXPLAINED_LOAN);
    const unhurried = Array.from({ length: 20 }, () => threads.calculate(work).catch(() => 'interrupted'));
    const deadlineMs = Date.now() + TEST_LIMIT_MS;
    const caller = threads.calculate({ ...work, deadlineMs }).catch(() => 'interrupted');
    await threads.stop();
    expect(await Promise.all(unhurried)).toContain(undefined);
    expect(await caller).toBe('interrupted');
  });
});

describe('handler of long calculations', () => {
  const busy: CalculationThreads = {
    calculate: () => Promise.resolve(undefined),
    render: () => Promise.resolve(undefined),
    stop: () => Promise.resolve(),
  };
  const handlers = createScheduleHandlers(restoreEnvironment(SNAPSHOT), { threads: busy, codec });

  it('calculates a short request on the event loop', () => {
    expect(handlers[REQUEST]?.(payloadOf(PROOF_REQUEST), contextOf({}))).toMatchObject({ kind: 'done' });
  });

  it('refuses a request with a deadline if too many are waiting, and retries a request without one', async () => {
    const waiting = await handlers[REQUEST]?.(payloadOf(LONG), contextOf({ deadlineMs: 10_000 }));
    expect(waiting).toMatchObject({ kind: 'refused', problem: { code: 'overloaded', status: 503 } });
    const other = await handlers[REQUEST]?.(payloadOf(LONG), contextOf({}));
    expect(other).toMatchObject({ kind: 'retry', problem: { code: 'overloaded' } });
  });
});

async function startEngine() {
  const config = loadConfig({ PORT: '0', REPLY_TIMEOUT_MS: '60000', DATA_DIR: 'memory' });
  const system = await startWorkers({ config, names: ['schedule', 'ingress'], log: silentLog });
  onTestFinished(() => system.stop(0));
  return system;
}

describe('worker with threads', { timeout: TEST_LIMIT_MS }, () => {
  it('answers a large reply over HTTP, also with respond-async', async () => {
    const { url = '' } = await startEngine();
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
  });

  it('answers a long calculation within an array in the format of the array', async () => {
    const { broker } = await startEngine();
    const ask = await createLogCaller(broker);
    const long = { ...EXPLAINED_LOAN, InstallmentsNo: 400, Commission: commissions(2) };
    const reply = await ask({
      topic: TOPIC.scheduleBulkRequests,
      value: Buffer.from(JSON.stringify([long, PROOF_REQUEST].map((jsonParam) => ({ jsonParam })))),
      headers: { [HEADER.messageType]: REQUEST },
    });
    const items = JSON.parse(reply.value?.toString() ?? '') as { status: number; body: unknown[] }[];
    expect(items.map(({ status, body }) => [status, body?.length])).toEqual([
      [200, 400],
      [200, 6],
    ]);
  });
});

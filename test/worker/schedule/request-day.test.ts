import { expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { readReply } from '../../../shared/messaging/requester/read-reply.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startProductWorker } from '../../../workers/product/main.ts';
import { startSimulationWorker } from '../../../workers/simulation/main.ts';
import {
  bodyOf,
  createBatchWorld,
  faultsOf,
  jsonAnswers,
  jsonBatch,
  payloadOf,
  textOf,
  type BatchMessage,
  type BatchWorld,
} from '../../support/worlds/batch-world.ts';
import { PROOF_REQUEST, type Row } from '../../support/builders/schedule-call.ts';

const SCHEDULE = 'CalculateRepaymentScheduleRequest';
const UNDATED = { ...PROOF_REQUEST, ActivationDate: null };
const DATED = { ...UNDATED, ActivationDate: '2025-01-01' };
const ROWS = UNDATED.InstallmentsNo;
const NOW_MS = Date.now();
const DAY_MS = 86_400_000;
/** A time of a record that is not the time of a request. */
const NO_TIME = { timestampMs: 0 };

const ask = (world: BatchWorld, jsonParam: object, sent: Partial<BatchMessage>) =>
  world.ask(jsonBatch({ jsonParam }, SCHEDULE, { topic: TOPIC.scheduleRequests, ...sent }));

const [IN_1999, IN_TWO_DAYS] = [Date.UTC(2000, 0, 1) - 1, NOW_MS + 2 * DAY_MS];
/** Epoch milliseconds: none, 0, seconds, and microseconds too. */
const IMPLAUSIBLE = [-1, 0, Math.floor(NOW_MS / 1_000), NOW_MS * 1_000, IN_1999, IN_TWO_DAYS];

it('the day of a request is not taken from an implausible timestamp, which is reported with the other faults (D2)', async () => {
  const world = await createBatchWorld();
  const message =
    'of the record must be epoch milliseconds from 2000-01-01 to one day ahead of now, because the answer depends on the day of the request; or send the header plat-origin-timestamp';
  const errors = [{ path: 'timestamp', code: 'out-of-range', message }];
  for (const timestampMs of IMPLAUSIBLE) {
    const undated = bodyOf(await ask(world, UNDATED, { timestampMs }));
    expect(undated).toMatchObject({ status: 422, code: 'not-computable', errors });
    const dated = await ask(world, DATED, { timestampMs });
    expect(bodyOf(dated)).toHaveLength(ROWS);
    expect(textOf(dated, HEADER.warnings)).toBeUndefined();
    const headers = { [HEADER.originTimestamp]: String(Date.UTC(2024, 0, 15)) };
    expect(bodyOf(await ask(world, UNDATED, { timestampMs, headers }))).toHaveLength(ROWS);
  }
  const wrong = { ...UNDATED, InstallmentDay: 32 };
  expect(faultsOf(bodyOf(await ask(world, wrong, NO_TIME)))).toEqual([
    'timestamp out-of-range',
    'jsonParam.InstallmentDay out-of-range',
  ]);
});

it('the day is not taken from an unreadable header, which is reported where no day is needed', async () => {
  const world = await createBatchWorld();
  for (const time of ['', 'yesterday', '1.7e12', ...IMPLAUSIBLE.map(String)]) {
    const headers = { [HEADER.originTimestamp]: time };
    const undated = await ask(world, UNDATED, { headers });
    expect(faultsOf(bodyOf(undated))).toEqual(['plat-origin-timestamp out-of-range']);
    const dated = await ask(world, DATED, { headers });
    expect(bodyOf(dated)).toHaveLength(ROWS);
    expect(textOf(dated, HEADER.warnings)).toBe('no-effect;plat-origin-timestamp');
  }
});

it('the day is that of a timestamp up to a day ahead; Once needs it also with FirstDueDate', async () => {
  const world = await createBatchWorld();
  const timestampMs = NOW_MS + DAY_MS - 60_000;
  const daily = bodyOf(await ask(world, { ...UNDATED, PeriodicityType: 'Daily' }, { timestampMs }));
  const next = new Date(timestampMs + DAY_MS).toISOString().slice(0, 10);
  expect((daily as Row[])[0]?.['DueDate']).toContain(next);
  const due = { ...UNDATED, FirstDueDate: '2027-01-01' };
  expect(bodyOf(await ask(world, due, NO_TIME))).toHaveLength(ROWS);
  const once = { ...due, PeriodicityType: 'Once', InstallmentsNo: 1 };
  expect(faultsOf(bodyOf(await ask(world, once, NO_TIME)))).toEqual(['timestamp out-of-range']);
});

it('a request without a day is refused in Avro, and in a batch only the items that need it', async () => {
  const world = await createBatchWorld();
  const { reply: avro } = await world.askAvro(SCHEDULE, payloadOf(UNDATED), { timestampMs: -1 });
  const problem = await readReply(world.codec, avro);
  expect(problem).toMatchObject({ kind: 'problem', problem: { errors: [{ path: 'timestamp' }] } });
  const headers = { [HEADER.originTimestamp]: 'soon' };
  const batch = [{ jsonParam: UNDATED }, { jsonParam: DATED }];
  const reply = await world.ask(jsonBatch(batch, SCHEDULE, { headers }));
  expect(jsonAnswers(reply).map(({ status }) => status)).toEqual([422, 200]);
  expect(textOf(reply, HEADER.warnings)).toBe('no-effect;plat-origin-timestamp');
});

it('the day is not in the dead letter, so that a redrive has its own', async () => {
  const world = await createBatchWorld();
  const sent = { timestampMs: -1, topic: TOPIC.scheduleRequests, replyTopic: 'not.there' };
  await world.send(jsonBatch({ jsonParam: UNDATED }, SCHEDULE, sent));
  await expect.poll(() => world.deadLetters.length, { timeout: 10_000 }).toBe(1);
  expect(textOf(world.deadLetters[0], HEADER.originTimestamp)).toBeUndefined();
  expect(textOf(world.deadLetters[0], HEADER.deadLetterTimestamp)).toBe('-1');
});

it('look-ups without Date and simulations need the day (L1, Q2)', async () => {
  const product = await createBatchWorld({ start: startProductWorker });
  const lookUp = async (body: object) => {
    const sent = { ...NO_TIME, topic: TOPIC.productRequests };
    return bodyOf(await product.ask(jsonBatch(body, 'GetBankingProductDetailsRequest', sent)));
  };
  expect(faultsOf(await lookUp({ productCode: 'X' }))).toEqual(['timestamp out-of-range']);
  const dated = await lookUp({ productCode: 'X', Date: '2025-01-01' });
  expect(faultsOf(dated)).toEqual(['productCode unknown-product']);
  const simulation = await createBatchWorld({ start: startSimulationWorker });
  const simulated = { productCode: 'X', amount: 1000, loanPeriod: 12, scheduleType: 'EqualInstallments' };
  const sent = { ...NO_TIME, topic: TOPIC.simulationRequests };
  const reply = await simulation.ask(jsonBatch(simulated, 'SimulateRequest', sent));
  expect(faultsOf(bodyOf(reply))).toEqual(['timestamp out-of-range']);
});

import { describe, expect, it } from 'vitest';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { readReply } from '../../../shared/messaging/requester/read-reply.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import { startProductWorker } from '../../../workers/product/main.ts';
import { startSimulationWorker } from '../../../workers/simulation/main.ts';
import {
  createBatchWorld,
  jsonAnswers,
  jsonBatch,
  textOf,
  type BatchMessage,
  type BatchWorld,
} from '../../support/worlds/batch-world.ts';
import { PROOF_REQUEST, type Row } from '../../support/builders/schedule-call.ts';

const SCHEDULE = 'CalculateRepaymentScheduleRequest';
const UNDATED = { ...PROOF_REQUEST, ActivationDate: null };
const DATED = { ...UNDATED, ActivationDate: '2025-01-01' };
const NOW_MS = Date.now();
const DAY_MS = 86_400_000;
const dayText = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);
/** Without the header that the test world sends. */
const HEADERLESS = { [HEADER.originTimestamp]: undefined };

async function ask(world: BatchWorld, message: BatchMessage): Promise<LogMessage | undefined> {
  const before = world.replies.length;
  await world.send({ topic: TOPIC.scheduleRequests, ...message });
  await expect.poll(() => world.replies.length, { timeout: 10_000 }).toBe(before + 1);
  return world.replies[before];
}

const jsonOf = (type: string, body: object, message: Partial<BatchMessage>): BatchMessage => ({
  ...message,
  value: Buffer.from(JSON.stringify(body)),
  headers: { [HEADER.messageType]: type, ...message.headers },
});

const bodyOf = (reply: LogMessage | undefined): unknown => JSON.parse(reply?.value?.toString() ?? 'null');
const faultsOf = (reply: LogMessage | undefined) =>
  (bodyOf(reply) as Problem).errors?.map(({ path, code }) => `${path} ${code}`);

/**
 * Times of records that are not the time of a request, in epoch milliseconds: none, 0, seconds, microseconds, 1999, and
 * more than a day ahead.
 */
const IMPLAUSIBLE = [
  -1,
  0,
  Math.floor(NOW_MS / 1_000),
  NOW_MS * 1_000,
  Date.UTC(2000, 0, 1) - 1,
  NOW_MS + 2 * DAY_MS,
];

describe('the day of a request over Kafka (D2)', () => {
  it('is not taken from an implausible timestamp', async () => {
    const world = await createBatchWorld();
    for (const timestampMs of IMPLAUSIBLE) {
      const sent = { timestampMs, headers: HEADERLESS };
      const undated = await ask(world, jsonOf(SCHEDULE, { jsonParam: UNDATED }, sent));
      expect(bodyOf(undated)).toMatchObject({ status: 422, code: 'not-computable' });
      expect((bodyOf(undated) as Problem).errors).toEqual([
        {
          path: 'timestamp',
          code: 'out-of-range',
          message:
            'of the record must be epoch milliseconds from 2000-01-01 to one day ahead of now, because the answer depends on the day of the request; or send the header plat-origin-timestamp',
        },
      ]);
      const dated = await ask(world, jsonOf(SCHEDULE, { jsonParam: DATED }, sent));
      expect(bodyOf(dated)).toHaveLength(UNDATED.InstallmentsNo);
      expect(textOf(dated, HEADER.warnings)).toBeUndefined();
      const header = { ...sent, headers: { [HEADER.originTimestamp]: String(Date.UTC(2024, 0, 15)) } };
      const byHeader = await ask(world, jsonOf(SCHEDULE, { jsonParam: UNDATED }, header));
      expect(bodyOf(byHeader)).toHaveLength(UNDATED.InstallmentsNo);
    }
  });

  it('is not taken from an unreadable header, which is reported where no day is needed', async () => {
    const world = await createBatchWorld();
    for (const time of ['', 'yesterday', '1.7e12', ...IMPLAUSIBLE.map(String)]) {
      const headers = { [HEADER.originTimestamp]: time };
      const undated = await ask(world, jsonOf(SCHEDULE, { jsonParam: UNDATED }, { headers }));
      expect(faultsOf(undated)).toEqual(['plat-origin-timestamp out-of-range']);
      const dated = await ask(world, jsonOf(SCHEDULE, { jsonParam: DATED }, { headers }));
      expect(bodyOf(dated)).toHaveLength(UNDATED.InstallmentsNo);
      expect(textOf(dated, HEADER.warnings)).toBe('no-effect;plat-origin-timestamp');
    }
  });

  it('is that of a timestamp up to a day ahead', async () => {
    const world = await createBatchWorld();
    const timestampMs = NOW_MS + DAY_MS - 60_000;
    const undated = { ...UNDATED, PeriodicityType: 'Daily' };
    const reply = await ask(
      world,
      jsonOf(SCHEDULE, { jsonParam: undated }, { timestampMs, headers: HEADERLESS }),
    );
    expect((bodyOf(reply) as Row[])[0]?.['DueDate']).toContain(dayText(timestampMs + DAY_MS));
  });

  it('is needed with the periodicity Once and FirstDueDate, but not with FirstDueDate otherwise', async () => {
    const world = await createBatchWorld();
    const sent = { timestampMs: 0, headers: HEADERLESS };
    const due = { ...UNDATED, FirstDueDate: '2027-01-01' };
    expect(bodyOf(await ask(world, jsonOf(SCHEDULE, { jsonParam: due }, sent)))).toHaveLength(
      UNDATED.InstallmentsNo,
    );
    const once = { ...due, PeriodicityType: 'Once', InstallmentsNo: 1 };
    const refused = await ask(world, jsonOf(SCHEDULE, { jsonParam: once }, sent));
    expect(faultsOf(refused)).toEqual(['timestamp out-of-range']);
  });

  it('is reported with the other faults of the request', async () => {
    const world = await createBatchWorld();
    const wrong = { ...UNDATED, InstallmentDay: 32 };
    const reply = await ask(
      world,
      jsonOf(SCHEDULE, { jsonParam: wrong }, { timestampMs: 0, headers: HEADERLESS }),
    );
    expect(faultsOf(reply)).toEqual(['timestamp out-of-range', 'jsonParam.InstallmentDay out-of-range']);
  });

  it('is refused in Avro, and in a batch only for the items that need it', async () => {
    const world = await createBatchWorld();
    const read = MESSAGE_FORMS[SCHEDULE]?.parse({ jsonParam: UNDATED });
    if (read?.kind !== 'valid') throw new Error('not a request');
    const { value } = await world.codec.encode(SCHEDULE, read.payload, 'avro');
    const avro = await ask(world, { value, headers: HEADERLESS, timestampMs: -1 });
    const problem = await readReply(world.codec, avro ?? { value: null, headers: {} });
    expect(problem).toMatchObject({ kind: 'problem', problem: { errors: [{ path: 'timestamp' }] } });
    const batch = jsonBatch([{ jsonParam: UNDATED }, { jsonParam: DATED }]);
    const headers = { ...batch.headers, [HEADER.originTimestamp]: 'soon' };
    const reply = await ask(world, { ...batch, headers, topic: TOPIC.scheduleBulkRequests });
    expect(jsonAnswers(reply).map(({ status }) => status)).toEqual([422, 200]);
    expect(textOf(reply, HEADER.warnings)).toBe('no-effect;plat-origin-timestamp');
  });

  it('is not in the dead letter, so that a redrive has its own', async () => {
    const world = await createBatchWorld();
    const request = jsonOf(SCHEDULE, { jsonParam: UNDATED }, { timestampMs: -1, headers: HEADERLESS });
    await world.send({ ...request, topic: TOPIC.scheduleRequests, replyTopic: 'not.there' });
    await expect.poll(() => world.deadLetters.length, { timeout: 10_000 }).toBe(1);
    expect(textOf(world.deadLetters[0], HEADER.originTimestamp)).toBeUndefined();
    expect(textOf(world.deadLetters[0], HEADER.deadLetterTimestamp)).toBe('-1');
  });

  it('is needed by look-ups without Date and by simulations (L1, Q2)', async () => {
    const sent = { timestampMs: 0, headers: HEADERLESS };
    const product = await createBatchWorld({ start: startProductWorker });
    const lookUp = (body: object) =>
      ask(
        product,
        jsonOf('GetBankingProductDetailsRequest', body, { ...sent, topic: TOPIC.productRequests }),
      );
    expect(faultsOf(await lookUp({ productCode: 'X' }))).toEqual(['timestamp out-of-range']);
    expect(bodyOf(await lookUp({ productCode: 'X', Date: '2025-01-01' }))).toMatchObject({
      code: 'unknown-product',
    });
    const simulation = await createBatchWorld({ start: startSimulationWorker });
    const simulated = { productCode: 'X', amount: 1000, loanPeriod: 12, scheduleType: 'EqualInstallments' };
    const reply = await ask(
      simulation,
      jsonOf('SimulateRequest', simulated, { ...sent, topic: TOPIC.simulationRequests }),
    );
    expect(faultsOf(reply)).toEqual(['timestamp out-of-range']);
  });
});

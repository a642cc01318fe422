import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { bodyOf, createBatchWorld, jsonBatch, textOf } from '../../support/worlds/batch-world.ts';
import { PMT_ANSWER, PMT_TERMS, post } from '../../support/builders/schedule-call.ts';

const PMT_PATH = '/platapi/automation-processors/actions/plat_bp_calculatepmt';
const CASH_FLOWS = [
  { Date: '2025-01-15', Amount: -1000 },
  { Date: '2025-07-15', Amount: 500 },
  { Date: '2026-01-20', Amount: 540 },
];
const RATE_PATH = '/platapi/automation-processors/actions/PLAT_BP_CalculateRate';

it('answers a payment value and a rate in JSON, and reports unknown and ignored fields (A6, E5)', async () => {
  const { ask } = await createBatchWorld();
  const payment = { jsonParam: { ...PMT_TERMS, Currency: 'EUR' } };
  for (const topic of [TOPIC.scheduleRequests, TOPIC.scheduleBulkRequests]) {
    const reply = await ask(jsonBatch(payment, 'CalculatePMTRequest', { topic }));
    expect(String(reply.value)).toBe(PMT_ANSWER);
    expect(textOf(reply, HEADER.messageType)).toBe('CalculatePMTReply');
    expect(textOf(reply, HEADER.correlationId)).toBe('batch-1');
    expect(textOf(reply, HEADER.warnings)).toBe('unknown-member;jsonParam.Currency');
  }
  const xirr = { jsonParam: { Rule: 'XIRR', Unit: 'Months', CashFlows: CASH_FLOWS } };
  const reply = await ask(jsonBatch(xirr, 'CalculateRateRequest'));
  expect(textOf(reply, HEADER.messageType)).toBe('CalculateRateReply');
  expect(textOf(reply, HEADER.warnings)).toBe('no-effect;jsonParam.Unit');
  expect(bodyOf(reply)).toMatchObject({
    Rate: 5.2745130321,
    Proof: [{ Date: '2025-01-15', Amount: -1000, Years: 0, DiscountedAmount: -1000 }, {}, {}],
  });
});

it('answers a payment value and a rate in Avro without loss of precision', async () => {
  const { askAvro } = await createBatchWorld();
  const terms = {
    ...PMT_TERMS,
    FinancedAmount: new Decimal(1000),
    InterestPercent: new Decimal(12),
    FutureValue: new Decimal(200),
    InterestType: 1,
    Precision: 10,
  };
  expect((await askAvro('CalculatePMTRequest', terms)).decoded).toEqual({
    kind: 'decoded',
    type: 'CalculatePMTReply',
    format: 'avro',
    payload: { pmtValue: new Decimal('204.9751238904'), principalValue: new Decimal(200), digits: 10 },
  });
  const flows = { Rule: 'irr', PeriodicityType: 'Monthly', Amounts: [new Decimal(-100), new Decimal('101')] };
  expect((await askAvro('CalculateRateRequest', flows)).decoded).toMatchObject({
    type: 'CalculateRateReply',
    payload: {
      rate: '12.0000000000',
      proof: [
        { amount: '-100', discountedAmount: expect.stringMatching(/^-100\.0+$/) as string },
        { amount: '101', discountedAmount: expect.stringMatching(/^100\.0+$/) as string },
      ],
      warnings: [],
    },
  });
});

it('answers both over HTTP on paths of any case and in all body forms, and null if there is no rate (A4, E2, E4)', async () => {
  const broker = await createSharedBroker(1);
  await startOn(broker, startScheduleWorker);
  const { url } = await startOn(broker, startIngressWorker);
  const answerTo = async (path: string, body: unknown) => (await post(url, body, { path })).text();
  const payment = { jsonParam: PMT_TERMS };
  const generic = { access_token: 't', user_name: 'u', Data: JSON.stringify(payment) };
  for (const body of [payment, { Data: payment }, generic])
    expect(await answerTo(PMT_PATH, body)).toBe(PMT_ANSWER);
  const wrong = { jsonParam: { ...PMT_TERMS, FinancedAmount: '1000' } };
  expect(JSON.parse(await answerTo(PMT_PATH, wrong))).toMatchObject({
    status: 400,
    errors: [{ path: 'jsonParam.FinancedAmount', message: 'must be a number, not text' }],
  });
  const dae = { jsonParam: { Rule: 'DAE', CashFlows: CASH_FLOWS } };
  const rate = await answerTo(RATE_PATH, dae);
  expect(rate).toContain('{"Rate":5.2604508791,"Proof":[{"Date":"2025-01-15","Amount":-1000,');
  expect(await answerTo(RATE_PATH, { Data: JSON.stringify(dae) })).toBe(rate);
  const none = { Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: [-100, 300, -250] };
  const noRate = await answerTo(RATE_PATH.toLowerCase(), { jsonParam: none });
  expect(noRate).toBe('{"Rate":null,"Proof":[],"Residual":null}');
});

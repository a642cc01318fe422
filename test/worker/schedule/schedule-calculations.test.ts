import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { createLogCaller } from '../../support/log-caller.ts';
import { post } from '../../support/builders/schedule-call.ts';

const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });

const PMT_TERMS = {
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
  FinancedAmount: 1000,
  InterestPercent: 12,
};
const PMT_ANSWER = '{"PMTValue":256.28,"PrincipalValue":250.00}';
const PMT_PATH = '/platapi/automation-processors/actions/plat_bp_calculatepmt';

/** Starts a schedule worker; returns a function that sends a message and waits for its reply. */
async function startCaller() {
  const broker = await createSharedBroker(2);
  await startOn(broker, startScheduleWorker);
  const ask = await createLogCaller(broker);
  return (topic: string, value: Buffer, headers: MessageHeaders) => ask({ topic, value, headers });
}

/** Starts ingress and worker; returns the URL of the ingress. */
async function startSystem(): Promise<string> {
  const broker = await createSharedBroker(1);
  await startOn(broker, startScheduleWorker);
  return (await startOn(broker, startIngressWorker)).url;
}

const jsonOf = (jsonParam: object) => Buffer.from(JSON.stringify({ jsonParam }));
const textOf = (reply: LogMessage) => reply.value?.toString('utf8') ?? '';

it('answers a payment value in JSON on both topics and reports unknown fields', async () => {
  const ask = await startCaller();
  for (const topic of [TOPIC.scheduleRequests, TOPIC.scheduleBulkRequests]) {
    const reply = await ask(topic, jsonOf({ ...PMT_TERMS, Currency: 'EUR' }), {
      [HEADER.messageType]: 'CalculatePMTRequest',
    });
    expect(textOf(reply)).toBe(PMT_ANSWER);
    expect(headerText(reply.headers, HEADER.messageType)).toBe('CalculatePMTReply');
    expect(headerText(reply.headers, HEADER.correlationId)).toBe('loan-4711');
    expect(headerText(reply.headers, HEADER.warnings)).toBe('unknown-member;jsonParam.Currency');
  }
});

it('answers a payment value in Avro without loss of precision', async () => {
  const ask = await startCaller();
  const request = {
    ...PMT_TERMS,
    FinancedAmount: new Decimal(1000),
    InterestPercent: new Decimal(12),
    FutureValue: new Decimal(200),
    InterestType: 1,
    Precision: 10,
  };
  const { value, headers } = await codec.encode('CalculatePMTRequest', request, 'avro');
  const { value: replyValue, headers: replyHeaders } = await ask(TOPIC.scheduleRequests, value, headers);
  const decoded = await codec.decode({ value: replyValue, headers: replyHeaders });
  expect(decoded).toEqual({
    kind: 'decoded',
    type: 'CalculatePMTReply',
    format: 'avro',
    payload: { pmtValue: new Decimal('204.9751238904'), principalValue: new Decimal(200), digits: 10 },
  });
});

it('answers a payment value over HTTP on its case-insensitive path and in both body forms (E2, E4)', async () => {
  const url = await startSystem();
  const bodies = [
    { jsonParam: PMT_TERMS },
    { Data: { jsonParam: PMT_TERMS } },
    { access_token: 't', user_name: 'u', Data: JSON.stringify({ jsonParam: PMT_TERMS }) },
  ];
  for (const body of bodies) {
    for (const path of [PMT_PATH, PMT_PATH.replace('plat_bp_calculatepmt', 'PLAT_BP_CalculatePMT')]) {
      const response = await post(url, body, { path });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(PMT_ANSWER);
    }
  }
  const refused = await post(
    url,
    { jsonParam: { ...PMT_TERMS, FinancedAmount: '1000' } },
    { path: PMT_PATH },
  );
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    errors: [{ path: 'jsonParam.FinancedAmount', message: 'must be a number, not text' }],
  });
});

const CASH_FLOWS = [
  { Date: '2025-01-15', Amount: -1000 },
  { Date: '2025-07-15', Amount: 500 },
  { Date: '2026-01-20', Amount: 540 },
];
const RATE_PATH = '/platapi/automation-processors/actions/PLAT_BP_CalculateRate';

it('answers a rate in JSON with its proof and reports ignored fields (A6, E5)', async () => {
  const ask = await startCaller();
  const xirr = { Rule: 'XIRR', Unit: 'Months', CashFlows: CASH_FLOWS };
  const reply = await ask(TOPIC.scheduleBulkRequests, jsonOf(xirr), {
    [HEADER.messageType]: 'CalculateRateRequest',
  });
  expect(headerText(reply.headers, HEADER.messageType)).toBe('CalculateRateReply');
  expect(headerText(reply.headers, HEADER.warnings)).toBe('no-effect;jsonParam.Unit');
  expect(JSON.parse(textOf(reply))).toMatchObject({
    Rate: 5.2745130321,
    Proof: [{ Date: '2025-01-15', Amount: -1000, Years: 0, DiscountedAmount: -1000 }, {}, {}],
  });
});

it('answers a rate in Avro with all digits as a string', async () => {
  const ask = await startCaller();
  const request = {
    Rule: 'irr',
    PeriodicityType: 'Monthly',
    Amounts: [new Decimal(-100), new Decimal('101')],
  };
  const { value, headers } = await codec.encode('CalculateRateRequest', request, 'avro');
  const reply = await ask(TOPIC.scheduleRequests, value, headers);
  const decoded = await codec.decode({ value: reply.value, headers: reply.headers });
  expect(decoded).toMatchObject({ kind: 'decoded', type: 'CalculateRateReply' });
  expect(decoded.kind === 'decoded' && decoded.payload).toMatchObject({
    rate: '12.0000000000',
    proof: [
      { amount: '-100', discountedAmount: expect.stringMatching(/^-100\.0+$/) as string },
      { amount: '101', discountedAmount: expect.stringMatching(/^100\.0+$/) as string },
    ],
    warnings: [],
  });
});

it('answers a rate over HTTP in both body forms, and null if there is no rate (A4)', async () => {
  const url = await startSystem();
  const dae = { jsonParam: { Rule: 'DAE', CashFlows: CASH_FLOWS } };
  const answers = await Promise.all(
    [dae, { Data: JSON.stringify(dae) }].map((body) => post(url, body, { path: RATE_PATH })),
  );
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toContain('{"Rate":5.2604508791,"Proof":[{"Date":"2025-01-15","Amount":-1000,');

  const none = { Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: [-100, 300, -250] };
  const answer = await post(url, { jsonParam: none }, { path: RATE_PATH.toLowerCase() });
  expect(await answer.text()).toBe('{"Rate":null,"Proof":[],"Residual":null}');
});

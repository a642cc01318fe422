import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { SIMULATE } from '../../../shared/api/actions/simulate-action.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { startSimulationWorker } from '../../../workers/simulation/main.ts';
import { EXAMPLE_TIME_MS } from '../../support/builders/example-catalogue.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { bodyOf, createBatchWorld, faultsOf, jsonBatch, textOf } from '../../support/worlds/batch-world.ts';
import { startOverLog, startSimulationWithExamples } from '../../support/worlds/product-worker.ts';
import { ACTION_PATH, post } from '../../support/builders/schedule-call.ts';

const PATH = '/platapi/automation-processors/actions/plat_bp_simulate';
const TYPE = 'SimulateRequest';
const [PERSONAL] = SIMULATE.examples;
/** A loan calculated by formulas, with a down payment. */
const STUDY = SIMULATE.examples.find(({ key }) => key === 'byFormula') ?? PERSONAL;
/** An offer of a product with limits. */
const LIMITED = SIMULATE.examples.find(({ key }) => key === 'withLimits') ?? PERSONAL;

const SENT = { topic: TOPIC.simulationRequests, timestampMs: EXAMPLE_TIME_MS };
const world = () => createBatchWorld({ start: startSimulationWithExamples });
const requestOf = (body: object, sent: object = {}) => jsonBatch(body, TYPE, { ...SENT, ...sent });

it('replies in JSON to a request in JSON', async () => {
  const { ask } = await world();
  for (const { request, reply } of SIMULATE.examples) {
    const answer = await ask(requestOf(request));
    expect(bodyOf(answer)).toEqual(reply);
    expect(textOf(answer, HEADER.messageType)).toBe('SimulateReply');
    expect(textOf(answer, HEADER.correlationId)).toBe('batch-1');
    expect(textOf(answer, HEADER.warnings)).toBeUndefined();
  }
});

it('replies in Avro to a request in Avro, with amounts in minor units', async () => {
  const { askAvro } = await world();
  const request = {
    productCode: 'tl-study',
    amount: new Decimal(1500),
    downPayment: new Decimal(300),
    loanPeriod: 12,
    scheduleType: 'equalinstallments',
    interestType: STUDY.request['interestType'],
    jsonInputFormula: {
      interestInput: [
        { name: 'referencerate', value: new Decimal(3) },
        { name: 'Score', value: new Decimal(700) },
        { name: 'Other', value: new Decimal(1) },
      ],
    },
  };
  const { decoded, reply } = await askAvro(TYPE, request, SENT);
  const [record] = (STUDY.reply as { Records: readonly Record<string, unknown>[] }).Records;
  const amounts = { FirstInstallment: 103_00, FirstInsurance: 0, TotalInsurance: 0, Total: 1536_05 };
  const offer = { ...record, ...amounts, currencyDigits: 2, FirstFee: 0, TotalFee: 0 };
  expect(decoded).toEqual({
    kind: 'decoded',
    type: 'SimulateReply',
    format: 'avro',
    payload: {
      Records: [{ ...offer, CommissionListId: undefined }],
      ReturnValue: 0,
      warnings: [
        { code: 'assumed', path: 'jsonFilterCommission.Age' },
        { code: 'no-effect', path: 'jsonInputFormula.interestInput.Other' },
      ],
    },
  });
  const listed = 'assumed;jsonFilterCommission.Age, no-effect;jsonInputFormula.interestInput.Other';
  expect(textOf(reply, HEADER.warnings)).toBe(listed);
});

it('simulates payments in advance for a request in Avro (B7)', async () => {
  const { askAvro } = await world();
  const { decoded } = await askAvro(
    TYPE,
    {
      productCode: 'MG-HOME',
      amount: new Decimal(100_000),
      downPayment: new Decimal(20_000),
      loanPeriod: 120,
      scheduleType: 'EqualInstallments',
      InterestType: 1,
    },
    SENT,
  );
  const { Records } = decoded.payload as { Records: readonly { ScheduleJson: string }[] };
  const { paymentSchedule } = JSON.parse(Records[0]?.ScheduleJson ?? '') as { paymentSchedule: unknown[] };
  expect(paymentSchedule[1]).toMatchObject({ interest: 0, remainingValue: 80_000 });
});

it('replies to an offer in Avro with its figures in a record of their own, and in HTTP with fields of the record (Q8)', async () => {
  const offer = SIMULATE.examples.find(({ key }) => key === 'offer') ?? PERSONAL;
  const { askAvro } = await world();
  const request = {
    ...offer.request,
    amount: new Decimal(10_000),
    jsonFilterCommission: [{ name: 'Employer', value: new Decimal(7) }],
    jsonDiscountFilter: [{ name: 'YearsAsClient', value: new Decimal(3) }],
    OptionalInsurances: [{ Name: 'Unemployment insurance' }],
  };
  const { decoded } = await askAvro(TYPE, request, SENT);
  expect(decoded).toMatchObject({
    payload: {
      Records: [
        {
          Offer: {
            TotalUpfront: 85_00,
            TotalCostOfCredit: 601_12,
            APRC: '11.5878',
            FirstInstallmentAmount: undefined,
            Explanation: [
              { Figure: 'TotalUpfront', Name: 'Analysis fee', Amount: '85.00' },
              {},
              {},
              {},
              {},
              {},
              {},
            ],
          },
        },
      ],
    },
  });
  const url = await startSystem();
  const body = { ...offer.request, Date: '2026-01-15' };
  const response = await post(url, body, { path: PATH });
  expect(await response.json()).toEqual(offer.reply);
});

it('needs no day of the message with a Date (D2)', async () => {
  const { ask } = await world();
  const [wanted, headers] = [PERSONAL.reply, { [HEADER.originTimestamp]: 'soon' }];
  const dated = await ask(requestOf({ ...PERSONAL.request, Date: '2026-01-15' }, { headers }));
  expect(bodyOf(dated)).toEqual(wanted);
  expect(textOf(dated, HEADER.versions)).toContain(', day=2026-01-15, product=');
  const undated = await ask(requestOf(PERSONAL.request, { headers }));
  expect(faultsOf(bodyOf(undated))).toEqual(['plat-origin-timestamp out-of-range']);
});

it('says in both formats how an offer compares with the limits of its product (Q9)', async () => {
  const { ask, askAvro } = await world();
  const [record] = (LIMITED.reply as { Records: readonly [{ Limits: readonly object[] }] }).Records;
  expect(record.Limits).toHaveLength(5);
  const request = LIMITED.request as { amount: number; Income: number };
  const figures = { amount: new Decimal(request.amount), Income: new Decimal(request.Income) };
  const { decoded } = await askAvro(TYPE, { ...request, ...figures }, SENT);
  const apart = { Name: 'Example payment to income', Figure: 'PaymentToIncomePercent', Result: 'Above' };
  const { Records } = decoded.payload as { Records: readonly { Offer: { Limits: readonly object[] } }[] };
  expect(Records[0]?.Offer.Limits.at(-1)).toEqual({ ...apart, Largest: '44', Value: '45.667' });
  expect(record.Limits.at(-1)).toEqual({ ...apart, Largest: 44, Value: 45.667 });
  const versions = textOf(await ask(requestOf({ ...request, Date: '2026-02-03' })), HEADER.versions);
  expect(versions).toMatch(
    /, day=2026-02-03, product=TL-STEPS;version=1, .*limit-list=LIM-EXAMPLE;version=1$/,
  );
});

it('names the holiday calendar that moved its due dates, and all versions (H2, E7)', async () => {
  const { ask } = await world();
  const home = {
    productCode: 'MG-HOME',
    amount: 100_000,
    downPayment: 20_000,
    loanPeriod: 120,
    scheduleType: 'EqualInstallments',
  };
  const answer = await ask(requestOf(home));
  expect(bodyOf(answer)).toHaveProperty('Records');
  expect(textOf(answer, HEADER.holidayCalendar)).toMatch(/^Bank;version=/);
  const plain = await ask(requestOf(PERSONAL.request));
  expect(textOf(plain, HEADER.holidayCalendar)).toBeUndefined();
  const [bank, without] = [answer, plain].map((reply) => textOf(reply, HEADER.versions));
  expect(bank).toMatch(/, day=2026-[\d-]+, calendar=Bank;version=[^,]+, product=MG-HOME;version=1, /);
  expect(without).toMatch(
    /, day=2026-[\d-]+, product=TL-PERSONAL;version=2, .*interest-list=INT-PERSONAL;version=1/,
  );
});

it('starts the loan on the day of the message, so that a repetition gives the same reply (Q2)', async () => {
  const { ask } = await world();
  const charges = async (timestampMs: number) => {
    const reply = bodyOf(await ask(requestOf(PERSONAL.request, { timestampMs })));
    const [record] = (reply as { Records: readonly { OutputInsuranceJson: string }[] }).Records;
    return JSON.parse(record?.OutputInsuranceJson ?? '') as unknown;
  };
  expect(await charges(Date.UTC(2026, 1, 28, 23, 59, 59, 999))).toMatchObject([
    { InsuranceDate: '2026-02-28' },
  ]);
  expect(await charges(Date.UTC(2026, 2, 1))).toMatchObject([{ InsuranceDate: '2026-03-01' }]);
});

it('replies with 404 for an unknown product, 422 with all faults for invalid values and 400 for a contradictory request, with the same limits in Avro', async () => {
  const { ask, askAvro } = await world();
  const refusals = [
    [
      { ...PERSONAL.request, productCode: 'TL-BRIDGE' },
      'unknown-product',
      404,
      ['productCode unknown-product'],
    ],
    [
      { ...PERSONAL.request, amount: 499.999, loanPeriod: 85 },
      'not-computable',
      422,
      ['amount too-many-decimals', 'loanPeriod out-of-range'],
    ],
    [{ ...STUDY.request, interestTypeName: 'Fixed' }, 'invalid-request', 400, ['interestTypeName exclusive']],
  ] as const;
  for (const [request, code, status, faults] of refusals) {
    const refused = bodyOf(await ask(requestOf(request)));
    expect(refused).toMatchObject({ code, status, correlationId: 'batch-1' });
    expect(faultsOf(refused)).toEqual(faults);
  }
  const terms = { productCode: '', amount: new Decimal(1), loanPeriod: 1, scheduleType: 'x' };
  const jsonInputFormula = { discountInput: [{ name: '', value: new Decimal(1) }] };
  const { decoded } = await askAvro(TYPE, { ...terms, jsonInputFormula }, SENT);
  expect(decoded).toMatchObject({ type: 'ProblemReply', payload: { code: 'invalid-request' } });
  expect(faultsOf(decoded.payload)).toEqual([
    'productCode empty',
    'jsonInputFormula.discountInput empty',
    'interestType missing',
  ]);
});

/** Starts ingress, simulation and schedule workers with the example catalogue on its topic. */
async function startSystem(): Promise<string> {
  const broker = await createSharedBroker(1);
  await startOverLog(broker, startSimulationWorker);
  await startOn(broker, startScheduleWorker);
  return (await startOn(broker, startIngressWorker)).url;
}

interface Answer {
  readonly Records: readonly {
    readonly ScheduleJson: string;
    readonly InterestPercent: string;
    readonly OutputCommissionJson: string;
    readonly TotalFee: number;
  }[];
}

it('has over HTTP the rows of a schedule with the terms of the offer, in both body forms on any case of its path (M3, Q2, E2, E4)', async () => {
  const url = await startSystem();
  const request = {
    productCode: 'TL-MARKET',
    amount: 5000,
    downPayment: 1000,
    loanPeriod: 9,
    scheduleType: 'EqualInstallments',
  };
  const response = await post(url, request, { path: PATH });
  expect(response.status).toBe(200);
  const text = await response.text();
  const path = PATH.replace('plat_bp_simulate', 'PLAT_BP_Simulate');
  const generic = await post(url, { user_name: 'u', Data: JSON.stringify(request) }, { path });
  expect(await generic.text()).toBe(text);
  const [record] = (JSON.parse(text) as Answer).Records;
  const { paymentSchedule } = JSON.parse(record?.ScheduleJson ?? '') as {
    paymentSchedule: readonly object[];
  };
  const [fee] = JSON.parse(record?.OutputCommissionJson ?? '') as readonly Record<string, unknown>[];
  const terms = {
    ScheduleType: 'EqualInstallments',
    ProductType: 'TL',
    InterestPercent: Number.parseFloat(record?.InterestPercent ?? ''),
    Amount: 4000,
    InstallmentsNo: 9,
    PeriodicityType: 'Every 10 days',
    InstallmentDay: 1,
    ActivationDate: fee?.['FeeDate'],
    CalculateDAE: 0,
    Currency: 'RON',
    Commission: [
      {
        SourceValue: fee?.['Value'],
        FeePeriodicityType: fee?.['FeePeriodicityType'],
        FeeDate: fee?.['FeeDate'],
        FeeName: fee?.['Name'],
      },
    ],
  };
  const schedule = await post(url, { jsonParam: terms }, { path: ACTION_PATH });
  expect(schedule.status).toBe(200);
  const rows = (await schedule.json()) as readonly Record<string, unknown>[];
  const [ofDownPayment, ...simulated] = paymentSchedule;
  expect(ofDownPayment).toMatchObject({ remainingValue: 5000, principal: 1000, totalInstallment: 1000 });
  expect(simulated).toHaveLength(9);
  expect(rows).toHaveLength(9);
  for (const [place, row] of simulated.entries()) expect(rows[place]).toMatchObject(row);
  expect(record?.TotalFee).toBe(27);
});

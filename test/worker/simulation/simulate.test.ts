import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { SIMULATE } from '../../../shared/api/actions/simulate-action.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { publishCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { startSimulationWorker } from '../../../workers/simulation/main.ts';
import { EXAMPLE_TIME_MS } from '../../support/builders/example-catalogue.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { createLogCaller } from '../../support/log-caller.ts';
import { startSimulationWithExamples } from '../../support/worlds/product-worker.ts';
import { ACTION_PATH, post } from '../../support/builders/schedule-call.ts';

const PATH = '/platapi/automation-processors/actions/plat_bp_simulate';
const OF_TYPE = { [HEADER.messageType]: 'SimulateRequest' };
const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });
const [PERSONAL] = SIMULATE.examples;
/** A loan calculated by formulas, with a down payment. */
const STUDY = SIMULATE.examples.find(({ key }) => key === 'byFormula') ?? PERSONAL;

/** Starts a simulation worker; returns a function that sends it a record and waits for the reply. */
async function startCaller() {
  const broker = await createSharedBroker(2);
  await startOn(broker, startSimulationWithExamples);
  const send = await createLogCaller(broker);
  return (value: Buffer, headers: MessageHeaders, timestampMs = EXAMPLE_TIME_MS) =>
    send({ topic: TOPIC.simulationRequests, value, headers, timestampMs });
}

const jsonOf = (body: object) => Buffer.from(JSON.stringify(body));
const bodyOf = (reply: LogMessage) => JSON.parse(reply.value?.toString('utf8') ?? '') as unknown;
const faultsOf = (reply: unknown) => (reply as Problem).errors?.map(({ path, code }) => `${path} ${code}`);

describe('a simulation over Kafka', () => {
  it.each(SIMULATE.examples)('replies in JSON to a request in JSON: $key', async ({ request, reply }) => {
    const send = await startCaller();
    const answer = await send(jsonOf(request), OF_TYPE);
    expect(bodyOf(answer)).toEqual(reply);
    expect(headerText(answer.headers, HEADER.messageType)).toBe('SimulateReply');
    expect(headerText(answer.headers, HEADER.correlationId)).toBe('loan-4711');
    expect(headerText(answer.headers, HEADER.warnings)).toBeUndefined();
  });

  it('replies in Avro to a request in Avro, with amounts in minor units', async () => {
    const send = await startCaller();
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
    const { value, headers } = await codec.encode('SimulateRequest', request, 'avro');
    const reply = await send(value, headers);
    const decoded = await codec.decode({ value: reply.value, headers: reply.headers });
    const [record] = (STUDY.reply as { Records: readonly Record<string, unknown>[] }).Records;
    expect(decoded).toEqual({
      kind: 'decoded',
      type: 'SimulateReply',
      format: 'avro',
      payload: {
        Records: [
          {
            ...record,
            currencyDigits: 2,
            FirstInstallment: 103_00,
            FirstInsurance: 0,
            TotalInsurance: 0,
            FirstFee: 0,
            TotalFee: 0,
            Total: 1536_05,
            CommissionListId: undefined,
          },
        ],
        ReturnValue: 0,
        warnings: [{ code: 'no-effect', path: 'jsonInputFormula.interestInput.Other' }],
      },
    });
    expect(headerText(reply.headers, HEADER.warnings)).toBe('no-effect;jsonInputFormula.interestInput.Other');
  });

  it('names the holiday calendar that moved its due dates (H2)', async () => {
    const send = await startCaller();
    const home = {
      productCode: 'MG-HOME',
      amount: 100_000,
      downPayment: 20_000,
      loanPeriod: 120,
      scheduleType: 'EqualInstallments',
    };
    const answer = await send(jsonOf(home), OF_TYPE);
    expect(bodyOf(answer)).toHaveProperty('Records');
    expect(headerText(answer.headers, HEADER.holidayCalendar)).toMatch(/^Bank;version=/);
    const plain = await send(jsonOf(PERSONAL.request), OF_TYPE);
    expect(headerText(plain.headers, HEADER.holidayCalendar)).toBeUndefined();
  });

  it('starts the loan on the day of the message, so that a repetition gives the same reply (Q2)', async () => {
    const send = await startCaller();
    const charges = async (timestampMs: number) => {
      const reply = bodyOf(await send(jsonOf(PERSONAL.request), OF_TYPE, timestampMs));
      const [record] = (reply as { Records: readonly { OutputInsuranceJson: string }[] }).Records;
      return JSON.parse(record?.OutputInsuranceJson ?? '') as unknown;
    };
    expect(await charges(Date.UTC(2026, 1, 28, 23, 59, 59, 999))).toMatchObject([
      { InsuranceDate: '2026-02-28' },
    ]);
    expect(await charges(Date.UTC(2026, 2, 1))).toMatchObject([{ InsuranceDate: '2026-03-01' }]);
  });

  it('replies with 404 for an unknown product, and 422 with all faults for invalid values', async () => {
    const send = await startCaller();
    const unknown = bodyOf(await send(jsonOf({ ...PERSONAL.request, productCode: 'TL-BRIDGE' }), OF_TYPE));
    expect(unknown).toMatchObject({ code: 'unknown-product', status: 404, correlationId: 'loan-4711' });
    expect(faultsOf(unknown)).toEqual(['productCode unknown-product']);

    const refused = bodyOf(
      await send(jsonOf({ ...PERSONAL.request, amount: 499.999, loanPeriod: 85 }), OF_TYPE),
    );
    expect(refused).toMatchObject({ code: 'not-computable', status: 422 });
    expect(faultsOf(refused)).toEqual(['amount too-many-decimals', 'loanPeriod out-of-range']);
  });

  it('replies with 400 for a contradictory request, and applies the limits of JSON to Avro', async () => {
    const send = await startCaller();
    const disagreeing = { ...STUDY.request, interestTypeName: 'Fixed' };
    const contradiction = bodyOf(await send(jsonOf(disagreeing), OF_TYPE));
    expect(contradiction).toMatchObject({ code: 'invalid-request', status: 400 });
    expect(faultsOf(contradiction)).toEqual(['interestTypeName exclusive']);

    const terms = { productCode: '', amount: new Decimal(1), loanPeriod: 1, scheduleType: 'x' };
    const overLimits = {
      ...terms,
      jsonInputFormula: { discountInput: [{ name: '', value: new Decimal(1) }] },
    };
    const { value, headers } = await codec.encode('SimulateRequest', overLimits, 'avro');
    const reply = await send(value, headers);
    const decoded = await codec.decode({ value: reply.value, headers: reply.headers });
    expect(decoded).toMatchObject({ type: 'ProblemReply', payload: { code: 'invalid-request' } });
    expect(faultsOf(decoded.kind === 'decoded' && decoded.payload)).toEqual([
      'productCode empty',
      'jsonInputFormula.discountInput empty',
      'interestType missing',
    ]);
  });
});

/** Starts ingress, simulation and schedule workers with the example catalogue on its topic. */
async function startSystem(): Promise<string> {
  const broker = await createSharedBroker(1);
  const config = loadConfig({});
  await publishCatalogue(broker, await createCodec(config, systemClock), config);
  await startOn(broker, startSimulationWorker);
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

describe('a simulation over HTTP', () => {
  it('has the rows of a schedule with the terms of the offer, in both body forms on any case of its path (M3, Q2, E2, E4)', async () => {
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
});

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { writeRecords } from '../../../shared/product/storage/write-records.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { publishCatalogue } from '../../../shared/product/storage/catalogue-folder.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { catalogueCodec, CATALOGUE_TOPIC, guidOf, recordOf } from '../../support/worlds/catalogue-world.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { post } from '../../support/builders/schedule-call.ts';

const TERMS = {
  ScheduleType: 'EqualInstallments',
  InterestPercent: 12,
  Amount: 1000,
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  ActivationDate: '2025-01-01',
  CalculateDAE: 0,
};
const PERIOD = { FeePeriodicityType: 'Monthly', FeeDate: '2025-01-01' };
/** Fees of 1 % by base: the remaining value as in the catalogue, and the financed amount, which is the default. */
const OF_REMAINING = ['10.00', '7.54', '5.05', '2.54'];
const OF_AMOUNT = ['10.00', '10.00', '10.00', '10.00'];

interface Answer {
  readonly status: number;
  readonly warnings: string | null;
  /** The managementFee of each row; empty for a refusal. */
  readonly fees: readonly string[];
  /** Path and code of each fault. */
  readonly faults: readonly string[];
}

/** Starts ingress and schedule worker; returns a function that requests a schedule with changes. */
async function startSystem(broker: Broker) {
  await startOn(broker, startScheduleWorker);
  const { url } = await startOn(broker, startIngressWorker);
  return async (changes: object): Promise<Answer> => {
    const response = await post(url, { jsonParam: { ...TERMS, ...changes } });
    const body = (await response.json()) as
      | readonly { readonly managementFee: number }[]
      | { readonly errors: readonly { readonly path: string; readonly code: string }[] };
    const rows = 'errors' in body ? [] : body;
    return {
      status: response.status,
      warnings: response.headers.get('warnings'),
      fees: rows.map(({ managementFee }) => managementFee.toFixed(2)),
      faults: 'errors' in body ? body.errors.map(({ path, code }) => `${path} ${code}`) : [],
    };
  };
}

/** The system with the example catalogue on the embedded broker, as in `npm start`. */
async function startWithExamples() {
  const broker = await createSharedBroker(1);
  const config = loadConfig({});
  await publishCatalogue(broker, await createCodec(config, systemClock), config);
  return startSystem(broker);
}

const percent = (fields: object) => ({ Commission: [{ SourcePercent: 1, ...PERIOD, ...fields }] });

describe('schedule with commissions of the example catalogue', () => {
  it('uses the base of a percentage from the catalogue, found by name or id, unless the request has one (S6)', async () => {
    const ask = await startWithExamples();
    const byName = await ask(percent({ FeeName: 'Management fee' }));
    const warnings = 'from-catalogue;jsonParam.Commission[0].PercentAppliedTo';
    expect(byName).toMatchObject({ status: 200, warnings, fees: OF_REMAINING });
    const byId = await ask(percent({ FeeId: '93839041-8BA2-5337-9246-159ffbb45496' }));
    expect(byId).toMatchObject({ status: 200, warnings, fees: OF_REMAINING });
    const sent = await ask(percent({ FeeName: 'Management fee', PercentAppliedTo: 'FinancedAmount' }));
    expect(sent).toMatchObject({ status: 200, warnings: null, fees: OF_AMOUNT });
  });

  it('accepts a schedule type of the catalogue if the request violates the schema elsewhere (E3, S1)', async () => {
    const ask = await startWithExamples();
    const own = { ScheduleType: 'CardMinimumPayment', Amount: 'much' };
    expect((await ask(own)).faults).toEqual(['jsonParam.Amount wrong-type']);
  });
});

const list = (PercentAppliedTo: string) =>
  recordOf('commission-list', {
    Code: 'COM',
    Id: guidOf(1),
    Name: 'Commissions',
    Commissions: [
      {
        Id: guidOf(2),
        Name: 'Share',
        PeriodicityType: 'Monthly',
        Currency: 'EUR',
        ValueIsPercent: true,
        Percent: 1,
        PercentAppliedTo,
      },
    ],
  });

describe('schedule with a changing catalogue', () => {
  it('accepts any name if there are no lists, and applies changes without a restart', async () => {
    const broker = await createSharedBroker(1);
    const writing = { broker, codec: catalogueCodec(), topic: CATALOGUE_TOPIC, clientId: 'writer' };
    const ask = await startSystem(broker);
    const share = percent({ FeeName: 'Share' });
    expect(await ask(percent({ FeeName: 'Mystery' }))).toMatchObject({ warnings: null, fees: OF_AMOUNT });
    await writeRecords(writing, { put: [list('RemainingValue')], remove: [] });
    await expect.poll(async () => (await ask(share)).fees).toEqual(OF_REMAINING);
    expect((await ask(percent({ FeeName: 'Mystery' }))).warnings).toContain('unknown-name');
    await writeRecords(writing, { put: [list('FinancedAmount')], remove: [] });
    await expect.poll(async () => (await ask(share)).fees).toEqual(OF_AMOUNT);
    await writeRecords(writing, { put: [], remove: ['commission-list/com/1'] });
    await expect.poll(async () => (await ask(percent({ FeeName: 'Mystery' }))).warnings).toBeNull();
  });
});

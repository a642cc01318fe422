import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  openLendingCatalogue,
  restoreEnvironment,
  type LendingEnvironment,
} from '../../../shared/product/storage/lending-environment.ts';
import { writeRecords } from '../../../shared/product/storage/write-records.ts';
import { toCalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import type { StartWorker } from '../../../workers/runtime/worker.ts';
import { identifyRecord, recordKey } from '../../../shared/product/catalogue/catalogue-record.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { catalogueCodec, CATALOGUE_TOPIC, recordOf } from '../../support/worlds/catalogue-world.ts';
import { bodyOf, createUpstream, jsonBatch, textOf } from '../../support/worlds/batch-world.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';

type Entry = ReturnType<typeof recordOf>;
const BANK = recordOf('calendar', { name: 'Bank', version: '7', base: 'RO', holidays: ['2026-06-15'] });
const DECADE = recordOf('periodicity', { name: 'Every 10 days', count: 10, unit: 'Days' });

/** Writes records to the catalogue topic of a broker, or deletes them. */
const change = (broker: Broker, put: readonly Entry[], remove: readonly Entry[] = []) => {
  const keys = remove.map((entry) => recordKey(identifyRecord(entry)));
  const target = { broker, codec: catalogueCodec(), topic: CATALOGUE_TOPIC, clientId: 'writer' };
  return writeRecords(target, { put, remove: keys });
};

/** The environment of a calculation worker with these records, and its broker. */
async function environmentOf(env: Record<string, string>, records: readonly Entry[] = []) {
  const broker = await createSharedBroker(1);
  await change(broker, records);
  let environment: LendingEnvironment | undefined;
  const opening: StartWorker = async (context) => {
    const opened = await openLendingCatalogue(context, 'test');
    environment = opened.environment;
    return { name: 'test', health: () => opened.health(), stop: (timeoutMs) => opened.stop(timeoutMs) };
  };
  await startOn(broker, opening, env);
  if (environment === undefined) throw new Error('nothing was opened');
  return { broker, environment };
}

describe('lending environment', () => {
  it('contains the built-in names, all countries and no default calendar without records (S4, D7, H2)', async () => {
    const { environment } = await environmentOf({});
    const { catalogue, calendars } = environment;
    expect(catalogue.findScheduleType('equalinstallments')).toBeDefined();
    expect(calendars.find('romania')?.name).toBe('RO');
    expect(calendars.find('Sweden+TARGET')?.name).toBe('SE+TARGET');
    expect(calendars.find('Atlantis')).toBeUndefined();
    expect(calendars.defaultName).toBeUndefined();
  });

  it('follows published and deleted records, and keeps the built-in ones', async () => {
    const { broker, environment } = await environmentOf({});
    const { calendars } = environment;
    const names = () => environment.catalogue.periodicities.map(({ name }) => name);
    expect(calendars.find('Bank')).toBeUndefined();
    await change(broker, [BANK, DECADE]);
    await expect.poll(() => calendars.find('Bank')?.version).toBe('7');
    await expect.poll(names).toContain('Every 10 days');
    await change(broker, [], [BANK, DECADE]);
    await expect.poll(() => calendars.find('Bank')).toBeUndefined();
    await expect.poll(names).not.toContain('Every 10 days');
    expect(environment.catalogue.findScheduleType('EqualInstallments')).toBeDefined();
    expect(calendars.find('RO')?.name).toBe('RO');
  });

  it('is restored from its snapshot, which changes with each update', async () => {
    const terms = { PeriodicityType: 'Monthly', Currency: 'EUR', PercentAppliedTo: 'RemainingValue' };
    const Commissions = [{ Id: randomUUID(), Name: 'Service', ...terms }];
    const fees = { Id: randomUUID(), Code: 'FEES', Name: 'Fees', Commissions };
    const list = recordOf('commission-list', fees);
    const env = { DEFAULT_HOLIDAY_CALENDAR: 'bank+TARGET' };
    const { broker, environment } = await environmentOf(env, [BANK, DECADE, list]);
    const before = environment.snapshot?.();
    if (before === undefined) throw new Error('there is no snapshot');
    expect(environment.snapshot?.()).toBe(before);
    const { catalogue, calendars } = restoreEnvironment(structuredClone(before));
    expect(catalogue.periodicities).toEqual(environment.catalogue.periodicities);
    const bank = calendars.find(calendars.defaultName ?? '');
    expect(bank?.name).toBe('Bank+TARGET');
    const days = [15, 16].map((day) => bank?.isWorkingDay(toCalendarDate(2026, 6, day)));
    expect(days).toEqual([false, true]);
    const charges = (known: typeof catalogue) => known.knownCharges?.named('FeeName', 'service')?.agreement;
    expect(charges(catalogue)?.defaults).toEqual(charges(environment.catalogue)?.defaults);
    await change(broker, [], [DECADE]);
    await expect.poll(() => environment.snapshot?.() === before).toBe(false);
    await change(broker, [], [list]);
    await expect.poll(() => environment.snapshot?.()?.charges).toBeUndefined();
  });
});

it('prevents startup with an unknown default calendar (H2)', async () => {
  const broker = await createSharedBroker(1);
  const env = { DEFAULT_HOLIDAY_CALENDAR: 'RO+Bank' };
  await expect(startOn(broker, startScheduleWorker, env)).rejects.toThrow(
    /^DEFAULT_HOLIDAY_CALENDAR: .*"RO\+Bank".* part 2 is unknown/,
  );
});

/** Requests a schedule of 100 over two instalments; returns the calendar and the due dates, or the fault codes. */
async function startCaller(broker: Broker) {
  const { ask } = await createUpstream(broker);
  return async (fields: object) => {
    const jsonParam = {
      ScheduleType: 'EqualInstallments',
      InterestPercent: 7,
      Amount: 100,
      InstallmentsNo: 2,
      InstallmentDay: 15,
      ActivationDate: '2026-05-15',
      ...fields,
    };
    const reply = await ask(jsonBatch({ jsonParam }, undefined, { topic: TOPIC.scheduleRequests }));
    const body = bodyOf(reply) as readonly { readonly DueDate: string }[] | Problem;
    return {
      calendar: textOf(reply, HEADER.holidayCalendar),
      dates: 'code' in body ? body.errors?.map(({ code }) => code) : body.map(({ DueDate }) => DueDate),
    };
  };
}

it('applies and reports calendars and periodicities published while the worker runs (H2, D7)', async () => {
  const broker = await createSharedBroker(1);
  await startOn(broker, startScheduleWorker);
  const ask = await startCaller(broker);
  const shifted = { PeriodicityType: 'Monthly', HolidayShift: true, HolidayCountry: 'Bank' };
  expect((await ask(shifted)).dates).toEqual(['unknown-calendar']);
  await change(broker, [BANK, DECADE]);
  await expect.poll(async () => (await ask(shifted)).calendar).toBe('Bank;version=7');
  expect((await ask(shifted)).dates).toEqual(['2026-06-16T00:00:00Z', '2026-07-15T00:00:00Z']);
  const decades = await ask({ PeriodicityType: 'every 10 DAYS' });
  expect(decades.dates).toEqual(['2026-05-25T00:00:00Z', '2026-06-04T00:00:00Z']);
});

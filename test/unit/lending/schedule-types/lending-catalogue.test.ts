import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  BUILT_IN_SCHEDULE_TYPES,
  BUILT_IN_SCHEDULE_TYPE_RECORDS,
} from '../../../../shared/lending/schedule-types/schedule-catalogue.ts';
import {
  createLendingCatalogue,
  type CatalogueRecords,
  type LendingCatalogue,
} from '../../../../shared/lending/schedule-types/lending-catalogue.ts';
import { findPeriodicity } from '../../../../shared/lending/dates/periodicity.ts';
import type { ScheduleTypeRecord } from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import { fee } from '../../../support/builders/lending-charges.ts';
import { calculated, date, column, decimal } from '../../../support/builders/lending-loan.ts';
import {
  LEVEL_COLUMNS,
  columnOf,
  guid,
  recordOf,
  activationMessages,
  compiledOf,
  outcomeWith,
} from '../../../support/builders/schedule-type-records.ts';
import { readFileSync } from 'node:fs';

const EQUAL_INSTALLMENTS_ID = '5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b101';

/** Entries of these records with numbered sources: `file 1`, `file 2`. */
function entriesOf<RecordKind>(...records: readonly RecordKind[]) {
  return records.map((record, place) => ({ source: `file ${place + 1}`, record }));
}

function catalogueOf(records: CatalogueRecords): LendingCatalogue {
  const outcome = createLendingCatalogue(records);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome.catalogue;
}

function typesOf(...records: readonly ScheduleTypeRecord[]): LendingCatalogue {
  return catalogueOf({ scheduleTypes: entriesOf(...records) });
}

/** The faults as `source: record: message`. */
function faultsOf(records: CatalogueRecords): readonly string[] {
  const outcome = createLendingCatalogue(records);
  if (outcome.kind === 'catalogue') return [];
  return outcome.faults.map(({ source, record, message }) => `${source}: ${record}: ${message}`);
}

const typeFaults = (...records: readonly ScheduleTypeRecord[]): readonly string[] =>
  faultsOf({ scheduleTypes: entriesOf(...records) });

const own = (changes: Partial<ScheduleTypeRecord> = {}): ScheduleTypeRecord =>
  recordOf(LEVEL_COLUMNS, changes);

describe('schedule types of a catalogue (S1, S4)', () => {
  it('are the built-in ones without records', () => {
    const { scheduleTypes, scheduleTypeRecords } = catalogueOf({});
    expect(scheduleTypes.map(({ type }) => type)).toEqual(BUILT_IN_SCHEDULE_TYPES);
    expect(scheduleTypeRecords).toHaveLength(10);
  });

  it('are found by case-insensitive name or code', () => {
    const catalogue = typesOf(own());
    for (const name of ['Own type', ' OWN TYPE ', 'own']) {
      expect(catalogue.findScheduleType(name)?.type.id).toBe(guid(1));
    }
    expect(catalogue.findScheduleType('ei')?.type.name).toBe('EqualInstallments');
    expect(catalogue.findScheduleType('other')).toBeUndefined();
  });

  it.each(['Draft', 'VersionDraft', 'Closed'])(
    'are not used in calculations and may have faults if their status is %s',
    (Status) => {
      const draft = recordOf([], { Status, ScheduleInterestCalculationType: '' });
      const catalogue = typesOf(draft);
      expect(catalogue.findScheduleType('own')).toBeUndefined();
      expect(catalogue.scheduleTypeRecords).toContain(draft);
    },
  );

  it('replace a built-in type of the same name or id', () => {
    const byName = own({ PaymentScheduleTypeName: 'equalInstallments', PaymentScheduleCode: 'EI' });
    const named = typesOf(byName);
    expect(named.findScheduleType('EqualInstallments')?.type.id).toBe(guid(1));
    expect(named.scheduleTypes).toHaveLength(BUILT_IN_SCHEDULE_TYPES.length);
    const byId = typesOf(own({ PaymentScheduleTypeId: EQUAL_INSTALLMENTS_ID.toUpperCase() }));
    expect(byId.findScheduleType('EqualInstallments')).toBeUndefined();
    expect(byId.findScheduleType('own')?.type.id).toBe(EQUAL_INSTALLMENTS_ID);
  });

  it('disable a built-in type if they are Closed, but not if they are drafts', () => {
    const off = own({ PaymentScheduleTypeName: 'EqualInstallments', Status: 'Closed' });
    expect(typesOf(off).findScheduleType('EI')).toBeUndefined();
    const draft = { ...off, Status: 'Draft' };
    expect(typesOf(draft).findScheduleType('EI')?.type.name).toBe('EqualInstallments');
  });

  it('may have a VersionDraft of the same name', () => {
    expect(typeFaults(own(), own({ Status: 'VersionDraft' }))).toEqual([]);
  });

  it('must have unique names, codes and ids', () => {
    expect(typeFaults(own(), own({ PaymentScheduleTypeName: 'Other' }))).toEqual([
      `file 2: Other: PaymentScheduleTypeId must differ: ${guid(1)} belongs to Own type`,
      'file 2: Other: PaymentScheduleCode must differ: OWN belongs to Own type',
    ]);
    expect(typeFaults(own({ PaymentScheduleCode: 'ei' }))).toEqual([
      'file 1: Own type: PaymentScheduleCode must differ: ei belongs to EqualInstallments',
    ]);
    expect(typeFaults(own({ PaymentScheduleCode: 'EqualPrincipal' }))).toEqual([
      'file 1: Own type: PaymentScheduleCode must differ: EqualPrincipal belongs to EqualPrincipal',
    ]);
    expect(
      typeFaults(
        own({ PaymentScheduleTypeName: 'EqualPrincipal', PaymentScheduleTypeId: EQUAL_INSTALLMENTS_ID }),
      ),
    ).toEqual([
      'file 1: EqualPrincipal: PaymentScheduleTypeId and PaymentScheduleTypeName belong to two built-in types',
    ]);
    expect(typeFaults(own({ PaymentScheduleCode: 'Same', PaymentScheduleTypeName: 'same' }))).toEqual([]);
  });

  it('are refused with all faults of all records', () => {
    const columns = [columnOf('Interest', 'Linear'), columnOf('RemainingValue', 'RemainingValue')];
    expect(typeFaults(recordOf(columns), own({ PaymentScheduleTypeName: 'Other', Status: 'New' }))).toEqual([
      'file 1: Own type: column Principal is missing: add it with the CalculationMethod Balance, Linear, ' +
        'CapitalPercent or Formula',
      'file 1: Own type: column Interest must be listed after RemainingValue: move it below',
      'file 2: Other: Status must be one of Draft, Active, VersionDraft, Closed',
    ]);
    expect(typeFaults(own({ Status: 'Draft', PaymentScheduleTypeId: '1', PaymentScheduleCode: '' }))).toEqual(
      [
        'file 1: Own type: PaymentScheduleTypeId must be a GUID that no other schedule type has',
        'file 1: Own type: PaymentScheduleCode must have from 1 to 200 characters',
      ],
    );
  });
});

describe('periodicities of a catalogue (D7)', () => {
  it('are added to the built-in ones', () => {
    const records = [
      { name: 'Every 10 days', count: 10, unit: 'days' },
      { name: 'Single', unit: 'Once' },
    ];
    const { periodicities } = catalogueOf({ periodicities: entriesOf(...records) });
    const found = findPeriodicity('EVERY 10 DAYS', periodicities);
    expect(found).toEqual({ ...records[0], unit: 'Days' });
    expect(findPeriodicity('single', periodicities)).toEqual({ name: 'Single', count: 0, unit: 'Once' });
    expect(findPeriodicity('monthly', periodicities)?.count).toBe(1);
  });

  it('require a unique name, a unit and a count', () => {
    const records = [
      { name: 'monthly', count: 1, unit: 'Months' },
      { name: 'Own', count: 1, unit: 'Months' },
      { name: 'OWN', count: 2, unit: 'Months' },
      { name: ' ', count: 0, unit: 'Fortnights' },
      { name: 'Half', count: 0.5, unit: 'Months' },
      { name: 'Single', count: 1, unit: 'Once' },
    ];
    expect(faultsOf({ periodicities: entriesOf(...records) })).toEqual([
      'file 1: monthly: must have another name: this one is built in or used by another record',
      'file 3: OWN: must have another name: this one is built in or used by another record',
      'file 4:  : name must have from 1 to 200 characters',
      'file 4:  : unit must be one of Days, Weeks, Months, Years, Once',
      'file 4:  : count must be a whole number from 1 to 1200',
      'file 5: Half: count must be a whole number from 1 to 1200',
      'file 6: Single: count must be left out with Once',
    ]);
  });
});

describe('calendars of a catalogue (H2)', () => {
  it('are found by name', () => {
    const bank = { name: 'Bank', version: '1', weekend: ['Sunday'], holidays: ['2025-05-02'] };
    const { calendars } = catalogueOf({ calendars: entriesOf(bank) });
    expect(calendars.find('BANK')?.isWorkingDay(date('2025-05-02'))).toBe(false);
    expect(calendars.find('BANK')?.isWorkingDay(date('2025-05-03'))).toBe(true);
    expect(calendars.find('Other')).toBeUndefined();
  });

  it('are refused with the location of each fault', () => {
    const bank = { name: 'Bank', version: '1', holidays: ['2025-02-30'] };
    expect(faultsOf({ calendars: entriesOf({ ...bank, holidays: [] }, bank) })).toEqual([
      'file 2: Bank: name must be unique in the catalogue, regardless of case',
    ]);
    expect(faultsOf({ calendars: entriesOf(bank) })).toEqual([
      'file 1: Bank: holidays[0] must be a date that exists, yyyy-mm-dd',
    ]);
    const weekend = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
    expect(faultsOf({ calendars: entriesOf({ ...bank, weekend, holidays: [] }) })).toEqual([
      'file 1: Bank: must leave a working day in any two months',
    ]);
  });
});

/** The settings and methods of a built-in type (S4), in one line. */
function lineOf(record: (typeof BUILT_IN_SCHEDULE_TYPE_RECORDS)[number]): string {
  const { type, interest, payment, principal } = compiledOf(record);
  const special = [
    type.installmentValueCustom ? 'fixed payment' : '',
    type.residualRequired ? 'residual required' : '',
    type.residualInInstallment ? 'residual in installment' : '',
    type.maximumInstallments === null ? '' : `at most ${type.maximumInstallments}`,
    type.useExpiryDate ? 'expiry' : '',
    type.interestCapitalization ? 'capitalisation' : '',
    type.acceptsCharges ? '' : 'no charges',
  ].filter((text) => text !== '');
  return [
    `${type.name} ${type.code} [${type.productTypes.join(' ')}] ${type.dayCount}`,
    `${interest.kind} ${payment.kind} ${principal.kind}`,
    special.join(', '),
  ].join(' | ');
}

describe('built-in schedule types (S4)', () => {
  it('have the documented methods and settings', () => {
    expect(BUILT_IN_SCHEDULE_TYPE_RECORDS.map(lineOf)).toEqual([
      'EqualInstallments EI [TL MG C] 30/360 | Linear Level Balance | fixed payment',
      'EqualPrincipal EP [TL MG C] 30/360 | Linear Sum EqualParts | fixed payment',
      'InterestOnly IO [TL MG C] 30/360 | Linear Sum AtMaturity | ',
      'Balloon BL [TL MG C] 30/360 | Linear Level Balance | fixed payment, residual required, residual in installment',
      'EffectiveRate ER [TL MG C] Actual/365 | EffectiveRate Level Balance | fixed payment',
      'Once ON [TL MG] 30/360 | Linear Sum AtMaturity | at most 1',
      'Overdraft OV [OD BA] Actual/365 | Linear Sum AtMaturity | expiry',
      'Deposit DP [D BA] Actual/365 | Linear Sum AtMaturity | capitalisation, no charges',
      'CreditCard CC [CC C] Actual/365 | Linear Sum CapitalPercent | ',
      'Leasing LS [LS] 30/360 | Linear Level Balance | fixed payment',
    ]);
  });

  it('keep their published ids (S7)', () => {
    const ids = BUILT_IN_SCHEDULE_TYPE_RECORDS.map(({ PaymentScheduleTypeId }) => PaymentScheduleTypeId);
    expect(ids).toEqual(
      ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10'].map(
        (end) => `5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b1${end}`,
      ),
    );
    const details = BUILT_IN_SCHEDULE_TYPE_RECORDS.flatMap((record) => record.PaymentScheduleTypeDetails);
    expect(new Set(details.map((detail) => detail.PaymentScheduleTypeDetailId)).size).toBe(details.length);
  });

  it.each(BUILT_IN_SCHEDULE_TYPE_RECORDS.map((record) => [record.PaymentScheduleTypeName, record] as const))(
    '%s passes activation, accepts any unit and MaturityDate, and has no formula',
    (_, record) => {
      expect(activationMessages(record)).toEqual([]);
      expect(record.Status).toBe('Active');
      const type = { useMaturityDate: true, measurementUnit: null, rounding: 'HALF_UP' };
      expect(compiledOf(record)).toMatchObject({ type, hasFormulas: false, extras: [] });
    },
  );
});

/** The record that docs/schedule-types.md explains. */
const FILE = 'shared/product/example-catalogue/schedule-types/level-total-with-vat.json';
const DOCUMENTED = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../../..', FILE), 'utf8'),
) as ScheduleTypeRecord;
const FEE = fee({ SourceValue: decimal(10) });

const withPayment = (payment: number) =>
  calculated(outcomeWith(DOCUMENTED, { Commission: [FEE], installmentValue: decimal(payment) }));

describe('schedule type of the documentation (S1, S2, F4)', () => {
  it('is the one that the documentation names', () => {
    const page = readFileSync(
      path.resolve(import.meta.dirname, '../../../../docs/schedule-types.md'),
      'utf8',
    );
    expect(page).toContain(FILE);
  });

  it('keeps the total constant, with the tax on fees in a separate column', () => {
    const schedule = withPayment(270);
    expect(column(schedule, 'totalInstallment')).toEqual(['270.00', '270.00', '270.00', '262.61']);
    expect(column(schedule, 'managementFee')).toEqual(['11.90', '11.90', '11.90', '11.90']);
    expect(schedule.extraColumns).toEqual(['VatOnFees']);
    expect(schedule.rows.map((row) => row.columns)).toEqual([[190], [190], [190], [190]]);
    for (const row of schedule.rows) {
      expect(row.totalInstallment).toBe(row.interest + row.principal + row.managementFee);
    }
  });

  it('ends when the balance is zero, without empty rows', () => {
    const schedule = withPayment(600);
    expect(schedule.rows.map((row) => row.remainingValue - row.principal)).toEqual([42_190, 0]);
  });
});

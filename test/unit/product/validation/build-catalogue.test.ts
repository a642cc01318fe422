import { describe, expect, it } from 'vitest';
import { buildCatalogue, buildCatalogueView } from '../../../../shared/product/validation/build-catalogue.ts';
import { exampleJson, exampleWith } from '../../../support/builders/catalogue-entries.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const TODAY = date('2025-06-30');

/** A GUID that is not in the example catalogue. */
const id = (last: number): string => `11111111-1111-4111-8111-11111111111${last}`;

describe('an in-memory catalogue (L1, L2)', () => {
  const catalogue = EXAMPLE_CATALOGUE;

  it('finds the Approved version of the day by code, case-insensitively', () => {
    expect(catalogue.product('tl-personal', date('2023-12-31'))?.Version).toBe(1);
    expect(catalogue.product(' TL-Personal ', date('2024-01-01'))?.Version).toBe(2);
    expect(catalogue.product('TL-PERSONAL', date('2019-12-31'))).toBeUndefined();
    expect(catalogue.product('TL-BRIDGE', date('2021-01-01'))).toBeUndefined();
    expect(catalogue.product('TL-OTHER', TODAY)).toBeUndefined();
  });

  it('finds a version by its id only while it is Approved and valid', () => {
    const [first, second, draft] = [1, 2, 3].map((version) => exampleJson('product', 'TL-PERSONAL', version));
    expect(catalogue.productById(second.Id.toUpperCase(), TODAY)?.Version).toBe(2);
    expect(catalogue.productById(first.Id, TODAY)).toBeUndefined();
    expect(catalogue.productById(first.Id, date('2023-01-01'))?.Version).toBe(1);
    expect(catalogue.productById(draft.Id, TODAY)).toBeUndefined();
  });

  it('finds lists case-insensitively, and the Active version with the highest number', () => {
    expect(catalogue.list('interest-list', 'int-home')?.Name).toBe('Home loan interests');
    expect(catalogue.list('commission-list', 'COM-HOME')?.Commissions).toHaveLength(4);
    expect(catalogue.list('insurance-list', 'ins-vehicle')?.Insurances).toHaveLength(1);
    expect(catalogue.list('discount-list', 'DIS-HOME')?.Discounts).toHaveLength(3);
    expect(catalogue.list('custom-list', 'preferred-employers')?.Values).toContain(1017);
    expect(catalogue.list('interest-list', 'COM-HOME')).toBeUndefined();

    const list = exampleJson('interest-list', 'INT-LEASE');
    const records = exampleWith(
      { kind: 'interest-list', json: { ...list, Version: 2, Id: id(2), Name: 'Second' }, source: 'b.json' },
      { kind: 'interest-list', json: { ...list, Version: 3, Id: id(3), Status: 'Draft' }, source: 'c.json' },
    );
    expect(buildCatalogueView(records, catalogue.lending).list('interest-list', 'INT-LEASE')?.Name).toBe(
      'Second',
    );
    expect(buildCatalogue(records).kind).toBe('catalogue');
  });

  it('has built-in and custom schedule types, periodicities and calendars', () => {
    const { lending } = catalogue;
    expect(lending.findScheduleType('CardMinimumPayment')?.type.code).toBe('CMP');
    expect(lending.findScheduleType('EqualInstallments')?.type.code).toBe('EI');
    expect(lending.periodicities.map(({ name }) => name)).toContain('Every 10 days');
    expect(lending.calendars.find('bank')?.isWorkingDay(date('2026-01-02'))).toBe(false);
  });

  it('reports faults of schedule types together with those of other records', () => {
    const type = exampleJson('schedule-type', 'CMP');
    const product = exampleJson('product', 'CC-CLASSIC');
    product.Availability.Currency = 'XXX';
    const outcome = buildCatalogue(
      exampleWith(
        { kind: 'schedule-type', json: { ...type, ScheduleInterestCalculationType: 'Lunar' } },
        { kind: 'product', json: product },
      ),
    );
    const messages = outcome.kind === 'refused' ? outcome.faults.map(({ message }) => message) : [];
    expect(messages).toEqual([
      expect.stringContaining('ScheduleInterestCalculationType must be one of'),
      'Availability.Currency must be a currency code of ISO 4217, such as EUR',
    ]);
  });
});

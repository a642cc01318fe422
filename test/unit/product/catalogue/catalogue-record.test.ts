import { describe, expect, it } from 'vitest';
import {
  identifyRecord,
  KIND_FOLDERS,
  RECORD_KINDS,
  recordKey,
} from '../../../../shared/product/catalogue/catalogue-record.ts';
import { EXAMPLE_RECORDS, exampleJson, recordFrom } from '../../../support/builders/catalogue-entries.ts';

describe('the identity of a record (L1)', () => {
  it('of a product includes its id in lower case, its status and its validity', () => {
    const json = exampleJson('product', 'TL-PERSONAL', 1);
    const identity = identifyRecord(recordFrom('product', { ...json, Id: json.Id.toUpperCase() }));
    expect(identity).toEqual({
      kind: 'product',
      code: 'TL-PERSONAL',
      version: 1,
      id: json.Id,
      status: 'Approved',
      validFrom: '2020-01-01',
      validTo: '2023-12-31',
    });
    expect(recordKey(identity)).toBe('product/tl-personal/1');
  });

  it.each([
    ['interest-list', 'INT-HOME', 'interest-list/int-home/1', 'Active'],
    ['custom-list', 'PREFERRED-EMPLOYERS', 'custom-list/preferred-employers/1', null],
    ['schedule-type', 'LTV', 'schedule-type/ltv/1', 'Active'],
    ['periodicity', 'Every 10 days', 'periodicity/every 10 days/1', null],
    ['calendar', 'Bank', 'calendar/bank/1', null],
  ] as const)('of the %s %s is %s', (kind, code, key, status) => {
    const identity = identifyRecord(recordFrom(kind, exampleJson(kind, code)));
    expect(recordKey(identity)).toBe(key);
    expect(identity).toMatchObject({ kind, code, version: 1, status, validFrom: null, validTo: null });
  });

  it('has a unique key for every record of the example catalogue', () => {
    const keys = EXAMPLE_RECORDS.map((entry) => recordKey(identifyRecord(entry)));
    expect(new Set(keys).size).toBe(EXAMPLE_RECORDS.length);
  });

  it('has a unique folder for every kind', () => {
    expect(RECORD_KINDS).toHaveLength(9);
    expect(new Set(Object.values(KIND_FOLDERS)).size).toBe(9);
  });
});

import { expect, it } from 'vitest';
import { parseCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { UsedRecords } from '../../../../shared/product/catalogue/used-records.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';

const day = parseCalendarDate('2026-03-02')!;
const PRODUCT_ID = '0ea28468-eabf-59d0-a3c0-ef7ba75a2d13';

it('lists the product and the lists that were found, each once and in the order of use (E7)', () => {
  const used = new UsedRecords(EXAMPLE_CATALOGUE);
  expect(used.versions()).toEqual([]);
  const product = used.product('tl-personal', day);
  expect(product).toBe(EXAMPLE_CATALOGUE.product('TL-PERSONAL', day));
  expect(used.list('interest-list', 'int-personal')).toBe(
    EXAMPLE_CATALOGUE.list('interest-list', 'INT-PERSONAL'),
  );
  used.list('interest-list', 'INT-PERSONAL');
  used.list('custom-list', 'NOTHING');
  used.product('NOTHING', day);
  used.list('discount-list', 'DIS-PERSONAL');
  expect(used.lending).toBe(EXAMPLE_CATALOGUE.lending);
  expect(used.versions()).toEqual([
    { kind: 'product', code: 'TL-PERSONAL', version: product?.Version },
    { kind: 'interest-list', code: 'INT-PERSONAL', version: 1 },
    { kind: 'discount-list', code: 'DIS-PERSONAL', version: 1 },
  ]);
  const copying = new UsedRecords({
    ...EXAMPLE_CATALOGUE,
    list: (kind, code) => structuredClone(EXAMPLE_CATALOGUE.list(kind, code)),
  });
  const copied = copying.list('interest-list', 'INT-PERSONAL');
  expect(copied).toBeDefined();
  expect(copying.list('interest-list', 'int-personal')).toBe(copied);
  expect(copying.versions()).toHaveLength(1);
  const byId = new UsedRecords(EXAMPLE_CATALOGUE);
  const found = byId.productById(PRODUCT_ID, day);
  expect(byId.versions()).toEqual([{ kind: 'product', code: found?.Code, version: found?.Version }]);
});

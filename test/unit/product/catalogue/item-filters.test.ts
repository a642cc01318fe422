import { describe, expect, it } from 'vitest';
import { Validation } from '../../../../shared/lending/request/validation.ts';
import { indexLists } from '../../../../shared/product/catalogue/catalogue-view.ts';
import {
  type NamedFigure,
  passesFilters,
  readFigures,
} from '../../../../shared/product/catalogue/item-filters.ts';
import type { ItemFilter } from '../../../../shared/product/catalogue/record-kinds.ts';

const AMOUNT: ItemFilter = { Name: 'Amount', From: 500, To: 20_000 };
const FROM_ONLY: ItemFilter = { Name: 'Years', From: 3, To: null };
const TO_ONLY: ItemFilter = { Name: 'Age', From: null, To: 65 };
const CLASS: ItemFilter = { Name: 'EnergyClass', Values: [1, 2] };
const EMPLOYER: ItemFilter = { Name: 'Employer', List: 'PREFERRED' };
const DECIMALS: ItemFilter = { Name: 'Rate', From: 0.1, To: 0.3 };

const LISTS = indexLists([
  { kind: 'custom-list', source: 'test', record: { Code: 'PREFERRED', Version: 1, Values: [1001, 1017] } },
]);

function read(sent: readonly NamedFigure[], filters: readonly ItemFilter[] = [AMOUNT, CLASS]) {
  const validation = new Validation();
  const figures = readFigures('filterList', sent, filters, validation);
  const faults = validation.faults.map(({ path, code }) => `${code} ${path}`);
  return { figures: [...figures], faults, warnings: validation.warnings };
}

const unknown = (place: number) => ({ path: `filterList[${place}].name`, code: 'unknown-filter' });

function passes(filters: readonly ItemFilter[], ...sent: readonly NamedFigure[]): boolean {
  return passesFilters(filters, readFigures('filterList', sent, filters, new Validation()), LISTS);
}

describe('filters of items (L3)', () => {
  it.each<[ItemFilter, passing: number[], failing: number[]]>([
    [AMOUNT, [500, 20_000], [499.99, 20_000.01]],
    [FROM_ONLY, [1e9], [2]],
    [TO_ONLY, [-5], [66]],
    [CLASS, [1], [1.5, 3]],
    [EMPLOYER, [1017], [1018]],
    [DECIMALS, [0.1, 0.3], [0.30000000000000004]],
  ])('%j passes for %j, but not for %j', (filter, passing, failing) => {
    const figures = [...passing, ...failing];
    const passed = figures.filter((value) => passes([filter], { name: filter.Name, value }));
    expect(passed).toEqual(passing);
  });

  const SECOND: ItemFilter = { Name: 'amount', From: 30_000, To: null };
  it.each<[string, readonly ItemFilter[], object, boolean]>([
    ['must all pass', [AMOUNT, CLASS], { Amount: 600, EnergyClass: 2 }, true],
    ['must all pass', [AMOUNT, CLASS], { Amount: 600, EnergyClass: 3 }, false],
    ['must all pass', [AMOUNT, CLASS], { Amount: 1, EnergyClass: 2 }, false],
    ['pass without their figure', [AMOUNT, CLASS, EMPLOYER], {}, true],
    ['pass without their figure', [AMOUNT, CLASS], { EnergyClass: 1 }, true],
    ['pass if there are none', [], { Amount: 1 }, true],
    ['have case-insensitive, trimmed names', [AMOUNT], { ' AMOUNT ': 1 }, false],
    ['of the same name must all pass', [AMOUNT, SECOND], { Amount: 600 }, false],
    ['fail without their custom list', [{ Name: 'Employer', List: 'GONE' }], { Employer: 1001 }, false],
  ])('%s: %j with %j: %s', (_, filters, sent, expected) => {
    const figures = Object.entries(sent).map(([name, value]) => ({ name, value: Number(value) }));
    expect(passes(filters, ...figures)).toBe(expected);
  });
});

const named = (...names: readonly string[]) => names.map((name) => ({ name, value: 600 }));

describe('figures of a request (L3)', () => {
  it('are rejected if two with the same name differ', () => {
    const sent = [...named('Amount', 'amount', 'EnergyClass'), { name: 'AMOUNT', value: 700 }];
    const { figures, faults } = read(sent);
    expect(figures.flat()).toEqual(['amount', 600, 'energyclass', 600]);
    expect(faults).toEqual(['exclusive filterList[3].value']);
  });

  it('without a filter are ignored, each with a warning', () => {
    const sent = named('Colour', 'AMOUNT', 'Colour');
    expect(read(sent).warnings).toMatchObject([unknown(0), unknown(2)]);
    expect(read(sent, []).warnings).toMatchObject([unknown(0), unknown(1), unknown(2)]);
    expect(read([])).toEqual({ figures: [], faults: [], warnings: [] });
  });
});

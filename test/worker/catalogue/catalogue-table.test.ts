import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { systemTimers } from '../../../shared/platform/system-ports.ts';
import type { CatalogueTable } from '../../../shared/product/storage/catalogue-table.ts';
import { toCatalogueMessage } from '../../../shared/product/storage/catalogue-message.ts';
import type { Codec } from '../../../shared/messaging/codec.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import { silentLog, type Log } from '../../../shared/platform/log.ts';
import {
  CATALOGUE_TOPIC,
  createCatalogueWorld,
  day,
  guidOf,
  interestListValue,
  productValue,
  recordOf,
} from '../../support/worlds/catalogue-world.ts';

const TODAY = day('2026-06-01');
/** Time limit between writing a record and finding it by a look-up. */
const SEEN_WITHIN_MS = 1_000;
const product = (code: string, fields: object = {}) => recordOf('product', productValue(code, fields));
const periodicity = (name: string, count = 10) => recordOf('periodicity', { name, count, unit: 'Days' });

const seen = (check: () => void) => vi.waitFor(check, { timeout: SEEN_WITHIN_MS, interval: 5 });
const days = (name: string, table: { lending: { periodicities: readonly object[] } }) =>
  table.lending.periodicities.find((one) => JSON.stringify(one).includes(`"${name}"`));

/** An asynchronous codec that first fails the given number of times. */
function slowCodec(codec: Codec, failures: number, delayMs = 20): Codec {
  let left = failures;
  let known = false;
  return {
    ...codec,
    decode: (message) => {
      if (known) return codec.decode(message);
      return sleep(delayMs).then(() => {
        left -= 1;
        if (left >= 0) throw new InfrastructureError('registry-away', 'away');
        known = true;
        return codec.decode(message);
      });
    },
  };
}

function collectingLog() {
  const warnings: string[] = [];
  const warn = (fields: object, text: string) => warnings.push(JSON.stringify([fields, text]));
  return { log: { ...silentLog, warn } as unknown as Log, warnings };
}

describe('a look-up in the catalogue table', () => {
  it('finds the version Approved on the day by id, and by case-insensitive code (L1)', async () => {
    const world = await createCatalogueWorld();
    await world.put(
      product('TL', { EndDate: '2025-12-31' }),
      product('TL', { Version: 2, Id: guidOf(2), StartDate: '2026-01-01' }),
      product('TL', { Version: 3, Id: guidOf(3), Status: 'Draft' }),
    );
    const table = await world.table();
    expect(table.product(' tl', TODAY)?.Version).toBe(2);
    expect(table.product('TL', day('2025-12-31'))?.Version).toBe(1);
    expect(table.product('TL', day('2019-12-31'))).toBeUndefined();
    expect(table.productById(guidOf(2).toUpperCase(), TODAY)?.Version).toBe(2);
    expect(table.productById(guidOf(1), TODAY)).toBeUndefined();
    expect(table.productById(guidOf(3), TODAY)).toBeUndefined();
    expect(table.product('XX', TODAY)).toBeUndefined();
  });

  it('finds the highest Active version of a list, and the highest version of a custom list (L2)', async () => {
    const world = await createCatalogueWorld();
    await world.put(
      recordOf('interest-list', interestListValue('INT', { Name: 'first' })),
      recordOf('interest-list', interestListValue('INT', { Name: 'second', Version: 2, Id: guidOf(8) })),
      recordOf('interest-list', interestListValue('INT', { Version: 3, Id: guidOf(9), Status: 'Closed' })),
      recordOf('custom-list', { Code: 'C', Values: [1] }),
      recordOf('custom-list', { Code: 'C', Version: 2, Values: [2] }),
    );
    const table = await world.table();
    expect(table.list('interest-list', 'int')?.Name).toBe('second');
    expect(table.list('custom-list', 'c')?.Values).toEqual([2]);
    for (const kind of ['commission-list', 'insurance-list', 'discount-list'] as const)
      expect(table.list(kind, 'INT')).toBeUndefined();
  });
});

describe('the catalogue table', () => {
  it('follows new, changed and deleted records within a second', async () => {
    const world = await createCatalogueWorld();
    const table = await world.table();
    await world.put(product('TL'));
    await seen(() => expect(table.product('TL', TODAY)?.Name).toBe('Product TL'));
    await world.put(product('TL', { Name: 'Other' }));
    await seen(() => expect(table.product('TL', TODAY)?.Name).toBe('Other'));
    expect(table.productCodes()).toEqual(['tl']);
    await world.put(product('MG', { Id: guidOf(2) }));
    await seen(() => expect(table.productCodes()).toEqual(['mg', 'tl']));
    await world.remove('product/tl/1');
    await seen(() => expect(table.product('TL', TODAY)).toBeUndefined());
    expect(table.productCodes()).toEqual(['mg']);
    await world.remove('product/mg/1');
    await seen(() => expect(table.productCodes()).toEqual([]));
    expect(table.stats()).toMatchObject({ records: 0, unpackedRecords: 0 });
    expect(table.identities()).toEqual([]);
  });
});

describe('unreadable records', () => {
  it('are treated as absent if only their body is unreadable, and are logged once', async () => {
    const world = await createCatalogueWorld();
    const { log, warnings } = collectingLog();
    await world.put(recordOf('interest-list', interestListValue('INT', { Name: 'first' })));
    const second = recordOf('interest-list', interestListValue('INT', { Version: 2, Id: guidOf(8) }));
    const broken = { ...toCatalogueMessage(second), body: Buffer.from('broken') };
    const encoded = await world.codec.encode('CatalogueRecord', broken, 'avro');
    await world.write('interest-list/int/2', encoded.value, encoded.headers);
    const table = await world.table({ log });
    expect(table.list('interest-list', 'INT')?.Name).toBe('first');
    expect(table.list('interest-list', 'INT')?.Name).toBe('first');
    expect(table.stats()).toMatchObject({ records: 2, badRecords: 1 });
    expect(warnings).toHaveLength(1);
    await world.put(second);
    await table.caughtUp(SEEN_WITHIN_MS);
    expect(table.list('interest-list', 'INT')?.Version).toBe(2);
  });
});

describe('schedule types, periodicities and calendars', () => {
  it('are compiled with the built-in ones, and again only after a change', async () => {
    const world = await createCatalogueWorld();
    await world.put(periodicity('Every 10 days'));
    const table = await world.table();
    const { lending } = table;
    expect(lending.findScheduleType('EqualInstallments')).toBeDefined();
    expect(days('Every 10 days', table)).toMatchObject({ count: 10 });
    await world.put(product('TL'));
    await table.caughtUp(SEEN_WITHIN_MS);
    expect(table.lending).toBe(lending);
    await world.put(periodicity('Every 10 days', 11));
    await table.caughtUp(SEEN_WITHIN_MS);
    expect(days('Every 10 days', table)).toMatchObject({ count: 11 });
    await world.remove('periodicity/every 10 days/1');
    await table.caughtUp(SEEN_WITHIN_MS);
    expect(days('Every 10 days', table)).toBeUndefined();
  });

  it('are excluded if they are faulty, together with those that depend on them', async () => {
    const world = await createCatalogueWorld();
    await world.put(
      periodicity('Every 10 days'),
      periodicity('Monthly'),
      recordOf('calendar', { name: 'Base', version: '1', holidays: ['2025-02-30'] }),
      recordOf('calendar', { name: 'Branch', version: '1', holidays: [], base: 'Base' }),
      recordOf('calendar', { name: 'Bank', version: '1', holidays: ['2025-02-03'] }),
    );
    const { log, warnings } = collectingLog();
    const table = await world.table({ log });
    expect(days('Every 10 days', table)).toBeDefined();
    expect(table.lending.calendars.find('Bank')).toBeDefined();
    expect(table.lending.calendars.find('Branch')).toBeUndefined();
    expect(table.stats().namesLeftOut).toBe(3);
    expect(warnings).toHaveLength(3);
  });
});

const list = (Version: number, fields: object, Code = 'COM') => {
  const value = { PeriodicityType: 'Monthly', Currency: 'EUR', ValueIsPercent: true, Percent: 1, ...fields };
  const Commissions = [{ Id: guidOf(800), Name: 'Share', ...value }];
  return recordOf('commission-list', { Code, Version, Id: guidOf(700 + Version), Name: 'C', Commissions });
};

const baseIn = ({ lending }: CatalogueTable) =>
  lending.knownCharges?.named('FeeName', 'share')?.agreement.defaults?.appliedTo;

describe('commissions and insurances', () => {
  it('come from the lists in force, and follow changes without recompiling schedule types (F1, S6)', async () => {
    const world = await createCatalogueWorld();
    const table = await world.table();
    const { lending } = table;
    expect(lending.knownCharges).toBeUndefined();
    for (const [change, base] of [
      [() => world.put(list(1, { PercentAppliedTo: 'Interest' })), 'Interest'],
      [() => world.put(list(2, { PercentAppliedTo: 'Principal' })), 'Principal'],
      [() => world.remove('commission-list/com/2'), 'Interest'],
      [() => world.remove('commission-list/com/1'), undefined],
    ] as const) {
      await change();
      await table.caughtUp(SEEN_WITHIN_MS);
      expect(baseIn(table)).toBe(base);
    }
    expect(table.lending).toBe(lending);
    expect(lending.knownCharges).toBeUndefined();
  });

  it('of many changed lists come into force together, after turns of the event loop for ten lists each', async () => {
    const turns: (() => void)[] = [];
    const world = await createCatalogueWorld();
    const write = (PercentAppliedTo: string) =>
      world.put(...Array.from({ length: 31 }, (_, place) => list(1, { PercentAppliedTo }, `COM${place}`)));
    await write('Interest');
    const timers = { ...systemTimers, nextTurn: (turn: () => void) => void turns.push(turn) };
    const table = await world.table({ timers });
    expect(baseIn(table)).toBe('Interest');
    await write('Principal');
    await table.caughtUp(SEEN_WITHIN_MS);
    // A call that finds at most 20 unread lists reads them.
    for (const base of ['Interest', 'Interest', 'Principal']) {
      expect(baseIn(table)).toBe(base);
      turns.shift()?.();
    }
  });
});

describe('a schema that must be fetched', () => {
  it('delays startup, and fetching is retried while the registry is unavailable', async () => {
    const world = await createCatalogueWorld();
    await world.put(product('TL'));
    const table = await world.table({ codec: slowCodec(world.codec, 2) });
    expect(table.product('TL', TODAY)).toBeDefined();
  });

  it('leaves the former record in force while the registry is unavailable, and health says so', async () => {
    const world = await createCatalogueWorld();
    await world.put(product('TL', { Name: 'former' }));
    let isAway = false;
    const decode: Codec['decode'] = (message) =>
      isAway ? Promise.reject(new InfrastructureError('registry-away', 'away')) : world.codec.decode(message);
    const table = await world.table({ codec: { ...world.codec, decode } });
    const name = () => table.product('TL', TODAY)?.Name;
    expect([name(), table.health().status]).toEqual(['former', 'ready']);
    isAway = true;
    await world.put(product('TL', { Name: 'new' }));
    const reason = `1 record of ${CATALOGUE_TOPIC} cannot be read until the schema registry answers`;
    await seen(() => expect(table.health()).toEqual({ status: 'degraded', reason }));
    isAway = false;
    await seen(() => expect(table.health().status).toBe('ready'));
    expect(name()).toBe('new');
  });
});

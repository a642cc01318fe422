import {
  CATALOGUE_TOPIC,
  guidOf,
  interestListValue,
  productValue,
  recordOf,
} from '../../../support/worlds/catalogue-world.ts';
import { expect, it, vi } from 'vitest';
import { catalogueVersion, productPage } from '../../../../shared/api/operations/product-lists.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { createTestBroker, openNotificationIngress } from '../../../support/worlds/ingress-fixture.ts';
import { changesOf } from '../../../support/worlds/catalogue-changes.ts';
import { createSharedBroker, startOn } from '../../../support/worlds/ingress-system.ts';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import { startIngressWorker } from '../../../../workers/ingress/main.ts';
import { operationsOf } from '../../../support/worlds/operations-calls.ts';

const product = (code: string, fields: object = {}) => recordOf('product', productValue(code, fields));

/** A product with any code, as a record in Avro may have. */
function withCode(Code: string, number: number): CatalogueRecord {
  const entry = product('TL', { Id: guidOf(number) });
  return { ...entry, record: { ...entry.record, Code } } as CatalogueRecord;
}

async function openOperations() {
  const broker = await createSharedBroker(1);
  const change = changesOf(broker, CATALOGUE_TOPIC);
  const { url } = await startOn(broker, startIngressWorker);
  return {
    url,
    ...operationsOf(url),
    put: (...records: readonly CatalogueRecord[]) => change({ put: records }),
    remove: (...keys: readonly string[]) => change({ remove: keys }),
  };
}

type Page = { readonly products: readonly { readonly code: string }[]; readonly nextCursor?: string };
const codesOf = (body: unknown) => (body as Page).products.map(({ code }) => code);

it('the list has every version, those of the latest Approved one first in name, and follows the topic from an empty one', async () => {
  const { get, put, remove } = await openOperations();
  expect((await get('/products')).body).toEqual({ products: [], count: 0, total: 0, isComplete: true });
  await put(
    product('TL', { Name: 'Old loan', EndDate: '2023-12-31' }),
    product('TL', { Name: 'Loan', Version: 2, Id: guidOf(2), StartDate: '2024-01-01' }),
    product('TL', { Name: 'Next loan', Version: 3, Id: guidOf(3), Status: 'Draft' }),
  );
  await expect.poll(async () => codesOf((await get('/products')).body)).toEqual(['TL']);
  const { body } = await get('/products');
  productPage.strict().parse(body);
  const old = { status: 'Approved', validFrom: '2020-01-01', validTo: '2023-12-31', name: 'Old loan' };
  const versions = [
    { version: 1, ...old },
    { version: 2, id: guidOf(2), validFrom: '2024-01-01', validTo: null },
    { version: 3, status: 'Draft', name: 'Next loan' },
  ];
  const found = { code: 'TL', name: 'Loan', type: 'TL', currency: 'EUR', versionCount: 3, versions };
  expect(body).toMatchObject({ count: 1, products: [found] });
  await remove('product/tl/3');
  await put(product('AB'));
  await expect.poll(async () => codesOf((await get('/products')).body)).toEqual(['AB', 'TL']);
  expect((await get('/products/tl')).body).toMatchObject({ versionCount: 2 });
});

it('the list can be limited to what is valid on a day: Approved, both ends included', async () => {
  const { get, put } = await openOperations();
  await put(
    product('ENDED', { EndDate: '2023-12-31' }),
    product('LATER', { StartDate: '2024-01-01', Id: guidOf(2) }),
    product('DRAFT', { Status: 'Draft', Id: guidOf(3) }),
    product('OPEN', { StartDate: null, Id: guidOf(4) }),
  );
  const validOn = async (day: string) => codesOf((await get(`/products?validOn=${day}`)).body);
  expect(await validOn('2023-12-31')).toEqual(['ENDED', 'OPEN']);
  expect(await validOn('2024-01-01')).toEqual(['LATER', 'OPEN']);
  expect(await validOn('1999-01-01')).toEqual(['OPEN']);
});

it('the list has pages that continue after a code that the files of a catalogue cannot have', async () => {
  const { get, put } = await openOperations();
  await put(...['a+b', 'n/a', 'Împrumut'].map(withCode));
  const seen: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await get(`/products?limit=1${after}`);
    expect(status).toBe(200);
    seen.push(...codesOf(body));
    cursor = (body as unknown as Page).nextCursor;
  }
  expect(seen).toEqual(['a+b', 'n/a', 'Împrumut']);
});

const standard = { Id: guidOf(11), Name: 'Standard', InterestList: 'int', CommissionList: 'COM-GONE' };
const other = { Id: guidOf(12), Name: 'Other', InterestList: 'INT', CommissionList: null };
const referring = product('TL', {
  InterestsAndCommissions: [{ ...standard, Filters: [{ Name: 'Employer', List: 'EMPLOYERS' }] }, other],
  Discounts: ['DIS'],
  LimitList: 'LIM',
});
const ofRegion = { Id: guidOf(21), Name: 'Region', AppliedToDimension: 'Interest', DiscountValue: 1 };
const discounts = recordOf('discount-list', {
  Code: 'DIS',
  Id: guidOf(20),
  Name: 'Discounts',
  Discounts: [{ ...ofRegion, Filters: [{ Name: 'Region', List: 'REGIONS' }] }],
});

it('a version has all fields and, once each, the lists in force to which it refers', async () => {
  const { get, put } = await openOperations();
  await put(
    referring,
    discounts,
    recordOf('interest-list', interestListValue('INT')),
    recordOf('interest-list', interestListValue('INT', { Version: 2, Id: guidOf(31), Name: 'New' })),
    recordOf('interest-list', interestListValue('INT', { Version: 3, Id: guidOf(32), Status: 'Draft' })),
    recordOf('custom-list', { Code: 'EMPLOYERS', Values: [1, 2] }),
    recordOf('custom-list', { Code: 'REGIONS', Values: [40] }),
  );
  const { body } = await get('/products/tl/versions/1');
  catalogueVersion.strict().parse(body);
  expect(body).toMatchObject({
    code: 'TL',
    version: 1,
    status: 'Approved',
    isComplete: true,
    product: { Code: 'TL', GeneralData: { PeriodicityType: 'Monthly' }, Guarantees: [] },
    lists: [
      { kind: 'interest-list', code: 'int', version: 2, record: { Name: 'New' } },
      { kind: 'commission-list', code: 'COM-GONE', fault: 'no version of it is in force' },
      { kind: 'discount-list', code: 'DIS', version: 1 },
      { kind: 'limit-list', code: 'LIM', fault: 'no version of it is in force' },
      { kind: 'custom-list', code: 'EMPLOYERS', record: { Values: [1, 2] } },
      { kind: 'custom-list', code: 'REGIONS', record: { Values: [40] } },
    ],
  });
});

it('a version is unknown if its product or number is; lists report all faults of parameters', async () => {
  const { get, put } = await openOperations();
  await put(referring);
  for (const address of ['/products/XX', '/products/XX/versions/1', '/products/TL/versions/2']) {
    expect((await get(address)).body).toMatchObject({ status: 404, code: 'unknown-product' });
  }
  for (const number of ['0', '-1', '1.5', 'x', '99999999999']) {
    expect((await get(`/products/TL/versions/${number}`)).status).toBe(404);
  }
  const { status, body } = await get(
    `/products?search=${'x'.repeat(101)}&validOn=2024-02-30&limit=201&cursor=%07&serch=tl`,
  );
  expect(status).toBe(400);
  expect(body).toMatchObject({
    code: 'invalid-request',
    errors: [
      { path: 'search', message: 'must have at most 100 characters' },
      { path: 'validOn', code: 'invalid-date', message: 'must be an existing day such as 2026-05-01' },
      { path: 'limit', code: 'out-of-range', message: 'must be a whole number from 1 to 200' },
      { path: 'cursor', message: 'must be one line of text' },
      { path: 'serch' },
    ],
  });
});

it('the addresses answer 304 as long as nothing has changed', async () => {
  const { url, put } = await openOperations();
  await put(product('TL'));
  const address = `${url}/api/operations/v1/products`;
  const etag = (await fetch(address)).headers.get('etag') ?? '';
  const again = async () => (await fetch(address, { headers: { 'if-none-match': etag } })).status;
  expect(await again()).toBe(304);
  await put(product('MG', { Id: guidOf(2) }));
  await expect.poll(again).toBe(200);
});

it('the addresses answer 503 while the broker cannot be reached or has no topic, and try again with the next call', async () => {
  const broker = await createTestBroker();
  const { get } = operationsOf((await openNotificationIngress({ broker })).url);
  const away = new MessagingError('broker-unavailable', 'away', { canRetry: true });
  const counts = vi.spyOn(broker.admin, 'partitionCounts').mockRejectedValue(away);
  expect((await get('/products')).body).toMatchObject({ status: 503, code: 'broker-unavailable' });
  counts.mockRestore();
  const detail = expect.stringContaining('npm run topics') as string;
  expect((await get('/products')).body).toMatchObject({ status: 503, code: 'not-ready', detail });
  await broker.admin.createTopics([{ topic: CATALOGUE_TOPIC, partitions: 1 }]);
  expect((await get('/products')).status).toBe(200);
});

import { describe, expect, it, vi } from 'vitest';
import { OPERATIONS_LIMITS } from '../../../../shared/contract/operations/limits.ts';
import {
  catalogueProduct,
  catalogueVersion,
  productPage,
} from '../../../../shared/contract/operations/products.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { encodeRecord } from '../../../../shared/contract/catalogue-files/catalogue-message.ts';
import { authorize, JWT_SECRET } from '../../../support/builders/access-token.ts';
import {
  CATALOGUE_TOPIC,
  catalogueCodec,
  guidOf,
  interestListValue,
  productValue,
  recordOf,
} from '../../../support/worlds/catalogue-world.ts';
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

/** A filter by a custom list. */
const filter = (Name: string, List: string) => ({ Name, List });

/** Validity on a single day, counted from 2020-01-01. */
function onlyDay(index: number) {
  const day = new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
  return { StartDate: day, EndDate: day };
}

/** An ingress over an empty catalogue topic. */
async function openOperations(env: Record<string, string> = {}) {
  const broker = await createSharedBroker(1);
  const change = changesOf(broker, CATALOGUE_TOPIC);
  const { url } = await startOn(broker, startIngressWorker, env);
  return {
    broker,
    url,
    ...operationsOf(url),
    put: (...records: readonly CatalogueRecord[]) => change({ put: records }),
    remove: (...keys: readonly string[]) => change({ remove: keys }),
  };
}

type Page = { readonly products: readonly { readonly code: string }[]; readonly nextCursor?: string };
const codesOf = (body: unknown) => (body as Page).products.map(({ code }) => code);

describe('the list of products', () => {
  it('is empty while the catalogue is', async () => {
    const { get } = await openOperations();
    const { status, body } = await get('/products');
    expect(status).toBe(200);
    expect(body).toEqual({ products: [], count: 0, total: 0, isComplete: true });
  });

  it('has every version, those of the latest Approved one first in name, and follows the topic', async () => {
    const { get, put, remove } = await openOperations();
    await put(
      product('TL', { Name: 'Old loan', EndDate: '2023-12-31' }),
      product('TL', { Name: 'Loan', Version: 2, Id: guidOf(2), StartDate: '2024-01-01' }),
      product('TL', { Name: 'Next loan', Version: 3, Id: guidOf(3), Status: 'Draft' }),
    );
    const { body } = await get('/products');
    productPage.strict().parse(body);
    expect(body).toMatchObject({
      count: 1,
      products: [
        {
          code: 'TL',
          name: 'Loan',
          type: 'TL',
          currency: 'EUR',
          versionCount: 3,
          versions: [
            {
              version: 1,
              status: 'Approved',
              validFrom: '2020-01-01',
              validTo: '2023-12-31',
              name: 'Old loan',
            },
            { version: 2, id: guidOf(2), validFrom: '2024-01-01', validTo: null },
            { version: 3, status: 'Draft', name: 'Next loan' },
          ],
        },
      ],
    });
    await remove('product/tl/3');
    await put(product('AB'));
    await expect.poll(async () => codesOf((await get('/products')).body)).toEqual(['AB', 'TL']);
    expect((await get('/products/tl')).body).toMatchObject({ versionCount: 2 });
  });

  it('finds words in code, name and type, without regard to case and diacritics', async () => {
    const { get, put } = await openOperations();
    await put(
      product('CREDIT-1', { Name: 'Credit pentru școală' }),
      product('MG-1', { Name: 'Home', Id: guidOf(2), BankingProductType: 'Mortgage' }),
    );
    const find = async (search: string) =>
      codesOf((await get(`/products?search=${encodeURIComponent(search)}`)).body);
    expect(await find('SCOALA credit')).toEqual(['CREDIT-1']);
    expect(await find('ȘCOALĂ')).toEqual(['CREDIT-1']);
    expect(await find('mortg')).toEqual(['MG-1']);
    expect(await find('mg-1')).toEqual(['MG-1']);
    expect(await find('home credit')).toEqual([]);
  });

  it('can be limited to what is valid on a day: Approved, both ends included', async () => {
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

  it('has pages that continue after the last code', async () => {
    const { get, put } = await openOperations();
    const codes = ['P-1', 'p-2', 'P-3', 'P-4', 'Q-1'];
    await put(...codes.map((code, number) => product(code, { Id: guidOf(number + 1) })));
    const first = (await get('/products?limit=2&search=p-')).body;
    expect(codesOf(first)).toEqual(['P-1', 'p-2']);
    expect(first).toMatchObject({ count: 4, total: 5, nextCursor: 'p-2' });
    const second = (await get('/products?limit=2&search=p-&cursor=p-2')).body;
    expect(codesOf(second)).toEqual(['P-3', 'P-4']);
    expect(second).not.toHaveProperty('nextCursor');
  });

  it('has pages that continue after a code that the files of a catalogue cannot have', async () => {
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

  it('shows the latest versions of a product with very many', async () => {
    const { get, put } = await openOperations();
    const count = OPERATIONS_LIMITS.listedVersions + 1;
    await put(
      ...Array.from({ length: count }, (_, index) =>
        product('TL', { Version: index + 1, Id: guidOf(index + 1), ...onlyDay(index) }),
      ),
    );
    const { products } = (await get('/products?validOn=2020-01-01')).body as unknown as {
      products: { versionCount: number; versions: { version: number }[] }[];
    };
    expect(products[0]?.versionCount).toBe(count);
    expect(products[0]?.versions[0]?.version).toBe(2);
    expect(products[0]?.versions).toHaveLength(OPERATIONS_LIMITS.listedVersions);
    expect((await get('/products/TL/versions/1')).body).toMatchObject({ version: 1 });
  });

  it('reports all faults of its parameters', async () => {
    const { get } = await openOperations();
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

  it('lists a version whose record cannot be read, without a name', async () => {
    const { get, put, broker } = await openOperations();
    const { value, headers = {} } = await encodeRecord(catalogueCodec(), CATALOGUE_TOPIC, product('TL'));
    await put(product('TL', { Version: 2, Id: guidOf(2) }));
    const publisher = broker.createPublisher({ clientId: 'by-hand' });
    await publisher.start();
    // The compressed body is damaged; what an index reads is not.
    const damaged = Buffer.from(value ?? '');
    damaged.fill(0, damaged.length - 40);
    await publisher.publish([{ topic: CATALOGUE_TOPIC, key: 'product/tl/1', value: damaged, headers }]);
    await publisher.stop();
    const { body } = await get('/products/TL');
    catalogueProduct.strict().parse(body);
    expect(body).toMatchObject({ name: 'Product TL', versions: [{ version: 1 }, { version: 2 }] });
    const version = (await get('/products/TL/versions/1')).body;
    catalogueVersion.strict().parse(version);
    expect(version).toMatchObject({ version: 1, fault: 'its body cannot be decompressed', lists: [] });
    expect(version).not.toHaveProperty('product');
  });
});

describe('a version of a product', () => {
  const referring = product('TL', {
    InterestsAndCommissions: [
      {
        Id: guidOf(11),
        Name: 'Standard',
        InterestList: 'int',
        CommissionList: 'COM-GONE',
        Filters: [filter('Employer', 'EMPLOYERS')],
      },
      { Id: guidOf(12), Name: 'Other', InterestList: 'INT', CommissionList: null },
    ],
    Discounts: ['DIS'],
  });
  const discounts = recordOf('discount-list', {
    Code: 'DIS',
    Id: guidOf(20),
    Name: 'Discounts',
    Discounts: [
      {
        Id: guidOf(21),
        Name: 'Region',
        AppliedToDimension: 'Interest',
        DiscountValue: 1,
        Filters: [filter('Region', 'REGIONS')],
      },
    ],
  });

  it('has all fields and, once each, the lists in force to which it refers', async () => {
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
        { kind: 'custom-list', code: 'EMPLOYERS', record: { Values: [1, 2] } },
        { kind: 'custom-list', code: 'REGIONS', record: { Values: [40] } },
      ],
    });
  });

  it('is unknown if its product or its number is', async () => {
    const { get, put } = await openOperations();
    await put(referring);
    for (const address of ['/products/XX', '/products/XX/versions/1', '/products/TL/versions/2']) {
      expect((await get(address)).body).toMatchObject({ status: 404, code: 'unknown-product' });
    }
    for (const number of ['0', '-1', '1.5', 'x', '99999999999']) {
      expect((await get(`/products/TL/versions/${number}`)).status).toBe(404);
    }
  });
});

describe('the addresses of products', () => {
  it('need the scope operations:read', async () => {
    const { url } = await openOperations({ AUTH_JWT_SECRET: JWT_SECRET });
    for (const address of ['/products', '/products/TL', '/products/TL/versions/1']) {
      expect((await operationsOf(url).get(address)).status).toBe(401);
      const writer = operationsOf(url, await authorize('olga', 'operations:write'));
      const refused = await writer.get(address);
      expect(refused.status).toBe(403);
      expect(refused.headers.get('www-authenticate')).toContain('scope="operations:read"');
    }
    const reader = operationsOf(url, await authorize('olga', 'operations:read'));
    expect((await reader.get('/products')).status).toBe(200);
    expect((await reader.get('/products/TL')).status).toBe(404);
  });

  it('answer 304 as long as nothing has changed', async () => {
    const { url, put } = await openOperations();
    await put(product('TL'));
    const address = `${url}/api/operations/v1/products`;
    const etag = (await fetch(address)).headers.get('etag') ?? '';
    const again = async () => (await fetch(address, { headers: { 'if-none-match': etag } })).status;
    expect(await again()).toBe(304);
    await put(product('MG', { Id: guidOf(2) }));
    await expect.poll(again).toBe(200);
  });

  it('say that the topic is missing, and work as soon as it exists', async () => {
    const broker = await createTestBroker();
    const { url } = await openNotificationIngress({ broker });
    const { get } = operationsOf(url);
    const { status, body } = await get('/products');
    expect(status).toBe(503);
    expect(body).toMatchObject({
      code: 'not-ready',
      detail: expect.stringContaining('npm run topics') as string,
    });
    await broker.admin.createTopics([{ topic: CATALOGUE_TOPIC, partitions: 1 }]);
    expect((await get('/products')).status).toBe(200);
  });

  it('answer 503 while the broker cannot be reached, and try again with the next call', async () => {
    const { get, broker } = await openOperations();
    const away = new MessagingError('broker-unavailable', 'away', { canRetry: true });
    const counts = vi.spyOn(broker.admin, 'partitionCounts').mockRejectedValue(away);
    expect((await get('/products')).body).toMatchObject({ status: 503, code: 'broker-unavailable' });
    counts.mockRestore();
    expect((await get('/products')).status).toBe(200);
  });
});

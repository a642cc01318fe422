import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { ACTIONS, findAction } from '../../../../shared/api/actions/actions.ts';
import { examplesOf } from '../../../support/builders/action-examples.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../../workers/ingress/main.ts';
import { EXAMPLE_TIME_MS } from '../../../support/builders/example-catalogue.ts';
import { bodyOf, createBatchWorld, jsonBatch, textOf } from '../../../support/worlds/batch-world.ts';
import { createSharedBroker, startOn } from '../../../support/worlds/ingress-system.ts';
import { startOverLog, startWithExamples } from '../../../support/worlds/product-worker.ts';
import { post } from '../../../support/builders/schedule-call.ts';

const PREFIX = '/platapi/automation-processors/actions/';
const SENT = { topic: TOPIC.productRequests, timestampMs: EXAMPLE_TIME_MS };

const byCode = examplesOf('plat_bp_getbankingproductbycode');
const details = examplesOf('plat_bp_getbankingproductdetails');
const insurances = examplesOf('PLAT_BP_GetProductInsuranceList');
const documents = examplesOf('plat_bp_getproductdocuments');

/** Message type, examples in JSON, and a request and its reply in Avro. */
const LOOK_UPS = [
  [
    'GetBankingProductByCode',
    byCode,
    { BankingProductCode: 'TL-PERSONAL', displayBPAvailability: true, displayMandatoryRoles: true },
    { json: JSON.stringify(byCode[0].reply) },
  ],
  ['GetBankingProductDetails', details, { productCode: 'tl-personal' }, details[0].reply],
  [
    'GetProductInsuranceList',
    insurances,
    { productCode: 'MG-HOME', filterList: [{ name: 'Amount', value: new Decimal(150_000) }] },
    { ...(insurances[0].reply as object), warnings: [] },
  ],
  ['GetProductDocuments', documents, { productCode: 'TL-PERSONAL' }, { documents: documents[0].reply }],
] as const;

it('replies in JSON to requests in JSON, and in Avro to requests in Avro', async () => {
  const { ask, askAvro } = await createBatchWorld({ start: startWithExamples });
  for (const [type, examples, avro, payload] of LOOK_UPS) {
    for (const { request, reply } of examples) {
      const answer = await ask(jsonBatch(request, `${type}Request`, SENT));
      expect(bodyOf(answer)).toEqual(reply);
      expect(textOf(answer, HEADER.messageType)).toBe(`${type}Reply`);
      expect(textOf(answer, HEADER.correlationId)).toBe('batch-1');
    }
    const { decoded } = await askAvro(`${type}Request`, avro, SENT);
    expect(decoded).toEqual({ kind: 'decoded', type: `${type}Reply`, format: 'avro', payload });
  }
});

it('replies in Avro with the whole answer to requests for products, options and lists (L5, L6, L7)', async () => {
  const { ask, askAvro } = await createBatchWorld({ start: startWithExamples });
  for (const name of ['GetProductList', 'GetSimulationOptions', 'GetReferenceLists']) {
    for (const { request, reply } of examplesOf(`PLAT_BP_${name}`)) {
      expect(bodyOf(await ask(jsonBatch(request, `${name}Request`, SENT)))).toEqual(reply);
      const { decoded } = await askAvro(`${name}Request`, request, SENT);
      if (decoded.kind !== 'decoded') throw new Error(JSON.stringify(decoded));
      const rendered = findAction(`PLAT_BP_${name}`)?.render(decoded.payload) ?? '';
      expect([decoded.type, decoded.format, JSON.parse(rendered)]).toEqual([`${name}Reply`, 'avro', reply]);
    }
  }
});

it('answers reference lists even without a valid time, on which the other look-ups depend (D2)', async () => {
  const { ask } = await createBatchWorld({ start: startWithExamples });
  const sent = { topic: TOPIC.productRequests, timestampMs: 0 };
  const lists = await ask(jsonBatch({ displayInterestTypes: true }, 'GetReferenceListsRequest', sent));
  expect(bodyOf(lists)).toHaveProperty('InterestTypes.length', 4);
  const products = await ask(jsonBatch({}, 'GetProductListRequest', sent));
  expect(bodyOf(products)).toMatchObject({ status: 422, errors: [{ path: 'timestamp' }] });
});

it('selects the version by the day of the message, so that a repetition gives the same reply (L1)', async () => {
  const { ask } = await createBatchWorld({ start: startWithExamples });
  const productOn = async (timestampMs: number) => {
    const sent = { ...SENT, timestampMs };
    const request = { BankingProductCode: 'TL-PERSONAL' };
    return bodyOf(await ask(jsonBatch(request, 'GetBankingProductByCodeRequest', sent)));
  };
  expect(await productOn(Date.UTC(2023, 11, 31, 23, 59, 59, 999))).toMatchObject({
    BankingProduct: { EndDate: '2023-12-31T00:00:00' },
  });
  expect(await productOn(Date.UTC(2024, 0, 1))).toMatchObject({
    BankingProduct: { StartDate: '2024-01-01T00:00:00' },
  });
});

it('names the day and the versions of the records that it read, but not in a refusal (E7)', async () => {
  const { ask } = await createBatchWorld({ start: startWithExamples });
  const versionsOf = async (request: object, type: string) =>
    textOf(await ask(jsonBatch(request, `${type}Request`, SENT)), HEADER.versions);
  const selector = { BankingProductCode: 'tl-personal', Date: '2023-06-30' };
  expect(await versionsOf(selector, 'GetBankingProductByCode')).toMatch(
    /^engine=[\d.]+, rules=\d+, day=2023-06-30, product=TL-PERSONAL;version=1$/,
  );
  const sections = { BankingProductCode: 'TL-PERSONAL', displayInterestsAndCommissions: true };
  expect(await versionsOf(sections, 'GetBankingProductByCode')).toMatch(
    /, day=2026-\d\d-\d\d, product=TL-PERSONAL;version=2, commission-list=COM-PERSONAL;version=1, interest-list=INT-PERSONAL;version=1, commission-list=COM-SIMPLE;version=1$/,
  );
  expect(await versionsOf({ productCode: 'TL-PERSONAL' }, 'GetProductDocuments')).toMatch(
    /, product=TL-PERSONAL;version=2$/,
  );
  expect(await versionsOf({ productCode: 'NOTHING' }, 'GetProductDocuments')).toBeUndefined();
});

it('replies with 404 for an unknown product and 400 for a contradictory request or one over the limits, in both formats', async () => {
  const { ask, askAvro } = await createBatchWorld({ start: startWithExamples });
  const unknown = await ask(jsonBatch({ productCode: 'NOTHING' }, 'GetProductDocumentsRequest', SENT));
  expect(bodyOf(unknown)).toMatchObject({
    code: 'unknown-product',
    status: 404,
    correlationId: 'batch-1',
    errors: [{ path: 'productCode', code: 'unknown-product' }],
  });
  expect(textOf(unknown, HEADER.errorCode)).toBe('unknown-product');

  const contradicting = { productCode: 'TL-PERSONAL', productId: '0ea28468-eabf-59d0-a3c0-ef7ba75a2d13' };
  const refused = await askAvro('GetBankingProductDetailsRequest', contradicting, SENT);
  expect(refused.decoded).toMatchObject({
    type: 'ProblemReply',
    payload: { code: 'invalid-request', errors: [{ path: 'productId', code: 'exclusive' }] },
  });
  const overLimits = await askAvro('GetProductInsuranceListRequest', { productId: 'x' }, SENT);
  expect(textOf(overLimits.reply, HEADER.errorCode)).toBe('invalid-request');
});

it('reads the catalogue from the topic before the first look-up, and both body forms on any case of its path (E2, E4)', async () => {
  const broker = await createSharedBroker(1);
  const worker = await startOverLog(broker);
  await expect.poll(() => worker.health()).toEqual({ status: 'ready' });
  const { url } = await startOn(broker, startIngressWorker);
  for (const [type, [{ request, reply }]] of LOOK_UPS) {
    const action = ACTIONS.find(({ requestType }) => requestType === `${type}Request`);
    const direct = await post(url, request, { path: PREFIX + action?.name });
    expect(await direct.json()).toEqual(reply);
    const generic = { user_name: 'u', Data: JSON.stringify(request) };
    const other = await post(url, generic, { path: PREFIX + action?.name.toUpperCase() });
    expect(await other.json()).toEqual(reply);
  }
});

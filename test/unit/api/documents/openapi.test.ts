import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { ACTIONS } from '../../../../shared/api/actions/actions.ts';
import type { JsonSchema } from '../../../../shared/api/json/json-schema.ts';
import { openApiDocument } from '../../../../shared/api/documents/openapi.ts';
import { paymentValueRequest } from '../../../../shared/api/actions/pmt-action.ts';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import type { ReadRequest } from '../../../../shared/api/json/request-reader.ts';
import { findPaymentValueFaults } from '../../../../shared/lending/payment-value.ts';
import { findScheduleFaults } from '../../../../shared/lending/terms/validate-schedule-request.ts';
import { NOTIFICATIONS } from '../../../../shared/api/notification/send-operations.ts';
import { ERROR_CODES, type Fault } from '../../../../shared/platform/problem.ts';
import { PROOF_REQUEST } from '../../../support/builders/schedule-call.ts';

interface Media {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Parameter {
  readonly name: string;
  readonly schema?: JsonSchema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer & { readonly $ref?: string }>>;
}
interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, { readonly post: Operation; readonly get: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: object;
  };
}

const document = openApiDocument('1.2.3') as unknown as OpenApi;
const ACTION_PREFIX = '/platapi/automation-processors/actions/';

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
formats.default(ajv);
ajv.addKeyword('components');
ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } });

function faultsOf(name: string, value: unknown): readonly string[] {
  /** Unlike compile, it compiles each schema once. */
  const isValid = ajv.getSchema(`document#/components/schemas/${name}`);
  if (isValid === undefined) throw new Error(`${name} is not a schema of the document`);
  if (isValid(value) === true) return [];
  return (isValid.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

interface OperationTexts {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
}

function choicesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined {
  const choices = (anyOf ?? oneOf)?.filter(({ type }) => type !== 'null');
  return choices !== undefined && choices.length > 1 ? choices : undefined;
}

const isRanged = ({ minimum, exclusiveMinimum, maximum, const: only, enum: values }: JsonSchema) =>
  ((minimum ?? exclusiveMinimum) !== undefined && maximum !== undefined) || (only ?? values) !== undefined;

function partsOf(
  schema: JsonSchema,
  place: string,
): { readonly place: string; readonly schema: JsonSchema }[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const parts: (readonly [string, JsonSchema | undefined])[] = [
    ...Object.entries(properties),
    ['[]', items],
    ['{}', typeof additionalProperties === 'object' ? additionalProperties : undefined],
    ...[...anyOf, ...oneOf].map((one, index) => [String(index), one] as const),
  ];
  return [
    { place, schema },
    ...parts.flatMap(([name, part]) => (part === undefined ? [] : partsOf(part, `${place}.${name}`))),
  ];
}

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('whole numbers in addresses have a range and a format, and times the pattern of their check', () => {
  const operations = Object.values(document.paths).flatMap((item): Operation[] => Object.values(item));
  const numbers = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ schema }) => schema?.type === 'integer');
  expect(numbers.length).toBeGreaterThanOrEqual(5);
  for (const { name, schema = {} } of numbers) {
    const isLong = (schema.maximum ?? Infinity) > 2_147_483_647;
    const format = isLong ? 'int64' : undefined;
    expect([name, isRanged(schema), schema.format]).toEqual([name, true, format]);
  }
  const { parameters = [] } = document.paths['/api/operations/v1/dead-letters']?.get ?? {};
  const patterns = ['since', 'until'].map(
    (name) => new RegExp(parameters.find((one) => one.name === name)?.schema?.pattern ?? ''),
  );
  for (const pattern of patterns) {
    const times = ['2026-05-01', '2026-05-01T10:00:00Z', '', 'yesterday', '2026-05-01T10:00:00'];
    expect(times.map((time) => pattern.test(time))).toEqual([true, true, false, false, false]);
  }
});

const under = (prefix: string, names: string) => names.split(' ').map((name) => prefix + name);

test('the paths are those of the interface', () => {
  expect(document.servers).toEqual([{ url: '/' }]);
  expect(Object.keys(document.paths)).toEqual([
    ...under(ACTION_PREFIX, 'PLAT_BP_CalculateRepaymentSchedule PLAT_BP_CalculatePMT PLAT_BP_CalculateRate'),
    ...under(ACTION_PREFIX, 'plat_bp_getbankingproductbycode plat_bp_getbankingproductdetails'),
    ...under(ACTION_PREFIX, 'PLAT_BP_GetProductInsuranceList plat_bp_getproductdocuments'),
    ...under(ACTION_PREFIX, 'PLAT_BP_GetProductList PLAT_BP_GetSimulationOptions PLAT_BP_GetReferenceLists'),
    ...under(ACTION_PREFIX, 'PLAT_BP_Simulate PLAT_BP_CreateOfferDocument {action}'),
    '/platapi/results/{resultId}',
    ...under(
      '/api/notifications/v1/',
      'sms/send email/send sms/send/batch email/send/batch {notificationId} verifications',
    ),
    ...under('/api/notifications/v1/verifications/{verificationId}', '/check /resend'),
    '/api/notifications/v1/verifications/{verificationId}',
    ...under('/api/operations/v1/', 'notifications notifications/{notificationId} dead-letters'),
    ...under(
      '/api/operations/v1/dead-letters/',
      '{topic}/{partition}/{offset} redrive edit discard mark-sent',
    ),
    ...under('/api/operations/v1/', 'outbox outbox/{messageId} outbox/{messageId}/html suppressions'),
    ...under('/api/operations/v1/', 'suppressions/add suppressions/remove products'),
    ...under(
      '/api/operations/v1/',
      'products/{code} products/{code}/versions/{version} system system/settings',
    ),
    ...under('/', 'health/live health/ready metrics'),
  ]);
});

const { schemas } = document.components;

/** Types of Java, C#, TypeScript and Python, with which a generated type of the same name would collide. */
const BUILT_IN_TYPES =
  'System Object String Thread Process Exception Error List Map Set Record Type Enum Date Event Request Response Number Boolean Function Symbol Module Task Action Version Attribute'.split(
    ' ',
  );

const nodes = Object.entries(schemas).flatMap(([name, schema]) => partsOf(schema, name));

test('schemas are all used, and each object and union has a name of its own', () => {
  const text = JSON.stringify(document);
  const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
  expect(unused).toEqual([]);
  const inline = nodes.filter(
    ({ place, schema }) =>
      !Object.hasOwn(schemas, place) && (schema.properties ?? choicesOf(schema)) !== undefined,
  );
  expect(inline.map(({ place }) => place)).toEqual([]);
  expect(Object.keys(schemas).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => BUILT_IN_TYPES.includes(name))).toEqual([]);
});

test('schemas have unions of names and simple types, no lists of types besides null, and no tuples', () => {
  const options = nodes.flatMap(({ place, schema }) =>
    (choicesOf(schema) ?? []).map((one) => ({ place, one })),
  );
  expect(options.filter(({ one }) => (one.properties ?? one.items) !== undefined)).toEqual([]);
  const typeLists = nodes.filter(
    ({ schema: { type = '' } }) => typeof type !== 'string' && !(type.length === 2 && type[1] === 'null'),
  );
  expect(typeLists).toEqual([]);
  expect(JSON.stringify(document)).not.toContain('prefixItems');
});

test('schemas have the range of every whole number, and of every amount and rate of a calculation', () => {
  const open = nodes.filter(({ schema }) => [schema.type].flat().includes('integer') && !isRanged(schema));
  expect(open.map(({ place }) => place)).toEqual([]);
  const terms = 'RepaymentScheduleTerms PaymentTerms RateTerms CashFlow SimulateRequest CommissionCharge';
  for (const name of terms.split(' ')) {
    const fields = Object.entries(schemas[name]?.properties ?? {});
    const unlimited = fields.filter(
      ([, field]) => [field.type].flat().includes('number') && !isRanged(field),
    );
    expect(unlimited.map(([field]) => `${name}.${field}`)).toEqual([]);
  }
});

test('schemas refuse a band without its rate, as the calculation does', () => {
  for (const band of [{}, { Value: null }]) {
    expect(faultsOf('InterestRateBand', band)).not.toEqual([]);
    const jsonParam = { ...PROOF_REQUEST, BandedInterestRates: [band] };
    expect(repaymentScheduleRequest.read({ jsonParam })).toMatchObject({
      problem: 'invalid-request',
      faults: [{ path: 'jsonParam.BandedInterestRates[0].Value', code: 'missing' }],
    });
  }
});

const isNullable = ({ type, anyOf = [] }: JsonSchema) =>
  [type, ...anyOf.map((one) => one.type)].flat().includes('null');

describe.each(ACTIONS)('the fields of $name', (action) => {
  const {
    requestType,
    examples: [{ request }],
  } = action;
  const body = schemas[requestType]?.properties ?? {};
  const { $ref: terms } = body['jsonParam'] ?? {};
  const fields =
    terms === undefined ? body : (schemas[terms.slice(terms.lastIndexOf('/') + 1)]?.properties ?? {});
  const sent = (terms === undefined ? request : request['jsonParam']) as Readonly<Record<string, unknown>>;
  const readWith = (change: object) => {
    const changed = Object.fromEntries(
      Object.entries({ ...sent, ...change }).filter(([, value]) => value !== undefined),
    );
    const result = action.read(terms === undefined ? changed : { jsonParam: changed });
    return result.kind === 'valid' ? [] : result.faults.map(({ path, code }) => `${path} ${code}`);
  };

  const nullable = Object.entries(fields).filter(([, field]) => isNullable(field));
  const others = Object.entries(fields).filter(([, field]) => !isNullable(field));

  test.each(nullable)('%s may be null, as if it were absent', (name) => {
    expect(readWith({ [name]: null })).toEqual(readWith({ [name]: undefined }));
  });

  test.each(others)('%s must not be null', (name) => {
    const path = terms === undefined ? name : `jsonParam.${name}`;
    expect(readWith({ [name]: null })).toContain(`${path} missing`);
  });
});

const PAYMENT = { InstallmentsNo: 4, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' };

const faultyTerms = {
  RepaymentScheduleTerms: (fields: object) =>
    faultyFields(
      repaymentScheduleRequest.read({ jsonParam: { ...PROOF_REQUEST, ...fields } }),
      findScheduleFaults,
    ),
  PaymentTerms: (fields: object) =>
    faultyFields(paymentValueRequest.read({ jsonParam: { ...PAYMENT, ...fields } }), findPaymentValueFaults),
};

describe.each(Object.entries(faultyTerms))('the ranges of %s', (name, faultyWith) => {
  const ranged = Object.entries(schemas[name]?.properties ?? {}).filter(
    ([, { maximum }]) => maximum !== undefined,
  );

  test.each(ranged)(
    '%s is refused outside its range',
    (field, { minimum, exclusiveMinimum, maximum = 0 }) => {
      const below = exclusiveMinimum ?? (minimum ?? 0) - 1;
      for (const value of [below, maximum + 1]) expect(faultyWith({ [field]: value })).toContain(field);
    },
  );
});

function faultyFields<Payload>(
  read: ReadRequest<Payload>,
  find: (payload: Payload) => readonly Fault[],
): readonly string[] {
  const faults = read.kind === 'invalid' ? read.faults : find(read.payload);
  return faults.map(({ path }) => path.replace('jsonParam.', ''));
}

test('operations have ids, descriptions, tags and refusals; a POST one success and no If-None-Match', () => {
  const { tags } = openApiDocument('1') as { tags: { name: string; description: string }[] };
  const operations = Object.values(document.paths).flatMap((item) =>
    Object.values(item),
  ) as unknown as OperationTexts[];
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(id))).toEqual([]);
  const some = ['calculateRepaymentSchedule', 'calculatePmt', 'getBankingProductByCode', 'sendSms'];
  expect(ids).toEqual(expect.arrayContaining(some));
  for (const { operationId, description = '', summary, tags: own } of operations) {
    expect([operationId, description.length > 10, summary.endsWith('.')]).toEqual([operationId, true, false]);
    expect(tags.find(({ name }) => name === own[0])?.description).toMatch(/\.$/);
  }
  const posts = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Operation>>)
      .filter(([method]) => method === 'post')
      .map(([, operation]) => ({ path, ...operation })),
  );
  const conditional = posts.filter(({ parameters = [] }) =>
    JSON.stringify(parameters).includes('If-None-Match'),
  );
  expect(conditional.map(({ path }) => path)).toEqual([]);
  const successes = posts
    .filter(({ path }) => path.startsWith(ACTION_PREFIX))
    .map(({ path, responses }) => [path, Object.keys(responses).filter((status) => status.startsWith('2'))]);
  expect(Object.fromEntries(successes)).toEqual({
    ...Object.fromEntries(ACTIONS.map(({ name }) => [ACTION_PREFIX + name, ['200']])),
    [`${ACTION_PREFIX}{action}`]: ['200', '202'],
  });
});

/** A body that is wrong for every action. */
const WRONG = { jsonParam: { Amount: '100' }, productCode: 100, limit: '1', displayPeriodicities: 'x' };

test.each(ACTIONS)('the document has the examples of $name, and schemas that refuse wrong values', (one) => {
  const { post: operation } = document.paths[`${ACTION_PREFIX}${one.name}`] ?? {};
  const keys = one.examples.map(({ key }) => key);
  for (const body of [operation?.requestBody, operation?.responses['200']])
    expect(Object.keys(body?.content?.['application/json']?.examples ?? {})).toEqual(keys);
  expect(faultsOf(one.requestType, WRONG)).not.toEqual([]);
  expect(faultsOf(one.replyType, [{ InstallmentNo: 'x' }])).not.toEqual([]);
});

test('all examples match the schemas to which they belong', () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
      place: `${method} ${path}`,
      bodies: [operation.requestBody, ...Object.values(operation.responses)] as readonly (
        | Answer
        | undefined
      )[],
    })),
  );
  const examples = operations.flatMap(({ place, bodies }) =>
    bodies.flatMap((body) => {
      const { schema, examples: shown = {} } = body?.content?.['application/json'] ?? {};
      const name = schema?.$ref?.split('/').at(-1);
      return name === undefined ? [] : Object.values(shown).map(({ value }) => ({ place, name, value }));
    }),
  );
  expect(examples.length).toBeGreaterThan(30);
  const faults = examples.flatMap(({ place, name, value }) =>
    faultsOf(name, value).map((fault) => `${place}: ${fault}`),
  );
  expect(faults).toEqual([]);
});

test.each(NOTIFICATIONS)('the schemas of $name refuse wrong values', ({ name, example }) => {
  expect(faultsOf(name, { ...example, message: 5 })).not.toEqual([]);
  const { get } = document.paths['/api/notifications/v1/{notificationId}'] ?? {};
  const sent = get?.responses['200']?.content?.['application/json']?.examples?.['sent']?.value;
  expect(faultsOf('Notification', { ...(sent as object), status: 'sending' })).not.toEqual([]);
});

test('all error codes are documented, and the generic form for all actions by an example (E2)', () => {
  const documented = Object.entries(document.components.responses).flatMap(([name, { content }]) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}).map((code) => `${name} ${code}`),
  );
  const expected = Object.entries(ERROR_CODES).map(([code, { status }]) => `Problem${status} ${code}`);
  expect(documented.toSorted()).toEqual(expected.toSorted());
  const { requestBody } = document.paths[`${ACTION_PREFIX}{action}`]?.post ?? {};
  const { value } = requestBody?.content['application/json']?.examples?.['generic'] ?? {};
  expect(faultsOf('GenericRequest', value)).toEqual([]);
  expect(ACTIONS[0]?.read(value)).toMatchObject({ kind: 'valid', warnings: [] });
});

test('no text names a limit that does not exist', () => {
  expect(JSON.stringify(openApiDocument('1.0.0'))).not.toContain('undefined');
});

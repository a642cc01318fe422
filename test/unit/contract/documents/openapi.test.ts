import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ACTIONS } from '../../../../shared/contract/actions/actions.ts';
import { openApiDocument } from '../../../../shared/contract/documents/openapi.ts';
import { NOTIFICATIONS } from '../../../../shared/contract/notification/notifications.ts';
import { ERROR_CODES } from '../../../../shared/platform/problem.ts';

interface Media {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly requestBody: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer & { readonly $ref?: string }>>;
}
interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, { readonly post: Operation; readonly get: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, z.core.JSONSchema.BaseSchema>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: object;
  };
}

const document = openApiDocument({ version: '1.2.3', basePath: '/bank' }) as unknown as OpenApi;
const ACTION_PREFIX = '/platapi/automation-processors/actions/';

/** A validator for a schema of the document. */
function schemaOf(name: string): z.ZodType {
  const schema = document.components.schemas[name];
  if (schema === undefined) throw new Error(`the document has no schema ${name}`);
  return z.fromJSONSchema(schema);
}

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('all references can be resolved', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  expect(references.length).toBeGreaterThan(20);
  for (const reference of references) {
    const found = reference
      .split('/')
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
    expect({ reference, type: typeof found }).toEqual({ reference, type: 'object' });
  }
});

test('the paths are those of the interface, below the base path', () => {
  expect(document.servers).toEqual([{ url: '/bank' }]);
  expect(Object.keys(document.paths)).toEqual([
    '/platapi/automation-processors/actions/PLAT_BP_CalculateRepaymentSchedule',
    '/platapi/automation-processors/actions/PLAT_BP_CalculatePMT',
    '/platapi/automation-processors/actions/PLAT_BP_CalculateRate',
    '/platapi/automation-processors/actions/plat_bp_getbankingproductbycode',
    '/platapi/automation-processors/actions/plat_bp_getbankingproductdetails',
    '/platapi/automation-processors/actions/PLAT_BP_GetProductInsuranceList',
    '/platapi/automation-processors/actions/plat_bp_getproductdocuments',
    '/platapi/automation-processors/actions/PLAT_BP_Simulate',
    '/platapi/results/{resultId}',
    '/api/notifications/v1/sms/send',
    '/api/notifications/v1/email/send',
    '/api/notifications/v1/{notificationId}',
    '/health/live',
    '/health/ready',
    '/metrics',
  ]);
});

describe.each(ACTIONS)('examples of $name', (one) => {
  const { post: operation } = document.paths[`${ACTION_PREFIX}${one.name}`] ?? {};
  const requests = Object.entries(operation?.requestBody.content['application/json']?.examples ?? {});
  const answers = Object.entries(operation?.responses['200']?.content?.['application/json']?.examples ?? {});

  test('are those of the action, and a request in the generic form', () => {
    const keys = one.examples.map(({ key }) => key);
    expect(requests.map(([key]) => key)).toEqual([...keys, 'generic']);
    expect(answers.map(([key]) => key)).toEqual(keys);
  });

  test.each(requests)('request %s is valid for the action and for its schema', (key, { value }) => {
    expect(one.read(value)).toMatchObject({ kind: 'valid', warnings: [] });
    expect(key === 'generic' || schemaOf(one.requestType).safeParse(value).success).toBe(true);
  });

  test.each(answers)('answer %s matches its schema', (_key, { value }) => {
    expect(schemaOf(one.replyType).safeParse(value)).toMatchObject({ success: true });
  });

  test('have schemas that refuse wrong values', () => {
    expect(
      schemaOf(one.requestType).safeParse({ jsonParam: { Amount: '100' }, productCode: 100 }).success,
    ).toBe(false);
    expect(schemaOf(one.replyType).safeParse([{ InstallmentNo: 'x' }]).success).toBe(false);
  });
});

test.each(NOTIFICATIONS)(
  'the body of $name and its answers match their schemas',
  ({ name, path, example }) => {
    expect(schemaOf(name).safeParse(example)).toMatchObject({ success: true });
    expect(schemaOf(name).safeParse({ ...example, message: 5 }).success).toBe(false);
    const responses = document.paths[path]?.post.responses;
    const accepted = responses?.['202']?.content?.['application/json']?.examples?.['accepted']?.value;
    expect(schemaOf('AcceptedNotification').safeParse(accepted)).toMatchObject({ success: true });
    const reported = document.paths['/api/notifications/v1/{notificationId}']?.get.responses['200'];
    const sent = reported?.content?.['application/json']?.examples?.['sent']?.value;
    expect(schemaOf('Notification').safeParse(sent)).toMatchObject({ success: true });
    expect(schemaOf('Notification').safeParse({ ...(sent as object), status: 'sending' }).success).toBe(
      false,
    );
  },
);

describe('errors', () => {
  const answers = Object.entries(document.components.responses).flatMap(([name, answer]) =>
    Object.entries(answer.content?.['application/problem+json']?.examples ?? {}).map(
      ([code, { value }]) => [name, code, value] as const,
    ),
  );

  test('all error codes are documented with their status', () => {
    const documented = answers.map(([name, code]) => `${name} ${code}`).toSorted();
    const expected = Object.entries(ERROR_CODES).map(([code, { status }]) => `Problem${status} ${code}`);
    expect(documented).toEqual(expected.toSorted());
  });

  test('all statuses are documented for a path', () => {
    const statuses = Object.values(document.paths).flatMap(({ post: one, get }) =>
      Object.keys((one ?? get).responses),
    );
    for (const { status } of Object.values(ERROR_CODES)) expect(statuses).toContain(String(status));
  });

  test.each(answers)('%s: the example of %s is a problem document', (_name, code, value) => {
    expect(schemaOf('Problem').safeParse(value)).toMatchObject({ success: true });
    expect(value).toMatchObject({ code });
  });
});

test('the result of an asynchronous request is documented with all statuses', () => {
  const statuses = Object.keys(document.paths['/platapi/results/{resultId}']?.get.responses ?? {});
  expect(statuses).toEqual(expect.arrayContaining(['200', '202', '404', '410', '504']));
});

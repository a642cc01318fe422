import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { expect, it } from 'vitest';
import { MESSAGES, messageDefinition, recordName } from '../../schemas/messages.ts';
import { readSchema } from '../../schemas/schema-files.ts';
import { registeredVersions, createSchemaRegistry } from '../../shared/messaging/codec/schema-registry.ts';
import { createMessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import { MESSAGE_FORMS } from '../../shared/api/actions/message-forms.ts';
import { SystemError } from '../../shared/platform/errors.ts';
import { systemClock } from '../../shared/platform/system-ports.ts';
import { registryOrSkip } from '../support/kafka/suite.ts';
import { atOnce, payloadOf, problemOf } from '../support/builders/codec-calls.ts';
import {
  fullRequest,
  PROBLEM,
  problem,
  REPLY,
  REQUEST,
  schedule,
} from '../support/builders/codec-fixture.ts';

const { kafka, suite } = registryOrSkip();
const settings = { url: kafka.registryUrl };
const root = path.resolve(import.meta.dirname, '../..');
const COMMAND_LIMIT_MS = 30_000;
const MAX_ATTEMPTS = 10;
/** No registry reaches this id during a test. */
const UNKNOWN_ID = 1_000_000_007;

const newCodec = () =>
  createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock, registry: createSchemaRegistry(settings) });
const problemSchema = readSchema(messageDefinition(PROBLEM)!);
const withField = (field: object) => {
  const schema = JSON.parse(problemSchema) as { fields: object[] };
  return JSON.stringify({ ...schema, fields: [...schema.fields, field] });
};

function schemas(...args: string[]): Promise<{ code: number; output: string }> {
  const all = ['scripts/schemas.ts', ...args, '--registry', kafka.registryUrl];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { cwd: root, timeout: COMMAND_LIMIT_MS }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : 0;
      resolve({ code: error === null ? 0 : code || 1, output: stdout + stderr });
    });
  });
}

/** Repeats a call that the registry did not answer in time, as instances do: on a busy machine it may take longer. */
async function answered<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !(error instanceof SystemError) || !error.canRetry) throw error;
    }
  }
}

suite('a schema registry', () => {
  it('accepts all schemas from the command, once, with full compatibility with all versions', async () => {
    const first = await schemas('register');
    expect(first).toMatchObject({ code: 0 });
    const again = await schemas('register');
    expect(again.output.match(/already registered with id \d+/g)).toHaveLength(MESSAGES.length);
    const checked = await schemas('check', '--json');
    expect(checked.code).toBe(0);
    expect(JSON.parse(checked.output)).toMatchObject({ ok: true, faults: [] });
    for (const message of MESSAGES) {
      const config = await fetch(`${kafka.registryUrl}/config/${recordName(message)}`);
      expect(await config.json()).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' });
    }
  });

  it('lets an instance decode messages of another instance whose ids it does not know', async () => {
    const writer = newCodec();
    await writer.prepare([REQUEST, REPLY, PROBLEM]);
    for (const [type, payload] of [
      [REQUEST, fullRequest],
      [REPLY, schedule],
      [PROBLEM, problem],
    ] as const) {
      const encoded = atOnce(writer.encode(type, payload, 'avro'));
      const reader = newCodec();
      expect(payloadOf(await reader.decode(encoded))).toEqual(payload);
      expect(payloadOf(reader.decode(encoded))).toEqual(payload);
    }
  });

  it('reports an unknown id, so that the message is undecodable', async () => {
    const value = Buffer.alloc(20);
    value.writeUInt32BE(UNKNOWN_ID, 1);
    const decoded = await newCodec().decode({ value, headers: {} });
    expect(problemOf(decoded).detail).toContain(`schema id ${UNKNOWN_ID} is not known`);
  });

  it('accepts a new optional field and refuses a new mandatory one', async () => {
    const registry = createSchemaRegistry(settings);
    const subject = `test.${randomUUID()}`;
    const register = (schema: string) => answered(() => registry.register(subject, schema));
    const registeredId = (schema: string) => answered(() => registry.registeredId(subject, schema));
    const first = await register(problemSchema);
    expect(await registeredId(problemSchema)).toBe(first);
    const optional = withField({ name: 'hint', type: ['null', 'string'], default: null });
    expect(await registeredId(optional)).toBeUndefined();
    expect(await register(optional)).not.toBe(first);
    const mandatory = withField({ name: 'hint', type: 'string' });
    await expect(register(mandatory)).rejects.toMatchObject({ code: 'schema-incompatible', canRetry: false });
  });

  it('returns the versions of a subject, oldest first, and no versions of a missing subject', async () => {
    const subject = `test.${randomUUID()}`;
    expect(await registeredVersions(settings, subject)).toEqual([]);
    const id = await answered(() => createSchemaRegistry(settings).register(subject, problemSchema));
    const [version, ...more] = await registeredVersions(settings, subject);
    expect(more).toEqual([]);
    expect(version).toMatchObject({ version: 1, id });
    expect(JSON.parse(version!.text)).toEqual(JSON.parse(problemSchema));
  });
});

/** `npm run schemas`: lists, checks, releases and registers the schemas of messages. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { MESSAGES, recordName } from '../schemas/messages.ts';
import { readReleasedSchemas, readSchema, releasedFile, schemaFile } from '../schemas/schema-files.ts';
import {
  checkReleases,
  type DefinedSchema,
  faultsAgainst,
  type SchemaFault,
} from '../shared/messaging/codec/schema-compatibility.ts';
import {
  createSchemaRegistry,
  registeredVersions,
  type SchemaRegistrySettings,
} from '../shared/messaging/codec/schema-registry.ts';
import { createStartWait } from '../shared/messaging/start-wait.ts';
import { loadConfig } from '../shared/platform/load-config.ts';
import {
  flag,
  parseCommandLine,
  readCommand,
  refuseFaults,
  optionalText,
  unexpectedArguments,
  UsageError,
} from './command-line/parse-command-line.ts';
import { printJson, runCommandLine } from './command-line/run-command-line.ts';

const HELP = `Usage: npm run schemas -- COMMAND [OPTIONS]

  list       all messages with their subjects, ids and files
  check      compares the schemas with the released ones, and with the registered ones if a registry is configured;
             rejects incompatible changes
  release    copies new schemas to schemas/released, unless any schema has another fault. Commit the copies
  register   registers all schemas under their record names with compatibility FULL_TRANSITIVE, unless check would reject one.
             Waits for a registry that is starting, at most two minutes

  --registry URL   the registry, instead of SCHEMA_REGISTRY_URL. The URL includes the path of its Confluent API
  --json           one JSON document on standard output
  --help           this text

Environment: SCHEMA_REGISTRY_URL, SCHEMA_REGISTRY_USERNAME, SCHEMA_REGISTRY_PASSWORD (or SCHEMA_REGISTRY_PASSWORD_FILE).
Exit codes: 0 done, 1 rejected or failed, 2 wrong usage.
`;

const COMMANDS = { list: [], check: [], release: [], register: [] } as const;

type Arguments = NonNullable<ReturnType<typeof readArguments>>;

interface Report {
  readonly faults: readonly SchemaFault[];
  readonly done: readonly string[];
}

await runCommandLine({
  name: 'schemas',
  help: HELP,
  read: readArguments,
  run: async (args) => {
    if (args.command === 'list') return list(args.json);
    // Deployments run `register` first, so it waits for a registry that is starting. Repeating it changes nothing.
    const wait = createStartWait({ onWait: (line) => process.stderr.write(`schemas: ${line}\n`) });
    const isPatient = args.command === 'register';
    return print(args, await (isPatient ? wait('the schema registry', () => run(args)) : run(args)));
  },
});

function readArguments(argv: readonly string[]) {
  const line = parseCommandLine(argv, { registry: optionalText(), json: flag() });
  if (line === undefined) return undefined;
  const command = readCommand(line, COMMANDS);
  refuseFaults(unexpectedArguments(line.positionals.slice(1)));
  const { schemaRegistry } = loadConfig({
    ...process.env,
    SCHEMA_REGISTRY_URL: line.values.registry ?? process.env['SCHEMA_REGISTRY_URL'],
  });
  const { url, ...login } = schemaRegistry;
  if (command === 'register' && url === undefined) {
    throw new UsageError('register requires a registry: pass --registry URL or set SCHEMA_REGISTRY_URL');
  }
  const registry = url === undefined ? undefined : { url, ...login };
  return { command, json: line.values.json, registry };
}

function list(asJson: boolean): void {
  const entries = MESSAGES.map((message) => ({
    ...message,
    subject: recordName(message),
    schemaFile: `schemas/${schemaFile(message)}`,
  }));
  if (asJson) return printJson(entries);
  for (const entry of entries) {
    process.stdout.write(
      `${entry.kind.padEnd(8)} ${entry.subject}\n         id ${entry.localSchemaId}, ${entry.schemaFile}\n`,
    );
  }
}

async function run({ command, registry }: Arguments): Promise<Report> {
  const schemas = MESSAGES.map((definition) => ({ definition, text: readSchema(definition) }));
  const faults = checkReleases(schemas, readReleasedSchemas());
  if (command === 'release') return release(schemas, faults);
  if (registry === undefined)
    return { faults, done: [`checked ${schemas.length} schemas against the released ones`] };
  const remote = await compareWithRegistry(schemas, registry);
  const all = [...faults, ...remote.faults];
  if (command === 'check' || all.length > 0) return { faults: all, done: remote.done };
  return { faults: all, done: await register(schemas, registry) };
}

/** Copies each schema without a released file, unless there are other faults. Never overwrites a released file. */
function release(schemas: readonly DefinedSchema[], faults: readonly SchemaFault[]): Report {
  const wrong = faults.filter((fault) => fault.unreleased === undefined);
  if (wrong.length > 0) return { faults: wrong, done: [] };
  const missing = schemas.filter(({ definition }) =>
    faults.some((fault) => fault.subject === recordName(definition)),
  );
  for (const { definition, text } of missing) writeFileSync(releasedFile(definition), text, { flag: 'wx' });
  const files = missing.map(({ definition }) => path.relative(process.cwd(), releasedFile(definition)));
  return {
    faults: [],
    done: files.length === 0 ? ['all schemas are released'] : files.map((file) => `wrote ${file}`),
  };
}

async function compareWithRegistry(
  schemas: readonly DefinedSchema[],
  registry: SchemaRegistrySettings,
): Promise<Report> {
  const faults: SchemaFault[] = [];
  const done: string[] = [];
  for (const { definition, text } of schemas) {
    const subject = recordName(definition);
    const versions = await registeredVersions(registry, subject);
    for (const version of versions) faults.push(...faultsAgainst(subject, version, text));
    done.push(`${subject}: checked against ${versions.length} registered version(s)`);
  }
  return { faults, done };
}

async function register(
  schemas: readonly DefinedSchema[],
  settings: SchemaRegistrySettings,
): Promise<readonly string[]> {
  const registry = createSchemaRegistry(settings);
  const done: string[] = [];
  for (const { definition, text } of schemas) {
    const subject = recordName(definition);
    const present = await registry.registeredId(subject, text);
    const id = present ?? (await registry.register(subject, text));
    done.push(`${subject}: ${present === undefined ? 'registered' : 'already registered'} with id ${id}`);
  }
  return done;
}

function print({ json, command }: Arguments, { faults, done }: Report): void {
  const ok = faults.length === 0;
  if (!ok) process.exitCode = 1;
  if (json) return printJson({ command, ok, faults, done });
  for (const { subject, reason } of faults) process.stderr.write(`REFUSED  ${subject}: ${reason}\n`);
  if (ok) for (const line of done) process.stdout.write(`${line}\n`);
}

/** The command line of `npm run catalogue`. */

import { parseArgs } from 'node:util';
import { errorText } from '../../shared/platform/errors.ts';
import { RECORD_KINDS, type RecordKind } from '../../shared/product/catalogue/catalogue-record.ts';

export const HELP = `Usage: npm run catalogue -- COMMAND [ARGUMENTS] [OPTIONS]

  validate FOLDER              checks the folder: its records, what they name, and that no two answer on one day
  diff FOLDER                  members in which the folder and the topic differ; publishes nothing
  publish FOLDER               writes the records that are new or changed; deletes nothing.
                               Waits while Kafka is starting, START_TIMEOUT_MS (120000) at most
    --dry-run                  says what would be written
    --delete-missing           deletes the records of the topic that the folder does not have
  list                         the records of the topic: kind, code, version, status, validity
  show KIND CODE [VERSION]     a record of the topic as JSON, the highest version when none is named
  approve CODE VERSION         lets a version of a product answer: its status becomes Approved
  close CODE VERSION           ends a version of a product: its status becomes Closed
    --kind KIND                a list or schedule type instead: Active or Closed

  --json   one JSON document on standard output
  --help   this text

KIND is one of: ${RECORD_KINDS.join(', ')}.
Nothing is written unless folder and topic together make a catalogue without any fault.
Environment: KAFKA_BROKERS (all commands but validate need it), KAFKA_TOPIC_PREFIX, SCHEMA_REGISTRY_URL and the other
settings of docs/operations.md. An engine without Kafka publishes CATALOGUE_FOLDER by itself when it starts.
Exit codes: 0 done, 1 faults or differences, 2 wrong usage, 3 the broker cannot be reached or lacks the topic.
`;

/** A command with its arguments. */
export type CatalogueCommand =
  | { readonly name: 'validate' | 'diff'; readonly folder: string }
  | {
      readonly name: 'publish';
      readonly folder: string;
      readonly dryRun: boolean;
      readonly deleteMissing: boolean;
    }
  | { readonly name: 'list' }
  | {
      readonly name: 'show';
      readonly kind: RecordKind;
      readonly code: string;
      readonly version: number | undefined;
    }
  | {
      readonly name: 'approve' | 'close';
      readonly kind: RecordKind;
      readonly code: string;
      readonly version: number;
    };

export interface CatalogueArguments {
  readonly command: CatalogueCommand;
  readonly json: boolean;
}

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads the command line; undefined when help was asked for. Throws UsageError. */
export function readCatalogueArguments(args: readonly string[]): CatalogueArguments | undefined {
  const { values, positionals } = parse(args);
  if (values.help === true) return undefined;
  const [name, ...rest] = positionals;
  const command = commandOf(name, rest, values);
  if (name !== 'publish' && (values['dry-run'] !== undefined || values['delete-missing'] !== undefined)) {
    throw usage('--dry-run and --delete-missing are options of publish');
  }
  if (name !== 'approve' && name !== 'close' && values.kind !== undefined) {
    throw usage('--kind is an option of approve and close');
  }
  return { command, json: values.json === true };
}

type Values = ReturnType<typeof parse>['values'];

function commandOf(name: string | undefined, rest: readonly string[], values: Values): CatalogueCommand {
  switch (name) {
    case 'validate':
    case 'diff':
      return { name, folder: exactly(rest, 1, `${name} FOLDER`)[0] ?? '' };
    case 'publish': {
      const [folder = ''] = exactly(rest, 1, 'publish FOLDER');
      const dryRun = values['dry-run'] === true;
      return { name, folder, dryRun, deleteMissing: values['delete-missing'] === true };
    }
    case 'list':
      exactly(rest, 0, 'list');
      return { name };
    case 'show': {
      const [kind = '', code = '', version] = exactly(
        rest,
        rest.length === 2 ? 2 : 3,
        'show KIND CODE [VERSION]',
      );
      return {
        name,
        kind: kindOf(kind),
        code,
        version: version === undefined ? undefined : versionOf(version),
      };
    }
    case 'approve':
    case 'close': {
      const [code = '', version = ''] = exactly(rest, 2, `${name} CODE VERSION`);
      return { name, kind: kindOf(values.kind ?? 'product'), code, version: versionOf(version) };
    }
    case undefined:
    default:
      throw usage('give one of: validate, diff, publish, list, show, approve, close');
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean' },
        'delete-missing': { type: 'boolean' },
        kind: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw usage(errorText(error));
  }
}

function exactly(rest: readonly string[], count: number, form: string): readonly string[] {
  if (rest.length !== count) throw usage(`write: ${form}`);
  return rest;
}

function kindOf(text: string): RecordKind {
  const kind = RECORD_KINDS.find((known) => known === text);
  if (kind === undefined) throw usage(`KIND is one of: ${RECORD_KINDS.join(', ')}`);
  return kind;
}

function versionOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usage('VERSION is a whole number from 1');
  return Number(text);
}

function usage(message: string): UsageError {
  return new UsageError(`${message} (see --help)`);
}

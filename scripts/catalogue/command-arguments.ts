/** The command line of `npm run catalogue`. */

import { assertNever } from '../../shared/platform/errors.ts';
import type { RecordKind } from '../../shared/product/catalogue/catalogue-record.ts';
import { RECORD_KINDS } from '../../shared/product/catalogue/catalogue-record.ts';
import {
  flag,
  type OptionValues,
  oneOf,
  parseCommandLine,
  readCommand,
  refuseFaults,
  UsageError,
} from '../command-line/parse-command-line.ts';

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

const OPTIONS = {
  'dry-run': flag(),
  'delete-missing': flag(),
  kind: oneOf(RECORD_KINDS),
  json: flag(),
};
/** The options of each command, those of all left out. */
const COMMANDS = {
  validate: [],
  diff: [],
  publish: ['dry-run', 'delete-missing'],
  list: [],
  show: [],
  approve: ['kind'],
  close: ['kind'],
} as const;

/** Reads the command line; undefined when help was asked for. Throws UsageError. */
export function readCatalogueArguments(args: readonly string[]): CatalogueArguments | undefined {
  const line = parseCommandLine(args, OPTIONS);
  if (line === undefined) return undefined;
  const name = readCommand(line, COMMANDS);
  refuseFaults(line.faults);
  return { command: commandOf(name, line.positionals.slice(1), line.values), json: line.values.json };
}

function commandOf(
  name: keyof typeof COMMANDS,
  rest: readonly string[],
  values: OptionValues<typeof OPTIONS>,
): CatalogueCommand {
  switch (name) {
    case 'validate':
    case 'diff':
      return { name, folder: exactly(rest, 1, `${name} FOLDER`)[0] ?? '' };
    case 'publish': {
      const [folder = ''] = exactly(rest, 1, 'publish FOLDER');
      return { name, folder, dryRun: values['dry-run'], deleteMissing: values['delete-missing'] };
    }
    case 'list':
      exactly(rest, 0, 'list');
      return { name };
    case 'show': {
      const count = rest.length === 2 ? 2 : 3;
      const [kind = '', code = '', version] = exactly(rest, count, 'show KIND CODE [VERSION]');
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
      return { name, kind: values.kind ?? 'product', code, version: versionOf(version) };
    }
    default:
      return assertNever(name);
  }
}

function exactly(rest: readonly string[], count: number, form: string): readonly string[] {
  if (rest.length !== count) throw usage(`write: ${form}`);
  return rest;
}

function kindOf(sent: string): RecordKind {
  const kind = RECORD_KINDS.find((known) => known === sent);
  if (kind === undefined) throw usage(`KIND must be one of: ${RECORD_KINDS.join(', ')}`);
  return kind;
}

function versionOf(sent: string): number {
  if (!/^[1-9]\d{0,8}$/.test(sent)) throw usage('VERSION must be a whole number from 1');
  return Number(sent);
}

function usage(message: string): UsageError {
  return new UsageError(`${message}\n(see --help)`);
}

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

  validate FOLDER              validates the folder: its records, their references, and that versions do not overlap
  diff FOLDER                  shows the fields in which folder and topic differ; publishes nothing
  publish FOLDER               writes new and changed records; deletes nothing.
                               Waits while Kafka is starting, at most two minutes
    --dry-run                  only shows what would be written
    --delete-missing           deletes records of the topic that are not in the folder
  list                         the records of the topic: kind, code, version, status, validity
  show KIND CODE [VERSION]     a record on the topic as JSON; by default the highest version
  approve CODE VERSION         activates a version of a product: its status becomes Approved
  close CODE VERSION           ends a version of a product: its status becomes Closed
    --kind KIND                a list or schedule type instead: Active or Closed

  --json   one JSON document on standard output
  --help   this text

KIND is one of: ${RECORD_KINDS.join(', ')}.
Nothing is written unless folder and topic together form a valid catalogue.
Environment: KAFKA_BROKERS (required by all commands except validate), KAFKA_TOPIC_PREFIX, SCHEMA_REGISTRY_URL and the other
settings of docs/operations.md. Without Kafka the engine publishes CATALOGUE_FOLDER itself at startup.
Exit codes: 0 done, 1 faults or differences, 2 wrong usage, 3 the broker is unreachable or lacks the topic.
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
/** Options of each command besides the common ones. */
const COMMANDS = {
  validate: [],
  diff: [],
  publish: ['dry-run', 'delete-missing'],
  list: [],
  show: [],
  approve: ['kind'],
  close: ['kind'],
} as const;

/** Reads the command line; undefined for --help. Throws UsageError. */
export function readCatalogueArguments(args: readonly string[]): CatalogueArguments | undefined {
  const line = parseCommandLine(args, OPTIONS);
  if (line === undefined) return undefined;
  const name = readCommand(line, COMMANDS);
  refuseFaults(line.faults);
  return {
    command: readCatalogueCommand(name, line.positionals.slice(1), line.values),
    json: line.values.json,
  };
}

function readCatalogueCommand(
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
        kind: readKind(kind),
        code,
        version: version === undefined ? undefined : readVersion(version),
      };
    }
    case 'approve':
    case 'close': {
      const [code = '', version = ''] = exactly(rest, 2, `${name} CODE VERSION`);
      return { name, kind: values.kind ?? 'product', code, version: readVersion(version) };
    }
    default:
      return assertNever(name);
  }
}

function exactly(rest: readonly string[], count: number, form: string): readonly string[] {
  if (rest.length !== count) throw usage(`write: ${form}`);
  return rest;
}

function readKind(sent: string): RecordKind {
  const kind = RECORD_KINDS.find((known) => known === sent);
  if (kind === undefined) throw usage(`KIND must be one of: ${RECORD_KINDS.join(', ')}`);
  return kind;
}

function readVersion(sent: string): number {
  if (!/^[1-9]\d{0,8}$/.test(sent)) throw usage('VERSION must be a whole number from 1');
  return Number(sent);
}

function usage(message: string): UsageError {
  return new UsageError(`${message}\n(see --help)`);
}

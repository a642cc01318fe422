import { RECORD_KINDS } from '../../shared/product/catalogue/catalogue-record.ts';
import {
  flag,
  oneOf,
  parseCommandLine,
  readCommand,
  refuseFaults,
} from '../command-line/parse-command-line.ts';

export const HELP = `Usage: npm run catalogue -- COMMAND [ARGUMENTS] [OPTIONS]

  validate FOLDER              checks records, references and overlaps of versions in the folder, and simulates the products
  diff FOLDER                  shows the fields in which folder and topic differ; publishes nothing
  publish FOLDER               writes new and changed records; deletes nothing.
                               Waits while Kafka is starting, at most two minutes
    --dry-run                  only shows what would be written
    --delete-missing           deletes records of the topic that are not in the folder
  list                         the records of the topic: kind, code, version, status, validity
  show KIND CODE [VERSION]     a record on the topic as JSON; by default the highest version
  approve CODE VERSION         activates a version of a product: its status becomes Approved
  close CODE VERSION           ends a version of a product: its status becomes Closed
    --kind KIND                changes a list or schedule type instead: its status becomes Active or Closed

  --json   one JSON document on standard output
  --help   this text

KIND is one of: ${RECORD_KINDS.join(', ')}.
Nothing is written unless folder and topic together form a valid catalogue.
Environment: KAFKA_BROKERS (required by all commands except validate), KAFKA_TOPIC_PREFIX, SCHEMA_REGISTRY_URL and the other
settings of docs/settings.md. Without Kafka the engine publishes CATALOGUE_FOLDER itself at startup.
Exit codes: 0 done, 1 faults or differences, 2 wrong usage, 3 the broker is unreachable or lacks the topic.
`;

const OPTIONS = {
  'dry-run': flag(),
  'delete-missing': flag(),
  kind: oneOf(RECORD_KINDS),
  json: flag(),
};
const COMMANDS = {
  validate: [],
  diff: [],
  publish: ['dry-run', 'delete-missing'],
  list: [],
  show: [],
  approve: ['kind'],
  close: ['kind'],
} as const;
const OPERANDS: Readonly<Record<keyof typeof COMMANDS, readonly string[]>> = {
  validate: ['FOLDER'],
  diff: ['FOLDER'],
  publish: ['FOLDER'],
  list: [],
  show: ['KIND', 'CODE', '[VERSION]'],
  approve: ['CODE', 'VERSION'],
  close: ['CODE', 'VERSION'],
};
const VERSION = /^[1-9]\d{0,8}$/;

/** `folder` and `code` are empty if the command does not have them. `show` without `version` shows the highest one. */
export type CatalogueCommand = NonNullable<ReturnType<typeof readCatalogueArguments>>['command'];

/** Returns undefined for --help. Throws UsageError: first for a wrong command or option, then with all other faults. */
export function readCatalogueArguments(args: readonly string[]) {
  const line = parseCommandLine(args, OPTIONS);
  if (line === undefined) return undefined;
  const name = readCommand(line, COMMANDS);
  const { kind: chosen = 'product', json, 'dry-run': dryRun, 'delete-missing': deleteMissing } = line.values;
  const sent = line.positionals.slice(1);
  const forms = OPERANDS[name];
  const operandOf = (form: string): string | undefined => sent[forms.indexOf(form)];
  const kind = forms.includes('KIND') ? RECORD_KINDS.find((one) => one === operandOf('KIND')) : chosen;
  const version = operandOf('VERSION') ?? operandOf('[VERSION]');
  const required = forms.filter((form) => !form.startsWith('[')).length;
  const isComplete = sent.length >= required && sent.length <= forms.length && !sent.includes('');
  refuseFaults([
    ...line.faults,
    ...(isComplete ? [] : [`usage: npm run catalogue -- ${[name, ...forms].join(' ')}`]),
    ...(isComplete && kind === undefined ? [`KIND must be one of: ${RECORD_KINDS.join(', ')}`] : []),
    ...(VERSION.test(version ?? '1') ? [] : ['VERSION must be a whole number from 1 to 999999999']),
  ]);
  const command = {
    name,
    folder: operandOf('FOLDER') ?? '',
    kind: kind ?? chosen,
    code: operandOf('CODE') ?? '',
    version: version === undefined ? undefined : Number(version),
    dryRun,
    deleteMissing,
  };
  return { command, json };
}

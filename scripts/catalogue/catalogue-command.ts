import { existsSync } from 'node:fs';
import { writeRecords, type RecordChanges } from '../../shared/product/storage/write-records.ts';
import {
  formatFault,
  readFolderRecords,
  readWholeCatalogue,
} from '../../shared/product/storage/catalogue-folder.ts';
import type { CatalogueFault } from '../../shared/lending/schedule-types/lending-catalogue.ts';
import { selectEntries } from '../../shared/product/catalogue/catalogue-view.ts';
import { checkSimulations } from '../../shared/product/check/simulate-at-bounds.ts';
import {
  KIND_FOLDERS,
  identifyRecord,
  isSameCode,
  recordKey,
  type CatalogueRecord,
  type RecordKind,
} from '../../shared/product/catalogue/catalogue-record.ts';
import { UsageError } from '../command-line/parse-command-line.ts';
import type { CatalogueCommand } from './command-arguments.ts';
import {
  type CatalogueConnection,
  CLIENT_ID,
  compareWithTopic,
  countWritten,
  findSharedKeys,
  type FolderDifference,
  readTopicRecords,
  type TopicRecords,
  validateResult,
  type ValidationContext,
} from './publication.ts';

const KINDS_WITH_STATUS: readonly RecordKind[] = [
  'product',
  'interest-list',
  'commission-list',
  'insurance-list',
  'discount-list',
  'limit-list',
  'notification-template',
  'schedule-type',
];

export interface CommandReport {
  readonly ok: boolean;
  readonly faults: readonly CatalogueFault[];
  /** What is printed without --json. */
  readonly lines: readonly string[];
  /** What is printed with --json. */
  readonly result: Readonly<Record<string, unknown>>;
}

interface CommandTools extends ValidationContext {
  readonly connect: () => Promise<CatalogueConnection>;
}

/** Rejects with UsageError for a missing folder or a kind without status, and SystemError for an unusable topic. */
export async function runCatalogueCommand(
  command: CatalogueCommand,
  tools: CommandTools,
): Promise<CommandReport> {
  if (command.folder !== '' && !existsSync(command.folder)) {
    throw new UsageError(`there is no folder ${command.folder}`);
  }
  return RUNS[command.name](command, tools);
}

type Run = (command: CatalogueCommand, tools: CommandTools) => Promise<CommandReport>;

const RUNS: Readonly<Record<CatalogueCommand['name'], Run>> = {
  validate,
  diff,
  publish,
  list: (_, tools) => list(tools),
  show,
  approve: changeStatus,
  close: changeStatus,
};

async function validate({ folder }: CatalogueCommand, tools: CommandTools): Promise<CommandReport> {
  const { records, faults, catalogue } = readWholeCatalogue(folder, tools.otherCalendars);
  const products = selectEntries(records, 'product');
  const all = [
    ...faults,
    ...(faults.length > 0 ? [] : findPublicationFaults(folder, records)),
    ...(catalogue === undefined ? [] : checkSimulations(products, { ...tools, catalogue })),
  ];
  if (all.length > 0) return refused(all);
  return done([`${folder}: ${records.length} records, no faults`], { records: records.length });
}

async function diff({ folder }: CatalogueCommand, tools: CommandTools): Promise<CommandReport> {
  const { wanted, folderFaults } = readFolder(folder);
  if (folderFaults.length > 0) return refused(folderFaults);
  const difference = compareWithTopic(wanted, await readTopicRecords(await tools.connect()));
  const { added, changed, missing, unchanged } = difference;
  const isSame = added.length + changed.length + missing.length === 0;
  return {
    ok: isSame,
    faults: [],
    lines: isSame ? [`${unchanged} records, no differences`] : differenceLines(difference),
    result: { ...difference },
  };
}

async function publish(
  { folder, dryRun, deleteMissing }: CatalogueCommand,
  tools: CommandTools,
): Promise<CommandReport> {
  const { wanted, folderFaults } = readFolder(folder);
  if (folderFaults.length > 0) return refused(folderFaults);
  const connection = await tools.connect();
  const topic = await readTopicRecords(connection);
  const difference = compareWithTopic(wanted, topic);
  const { added, changed, missing, unchanged } = difference;
  const keys = [...added, ...changed.map(({ key }) => key)];
  const remove = deleteMissing ? missing : [];
  const after = { put: wanted, removed: remove, changed: [...keys, ...remove] };
  const faults = validateResult(after, topic, tools);
  if (faults.length > 0) return refused(faults);
  const will = dryRun ? 'would write' : 'wrote';
  const gone = dryRun ? 'would delete' : 'deleted';
  const lines = [
    ...keys.map((key) => `${will} ${key}`),
    ...missing.map((key) => (deleteMissing ? `${gone} ${key}` : `kept ${key}, which is not in the folder`)),
    `${added.length} new, ${changed.length} changed, ${unchanged} unchanged, ${remove.length} deleted` +
      (dryRun ? ' (dry run: nothing was written)' : ''),
  ];
  const written = { added, changed: changed.map(({ key }) => key), unchanged, deleted: remove };
  const report = done(lines, { dryRun, ...written, kept: deleteMissing ? [] : missing });
  const put = keys.flatMap((key) => wanted.get(key) ?? []);
  return dryRun ? report : write({ put, remove }, topic, connection, report);
}

async function list({ connect }: CommandTools): Promise<CommandReport> {
  const { identities, records, unreadable } = await readTopicRecords(await connect());
  const rows = identities.map(({ key, ...identity }) => ({ ...identity, readable: records.has(key) }));
  const lines = rows.map((row) => {
    const { kind, code, version, status, validFrom, validTo } = row;
    const hasLimit = validFrom !== null || validTo !== null;
    const validity = hasLimit ? `${validFrom ?? '...'} to ${validTo ?? '...'}` : '';
    const note = row.readable ? '' : 'CANNOT BE READ';
    return [kind.padEnd(15), code, `v${version}`, status ?? '-', validity, note].join('  ').trimEnd();
  });
  if (unreadable > 0) lines.push(`${unreadable} messages on the topic are not catalogue records`);
  return done(lines, { records: rows, unreadable });
}

async function show(
  { kind, code, version }: CatalogueCommand,
  { connect }: CommandTools,
): Promise<CommandReport> {
  const { identities, records } = await readTopicRecords(await connect());
  const versions = identities.filter((one) => one.kind === kind && isSameCode(one.code, code));
  const highest = Math.max(...versions.map((one) => one.version));
  const key = recordKey({ kind, code, version: version ?? highest });
  const entry = records.get(key);
  if (entry === undefined) return unknown(kind, code, version);
  return done([JSON.stringify(entry.record, undefined, 2)], { key, record: entry.record });
}

async function changeStatus(
  { name, kind, code, version = 0 }: CatalogueCommand,
  tools: CommandTools,
): Promise<CommandReport> {
  if (!KINDS_WITH_STATUS.includes(kind)) {
    throw new UsageError(
      `a ${kind} has no status; only these kinds have one: ${KINDS_WITH_STATUS.join(', ')}`,
    );
  }
  const connection = await tools.connect();
  const topic = await readTopicRecords(connection);
  const key = recordKey({ kind, code, version });
  const entry = topic.records.get(key);
  if (entry === undefined) return unknown(kind, code, version);
  const status = name === 'close' ? 'Closed' : kind === 'product' ? 'Approved' : 'Active';
  if (identifyRecord(entry).status === status) {
    return done([`${key} is already ${status}`], { key, status, changed: false });
  }
  // The compiler cannot derive that the record still belongs to its kind.
  const next = { ...entry, record: { ...entry.record, Status: status } } as CatalogueRecord;
  const after = { put: new Map([[key, next]]), removed: [], changed: [key] };
  const faults = validateResult(after, topic, tools);
  if (faults.length > 0) return refused(faults);
  const report = done([`${key} is now ${status}`], { key, status, changed: true });
  return write({ put: [next], remove: [] }, topic, connection, report);
}

async function write(
  changes: RecordChanges,
  before: TopicRecords,
  connection: CatalogueConnection,
  written: CommandReport,
): Promise<CommandReport> {
  if ((await countWritten(connection)) !== before.written) {
    const message = 'was changed by others since it was read: run the command again';
    return refused([{ source: connection.topic, record: '', message }]);
  }
  await writeRecords({ ...connection, clientId: CLIENT_ID }, changes);
  return written;
}

/** Reads a folder without checking references, since its records may refer to records that are only on the topic. */
function readFolder(folder: string) {
  const { records, faults } = readFolderRecords(folder);
  const wanted = new Map(records.map((entry) => [recordKey(identifyRecord(entry)), entry] as const));
  return { wanted, folderFaults: faults.length > 0 ? faults : findPublicationFaults(folder, records) };
}

function findPublicationFaults(
  folder: string,
  records: readonly CatalogueRecord[],
): readonly CatalogueFault[] {
  if (records.length > 0) return findSharedKeys(records);
  const kinds = Object.values(KIND_FOLDERS).join(', ');
  return [{ source: folder, record: '', message: `must contain a record in one of the folders ${kinds}` }];
}

function done(lines: readonly string[], result: CommandReport['result']): CommandReport {
  return { ok: true, faults: [], lines, result };
}

function refused(faults: readonly CatalogueFault[]): CommandReport {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  const lines = faults.map((fault) => `FAULT  ${formatFault(fault)}`);
  return { ok: false, faults, lines: [...lines, `${count}; nothing was written`], result: {} };
}

function unknown(kind: RecordKind, code: string, version: number | undefined): CommandReport {
  const which = version === undefined ? code : `${code} version ${version}`;
  const message = `is not on the topic, or cannot be read; \`npm run catalogue -- list\` shows the records`;
  return refused([{ source: kind, record: which, message }]);
}

function differenceLines({ added, changed, missing, unchanged }: FolderDifference): readonly string[] {
  return [
    ...added.map((key) => `+ ${key}  (only in the folder)`),
    ...missing.map((key) => `- ${key}  (only on the topic)`),
    ...changed.flatMap(({ key, members }) => [
      `~ ${key}${members.length === 0 ? '  (cannot be read on the topic)' : ''}`,
      ...members.map(({ path, from, to }) => `    ${path}: ${valueText(from)} -> ${valueText(to)}`),
    ]),
    `${added.length} new, ${changed.length} changed, ${unchanged} unchanged, ${missing.length} only on the topic`,
  ];
}

function valueText(value: unknown): string {
  return value === undefined ? '(none)' : JSON.stringify(value);
}

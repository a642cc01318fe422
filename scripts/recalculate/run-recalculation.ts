import { Readable } from 'node:stream';
import type { CalculateChunk, ContractOutcome, LateOutcome } from './calculate-chunk.ts';
import type { Contract, InputChunk } from './input-records.ts';
import { RunError, unlessAborted } from './interruption.ts';
import type { RecalculateArguments } from './recalculate-arguments.ts';
import { csvResult, ndjsonResult } from './result-lines.ts';
import type { Checkpoint } from './resume.ts';
import type { RunFiles } from './run-files.ts';
import { readWarningsList, warningsList } from '../../shared/messaging/header-text.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import { compareSchedules, readFormerSchedule, sumsOf } from '../../shared/portfolio/comparison.ts';
import {
  type CountedFailure,
  type CountedSchedule,
  countFailure,
  countSchedule,
} from '../../shared/portfolio/tally.ts';

interface RecalculationOptions {
  readonly chunks: AsyncIterable<InputChunk>;
  readonly calculate: CalculateChunk;
  readonly files: Pick<RunFiles, 'results' | 'failures' | 'save'>;
  readonly args: Pick<RecalculateArguments, 'output' | 'compare' | 'window' | 'maxFailures'>;
  readonly plan: Pick<Checkpoint, 'tally' | 'input'>;
  readonly elapsedMs: () => number;
  readonly onFinished?: (chunk: InputChunk) => void;
  readonly stopped: AbortSignal;
  readonly abandoned: AbortSignal;
}

/** The first chunk that ends this long after a checkpoint causes the next checkpoint, which takes some milliseconds. */
const CHECKPOINT_INTERVAL_MS = 1_000;

type FinishedLine =
  | { readonly schedule: CountedSchedule; readonly text: string }
  | { readonly failure: CountedFailure };

/** Rejects with the error that ended the run. Unless a write failed, the checkpoint then covers all finished chunks. */
export async function runRecalculation(options: RecalculationOptions): Promise<'complete' | 'stopped'> {
  const { files, elapsedMs } = options;
  const { maxFailures, window } = options.args;
  const { tally } = options.plan;
  let { input } = options.plan;
  let savedAtMs = elapsedMs();
  let isWhole = true;
  const save = async (): Promise<void> => {
    isWhole = false;
    await files.save({ input, tally, elapsedMs: elapsedMs() });
    savedAtMs = elapsedMs();
    isWhole = true;
  };
  const finish = async (chunk: InputChunk, outcomes: readonly LateOutcome[]): Promise<void> => {
    const lines = await finishedLines(chunk, outcomes, options);
    isWhole = false;
    for (const line of lines) await count(line, options);
    input = { lastLine: chunk.lastLine, digest: chunk.digest };
    options.onFinished?.(chunk);
    if (elapsedMs() - savedAtMs >= CHECKPOINT_INTERVAL_MS) await save();
    isWhole = true;
    if (maxFailures === undefined || tally.failed <= maxFailures) return;
    throw new RunError(`${tally.failed} contracts failed; --max-failures allows ${maxFailures}`);
  };
  const begin = (chunk: InputChunk): Promise<readonly LateOutcome[]> => {
    const contracts = chunk.records.filter((record) => record.kind === 'contract');
    return contracts.length === 0 ? Promise.resolve([]) : options.calculate(contracts);
  };
  try {
    const end = await inOrder(options.chunks, { ...options, window, begin, finish });
    await save();
    return end;
  } catch (error) {
    // After an incomplete write the last checkpoint stays valid: a resumed run truncates what was written after it.
    if (isWhole) await save();
    throw error;
  }
}

async function finishedLines(
  { records }: InputChunk,
  outcomes: readonly LateOutcome[],
  options: RecalculationOptions,
): Promise<FinishedLine[]> {
  const lines: FinishedLine[] = [];
  let next = 0;
  for (const record of records) {
    if (record.kind === 'refused') {
      lines.push({ failure: record });
      continue;
    }
    const outcome = await outcomes[next++]?.();
    if (outcome === undefined) throw new Error('a contract has no outcome');
    lines.push(finishContract(record, outcome, options));
  }
  return lines;
}

/** If the figures of a contract cannot be rendered, only this contract fails, and the run continues. */
function finishContract(
  contract: Contract & { readonly kind: 'contract' },
  outcome: ContractOutcome,
  options: RecalculationOptions,
): FinishedLine {
  const { line, id } = contract;
  if (outcome.kind === 'problem') return { failure: { line, id, problem: outcome.problem } };
  try {
    return calculated(contract, outcome, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = createProblem('unexpected', { detail: 'The reply contains invalid figures.' });
    return { failure: { line, id, problem } };
  }
}

function calculated(
  contract: Contract,
  outcome: Exclude<ContractOutcome, { readonly kind: 'problem' }>,
  { args: { compare, output }, files }: RecalculationOptions,
): FinishedLine {
  const { line, id, request, former } = contract;
  const { schedule } = outcome;
  const { rows, currencyDigits: digits } = schedule;
  const warnings = warningsList(contract.warnings, outcome.warnings);
  const sums = sumsOf(rows);
  const formerSchedule = former === undefined ? undefined : readFormerSchedule(former, digits);
  const comparison = formerSchedule && compareSchedules(formerSchedule, rows, sums);
  const missing = former === undefined ? 'none' : 'unreadable';
  const counted: CountedSchedule = {
    line,
    id,
    digits,
    sums,
    currency: request.Currency?.toUpperCase() ?? null,
    rows: rows.length,
    warnings: readWarningsList(warnings),
    comparison: comparison ?? missing,
  };
  const result = { id, schedule, sums, warnings, comparison: compare ? comparison : undefined };
  if (files.results === undefined) return { schedule: counted, text: '' };
  const text = output?.format === 'csv' ? csvResult(result, compare) : ndjsonResult(result);
  return { schedule: counted, text };
}

function count(
  finished: FinishedLine,
  { plan: { tally }, files }: RecalculationOptions,
): Promise<void> | undefined {
  if ('failure' in finished) {
    countFailure(tally, finished.failure);
    const { line, id, problem } = finished.failure;
    return files.failures?.write(`${JSON.stringify({ line, id, problem })}\n`);
  }
  countSchedule(tally, finished.schedule);
  return files.results?.write(finished.text);
}

interface InOrderOptions<Item, Result> {
  /** The most items that are started and not yet finished; each takes memory. */
  readonly window: number;
  readonly begin: (item: Item) => Promise<Result>;
  readonly finish: (item: Item, result: Result) => Promise<void>;
  /** When aborted, no further items are started, and started ones are finished. */
  readonly stopped: AbortSignal;
  /** When aborted, the call rejects with the reason, without waiting for started items. */
  readonly abandoned: AbortSignal;
}

/** Finishes items in the order of the source. Rejects with the first failure, when all items before it are finished. */
export async function inOrder<Item, Result>(
  source: AsyncIterable<Item>,
  { window, begin, finish, stopped, abandoned }: InOrderOptions<Item, Result>,
): Promise<'complete' | 'stopped'> {
  const ending = new AbortController();
  const noMore = AbortSignal.any([stopped, ending.signal]);
  const items = Readable.from(untilAborted(source, noMore), { highWaterMark: 0 });
  const inProgress = { concurrency: window, highWaterMark: 0 };
  const begun = items.map(async (item: Item) => ({ item, result: await begin(item) }), inProgress);
  const results: AsyncIterator<{ item: Item; result: Result }> = begun[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessAborted(results.next(), abandoned);
      if (next.done === true) return stopped.aborted ? 'stopped' : 'complete';
      await finish(next.value.item, next.value.result);
    }
  } finally {
    ending.abort();
  }
}

/** Yields the items of a source and ends when the signal is aborted, even if the source never yields again. */
async function* untilAborted<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessAborted(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

import { Readable } from 'node:stream';
import { createCalculateChunk } from '../../../scripts/recalculate/calculation/calculate-chunk.ts';
import { createPatientRequests } from '../../../scripts/recalculate/calculation/patient-requests.ts';
import { openInput } from '../../../scripts/recalculate/input/portfolio.ts';
import type { LineWriter } from '../../../scripts/recalculate/output/line-writer.ts';
import type { RunState } from '../../../scripts/recalculate/output/checkpoint.ts';
import type { RunFiles } from '../../../scripts/recalculate/output/run-files.ts';
import { emptyTally } from '../../../shared/portfolio/tally.ts';
import { runRecalculation } from '../../../scripts/recalculate/run/run-recalculation.ts';
import { createRequester } from '../../../shared/messaging/requester/requester.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { sleep } from '../../../shared/platform/timers.ts';
import { actionOf, expectedAnswer } from './expected-answers.ts';
import type { PortfolioRun } from '../check/history.ts';
import type { Recalculation } from './plan.ts';
import type { OutsideClient, World } from './world.ts';

const REQUEST_TYPE = 'CalculateRepaymentScheduleRequest';
const PARTITIONS = 12;
const WINDOW = 4;
const BATCH_TIMEOUT_MS = 20_000;
const PATIENCE_MS = 600_000;
const SEND_DEADLINE_MS = 30_000;
const REPEAT_MS = 1_000;
/** One contract in this many is refused. */
const REFUSED_EVERY = 7;
const OUTPUT = { file: 'schedules.ndjson', format: 'ndjson', gzip: false } as const;

/** What sessions leave on disk: the output files and the checkpoint. */
interface Disk {
  readonly run: PortfolioRun;
  checkpoint: RunState & { readonly results: number; readonly failures: number };
}

/**
 * Recalculates a portfolio with the production code from input to output lines. Each kill loses what was not saved, and the
 * next session resumes from the last checkpoint.
 */
export async function recalculate(world: World, activity: Recalculation): Promise<void> {
  const { history, journal, system } = world;
  const { id } = activity;
  const contracts = Array.from({ length: activity.contracts }, (_, index) => contractOf(id, index));
  const originMs = system.clock.now();
  const run: PortfolioRun = {
    activity,
    results: [],
    failures: [],
    expected: contracts.map((one) => lineOf(one, originMs)),
  };
  history.portfolios.push(run);
  const start = {
    input: { lastLine: 0, digest: '' },
    tally: emptyTally(),
    elapsedMs: 0,
    results: 0,
    failures: 0,
  };
  const disk: Disk = { run, checkpoint: start };
  const text = contracts.map((contract) => JSON.stringify(contract)).join('\n');
  const kills = [...activity.killsAfterMs];
  for (let number = 1; run.end === undefined && !world.isOver(); number += 1) {
    const killAfterMs = kills.shift();
    const session = { world, activity, disk, text, originMs, number };
    if (await runUntilKilled(session, killAfterMs)) run.end = 'complete';
    else await sleep(system.timers, REPEAT_MS);
    const { results, failures, input } = disk.checkpoint;
    journal.note('recalculation', `session ${number} ended after line ${input.lastLine}`, id);
    // What was written after the last checkpoint is cut off.
    run.results.splice(results);
    run.failures.splice(failures);
  }
}

function contractOf(id: string, index: number) {
  const isRefused = index % REFUSED_EVERY === REFUSED_EVERY - 1;
  return {
    id: `${id}-contract-${index + 1}`,
    jsonParam: {
      ScheduleType: isRefused ? 'NoSuchType' : 'EqualInstallments',
      Amount: 10_000 + index,
      InstallmentsNo: 3 + (index % 9),
      PeriodicityType: 'Monthly',
      InstallmentDay: 15,
      InterestPercent: 7.25,
      ActivationDate: '2024-01-31',
    },
  };
}

/** The expected line of a contract, or its id and the code of its refusal. */
function lineOf({ id, jsonParam }: ReturnType<typeof contractOf>, originMs: number): string {
  const answer = expectedAnswer(actionOf(REQUEST_TYPE), { jsonParam }, originMs);
  return 'body' in answer ? `{"id":"${id}","schedule":${answer.body}}` : `${id} ${answer.code}`;
}

interface Session {
  readonly world: World;
  readonly activity: Recalculation;
  readonly disk: Disk;
  readonly text: string;
  readonly originMs: number;
  readonly number: number;
}

/** Runs a session in a process of its own; resolves with whether it ended the run. */
async function runUntilKilled(session: Session, killAfterMs: number | undefined): Promise<boolean> {
  const { world, activity, number } = session;
  const { timers } = world.system;
  const client = world.startClient(`recalculation ${activity.id}.${number}`);
  const { promise: killed, resolve } = Promise.withResolvers<boolean>();
  let isAlive = true;
  const end = (): void => {
    isAlive = false;
    world.journal.note('recalculation', 'is killed', activity.id);
    client.kill();
    resolve(false);
  };
  const cancel = killAfterMs === undefined ? undefined : timers.schedule(end, killAfterMs);
  const work = runSession(session, client, () => isAlive).then(
    () => true,
    (error: unknown) => {
      world.journal.note('recalculation', `ends: ${errorText(error)}`, activity.id);
      return false;
    },
  );
  const isComplete = await Promise.race([killed, work]);
  cancel?.();
  return isComplete;
}

async function runSession(
  { world: { codec }, activity, disk, text, originMs, number }: Session,
  { broker, ports }: OutsideClient,
  isAlive: () => boolean,
): Promise<void> {
  const { monotonic, timers } = ports;
  const { run, checkpoint } = disk;
  const requester = createRequester({
    ...ports,
    broker,
    codec,
    log: silentLog,
    replyTopic: TOPIC.recalculationReplies,
    instanceId: `${activity.id}.${number}`,
    sendDeadlineMs: SEND_DEADLINE_MS,
  });
  const stdin = Readable.from([Buffer.from(text)]);
  const input = await openInput({ file: '-', format: 'ndjson', maxContracts: activity.batch, stdin });
  const never = new AbortController().signal;
  try {
    await requester.start();
    const { lastLine, digest } = checkpoint.input;
    if (lastLine > 0) await input.skip(lastLine, digest);
    const patient = createPatientRequests({
      request: (request) => requester.request(request),
      patienceMs: PATIENCE_MS,
      signal: never,
      now: () => monotonic.elapsedMs(),
      wait: (ms, signal) => sleep(timers, ms, signal),
      random: ports.random,
    });
    const calculate = createCalculateChunk({
      codec,
      topic: TOPIC.scheduleBulkRequests,
      partitions: PARTITIONS,
      request: (request) => patient.request(request),
      correlationPrefix: `${activity.id}-${number}`,
      originTimestampMs: originMs,
      timeoutMs: BATCH_TIMEOUT_MS,
    });
    const save: RunFiles['save'] = (state) => {
      const lengths = { results: run.results.length, failures: run.failures.length };
      if (isAlive()) disk.checkpoint = { ...structuredClone(state), ...lengths };
      return Promise.resolve();
    };
    await runRecalculation({
      chunks: input.records(),
      calculate,
      files: { results: linesOf(run.results, isAlive), failures: linesOf(run.failures, isAlive), save },
      args: { output: OUTPUT, compare: false, window: WINDOW, maxFailures: undefined },
      plan: { tally: structuredClone(checkpoint.tally), input: checkpoint.input },
      elapsedMs: () => monotonic.elapsedMs(),
      stopped: never,
      abandoned: never,
    });
  } finally {
    await requester.stop(0);
    input.close();
  }
}

/** The lines of a file; a killed process writes nothing more. */
function linesOf(lines: string[], isAlive: () => boolean): LineWriter {
  return {
    write: (line) => {
      if (isAlive()) lines.push(line.trimEnd());
      return undefined;
    },
    sync: () => Promise.resolve(0),
  };
}

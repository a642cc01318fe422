import {
  renderRepaymentSchedule,
  renderScheduleBytes,
} from '../../../shared/contract/schedule/render-schedule.ts';
import { effectiveInterestRate } from '../../../shared/lending/annual-rate/effective-rates.ts';
import { loanWithCharges } from '../lending/loans.ts';
import {
  asTarget,
  atMost,
  type BenchOptions,
  compareTimes,
  type CostPerCall,
  costsOf,
  overRounds,
  type PartResults,
  type Ratio,
  timeCalls,
  toKnow,
  type Work,
} from '../rounds.ts';
import { costTable } from '../tables.ts';
import type { RepaymentSchedule } from '../../../shared/lending/request/repayment-schedule.ts';
import { benchCodec, calculate, readBody, SAMPLE_BODY } from '../samples.ts';

const WARM_UP_MS = 500;
/** Figures of each part, over all rounds. */
const MEASURE_MS = 1_000;
const LONG_BODY = SAMPLE_BODY.replace('"InstallmentsNo":12', '"InstallmentsNo":360');
const REQUEST = 'CalculateRepaymentScheduleRequest';
const REPLY = 'CalculateRepaymentScheduleReply';

/**
 * Node's own parser and writer of JSON on the answer of 12 rows. Costs relative to it, measured in the same rounds, can be
 * compared between machines.
 */
const YARDSTICK = 'JSON.parse and JSON.stringify of the answer, 12 rows';

const SHORT_WHOLE = '12 rows with DAE, JSON in to JSON out';
const LONG_WHOLE = '360 rows with everything, fields in to bytes out';
/** Targets in microseconds of processor time. */
const AIM_US: Readonly<Record<string, number>> = {
  [SHORT_WHOLE]: 40,
  [`${LONG_WHOLE} (JSON)`]: 600,
  [`${LONG_WHOLE} (Avro)`]: 600,
};

interface CostFigures {
  readonly costs: readonly CostPerCall[];
  readonly ratios: readonly Ratio[];
}

/** Measures the cost of each part of one request, in microseconds per call. */
export async function benchCosts({
  rounds,
  progress,
}: Pick<BenchOptions, 'rounds' | 'progress'>): Promise<PartResults<CostFigures>> {
  const options = { rounds, progress, sliceMs: MEASURE_MS / rounds, warmUpMs: WARM_UP_MS };
  const times = await timeCalls(await works(), options);
  const yardstick = times.get(YARDSTICK) ?? [];
  const relative = [...times]
    .filter(([name]) => name !== YARDSTICK)
    .map(([name, own]) => toKnow(`${name} / JSON yardstick`, compareTimes(own, yardstick), 'less'));
  const targets = Object.entries(AIM_US).map(([name, aim]) =>
    asTarget(atMost(`${name}, us`, overRounds(times.get(name) ?? []), aim)),
  );
  const ratios = [...relative, ...targets];
  const costs = costsOf(times);
  return { figures: { costs, ratios }, tables: [costTable('work per call', costs)] };
}

async function works(): Promise<readonly Work[]> {
  const codec = benchCodec();
  const short = readBody(SAMPLE_BODY);
  const long = readBody(LONG_BODY);
  const shortSchedule = calculate(short);
  const longSchedule = calculate(long);
  const answer = JSON.stringify(JSON.parse(renderRepaymentSchedule(shortSchedule)));
  const encodedRequest = await codec.encode(REQUEST, short, 'avro');
  const encodedReply = await codec.encode(REPLY, shortSchedule, 'avro');
  return [
    { name: YARDSTICK, run: () => JSON.stringify(JSON.parse(answer)) },
    { name: 'read and check the JSON request', run: () => readBody(SAMPLE_BODY) },
    { name: 'encode the request (Avro)', run: () => codec.encode(REQUEST, short, 'avro') },
    { name: 'decode the request (Avro)', run: () => codec.decode(encodedRequest) },
    { name: 'schedule of 12 rows with DAE', run: () => calculate(short) },
    { name: 'schedule of 360 rows with DAE', run: () => calculate(long) },
    { name: 'encode the reply, 12 rows (Avro)', run: () => codec.encode(REPLY, shortSchedule, 'avro') },
    { name: 'decode the reply, 12 rows (Avro)', run: () => codec.decode(encodedReply) },
    { name: 'write the JSON answer, 12 rows', run: () => renderScheduleBytes(shortSchedule) },
    { name: 'write the JSON answer, 360 rows', run: () => renderScheduleBytes(longSchedule) },
    { name: SHORT_WHOLE, run: () => renderScheduleBytes(calculate(readBody(SAMPLE_BODY))) },
    { name: `${LONG_WHOLE} (JSON)`, run: () => renderScheduleBytes(calculateEverything()) },
    { name: `${LONG_WHOLE} (Avro)`, run: () => codec.encode(REPLY, calculateEverything(), 'avro') },
  ];
}

const MINOR_PER_MAJOR = 100;
const EVERYTHING = { ...loanWithCharges(360), CalculateDAE: 2 };

/** Validates the fields, calculates dates, rows, charges and both rates; the answer has the DAE. */
function calculateEverything(): RepaymentSchedule {
  const schedule = calculate(EVERYTHING);
  const { Amount, UpFrontValue = 0 } = EVERYTHING;
  const drawn = Amount.minus(UpFrontValue).toNumber() * MINOR_PER_MAJOR;
  if (effectiveInterestRate({ ...schedule, drawn }) === null) throw new Error('the loan has no rate');
  return schedule;
}

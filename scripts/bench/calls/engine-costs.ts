import {
  renderRepaymentSchedule,
  renderScheduleBytes,
} from '../../../shared/contract/schedule/render-schedule.ts';
import {
  type BenchOptions,
  compareTimes,
  type CostPerCall,
  costsOf,
  type PartResults,
  type Ratio,
  timeCalls,
  toKnow,
  type Work,
} from '../rounds.ts';
import { costTable } from '../tables.ts';
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
  const ratios = [...times]
    .filter(([name]) => name !== YARDSTICK)
    .map(([name, own]) => toKnow(`${name} / JSON yardstick`, compareTimes(own, yardstick), 'less'));
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
  ];
}

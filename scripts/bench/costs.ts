import { renderRepaymentSchedule } from '../../shared/api/actions/render-schedule.ts';
import { type BenchOptions, inTurns, median, type PartResult, table } from './rounds.ts';
import { benchCodec, calculate, readBody, scheduleBody } from './samples.ts';

interface Step {
  readonly name: string;
  readonly run: () => unknown;
}

const WARM_UP_MS = 500;
const MEASURE_MS = 1_000;
const LOOK_US = 1_000;
const REQUEST = 'CalculateRepaymentScheduleRequest';
const REPLY = 'CalculateRepaymentScheduleReply';

/** Node's own JSON reads and writes an answer. Costs relative to this step can be compared between machines. */
const YARDSTICK = 'JSON.parse and JSON.stringify of the answer, 12 rows';

/** Measures the processor time of each step of a schedule, in microseconds per call. */
export async function benchCosts({ rounds, progress }: BenchOptions): Promise<PartResult> {
  const steps = await stepsOfSchedule();
  progress(`timing ${steps.length} steps in ${rounds} rounds`);
  const warm = steps.map(({ run }) => {
    const perCallUs = timeSlice(run, 1, WARM_UP_MS);
    return { run, calls: Math.max(1, Math.round(LOOK_US / perCallUs)) };
  });
  const times = await inTurns(rounds, warm, ({ run, calls }) => timeSlice(run, calls, MEASURE_MS / rounds));
  const costs = steps.map(({ name }, index) => ({ name, rounds: times[index] ?? [] }));
  const yardstick = median(costs[0]?.rounds ?? []);
  const rows = costs.map(({ name, rounds: own }) => [
    name,
    median(own).toFixed(1),
    Math.min(...own).toFixed(1),
    (median(own) / yardstick).toFixed(2),
  ]);
  const head = ['work per call', 'us', 'fastest round', 'yardsticks'];
  return { table: table(head, rows), figures: costs, ratios: [] };
}

async function stepsOfSchedule(): Promise<readonly Step[]> {
  const codec = benchCodec();
  const shortBody = scheduleBody(12);
  const short = readBody(shortBody);
  const long = readBody(scheduleBody(360));
  const shortSchedule = calculate(short);
  const longSchedule = calculate(long);
  const answer = JSON.stringify(JSON.parse(renderRepaymentSchedule(shortSchedule)));
  const encodedRequest = await codec.encode(REQUEST, short, 'avro');
  const encodedReply = await codec.encode(REPLY, shortSchedule, 'avro');
  return [
    { name: YARDSTICK, run: () => JSON.stringify(JSON.parse(answer)) },
    { name: 'read and check the JSON request', run: () => readBody(shortBody) },
    { name: 'encode the request (Avro)', run: () => codec.encode(REQUEST, short, 'avro') },
    { name: 'decode the request (Avro)', run: () => codec.decode(encodedRequest) },
    { name: 'schedule of 12 rows with DAE', run: () => calculate(short) },
    { name: 'schedule of 360 rows with DAE', run: () => calculate(long) },
    { name: 'encode the reply, 12 rows (Avro)', run: () => codec.encode(REPLY, shortSchedule, 'avro') },
    { name: 'decode the reply, 12 rows (Avro)', run: () => codec.decode(encodedReply) },
    { name: 'write the JSON answer, 12 rows', run: () => renderRepaymentSchedule(shortSchedule) },
    { name: 'write the JSON answer, 360 rows', run: () => renderRepaymentSchedule(longSchedule) },
    {
      name: '12 rows with DAE, JSON in to JSON out',
      run: () => renderRepaymentSchedule(calculate(readBody(shortBody))),
    },
  ];
}

function timeSlice(run: () => unknown, calls: number, forMs: number): number {
  const startedAt = threadUs();
  let done = 0;
  let elapsedUs = 0;
  while (elapsedUs < forMs * 1_000) {
    for (let call = 0; call < calls; call += 1) run();
    done += calls;
    elapsedUs = threadUs() - startedAt;
  }
  return elapsedUs / done;
}

function threadUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

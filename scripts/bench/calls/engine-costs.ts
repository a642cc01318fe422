import { renderRepaymentSchedule } from '../../../shared/contract/schedule/render-schedule.ts';
import { type BenchOptions, type CostPerCall, costsOf, timeCalls, type Work } from '../rounds.ts';
import { benchCodec, calculate, readBody, SAMPLE_BODY } from '../samples.ts';

const WARM_UP_MS = 500;
/** Figures of each part, over all rounds. */
const MEASURE_MS = 1_000;
const LONG_BODY = SAMPLE_BODY.replace('"InstallmentsNo":12', '"InstallmentsNo":360');
const REQUEST = 'CalculateRepaymentScheduleRequest';
const REPLY = 'CalculateRepaymentScheduleReply';

/** Measures the cost of each part of one request, in microseconds per call. */
export async function benchCosts({
  rounds,
  progress,
}: Pick<BenchOptions, 'rounds' | 'progress'>): Promise<readonly CostPerCall[]> {
  const codec = benchCodec();
  const short = readBody(SAMPLE_BODY);
  const long = readBody(LONG_BODY);
  const shortSchedule = calculate(short);
  const longSchedule = calculate(long);
  const encodedRequest = await codec.encode(REQUEST, short, 'avro');
  const encodedReply = await codec.encode(REPLY, shortSchedule, 'avro');
  const works: readonly Work[] = [
    { name: 'read and check the JSON request', run: () => readBody(SAMPLE_BODY) },
    { name: 'encode the request (Avro)', run: () => codec.encode(REQUEST, short, 'avro') },
    { name: 'decode the request (Avro)', run: () => codec.decode(encodedRequest) },
    { name: 'schedule of 12 rows with DAE', run: () => calculate(short) },
    { name: 'schedule of 360 rows with DAE', run: () => calculate(long) },
    { name: 'encode the reply, 12 rows (Avro)', run: () => codec.encode(REPLY, shortSchedule, 'avro') },
    { name: 'decode the reply, 12 rows (Avro)', run: () => codec.decode(encodedReply) },
    { name: 'write the JSON answer, 12 rows', run: () => renderRepaymentSchedule(shortSchedule) },
    { name: 'write the JSON answer, 360 rows', run: () => renderRepaymentSchedule(longSchedule) },
  ];
  const options = { rounds, progress, sliceMs: MEASURE_MS / rounds, warmUpMs: WARM_UP_MS };
  return costsOf(await timeCalls(works, options)).map(({ name, microseconds }) => ({ name, microseconds }));
}

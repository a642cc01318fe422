import { renderRepaymentSchedule } from '../../../shared/contract/schedule/render-schedule.ts';
import type { Encoded } from '../../../shared/messaging/codec.ts';
import type { CostPerCall } from '../measurement.ts';
import { benchCodec, calculate, readBody } from './sample-messages.ts';
import { SAMPLE_BODY } from './sample-request.ts';

const WARM_UP_MS = 500;
const MEASURE_MS = 1_000;
/** Calls between two looks at the clock. */
const BATCH = 20;
const LONG_BODY = SAMPLE_BODY.replace('"InstallmentsNo":12', '"InstallmentsNo":360');

/** What the work of one request costs, each part alone, in microseconds per call. */
export async function benchCosts(progress: (text: string) => void): Promise<readonly CostPerCall[]> {
  const codec = benchCodec();
  const short = readBody(SAMPLE_BODY);
  const long = readBody(LONG_BODY);
  const shortSchedule = calculate(short);
  const longSchedule = calculate(long);
  const encodedRequest: Encoded = await codec.encode('CalculateRepaymentScheduleRequest', short, 'avro');
  const encodedReply: Encoded = await codec.encode('CalculateRepaymentScheduleReply', shortSchedule, 'avro');
  const parts: readonly (readonly [string, () => unknown])[] = [
    ['read and check the JSON request', () => readBody(SAMPLE_BODY)],
    ['encode the request (Avro)', () => codec.encode('CalculateRepaymentScheduleRequest', short, 'avro')],
    ['decode the request (Avro)', () => codec.decode(encodedRequest)],
    ['schedule of 12 rows with DAE', () => calculate(short)],
    ['schedule of 360 rows with DAE', () => calculate(long)],
    [
      'encode the reply, 12 rows (Avro)',
      () => codec.encode('CalculateRepaymentScheduleReply', shortSchedule, 'avro'),
    ],
    ['decode the reply, 12 rows (Avro)', () => codec.decode(encodedReply)],
    ['write the JSON answer, 12 rows', () => renderRepaymentSchedule(shortSchedule)],
    ['write the JSON answer, 360 rows', () => renderRepaymentSchedule(longSchedule)],
  ];
  return parts.map(([name, work]) => {
    progress(`cost: ${name}`);
    spin(work, WARM_UP_MS);
    return { name, microseconds: spin(work, MEASURE_MS) };
  });
}

/** Calls `work` over and over for about `forMs`; answers the microseconds per call. */
function spin(work: () => unknown, forMs: number): number {
  const startedAt = performance.now();
  let calls = 0;
  let elapsed = 0;
  while (elapsed < forMs) {
    for (let call = 0; call < BATCH; call += 1) work();
    calls += BATCH;
    elapsed = performance.now() - startedAt;
  }
  return (elapsed * 1_000) / calls;
}

/** Reads the request of `PLAT_BP_CalculateRate`. */

import { checkRateRequest } from '../../lending/annual-rate/check-rate-request.ts';
import { BUILT_IN_PERIODICITIES } from '../../lending/dates/periodicity.ts';
import type { RateRequest } from '../../lending/request/rate-request.ts';
import { Findings } from '../../lending/request/refusal.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import type { Fault } from '../../platform/problem.ts';
import { createInputReader } from '../json/json-param-input.ts';
import { rateBody, rateMembers } from './calculate-rate.ts';

/** Reads `{jsonParam: {...}}` and checks requests that came in Avro. */
export const rateInput = createInputReader<RateRequest>({
  body: rateBody,
  members: rateMembers,
  standIns: { Rule: 'DAE' },
  faultsOf,
  restsOn: ({ path }) => (path === 'Unit' ? [] : ['Rule']),
});

function faultsOf(request: RateRequest, catalogue: ScheduleCatalogue | undefined): readonly Fault[] {
  const findings = new Findings();
  checkRateRequest(request, catalogue?.periodicities ?? BUILT_IN_PERIODICITIES, findings);
  return findings.faults;
}

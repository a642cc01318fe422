import { availableParallelism } from 'node:os';
import {
  flag,
  oneOf,
  parseCommandLine,
  refuseFaults,
  unexpectedArguments,
  wholeNumber,
} from '../../scripts/command-line/parse-command-line.ts';
import { SYSTEM_KINDS, type SystemKind } from './faults/fault-plan.ts';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.ts';

export const HELP = `Usage: npm run simulate -- --seed N | --seeds N [OPTIONS]

Runs ingress, workers, callers, upstream systems and operators in one process under simulated time, with the faults of a seed,
and checks what the system promises. The same seed gives the same run.

  --seed N        runs this seed
  --seeds N       runs N seeds; default 100
  --from N        the first of them (1)
  --system KIND   runs all of them over a cluster of brokers (cluster), or over the embedded broker and its disk (embedded);
                  default: as each seed chooses
  --plant FAULT   breaks a promise in every process, so that a seed has to fail: commit-ahead-of-work, lost-record or sent-twice
  --minutes M     runs seeds for M minutes, at most --seeds of them if that is given
  --jobs N        runs seeds on N threads; default one for each processor
  --keep-going    goes on after a seed that fails
  --trace         prints everything that happened, also for a seed that passes (--seed)
  --json          prints one JSON document

Exit codes: 0 no seed failed, 1 a seed failed, 2 wrong usage.
`;

export interface SimulateArguments {
  readonly from: number;
  readonly count: number;
  /** Undefined: as each seed chooses. */
  readonly system: SystemKind | undefined;
  readonly plant: PlantedFault | undefined;
  readonly limitMs: number;
  readonly jobs: number;
  readonly keepGoing: boolean;
  readonly trace: boolean;
  readonly json: boolean;
}

const MAX_SEED = 2_147_483_647;
const MAX_JOBS = 64;
const MAX_MINUTES = 1_440;
const DEFAULT_SEEDS = 100;
const MINUTE_MS = 60_000;

/** Reads the command line; undefined for --help. Throws UsageError. */
export function readSimulateArguments(args: readonly string[]): SimulateArguments | undefined {
  const line = parseCommandLine(args, {
    seed: wholeNumber(0, MAX_SEED),
    seeds: wholeNumber(1, MAX_SEED),
    from: wholeNumber(0, MAX_SEED),
    system: oneOf(SYSTEM_KINDS),
    plant: oneOf(PLANTED_FAULTS),
    minutes: wholeNumber(1, MAX_MINUTES),
    jobs: wholeNumber(1, MAX_JOBS),
    'keep-going': flag(),
    trace: flag(),
    json: flag(),
  });
  if (line === undefined) return undefined;
  const { seed, seeds, from, minutes, trace, json, 'keep-going': keepGoing } = line.values;
  const faults = [...line.faults, ...unexpectedArguments(line.positionals)];
  if (seed !== undefined && (seeds ?? from ?? minutes) !== undefined) {
    faults.push('--seed runs one seed: omit --seeds, --from and --minutes');
  }
  if (seed === undefined && trace) faults.push('--trace needs --seed');
  refuseFaults(faults);
  const limitMs = minutes === undefined ? Infinity : minutes * MINUTE_MS;
  const many = seeds ?? (minutes === undefined ? DEFAULT_SEEDS : Infinity);
  return {
    from: seed ?? from ?? 1,
    count: seed === undefined ? many : 1,
    system: line.values.system,
    plant: line.values.plant,
    limitMs,
    jobs: line.values.jobs ?? availableParallelism(),
    keepGoing,
    trace,
    json,
  };
}

import { isExpired } from '../../shared/messaging/handler/request-deadline.ts';
import { requesterOf, type Request } from '../../shared/messaging/handler/request.ts';
import type { WorkSlices } from '../../shared/messaging/handler/work-slices.ts';
import { refused, retry, type Outcome } from '../../shared/messaging/outcome.ts';
import type { Clock } from '../../shared/platform/system-ports.ts';
import { InfrastructureError } from '../../shared/platform/errors.ts';
import { FairShare } from '../../shared/platform/fair-share.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import type { SyncOrAsync } from '../../shared/platform/sync-or-async.ts';

/** Up to this many rows, about 5 ms, a simulation runs without yielding or waiting for long ones. */
const MAX_SHORT_ROWS = 2_000;
/** Maximum rows of long simulations in progress, half for one requester. More would exceed the reply timeout (E6). */
const MAX_ROWS_IN_PROGRESS = 1_440_000;
/** The same limit for simulations without a deadline. The rest is reserved for callers that wait. */
const MAX_UNHURRIED_ROWS_IN_PROGRESS = 720_000;
const RETRY_MS = 1_000;
const OVERLOADED = createProblem('overloaded', {
  detail: 'Too many long simulations are waiting; try again in a moment.',
});

/** Runs short simulations at once. Long ones run one after the other and yield to the event loop after each slice. */
export class SimulationQueue {
  readonly #slices: WorkSlices;
  readonly #clock: Clock;
  readonly #rows = new FairShare();

  constructor(slices: WorkSlices, clock: Clock) {
    this.#slices = slices;
    this.#clock = clock;
  }

  /**
   * `steps` yields the remaining rows. If too many rows are in progress, a long simulation is refused, or retried later
   * if it has no deadline. A simulation whose deadline passes while it waits is refused. Rejects with
   * InfrastructureError if the process stops.
   */
  async run<Result>(
    steps: Generator<number, Result, undefined>,
    request: Request,
    conclude: (result: Result) => SyncOrAsync<Outcome>,
  ): Promise<Outcome> {
    let step = steps.next();
    const rows = step.done === true ? 0 : step.value;
    if (rows <= MAX_SHORT_ROWS) {
      while (step.done !== true) step = steps.next();
      return conclude(step.value);
    }
    const { deadlineMs, signal } = request;
    const requester = requesterOf(request);
    const limit = deadlineMs === undefined ? MAX_UNHURRIED_ROWS_IN_PROGRESS : MAX_ROWS_IN_PROGRESS;
    if (!this.#rows.hasRoom(requester, limit))
      return deadlineMs === undefined ? retry(RETRY_MS, OVERLOADED) : refused(OVERLOADED);
    this.#rows.take(requester, rows);
    await this.#slices.acquire();
    try {
      assertNotStopping(signal);
      if (isExpired(deadlineMs, this.#clock)) return refused(createProblem('deadline-exceeded'));
      while (step.done !== true) {
        if (this.#slices.isOver()) {
          await this.#slices.yield();
          assertNotStopping(signal);
        }
        step = steps.next();
      }
    } finally {
      this.#slices.release();
      this.#rows.giveBack(requester, rows);
    }
    return conclude(step.value);
  }
}

/** After a stop the next owner of the partition handles the request. */
function assertNotStopping(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new InfrastructureError('work-interrupted', 'the process stops in the middle of a simulation');
}

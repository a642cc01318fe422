/** The faults of a run, one line each; empty when the run succeeded. */

import type { NetworkReport } from './network-run.ts';
import type { PortfolioRunReport } from './portfolio-run.ts';
import type { RollingRestartReport } from './rolling-restart.ts';
import type { ReplyFigures } from './topic-reading.ts';

/** Every contract has exactly one result, in order and equal to the engine's; no message is left unprocessed. */
export function portfolioFaults(report: PortfolioRunReport): string[] {
  return [
    ...report.trouble,
    ...report.wrong,
    ...unless(report.exitCode === 0, `the command exited with ${report.exitCode}`),
    ...none(report, ['missing', 'repeatedIds', 'unknown', 'outOfOrder', 'failures']),
    ...unless(report.lines === report.contracts, `${report.lines} results for ${report.contracts} contracts`),
    ...logFaults(report),
  ];
}

/** Every call gets its own response. */
export function rollingFaults(report: RollingRestartReport): string[] {
  return [
    ...report.wrongAnswers,
    ...report.badExits,
    ...none(report, ['lost', 'swapped']),
    ...unless(report.answered === report.calls, `${report.answered} responses to ${report.calls} calls`),
  ];
}

/**
 * No process exits or hangs, every caller gets its own response, no accepted request is lost, and the system recovers
 * afterwards. Refusals and repeated replies are allowed.
 */
export function networkFaults(report: NetworkReport): string[] {
  return [
    ...report.crashes,
    ...report.spins,
    ...report.hangs,
    ...report.failedStarts,
    ...report.wrongAnswers,
    ...report.badExits,
    ...none(report, ['lost', 'swapped', 'notificationsLost', 'notificationsRepeated', 'deadLetters']),
    ...none(report, ['unansweredAfterwards']),
    ...unless(report.answered > 0, 'no call was answered'),
    ...unless(report.accepted > 0, 'no notification was accepted'),
    ...unless(report.torn > 0, 'no response was torn'),
  ];
}

function logFaults(report: ReplyFigures & { readonly lag: number; readonly deadLetters: number }): string[] {
  return [
    ...none(report, ['unanswered', 'differing', 'lag', 'deadLetters']),
    ...unless(report.requests > 0, 'no requests on the log'),
  ];
}

function none<Figure extends string>(
  report: Readonly<Record<Figure, number>>,
  figures: readonly Figure[],
): string[] {
  return figures.filter((figure) => report[figure] !== 0).map((figure) => `${figure}: ${report[figure]}`);
}

function unless(isWell: boolean, fault: string): string[] {
  return isWell ? [] : [fault];
}

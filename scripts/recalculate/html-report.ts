/** The report of `--html`: one file that needs no other file, no network and no script. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { STANDARD_STREAM } from './open-source.ts';
import type { RecalculateArguments } from './recalculate-arguments.ts';
import type { Checkpoint } from './resume.ts';
import { durationText, type Report } from './run-report.ts';
import { html, type Html } from '../../shared/api/documents/html.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import { reportSections } from '../../shared/portfolio/report-sections.ts';
import { createReportWords, englishText, type ReportWords } from '../../shared/portfolio/report-words.ts';
import type { Tally } from '../../shared/portfolio/tally.ts';

interface ReportedRun {
  readonly args: Pick<RecalculateArguments, 'input' | 'output' | 'failures'>;
  readonly plan: Pick<Checkpoint, 'startedAtMs' | 'originTimestampMs'>;
  readonly config: Config;
}

/** Styles of the workbench and of the report's sections, which its page Portfolio shows too. */
const STYLES = [
  'workers/ingress/workbench/app/design/tokens.css',
  'workers/ingress/workbench/app/design/base.css',
  'workers/ingress/workbench/app/design/components.css',
  'shared/portfolio/report.css',
];

/** Escapes all texts of the input. The Content-Security-Policy of the file allows nothing but its own styles. */
export function renderHtmlReport(tally: Tally, run: Report, reported: ReportedRun): string {
  const words = createReportWords('en-GB', englishText);
  const styles = STYLES.map((file) =>
    readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8'),
  ).join('');
  const hash = createHash('sha256').update(styles).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const { input } = reported.args;
  const name = input === STANDARD_STREAM ? 'the standard input' : path.basename(input);
  const endedAtMs = Date.now();
  const title = `Recalculation of ${name}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ markup: styles }}</style>
</head>
<body>
<main class="report stack">
<header class="page-head">
<div><h1>${title}</h1><p>${words.count(run.read)} contracts, ${momentText(endedAtMs)}</p></div>
${run.outcome === 'complete' ? html`<span class="badge badge-good">complete</span>` : html`<span class="badge badge-bad">not complete</span>`}
</header>
${endNotice(run)}
${reportSections(tally, words, run.duplicateIds)}
${runSection(run, words, { ...reported, endedAtMs })}
</main>
</body>
</html>
`.markup;
}

function endNotice({ outcome, warning, reason, resumeWith }: Report): Html {
  if (outcome === 'complete') {
    return warning === undefined ? html`` : html`<p class="notice notice-warn">Warning: ${warning}.</p>`;
  }
  const resume = html`<p>To continue the run:</p><pre class="code" tabindex="0">${resumeWith ?? ''}</pre>`;
  return html`<div class="notice notice-bad"><p><strong>The run was aborted: ${reason ?? 'unknown reason'}.</strong> The figures cover only contracts that were finished before.</p>${resumeWith === undefined ? html`` : resume}</div>`;
}

function runSection(
  run: Report,
  words: ReportWords,
  { args, plan, config, endedAtMs }: ReportedRun & { readonly endedAtMs: number },
): Html {
  const sessions = run.sessions > 1 ? `, in ${words.count(run.sessions)} sessions` : '';
  const rate = `${words.count(run.contractsPerSecond)} contracts/s`;
  const catalogue = config.lending.catalogueFolder ?? 'the example catalogue';
  const entries: readonly (readonly [string, string])[] = [
    ['Input', args.input === STANDARD_STREAM ? 'standard input' : args.input],
    ['Results', args.output?.file ?? 'not written (--summary)'],
    ['Failures', args.failures ?? 'not written'],
    ['Contracts read', words.count(run.read)],
    ['Started', momentText(plan.startedAtMs)],
    ['Ended', momentText(endedAtMs)],
    ['Duration', `${durationText(run.durationSeconds)}${sessions}, ${rate}`],
    ['Calculated as of', momentText(plan.originTimestampMs)],
    ['Calculated by', config.kafka === undefined ? 'this process' : 'the schedule workers on Kafka'],
    ...(config.kafka === undefined ? [['Catalogue', catalogue] as const] : []),
    ['Run', run.runId],
  ];
  return html`<section class="card stack">
<h2>Run</h2>
<dl class="definition-list">${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
</section>`;
}

function momentText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replace('T', ' ')} UTC`;
}

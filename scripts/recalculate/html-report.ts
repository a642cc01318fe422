/** The report of `--html`: one file that needs no other file, no network and no script. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { STANDARD_STREAM } from './open-source.ts';
import { durationText, type Report } from './run-report.ts';
import { html, type Html } from '../../shared/api/documents/html.ts';
import { reportSections } from '../../shared/portfolio/report-sections.ts';
import { createReportWords, englishText, type ReportWords } from '../../shared/portfolio/report-words.ts';
import type { Tally } from '../../shared/portfolio/tally.ts';

/** What was run; times in epoch milliseconds. */
export interface HtmlReportRun extends Report {
  readonly input: string;
  /** Undefined with --summary. */
  readonly output: string | undefined;
  readonly failures: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The time at which all requests count as sent (D2). */
  readonly originTimestampMs: number;
  /** Workers on Kafka, or this process with the catalogue of a folder; undefined for the example catalogue. */
  readonly calculatedBy: 'kafka' | { readonly catalogue: string | undefined };
}

const LOCALE = 'en-GB';
const ROOT = path.resolve(import.meta.dirname, '../..');
/** The looks of the workbench, whose page Portfolio shows the same sections. */
const STYLES = [
  'workers/ingress/workbench/app/design/tokens.css',
  'workers/ingress/workbench/app/design/base.css',
  'workers/ingress/workbench/app/design/components.css',
  'shared/portfolio/report.css',
];

/** Renders the whole file. All texts of the input are escaped, and the file permits nothing but its own styles. */
export function renderHtmlReport(tally: Tally, run: HtmlReportRun): string {
  const words = createReportWords(LOCALE, englishText);
  const styles = STYLES.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join('');
  const hash = createHash('sha256').update(styles).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const title = `Recalculation of ${inputName(run.input)}`;
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
<div><h1>${title}</h1><p>${words.count(run.read)} contracts, ${momentText(run.endedAtMs)}</p></div>
${run.outcome === 'complete' ? html`<span class="badge badge-good">complete</span>` : html`<span class="badge badge-bad">not complete</span>`}
</header>
${endNotice(run)}
${reportSections(tally, words, run.duplicateIds)}
${runSection(run, words)}
</main>
</body>
</html>
`.markup;
}

function inputName(input: string): string {
  return input === STANDARD_STREAM ? 'the standard input' : path.basename(input);
}

function endNotice({ outcome, warning, reason, resumeWith }: HtmlReportRun): Html {
  if (outcome === 'complete') {
    return warning === undefined ? html`` : html`<p class="notice notice-warn">Warning: ${warning}.</p>`;
  }
  const resume = html`<p>To continue the run:</p><pre class="code" tabindex="0">${resumeWith ?? ''}</pre>`;
  return html`<div class="notice notice-bad"><p><strong>The run was aborted: ${reason ?? 'unknown reason'}.</strong> The figures contain the contracts up to then.</p>${resumeWith === undefined ? html`` : resume}</div>`;
}

function runSection(run: HtmlReportRun, words: ReportWords): Html {
  const sessions = run.sessions > 1 ? `, in ${words.count(run.sessions)} sessions` : '';
  const { calculatedBy } = run;
  const entries: readonly (readonly [string, string])[] = [
    ['Input', run.input === STANDARD_STREAM ? 'standard input' : run.input],
    ['Results', outputName(run.output)],
    ['Failures', run.failures ?? 'not written'],
    ['Contracts read', words.count(run.read)],
    ['Started', momentText(run.startedAtMs)],
    ['Ended', momentText(run.endedAtMs)],
    [
      'Duration',
      `${durationText(run.durationSeconds)}${sessions}, ${words.count(run.contractsPerSecond)} contracts/s`,
    ],
    ['Calculated as of', momentText(run.originTimestampMs)],
    ['Calculated by', calculatedBy === 'kafka' ? 'the schedule workers on Kafka' : 'this process'],
    ...(calculatedBy === 'kafka'
      ? []
      : [['Catalogue', calculatedBy.catalogue ?? 'the example catalogue'] as const]),
    ['Run', run.runId],
  ];
  return html`<section class="card stack">
<h2>Run</h2>
<dl class="definition-list">${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
</section>`;
}

function outputName(output: string | undefined): string {
  if (output === undefined) return 'not written (--summary)';
  return output === STANDARD_STREAM ? 'standard output' : output;
}

function momentText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replace('T', ' ')} UTC`;
}

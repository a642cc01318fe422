/**
 * The results of a portfolio as HTML without styles of its own: the report of `npm run recalculate -- --html` and the page
 * Portfolio of the workbench show the same sections.
 */

import { html, type Html } from '../api/documents/html.ts';
import type { ChangeCounts } from './change-distribution.ts';
import { dataTable, figureList, type Column } from './data-table.ts';
import { distribution } from './distribution-chart.ts';
import type { DuplicateIds } from './duplicate-ids.ts';
import type { Mover } from './largest-movers.ts';
import type { ReportWords } from './report-words.ts';
import { addSums, bySum, SUM_NAMES, type ScheduleSums } from './schedule-sums.ts';
import { byCount, type CurrencyTotals, type FieldCounts, type Tally, totalsByCurrency } from './tally.ts';

const PERCENT = 100;

/** The sections with a heading of level 2 each: result, changes, largest movers, failures. */
export function reportSections(tally: Tally, words: ReportWords, duplicates?: DuplicateIds): Html {
  return html`<div class="portfolio-results stack">${duplicateNotice(duplicates, words)}${resultSection(tally, words)}${changeSections(tally, words)}${failureSection(tally, words)}</div>`;
}

function duplicateNotice(duplicates: DuplicateIds | undefined, { text, count }: ReportWords): Html {
  if (duplicates === undefined || duplicates.count === 0) return html``;
  const ids = duplicates.listed.map(({ id, line, firstLine }) => `${id} (${firstLine}, ${line})`).join(', ');
  return html`<p class="notice notice-warn">${text('duplicateIds', { count: count(duplicates.count), ids })}</p>`;
}

function resultSection(tally: Tally, words: ReportWords): Html {
  const { text, count } = words;
  const figures: readonly (readonly [string, number])[] = [
    [text('calculated'), tally.calculated],
    [text('failed'), tally.failed],
    [text('instalments'), tally.rows],
    ...optional(text('withWarnings'), tally.warned),
  ];
  const totals = totalsByCurrency(tally);
  return html`<section class="card stack">
<h2>${text('result')}</h2>
${figureList(figures.map(([name, value]) => [name, count(value)]))}
${totals.length > 0 ? totalsTable(totals, words) : html``}
${fieldTable(text('ignoredFields'), tally.ignoredFields, words)}
</section>`;
}

function optional(name: string, value: number): readonly (readonly [string, number])[] {
  return value > 0 ? [[name, value]] : [];
}

function sumColumns(words: ReportWords): readonly Column[] {
  return [
    { text: words.text('contracts'), isNumber: true },
    ...SUM_NAMES.map((name) => ({ text: words.text(name), isNumber: true })),
  ];
}

function totalsTable(totals: readonly CurrencyTotals[], words: ReportWords): Html {
  return dataTable(
    { caption: words.text('totals'), columns: [{ text: words.text('currency') }, ...sumColumns(words)] },
    totals.map(({ currency, digits, contracts, after }) => [
      currency ?? words.text('noCurrency'),
      words.count(contracts),
      ...sumTexts(after, (minor) => words.amount(minor, digits)),
    ]),
  );
}

function sumTexts(sums: ScheduleSums, format: (minor: bigint) => string): readonly string[] {
  return Object.values(bySum((name) => format(sums[name])));
}

function changeSections(tally: Tally, words: ReportWords): Html {
  const { text, count } = words;
  if (tally.compared + tally.formerUnreadable === 0) {
    return html`<p class="notice">${text('noComparison')}</p>`;
  }
  const figures: readonly (readonly [string, number])[] = [
    [text('compared'), tally.compared],
    [text('changed'), tally.changed],
    [text('otherLength'), tally.otherLength],
    ...optional(text('unreadable'), tally.formerUnreadable),
  ];
  const lines = tally.formerUnreadableLines.join(', ');
  const unreadable = html`<p class="notice notice-warn">${text('unreadableLines', { count: count(tally.formerUnreadable), lines })}</p>`;
  return html`<section class="card stack">
<h2>${text('comparison')}</h2>
${figureList(figures.map(([name, value]) => [name, count(value)]))}
${tally.formerUnreadable > 0 ? unreadable : html``}
${tally.compared > 0 ? comparedTable(totalsByCurrency(tally), words) : html``}
</section>
${tally.compared > 0 ? distributions(tally, words) : html``}
${tally.rises.length + tally.falls.length > 0 ? movers(tally, words) : html``}`;
}

function comparedTable(totals: readonly CurrencyTotals[], words: ReportWords): Html {
  const rows = totals
    .filter(({ compared }) => compared > 0)
    .flatMap(({ currency, digits, compared, before, difference }) => {
      const named = (name: string, sums: readonly string[]): readonly string[] => [
        currency ?? words.text('noCurrency'),
        name,
        words.count(compared),
        ...sums,
      ];
      const amount = (minor: bigint): string => words.amount(minor, digits);
      return [
        named(words.text('before'), sumTexts(before, amount)),
        named(words.text('after'), sumTexts(addSums(before, difference), amount)),
        named(
          words.text('difference'),
          sumTexts(difference, (minor) => words.change(minor, digits)),
        ),
      ];
    });
  const columns = [{ text: words.text('currency') }, { text: words.text('side') }, ...sumColumns(words)];
  return dataTable({ caption: words.text('comparison'), isCaptionHidden: true, columns }, rows);
}

function distributions(tally: Tally, words: ReportWords): Html {
  const { text } = words;
  return html`${changeCard(tally.paymentChanges, text('paymentChanges'), text('paymentChangesNote'), words)}
${changeCard(tally.totalChanges, text('totalChanges'), text('totalChangesNote'), words)}`;
}

function changeCard(changes: ChangeCounts, title: string, note: string, words: ReportWords): Html {
  const { text, count } = words;
  const hasAny = changes.bins.some((counted) => counted > 0);
  const missing = html`<p class="small soft">${text('withoutBase', { count: count(changes.withoutBase) })}</p>`;
  return html`<section class="card stack">
<h2>${title}</h2>
<p class="soft">${note}</p>
${hasAny ? distribution(changes, title, words) : html``}
${changes.withoutBase > 0 ? missing : html``}
</section>`;
}

function movers({ rises, falls }: Tally, words: ReportWords): Html {
  const { text } = words;
  const columns = [
    { text: text('contract') },
    { text: text('line'), isNumber: true },
    { text: text('currency') },
    ...(['before', 'after', 'difference', 'percent'] as const).map((key) => ({
      text: text(key),
      isNumber: true,
    })),
  ];
  const list = (caption: string, listed: readonly Mover[]): Html =>
    listed.length === 0
      ? html``
      : html`<section class="stack"><h2>${caption}</h2>${dataTable(
          { caption, isCaptionHidden: true, columns },
          listed.map((mover) => moverCells(mover, words)),
        )}</section>`;
  return html`${list(text('rises'), rises)}${list(text('falls'), falls)}`;
}

function moverCells(
  { line, id, currency, digits, before, after }: Mover,
  words: ReportWords,
): readonly string[] {
  const difference = after - before;
  return [
    String(id),
    words.count(line),
    currency ?? '',
    words.amount(before, digits),
    words.amount(after, digits),
    words.change(difference, digits),
    before > 0n ? words.signedShare((Number(difference) / Number(before)) * PERCENT) : '',
  ];
}

function failureSection(tally: Tally, words: ReportWords): Html {
  const { text, count } = words;
  if (tally.failed === 0) return html``;
  const listed = tally.firstFailures.length;
  const more = html`<p class="small soft">${text('moreFailures', { count: count(listed), all: count(tally.failed) })}</p>`;
  return html`<section class="stack">
<h2>${text('failures')}</h2>
${codeTable(tally, words)}
${fieldTable(text('failuresByField'), tally.failedFields, words)}
${listTable(tally, words)}
${listed < tally.failed ? more : html``}
</section>`;
}

function codeTable({ failuresByCode }: Tally, { text, count }: ReportWords): Html {
  const codes = byCount([...failuresByCode].map(([code, failures]) => ({ code, count: failures })));
  const columns = [{ text: text('code') }, { text: text('contracts'), isNumber: true }];
  return dataTable(
    { caption: text('failuresByCode'), columns },
    codes.map((entry) => [entry.code, count(entry.count)]),
  );
}

/** Nothing without fields. */
function fieldTable(caption: string, { fields, others }: FieldCounts, { text, count }: ReportWords): Html {
  if (fields.size === 0) return html``;
  const rows = byCount(fields.values()).map((entry) => [entry.path, entry.code, count(entry.count)]);
  const more = others > 0 ? [[text('otherFields'), '', count(others)]] : [];
  const columns = [
    { text: text('field') },
    { text: text('code') },
    { text: text('contracts'), isNumber: true },
  ];
  return dataTable({ caption, columns }, [...rows, ...more]);
}

function listTable({ firstFailures }: Tally, { text, count }: ReportWords): Html {
  const columns = [
    { text: text('contract') },
    { text: text('line'), isNumber: true },
    { text: text('code') },
    { text: text('reason') },
  ];
  return dataTable(
    { caption: text('listedFailures'), columns },
    firstFailures.map(({ id, line, code, reason }) => [
      id === undefined ? text('noId') : String(id),
      count(line),
      code,
      reason,
    ]),
  );
}

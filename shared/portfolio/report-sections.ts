/** Renders the results of a portfolio as HTML without styles, for `--html` and the Portfolio page of the workbench. */

import { html, type Html } from '../api/documents/html.ts';
import { type ChangeBin, type ChangeCounts, countDirections, filledBins } from './change-distribution.ts';
import { addSums, bySum, type ScheduleSums } from './comparison.ts';
import type { DuplicateIds } from './input-faults.ts';
import type { ReportTexts, ReportWords } from './report-words.ts';
import {
  byCount,
  type CurrencyTotals,
  type FieldCounts,
  type Mover,
  type Tally,
  totalsByCurrency,
} from './tally.ts';

const PERCENT = 100;

export function reportSections(tally: Tally, words: ReportWords, duplicates?: DuplicateIds): Html {
  return html`<div class="portfolio-results stack">${duplicateNotice(duplicates, words)}${resultSection(tally, words)}${changeSections(tally, words)}${failureSection(tally, words)}</div>`;
}

function duplicateNotice(duplicates: DuplicateIds | undefined, { text, count }: ReportWords): Html {
  if (duplicates === undefined || duplicates.count === 0) return html``;
  const ids = duplicates.listed.map(({ id, line, firstLine }) => `${id} (${firstLine}, ${line})`).join(', ');
  return html`<p class="notice notice-warn">${text('duplicateIds', { count: count(duplicates.count), ids })}</p>`;
}

function resultSection(tally: Tally, words: ReportWords): Html {
  const { text } = words;
  const { calculated, failed, rows, warned } = tally;
  const withWarnings = warned > 0 ? { withWarnings: warned } : {};
  const totals = totalsByCurrency(tally);
  return html`<section class="card stack">
<h2>${text('result')}</h2>
${countList({ calculated, failed, instalments: rows, ...withWarnings }, words)}
${totals.length > 0 ? totalsTable(totals, words) : html``}
${fieldTable('ignoredFields', tally.ignoredFields, words)}
</section>`;
}

type TextKey = keyof ReportTexts;

const SUM_COLUMNS = ['#contracts', '#principal', '#interest', '#fees', '#total'] as const;

function totalsTable(totals: readonly CurrencyTotals[], words: ReportWords): Html {
  const rows = totals.map(({ currency, digits, contracts, after }) => [
    currency ?? words.text('noCurrency'),
    words.count(contracts),
    ...sumTexts(after, (minor) => words.amount(minor, digits)),
  ]);
  return dataTable({ caption: 'totals', columns: ['currency', ...SUM_COLUMNS], words }, rows);
}

function sumTexts(sums: ScheduleSums, format: (minor: bigint) => string): readonly string[] {
  return Object.values(bySum((name) => format(sums[name])));
}

function changeSections(tally: Tally, words: ReportWords): Html {
  const { text, count } = words;
  if (tally.compared + tally.formerUnreadable === 0) {
    return html`<p class="notice">${text('noComparison')}</p>`;
  }
  const { compared, changed, otherLength, formerUnreadable } = tally;
  const unreadable = formerUnreadable > 0 ? { unreadable: formerUnreadable } : {};
  const lines = tally.formerUnreadableLines.join(', ');
  const notice = html`<p class="notice notice-warn">${text('unreadableLines', { count: count(formerUnreadable), lines })}</p>`;
  const changes = html`${changeCard('paymentChanges', tally.paymentChanges, words)}
${changeCard('totalChanges', tally.totalChanges, words)}`;
  return html`<section class="card stack">
<h2>${text('comparison')}</h2>
${countList({ compared, changed, otherLength, ...unreadable }, words)}
${formerUnreadable > 0 ? notice : html``}
${compared > 0 ? comparedTable(totalsByCurrency(tally), words) : html``}
</section>
${compared > 0 ? changes : html``}
${movers(tally, words)}`;
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
      const change = (minor: bigint): string => words.change(minor, digits);
      return [
        named(words.text('before'), sumTexts(before, amount)),
        named(words.text('after'), sumTexts(addSums(before, difference), amount)),
        named(words.text('difference'), sumTexts(difference, change)),
      ];
    });
  const columns = ['currency', 'side', ...SUM_COLUMNS] as const;
  return dataTable({ caption: 'comparison', isCaptionHidden: true, columns, words }, rows);
}

function changeCard(
  title: 'paymentChanges' | 'totalChanges',
  changes: ChangeCounts,
  words: ReportWords,
): Html {
  const { text, count } = words;
  const hasAny = changes.bins.some((counted) => counted > 0);
  const missing = html`<p class="small soft">${text('withoutBase', { count: count(changes.withoutBase) })}</p>`;
  return html`<section class="card stack">
<h2>${text(title)}</h2>
<p class="soft">${text(`${title}Note`)}</p>
${hasAny ? distribution(changes, title, words) : html``}
${changes.withoutBase > 0 ? missing : html``}
</section>`;
}

function movers(tally: Tally, words: ReportWords): Html {
  const columns = ['contract', '#line', 'currency', '#before', '#after', '#difference', '#percent'] as const;
  const lists = (['rises', 'falls'] as const).map((caption) => {
    if (tally[caption].length === 0) return html``;
    const rows = tally[caption].map((mover) => moverCells(mover, words));
    const table = dataTable({ caption, isCaptionHidden: true, columns, words }, rows);
    return html`<section class="stack"><h2>${words.text(caption)}</h2>${table}</section>`;
  });
  return html`${lists}`;
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
${fieldTable('failuresByField', tally.failedFields, words)}
${listTable(tally, words)}
${listed < tally.failed ? more : html``}
</section>`;
}

function codeTable({ failuresByCode }: Tally, words: ReportWords): Html {
  const codes = byCount([...failuresByCode].map(([code, count]) => ({ code, count })));
  const rows = codes.map(({ code, count }) => [code, words.count(count)]);
  return dataTable({ caption: 'failuresByCode', columns: ['code', '#contracts'], words }, rows);
}

function fieldTable(
  caption: 'ignoredFields' | 'failuresByField',
  { fields, others }: FieldCounts,
  words: ReportWords,
): Html {
  if (fields.size === 0) return html``;
  const rows = byCount(fields.values()).map(({ path, code, count }) => [path, code, words.count(count)]);
  const more = others > 0 ? [[words.text('otherFields'), '', words.count(others)]] : [];
  return dataTable({ caption, columns: ['field', 'code', '#contracts'], words }, [...rows, ...more]);
}

function listTable({ firstFailures }: Tally, words: ReportWords): Html {
  const columns = ['contract', '#line', 'code', 'reason'] as const;
  const rows = firstFailures.map(({ id = words.text('noId'), line, code, reason }) => [
    String(id),
    words.count(line),
    code,
    reason,
  ]);
  return dataTable({ caption: 'listedFailures', columns, words }, rows);
}

function distribution(changes: ChangeCounts, caption: TextKey, words: ReportWords): Html {
  const bins = filledBins(changes);
  const most = Math.max(...bins.map(({ count }) => count));
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  const rows = bins.map((bin) => {
    const { direction, count } = bin;
    const width = ((count / most) * PERCENT).toFixed(1);
    const bar = html`<svg class="change-bar ${direction}" aria-hidden="true"><rect width="${width}%" height="100%"/></svg>`;
    const share = words.share((count / all) * PERCENT);
    return [rangeText(bin, words), words.count(count), html`${share}${bar}`];
  });
  const columns = ['changeRange', '#contracts', '#share'] as const;
  return html`${countList(countDirections(changes), words)}
${dataTable({ caption, isCaptionHidden: true, columns, words }, rows)}`;
}

function rangeText({ direction, from, to }: ChangeBin, words: ReportWords): string {
  if (direction === 'unchanged') return words.text('unchanged');
  const values = { from: words.percent(from), to: words.percent(to ?? 0) };
  const range = words.text(to === undefined ? 'andMore' : from === 0 ? 'upTo' : 'fromTo', values);
  return words.text(direction === 'lower' ? 'lowerBy' : 'higherBy', { range });
}

interface TableHead {
  readonly caption: TextKey;
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly (TextKey | `#${TextKey}`)[];
  readonly words: ReportWords;
}

/** A table wider than the page scrolls inside its region, by keyboard too. The first cell of a row is its header. */
function dataTable(
  { caption, isCaptionHidden = false, columns, words }: TableHead,
  rows: readonly (readonly (string | Html)[])[],
): Html {
  const title = words.text(caption);
  const classes = columns.map((name) => (name.startsWith('#') ? html` class="number"` : html``));
  const head = columns.map(
    (name, index) =>
      html`<th scope="col"${classes[index] ?? ''}>${words.text(name.replace('#', '') as TextKey)}</th>`,
  );
  const cell = (text: string | Html, index: number): Html =>
    index === 0
      ? html`<th scope="row"${classes[0] ?? ''}>${text}</th>`
      : html`<td${classes[index] ?? ''}>${text}</td>`;
  return html`<div class="table-wrap" role="region" aria-label="${title}" tabindex="0"><table class="table">
<caption${isCaptionHidden ? html` class="visually-hidden"` : html``}>${title}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map(cell)}</tr>\n`)}</tbody>
</table></div>`;
}

function countList(figures: { readonly [Name in TextKey]?: number }, { text, count }: ReportWords): Html {
  const items = Object.entries(figures).map(
    ([name, value]) => html`<div><dt>${text(name as TextKey)}</dt><dd>${count(value)}</dd></div>`,
  );
  return html`<dl class="figure-list">${items}</dl>`;
}

/** The distribution of changes as a chart and a table of the same figures. */

import { html, type Html } from '../api/documents/html.ts';
import { type ChangeBin, type ChangeCounts, countDirections, shownBins } from './change-distribution.ts';
import { dataTable, figureList } from './data-table.ts';
import type { ReportWords } from './report-words.ts';

/** Positions across are percentages, so that the chart has any width and its labels their size. Heights are pixels. */
const WHOLE = 100;
const TOP = 20;
const BASE = 256;
const LABELS = 276;
const LABEL_ABOVE = 5;
const MAX_TICKS = 4;
/** The part of its place that a bar fills. */
const BAR = 0.84;
const DECIMALS = 3;
const DIRECTIONS = ['lower', 'unchanged', 'higher'] as const;

/** The counts by direction, a chart, and a table with the same figures. */
export function distribution(changes: ChangeCounts, caption: string, words: ReportWords): Html {
  const bins = shownBins(changes);
  const counts = countsOf(changes, words);
  const figures = DIRECTIONS.map((direction) => [words.text(direction), counts[direction]] as const);
  return html`<div class="distribution">
<div class="stack">
${figureList(figures)}
${chart(bins, words.text('chart', counts), words)}
<p class="small soft">${words.text('scale')}</p>
</div>
${binTable(bins, caption, words)}
</div>`;
}

function countsOf(
  changes: ChangeCounts,
  words: ReportWords,
): Readonly<Record<ChangeBin['direction'], string>> {
  const counts = countDirections(changes);
  return {
    lower: words.count(counts.lower),
    unchanged: words.count(counts.unchanged),
    higher: words.count(counts.higher),
  };
}

function chart(bins: readonly ChangeBin[], label: string, words: ReportWords): Html {
  const step = tickStep(Math.max(...bins.map(({ count }) => count)));
  const most = Math.ceil(Math.max(...bins.map(({ count }) => count), 1) / step) * step;
  const y = (count: number): number => BASE - (count / most) * (BASE - TOP);
  const place = WHOLE / bins.length;
  const ticks = Array.from({ length: Math.round(most / step) }, (_, index) => (index + 1) * step);
  const lines = ticks.map(
    (tick) =>
      html`<line class="grid" x1="0" x2="100%" y1="${rounded(y(tick))}" y2="${rounded(y(tick))}"/><text x="0" y="${rounded(y(tick) - LABEL_ABOVE)}">${words.count(tick)}</text>`,
  );
  const bars = bins.flatMap((bin, index) => {
    if (bin.count === 0) return [];
    const x = rounded((index + (1 - BAR) / 2) * place);
    // A single contract among many is visible, too.
    const height = Math.max(1, BASE - y(bin.count));
    return html`<rect class="${bin.direction}" x="${x}%" width="${rounded(BAR * place)}%" y="${rounded(BASE - height)}" height="${rounded(height)}"><title>${rangeText(bin, words)}: ${words.count(bin.count)}</title></rect>`;
  });
  return html`<svg class="distribution-chart" role="img" aria-label="${label}">${lines}${bars}<line class="axis" x1="0" x2="100%" y1="${BASE}" y2="${BASE}"/>${limits(bins, words)}</svg>`;
}

/** Labels at the powers of ten, and at the bar of what is unchanged. */
function limits(bins: readonly ChangeBin[], words: ReportWords): readonly Html[] {
  const place = WHOLE / bins.length;
  const last = bins.length - 1;
  return bins.flatMap(({ direction, to }, index) => {
    if (direction === 'unchanged') return tickLabel((index + 0.5) * place, 'middle', words.count(0));
    if (to === undefined || !Number.isInteger(Math.log10(to))) return [];
    const isLower = direction === 'lower';
    const limit = words.count(isLower ? -to : to);
    // The first beside zero has no place for its label on a phone, if there are others.
    const anchor = index === 0 ? 'start' : index === last ? 'end' : 'middle';
    const isInner = Math.abs(index - last / 2) === 1 && anchor === 'middle';
    return tickLabel((isLower ? index : index + 1) * place, anchor, limit, isInner);
  });
}

function tickLabel(x: number, anchor: string, text: string, isInner = false): Html {
  const inner = isInner ? html` class="inner"` : html``;
  return html`<text x="${rounded(x)}%" y="${LABELS}" text-anchor="${anchor}"${inner}>${text}</text>`;
}

/** The largest of 1, 2 and 5 times a power of ten that makes at most four steps of whole contracts. */
function tickStep(most: number): number {
  const least = Math.max(1, most / MAX_TICKS);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10);
}

function rounded(value: number): string {
  return String(Number(value.toFixed(DECIMALS)));
}

function binTable(bins: readonly ChangeBin[], caption: string, words: ReportWords): Html {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  const columns = [
    { text: words.text('changeRange') },
    { text: words.text('contracts'), isNumber: true },
    { text: words.text('share'), isNumber: true },
  ];
  return dataTable(
    { caption, isCaptionHidden: true, columns },
    bins
      .filter(({ count }) => count > 0)
      .map((bin) => [rangeText(bin, words), words.count(bin.count), words.share((bin.count / all) * WHOLE)]),
  );
}

function rangeText({ direction, from, to }: ChangeBin, words: ReportWords): string {
  if (direction === 'unchanged') return words.text('unchanged');
  const values = { from: words.percent(from), to: words.percent(to ?? 0) };
  const range = words.text(to === undefined ? 'andMore' : from === 0 ? 'upTo' : 'fromTo', values);
  return words.text(direction === 'lower' ? 'lowerBy' : 'higherBy', { range });
}

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { dayMs, timelineTicks, type Tick, type TimeScale } from '../charts/time-axis.ts';
import { formatDate } from '../format.ts';
import type { ListedVersion } from '../../../../../shared/api/operations/product-lists.ts';
import { daysText, statusText } from './field-values.ts';
import { t } from './texts.ts';
import {
  findGaps,
  findOverlaps,
  placeSpan,
  timelineDomain,
  versionOn,
  type Span,
} from './version-timeline.ts';

const ROW_HEIGHT = 30;
const BAR_HEIGHT = 18;

interface TimelineProps {
  readonly versions: readonly ListedVersion[];
  readonly day: string;
  readonly selected: number;
  readonly onSelect: (version: number) => void;
}

/**
 * The versions of a product over time, one below the other, and above them when the product is offered, with gaps and overlaps. The
 * table below it says the same in words.
 */
export function TimelineChart({ versions, day, selected, onSelect }: TimelineProps) {
  const domain = timelineDomain(versions, day);
  const ticks = timelineTicks(domain);
  const used = versionOn(versions, day);
  const grid = { ticks, domain, day };
  const now = used === undefined ? t('noneToday') : t('usedToday', { version: used.version });
  return (
    <div
      class="product-timeline"
      role="img"
      aria-label={`${t('timeline', { count: versions.length })} ${now}`}
    >
      <Row label="" grid={grid}>
        <Labels ticks={ticks} />
      </Row>
      <Row label={t('offered')} grid={grid}>
        <Coverage versions={versions} domain={domain} />
      </Row>
      {versions.map((version) => (
        <Row
          key={version.version}
          label={t('version', { version: version.version })}
          grid={grid}
          isSelected={version.version === selected}
          onSelect={() => onSelect(version.version)}
        >
          <Bar version={version} domain={domain} />
        </Row>
      ))}
      <Row label="" grid={grid} hasToday={false}>
        <text
          class="product-today"
          x={`${domain(dayMs(day))}%`}
          y="18"
          text-anchor={anchorOf(domain(dayMs(day)))}
        >
          {t('today')}
        </text>
      </Row>
    </div>
  );
}

function anchorOf(left: number): 'start' | 'middle' | 'end' {
  if (left < 10) return 'start';
  return left > 90 ? 'end' : 'middle';
}

interface RowProps {
  readonly label: string;
  readonly grid: { readonly ticks: readonly Tick[]; readonly domain: TimeScale; readonly day: string };
  readonly isSelected?: boolean;
  readonly hasToday?: boolean;
  readonly onSelect?: () => void;
  readonly children: ComponentChildren;
}

/** A row has its own part of the vertical lines, so that labels keep their size at any width. */
function Row({ label, grid, isSelected = false, hasToday = true, onSelect, children }: RowProps) {
  const today = `${grid.domain(dayMs(grid.day))}%`;
  return (
    <>
      <span class={isSelected ? 'product-row-selected' : undefined}>{label}</span>
      <svg
        width="100%"
        height={ROW_HEIGHT}
        class={onSelect === undefined ? undefined : 'product-row'}
        onClick={onSelect}
      >
        {isSelected && <rect class="product-row-mark" width="100%" height={ROW_HEIGHT} />}
        {grid.ticks.map(({ day, left }) => (
          <line key={day} class="grid" x1={`${left}%`} x2={`${left}%`} y1="0" y2={ROW_HEIGHT} />
        ))}
        {children}
        {hasToday && <Today left={today} />}
      </svg>
    </>
  );
}

/** A line with a margin, so that it is visible on a bar of any colour. */
function Today({ left }: { left: string }) {
  return (
    <>
      <line class="product-today-margin" x1={left} x2={left} y1="0" y2={ROW_HEIGHT} />
      <line class="product-today" x1={left} x2={left} y1="0" y2={ROW_HEIGHT} />
    </>
  );
}

function Bar({ version, domain }: { version: ListedVersion; domain: TimeScale }) {
  const { status, validFrom, validTo } = version;
  const text = daysText(validFrom, validTo) || t('always');
  return (
    <Range
      span={{ from: validFrom, to: validTo }}
      domain={domain}
      kind={kindOf(status)}
      title={`${t('version', { version: version.version })}: ${statusText(status)}, ${text}`}
    />
  );
}

function kindOf(status: string | null): 'approved' | 'draft' | 'closed' {
  if (status === 'Approved') return 'approved';
  return status === 'Closed' ? 'closed' : 'draft';
}

/** When the product is offered: Approved versions together, the gaps between them, and days that two versions share. */
function Coverage({ versions, domain }: { versions: readonly ListedVersion[]; domain: TimeScale }) {
  const hatch = useId();
  const approved = versions.filter(({ status }) => status === 'Approved');
  return (
    <>
      <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line class="product-hatch" x1="0" x2="0" y1="0" y2="6" />
      </pattern>
      {approved.map(({ version, validFrom, validTo }) => (
        <Range key={version} span={{ from: validFrom, to: validTo }} domain={domain} kind="covered" />
      ))}
      {findGaps(versions).map((gap) => (
        <Range
          key={gap.from}
          span={gap}
          domain={domain}
          kind="gap"
          fill={`url(#${hatch})`}
          title={gapText(gap)}
        />
      ))}
      {findOverlaps(versions).map((overlap) => (
        <Range
          key={overlap.versions.join()}
          span={overlap}
          domain={domain}
          kind="overlap"
          title={t('overlap')}
        />
      ))}
    </>
  );
}

export function gapText({ from, to }: Span): string {
  return t('gap', { days: daysText(from, to) });
}

interface RangeProps {
  readonly span: Span;
  readonly domain: TimeScale;
  readonly kind: 'approved' | 'draft' | 'closed' | 'covered' | 'gap' | 'overlap';
  readonly fill?: string;
  readonly title?: string;
}

/** A range of days. An open end is an arrow. */
function Range({ span, domain, kind, fill, title }: RangeProps) {
  const placed = placeSpan(span, domain);
  if (placed === undefined) return null;
  const { left, width, isCutLeft, isCutRight } = placed;
  return (
    <g class={`product-range product-range-${kind}`}>
      <rect
        x={`${left}%`}
        width={`${width}%`}
        y={(ROW_HEIGHT - BAR_HEIGHT) / 2}
        height={BAR_HEIGHT}
        rx="3"
        style={fill === undefined ? undefined : `fill: ${fill}`}
      >
        {title !== undefined && <title>{title}</title>}
      </rect>
      {isCutLeft && (
        <text x={`${left}%`} dx="4" y="19">
          ←
        </text>
      )}
      {isCutRight && (
        <text x={`${left + width}%`} dx="-4" y="19" text-anchor="end">
          →
        </text>
      )}
    </g>
  );
}

/** The versions of a product in one row, for lists. Drafts are shown only if nothing else is there. */
export function TimelineBars(props: { versions: readonly ListedVersion[]; domain: TimeScale; day: string }) {
  const { versions, domain, day } = props;
  const today = `${domain(dayMs(day))}%`;
  const used = versions.filter(({ status }) => kindOf(status) !== 'draft');
  return (
    <svg width="100%" height={ROW_HEIGHT}>
      <line class="grid" x1="0" x2="100%" y1={ROW_HEIGHT / 2} y2={ROW_HEIGHT / 2} />
      {(used.length === 0 ? versions : used).map((version) => (
        <Bar key={version.version} version={version} domain={domain} />
      ))}
      <Today left={today} />
    </svg>
  );
}

/** The years or months of a timeline. */
export function TimelineAxis({ domain }: { domain: TimeScale }) {
  return (
    <svg width="100%" height={20}>
      <Labels ticks={timelineTicks(domain)} />
    </svg>
  );
}

function Labels({ ticks }: { ticks: readonly Tick[] }) {
  return (
    <>
      {ticks.map(({ day, left, isYear }) => (
        <text key={day} x={`${left}%`} dx="4" y="16">
          {isYear ? day.slice(0, 4) : formatDate(day).replace(/^1 /, '')}
        </text>
      ))}
    </>
  );
}

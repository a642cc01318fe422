/** A chart of amounts over time: panels of columns, lines and areas, one below the other, with one horizontal axis. */
import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { area, curveLinear, curveStepBefore, line } from 'd3-shape';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCompact, formatDate } from '../format.ts';

export interface Series {
  readonly name: string;
  /** The name of a CSS variable of tokens.css, such as `--series-1`. */
  readonly colour: string;
  /** The dashes of the line as in SVG, such as `7 4`, so that readers who see no colours can tell lines apart. */
  readonly dash?: string | undefined;
}

type Point = readonly [at: number, amount: number];

/** How the amounts of a series are drawn. `steps`: each amount holds from the point before it to its own point. */
interface Shape {
  readonly series: Series;
  readonly kind: 'line' | 'area' | 'steps';
  readonly points: readonly Point[];
}

interface Panel {
  readonly title: string;
  readonly height: number;
  readonly ticks: number;
  readonly shapes?: readonly Shape[];
  /** Stacked columns. The amount at index n belongs to the column between n and n + 1 on the horizontal axis. */
  readonly columns?: readonly { readonly series: Series; readonly amounts: readonly number[] }[];
}

interface ChartProps {
  readonly label: string;
  readonly legend: readonly Series[];
  readonly currency: string;
  readonly panels: readonly Panel[];
  /** The ends of the horizontal axis, in the unit of `at`: rows of a schedule, or epoch milliseconds. */
  readonly range: readonly [first: number, last: number];
  /** The places of the labels of the horizontal axis, and the days (`yyyy-mm-dd`) they show. `most` labels fit. */
  readonly dates: (most: number) => readonly (readonly [at: number, day: string])[];
}

/** Sizes in pixels. LEFT leaves room for the amounts beside a plot, RIGHT for half the width of a line. */
const LEFT = 52;
const RIGHT = 8;
const TITLE = 26;
const BELOW = 32;
const GAP = 26;
const DATE_WIDTH = 110;
const FIRST_WIDTH = 720;
const LEAST_WIDTH = 280;

export function Chart({ label, legend, currency, panels, range, dates }: ChartProps) {
  const [frame, width] = useWidth();
  const x = scaleLinear(range, [LEFT, width - RIGHT]);
  let bottom = -GAP;
  const placed = panels.map((panel) => {
    const top = bottom + GAP + TITLE;
    bottom = top + panel.height;
    return {
      ...panel,
      top,
      y: scaleLinear([0, Math.max(1, highestOf(panel))], [bottom, top]).nice(panel.ticks),
    };
  });
  const height = bottom + BELOW;
  return (
    <figure class="stack chart-figure">
      <ul class="row small chart-legend">
        {legend.map(({ name, colour, dash }) => (
          <li key={name}>
            <svg width="28" height="8" aria-hidden="true" class="chart-line">
              <path d="M0,4H28" stroke={`var(${colour})`} stroke-dasharray={dash} />
            </svg>
            {name}
          </li>
        ))}
      </ul>
      <div ref={frame}>
        <svg class="chart" role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`}>
          {placed.map(({ title, ticks, top, y, columns = [], shapes = [] }) => (
            <g key={title}>
              <text x={LEFT} y={top - 12} class="chart-title">
                {currency === '' ? title : `${title}, ${currency}`}
              </text>
              {y.ticks(ticks).map((tick) => (
                <g key={tick} transform={`translate(0,${y(tick)})`}>
                  <line class={tick === 0 ? 'axis' : 'grid'} x1={LEFT} x2={width - RIGHT} />
                  <text x={LEFT - 8} dy="0.32em" text-anchor="end">
                    {formatCompact(tick)}
                  </text>
                </g>
              ))}
              {columns.map(({ series }, at) => (
                <path key={series.name} fill={`var(${series.colour})`} d={columnsOf(columns, at, x, y)} />
              ))}
              {shapes.map((shape, at) => (
                <ShapePath key={at} shape={shape} x={x} y={y} />
              ))}
            </g>
          ))}
          {dates(Math.max(2, Math.floor((width - LEFT) / DATE_WIDTH))).map(([at, day]) => (
            <text key={at} x={x(at)} y={height - 12} text-anchor={anchorOf(x(at), width)}>
              {formatDate(day)}
            </text>
          ))}
        </svg>
      </div>
    </figure>
  );
}

type Scale = ScaleLinear<number, number>;

function highestOf({ columns = [], shapes = [] }: Panel): number {
  const sums = (columns[0]?.amounts ?? []).map((_, at) =>
    columns.reduce((sum, { amounts }) => sum + Math.max(0, amounts[at] ?? 0), 0),
  );
  const points = shapes.flatMap((shape) => shape.points.map(([, amount]) => amount));
  return [...sums, ...points].reduce((most, amount) => Math.max(most, amount), 0);
}

/** The SVG path of the columns of series `own`, on top of those of earlier series. A negative amount has no column. */
function columnsOf(all: NonNullable<Panel['columns']>, own: number, x: Scale, y: Scale): string {
  const width = x(1) - x(0);
  const gap = width > 4 ? Math.min(3, width * 0.2) : 0;
  const amountOf = (series: number, at: number): number => Math.max(0, all[series]?.amounts[at] ?? 0);
  return (all[own]?.amounts ?? [])
    .map((_, at) => {
      const below = all.slice(0, own).reduce((sum, _series, series) => sum + amountOf(series, at), 0);
      const [start, end] = [x(at) + gap / 2, x(at + 1) - gap / 2].map((place) => place.toFixed(2));
      const [low, high] = [below, below + amountOf(own, at)].map((amount) => y(amount).toFixed(2));
      return `M${start},${high}H${end}V${low}H${start}Z`;
    })
    .join('');
}

function ShapePath({ shape: { series, kind, points }, x, y }: { shape: Shape; x: Scale; y: Scale }) {
  const place = ([at]: Point): number => x(at);
  const level = ([, amount]: Point): number => y(amount);
  const curve = line(place, level).curve(kind === 'steps' ? curveStepBefore : curveLinear);
  return (
    <g class="chart-line" stroke={`var(${series.colour})`} stroke-dasharray={series.dash}>
      {kind === 'area' && (
        <path
          class="chart-area"
          fill={`var(${series.colour})`}
          d={area(place, y(0), level)([...points]) ?? ''}
        />
      )}
      <path d={curve([...points]) ?? ''} />
    </g>
  );
}

function anchorOf(left: number, width: number): 'start' | 'middle' | 'end' {
  if (left < LEFT + DATE_WIDTH / 2) return 'start';
  return left + DATE_WIDTH / 2 > width ? 'end' : 'middle';
}

function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(LEAST_WIDTH, Math.round(entry.contentRect.width)));
    });
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width] as const;
}

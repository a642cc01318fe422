/** A chart of amounts: panels below each other, over one axis. A table beside it has the same figures for those who do not see it. */
import { scaleLinear, type ScaleLinear } from 'd3-scale';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCompact, formatDate } from '../format.ts';

export type Scale = ScaleLinear<number, number>;

/** A part of a chart, with a scale of its own from zero to the highest amount. */
interface Panel {
  readonly title: string;
  readonly height: number;
  readonly ticks: number;
  readonly amounts: readonly number[];
}

interface ChartProps {
  /** What it shows, in words. */
  readonly label: string;
  readonly legend: readonly (readonly [sign: ComponentChildren, text: string])[];
  /** Of the amounts; empty if it is not known. */
  readonly currency: string;
  readonly panels: readonly Panel[];
  /** The values at both ends of the axis. */
  readonly range: readonly [first: number, last: number];
  /** The dates on the axis, as many as have room for this many pixels each. */
  readonly dates: (room: number) => readonly (readonly [at: number, day: string])[];
  readonly children: (x: Scale, scales: readonly Scale[]) => ComponentChildren;
  /** The place on the axis at which the user points; undefined: beside it. */
  readonly onPoint?: (at: number | undefined) => void;
  readonly note?: ComponentChildren;
}

/** Room for the amounts left of a plot, and for half a line right of it, in pixels. */
const LEFT = 52;
const RIGHT = 8;
/** Above a panel, for its title. */
const TITLE = 26;
const BELOW = 32;
/** Below a panel, before the title of the next one. */
const GAP = 26;
const DATE_WIDTH = 110;
const FIRST_WIDTH = 720;
const LEAST_WIDTH = 280;

export function Chart(props: ChartProps) {
  const { label, legend, currency, panels, range, dates, onPoint } = props;
  const [frame, width] = useWidth();
  const x = scaleLinear(range, [LEFT, width - RIGHT]);
  let bottom = -GAP;
  const scales = panels.map(({ height, ticks, amounts }) => {
    const top = bottom + GAP + TITLE;
    bottom = top + height;
    return scaleLinear([0, Math.max(1, ...amounts)], [bottom, top]).nice(ticks);
  });
  const height = bottom + BELOW;
  const point = (event: PointerEvent): void => {
    const box = frame.current?.getBoundingClientRect();
    if (box !== undefined) onPoint?.(x.invert(event.clientX - box.left));
  };
  return (
    <figure class="stack schedule-chart">
      <ul class="row small chart-legend">
        {legend.map(([sign, text]) => (
          <li key={text}>
            {sign}
            {text}
          </li>
        ))}
      </ul>
      <div ref={frame}>
        <svg
          class="chart"
          role="img"
          aria-label={label}
          viewBox={`0 0 ${width} ${height}`}
          onPointerMove={point}
          onPointerLeave={() => onPoint?.(undefined)}
        >
          {panels.map(({ title, ticks }, at) => (
            <g key={title}>
              <text x={LEFT} y={(scales[at]?.range()[1] ?? 0) - 12} class="schedule-chart-title">
                {currency === '' ? title : `${title}, ${currency}`}
              </text>
              <Grid scale={scales[at] ?? x} ticks={ticks} width={width} />
            </g>
          ))}
          {props.children(x, scales)}
          {dates(Math.max(2, Math.floor((width - LEFT) / DATE_WIDTH))).map(([at, day]) => (
            <text key={at} x={x(at)} y={height - 12} text-anchor={anchorOf(x(at), width)}>
              {formatDate(day)}
            </text>
          ))}
        </svg>
      </div>
      {props.note}
    </figure>
  );
}

/** A date near an end of the axis stays within the chart. */
function anchorOf(left: number, width: number): 'start' | 'middle' | 'end' {
  if (left < LEFT + DATE_WIDTH / 2) return 'start';
  return left + DATE_WIDTH / 2 > width ? 'end' : 'middle';
}

/** Lines at round amounts, with the amounts. */
function Grid({ scale, ticks, width }: { scale: Scale; ticks: number; width: number }) {
  return (
    <>
      {scale.ticks(ticks).map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'axis' : 'grid'}
            x1={LEFT}
            x2={width - RIGHT}
            y1={scale(tick)}
            y2={scale(tick)}
          />
          <text x={LEFT - 8} y={scale(tick)} dy="0.32em" text-anchor="end">
            {formatCompact(tick)}
          </text>
        </g>
      ))}
    </>
  );
}

/** The width of an element in pixels, as it changes. */
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

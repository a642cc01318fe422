/** What charts of amounts have in common. */
import type { ScaleLinear } from 'd3-scale';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCompact } from '../format.ts';

/** Room for the amounts left of a plot, and for half a line right of it, in pixels. */
export const PLOT_LEFT = 52;
export const PLOT_RIGHT = 8;
const FIRST_WIDTH = 720;
const LEAST_WIDTH = 280;

interface GridProps {
  readonly scale: ScaleLinear<number, number>;
  readonly ticks: number;
  readonly width: number;
}

/** Lines at round amounts, with the amounts. */
export function Grid({ scale, ticks, width }: GridProps) {
  return (
    <g>
      {scale.ticks(ticks).map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? 'axis' : 'grid'}
            x1={PLOT_LEFT}
            x2={width - PLOT_RIGHT}
            y1={scale(tick)}
            y2={scale(tick)}
          />
          <text x={PLOT_LEFT - 8} y={scale(tick)} dy="0.32em" text-anchor="end">
            {formatCompact(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The title of amounts: their currency belongs to it where it is known. */
export function withCurrency(title: string, currency: string): string {
  return currency === '' ? title : `${title}, ${currency}`;
}

/** The width of an element in pixels, as it changes. */
export function useWidth() {
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

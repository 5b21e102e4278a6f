// A quantity over time as a step line: it stays constant until it changes.
import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';

interface StepChartProps {
  /** Oldest first; `at` in milliseconds since 1970. */
  readonly points: readonly { readonly at: number; readonly value: number }[];
  /** Describes the line in words. */
  readonly label: string;
}

const [width, height, left, bottom] = [720, 220, 72, 24] as const;

export function StepChart({ points, label }: StepChartProps): ReactElement {
  const { number, locale } = useTexts();
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(0, ...values), Math.max(1, ...values)];
  const [start, end] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1];
  const x = (at: number): number => left + ((at - start) / Math.max(1, end - start)) * (width - left - 8);
  const y = (value: number): number => 8 + (1 - (value - least) / (most - least)) * (height - bottom - 8);
  const line = points.map(({ at, value }, index) =>
    index === 0 ? `M${x(at).toFixed(1)} ${y(value).toFixed(1)}` : `H${x(at).toFixed(1)}V${y(value).toFixed(1)}`,
  );
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const marks = [...new Set([least, Math.round((least + most) / 2), most])];
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {marks.map((value) => (
          <g key={value}>
            <path className="grid" d={`M${left} ${y(value)}H${width - 8}`} />
            <text x={left - 6} y={y(value) + 4} textAnchor="end">
              {number(value)}
            </text>
          </g>
        ))}
        <path className="line" d={line.join('')} />
        <text x={left} y={height - 6}>
          {day.format(start)}
        </text>
        <text x={width - 8} y={height - 6} textAnchor="end">
          {day.format(end)}
        </text>
      </svg>
      <figcaption>{label}</figcaption>
    </figure>
  );
}

// Daily numbers divided into parts: a column for each day, with its parts stacked.
import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';

interface StackedDaysProps {
  readonly label: string;
  readonly parts: readonly string[];
  readonly days: readonly {
    /** YYYY-MM-DD */
    readonly day: string;
    /** Of the page behind the column. */
    readonly address: string;
    /** In the order of `parts`. */
    readonly counts: readonly number[];
  }[];
}

const [width, height, bottom, top] = [720, 200, 24, 18] as const;

export function StackedDays({ label, parts, days }: StackedDaysProps): ReactElement {
  const { number, locale } = useTexts();
  const name = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const most = Math.max(1, ...days.map(({ counts }) => sumOf(counts)));
  const step = width / Math.max(1, days.length);
  const scale = (count: number): number => (count / most) * (height - bottom - top);
  return (
    <figure className="chart" aria-label={label}>
      <svg viewBox={`0 0 ${width} ${height}`}>
        <title>{label}</title>
        {days.map(({ day, address, counts }, index) => {
          const dayName = name.format(new Date(day));
          const told = parts.map((part, place) => `${part} ${number(counts[place] ?? 0)}`).join(', ');
          let y = height - bottom;
          return (
            <a key={day} href={address} aria-label={`${dayName}: ${told}`}>
              <rect className="hit" x={index * step} y={0} width={step} height={height} />
              {counts.map((count, place) => {
                y -= scale(count);
                return (
                  <rect
                    key={parts[place]}
                    className={`part part-${place}`}
                    x={index * step + step * 0.15}
                    y={y}
                    width={step * 0.7}
                    height={scale(count)}
                  />
                );
              })}
            </a>
          );
        })}
        {days.map(({ day, counts }, index) => {
          const sum = sumOf(counts);
          // The links contain all information in their names.
          return (
            <g key={day} className="told">
              <text x={(index + 0.5) * step} y={height - bottom - scale(sum) - 4} textAnchor="middle">
                {sum > 0 ? number(sum) : ''}
              </text>
              {(index % 2 === 0 || days.length < 9) && (
                <text x={(index + 0.5) * step} y={height - 6} textAnchor="middle">
                  {name.format(new Date(day))}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption>
        {parts.map((part, place) => (
          <span key={part} className={`key key-${place}`}>
            {part}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

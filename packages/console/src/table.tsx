// A short table of a page: its rows are all there, and it scrolls by itself where it is wide.
import type { ReactElement, ReactNode } from 'react';

interface PlainTableProps {
  readonly label: string;
  readonly columns: readonly { readonly name: string; readonly isRight?: boolean }[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

export function PlainTable({ label, columns, rows }: PlainTableProps): ReactElement {
  const side = (column: number): string | undefined => (columns[column]?.isRight === true ? 'right' : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard
    <section className="list" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name }, column) => (
              <th key={name} scope="col" className={side(column)}>
                <span>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, column) => (
                <td key={columns[column]?.name} className={side(column)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

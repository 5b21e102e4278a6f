// Tables of pages: a wide one scrolls by itself, and indicates that; a short one renders all of its rows.
import { type ReactElement, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from './texts/texts.ts';

interface PlainTableProps {
  readonly label: string;
  readonly columns: readonly { readonly name: string; readonly isRight?: boolean }[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

export function PlainTable({ label, columns, rows }: PlainTableProps): ReactElement {
  const side = (column: number): string | undefined => (columns[column]?.isRight === true ? 'right' : undefined);
  return (
    <WideTable label={label}>
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
    </WideTable>
  );
}

interface WideTableProps {
  readonly label: string;
  /** Still shows the previous records. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** The container of a table: scrolls sideways, by touch and with the arrow keys, and indicates where there is more. */
export function WideTable({ label, isBusy = false, children }: WideTableProps): ReactElement {
  const { say } = useTexts();
  const frame = useRef<HTMLElement>(null);
  const { isWide, hasMore } = useSidewaysRoom(frame);
  return (
    <div className={hasMore ? 'wide more-columns' : 'wide'}>
      {isWide && <p className="hint">{say('moreColumns')}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard */}
      <section className="list" aria-label={label} aria-busy={isBusy} tabIndex={0} ref={frame}>
        {children}
      </section>
    </div>
  );
}

/** Pixels that are negligible. */
const tolerance = 8;

/** Whether the content of a container is wider than it, and whether there is more on its right. */
function useSidewaysRoom(frame: { readonly current: HTMLElement | null }) {
  const [room, setRoom] = useState({ isWide: false, hasMore: false });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const look = (): void => {
      const hidden = element.scrollWidth - element.clientWidth;
      const next = { isWide: hidden > tolerance, hasMore: hidden - element.scrollLeft > tolerance };
      setRoom((before) => (before.isWide === next.isWide && before.hasMore === next.hasMore ? before : next));
    };
    const watched = new ResizeObserver(look);
    for (const each of [element, ...element.children]) watched.observe(each);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      watched.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [frame]);
  return room;
}

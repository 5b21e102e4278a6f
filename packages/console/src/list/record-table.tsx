// A table of records: sortable columns, and a link from each record's name to its page.
import { type ColumnDef, tableFeatures, useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useMemo, useRef } from 'react';
import type { FieldFacts } from '../generated/resources.ts';
import { Icon } from '../icons.tsx';
import { type ConsoleList, recordParts } from '../resources.ts';
import { placeAddress } from '../route.ts';
import { WideTable } from '../table.tsx';
import { useTexts } from '../texts/texts.ts';
import { Value } from '../value.tsx';
import type { AnyRecord } from './list-source.ts';

const features = tableFeatures({});
const rowPixels = 45;

interface TableProps {
  readonly list: ConsoleList;
  readonly label: string;
  readonly records: readonly AnyRecord[];
  readonly columns: readonly FieldFacts[];
  /** In the notation of the interface, such as `-dateCreation`. */
  readonly sort?: string;
  /** Absent: the order is fixed. */
  readonly onSort?: (sort: string) => void;
  /** Still shows the previous records. */
  readonly isBusy?: boolean;
}

/** Renders only the visible rows, so that a list of ten thousand is as fast as one of ten. */
export function RecordTable({
  list,
  label,
  records,
  columns,
  sort = '',
  onSort,
  isBusy = false,
}: TableProps): ReactElement {
  const definitions = useMemo(
    () =>
      columns.map(
        (field): ColumnDef<typeof features, AnyRecord> => ({
          id: field.name,
          accessorFn: (record) => record[field.name],
        }),
      ),
    [columns],
  );
  const table = useTable({ features, columns: definitions, data: records as AnyRecord[] });
  const rows = table.getRowModel().rows;
  const scrolled = useRef<HTMLTableSectionElement>(null);
  const shown = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPixels,
    scrollMargin: scrolled.current?.offsetTop ?? 0,
    overscan: 20,
  }).getVirtualItems();
  const above = (shown[0]?.index ?? 0) * rowPixels;
  const below = (rows.length - 1 - (shown.at(-1)?.index ?? rows.length - 1)) * rowPixels;
  return (
    <WideTable label={label} isBusy={isBusy}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((field) => (
              <HeaderCell key={field.name} field={field} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={scrolled}>
          {above > 0 && <Spacer pixels={above} columns={columns.length} />}
          {shown.map(({ index }) => {
            const record = rows[index]?.original;
            return record === undefined ? null : (
              <tr key={index} aria-rowindex={index + 2}>
                {columns.map((field, column) => (
                  <td key={field.name} className={isRight(field) ? 'right' : undefined}>
                    {column === 0 ? (
                      <a href={placeAddress(recordParts(list, record))}>
                        <Value field={field} value={record[field.name] ?? '…'} />
                      </a>
                    ) : (
                      <Value field={field} value={record[field.name]} />
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && <Spacer pixels={below} columns={columns.length} />}
        </tbody>
      </table>
    </WideTable>
  );
}

function Spacer({ pixels, columns }: { readonly pixels: number; readonly columns: number }): ReactElement {
  return (
    <tr>
      <td colSpan={columns} style={{ height: pixels, padding: 0, border: 0 }} />
    </tr>
  );
}

function HeaderCell(props: {
  readonly field: FieldFacts;
  readonly sort: string;
  readonly onSort: ((sort: string) => void) | undefined;
}): ReactElement {
  const { field, sort, onSort } = props;
  const { say, fieldName, language } = useTexts();
  const name = fieldName(field.name);
  // The interface says it in English alone.
  const meaning = language === 'en' ? field.meaning : undefined;
  const isUp = sort === field.name;
  const isDown = sort === `-${field.name}`;
  const side = isRight(field) ? 'right' : undefined;
  if (onSort === undefined || !field.sortable)
    return (
      <th scope="col" className={side} title={meaning}>
        <span>{name}</span>
      </th>
    );
  return (
    <th scope="col" className={side} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <button
        type="button"
        title={meaning}
        aria-label={say('sortBy', { field: name })}
        onClick={() => onSort(isDown ? field.name : isUp ? '' : `-${field.name}`)}
      >
        {name}
        {(isUp || isDown) && <Icon name={isUp ? 'up' : 'down'} size={14} />}
      </button>
    </th>
  );
}

function isRight({ kind, name }: FieldFacts): boolean {
  return (kind === 'integer' || kind === 'decimal') && !/id$/i.test(name);
}

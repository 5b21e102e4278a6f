// What pages for operators have in common: title, way back, loading states, and tables.
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { ProblemError } from '../../../client/src/index.ts';
import { Icon } from '../icons.tsx';
import { ErrorText, Failed, Loading, Notice } from '../states.tsx';
import { WideTable } from '../table.tsx';
import { useTexts } from '../texts/texts.ts';
import type { Paged } from './paged.ts';
import { useOperatorWords } from './words/words.ts';

export function PageFrame(props: {
  readonly title: string;
  readonly intro?: string;
  /** To the list that the page belongs to. */
  readonly back?: { readonly address: string; readonly label: string };
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const { title, intro, back, actions, children } = props;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end">
        <Stack gap={4}>
          {back !== undefined && (
            <a href={back.address} className="more">
              <Icon name="back" size={16} /> {back.label}
            </a>
          )}
          <Title order={1} size="h2">
            {title}
          </Title>
          {intro !== undefined && <Text c="dimmed">{intro}</Text>}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** One response: what is shown while it is loading, and when that fails. */
export function Answered<T>(props: {
  readonly query: UseQueryResult<T>;
  readonly children: (value: T) => ReactNode;
}): ReactElement {
  const { query, children } = props;
  if (query.error instanceof ProblemError && query.error.status === 404) return <Gone detail={query.error.message} />;
  if (query.data !== undefined)
    return (
      <>
        <ReadBefore error={query.error} />
        {children(query.data)}
      </>
    );
  if (query.isPending) return <Loading />;
  return <Failed error={query.error} again={() => void query.refetch()} />;
}

function Gone({ detail }: { readonly detail: string }): ReactElement {
  const say = useOperatorWords();
  return (
    <Notice icon="empty" title={say('gone')}>
      <Text lang="en">{detail}</Text>
      <Text c="dimmed">{say('goneMeaning')}</Text>
    </Notice>
  );
}

/** Shown above earlier data that could not be refetched. */
function ReadBefore({ error }: { readonly error: unknown }): ReactElement | null {
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  if (error === null) return null;
  return (
    <Alert color="yellow" role="status" icon={<Icon name="warning" />}>
      {say('readBefore', { why: '' })}
      {error instanceof ProblemError ? <ErrorText error={error} /> : sayCommon('offline')}
    </Alert>
  );
}

export interface Column<Row> {
  readonly name: string;
  readonly label: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

export function DataTable<Row>({ label, columns, rows, keyOf }: TableProps<Row>): ReactElement {
  const side = ({ isNumber }: Column<Row>): string | undefined => (isNumber === true ? 'right' : undefined);
  return (
    <WideTable label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={side(column)}>
                <span>{column.label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} className={side(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </WideTable>
  );
}

/** A list that is read page by page, in any state. */
export function PagedRows<Row>(props: {
  readonly paged: Paged<Row>;
  /** The text for an empty list. */
  readonly nothing: string;
  readonly children: (rows: readonly Row[]) => ReactNode;
}): ReactElement {
  const { paged, nothing, children } = props;
  const { say } = useTexts();
  if (paged.isPending) return <Loading />;
  if (paged.rows.length === 0 && paged.error !== null) return <Failed error={paged.error} again={paged.again} />;
  if (paged.rows.length === 0) return <Notice icon="empty" title={nothing} />;
  return (
    <Stack gap="sm">
      {children(paged.rows)}
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {say(paged.hasMore ? 'loadedMore' : 'loaded', { count: paged.rows.length })}
        </Text>
        {paged.hasMore && (
          <Button variant="default" onClick={paged.readMore} loading={paged.isReadingMore}>
            {say('loadMore')}
          </Button>
        )}
      </Group>
      {paged.error !== null && <Failed error={paged.error} again={paged.again} />}
    </Stack>
  );
}

/** The content of a record, field by field. */
export function Facts(props: {
  readonly facts: readonly (readonly [string, ReactNode])[];
  /** Omits empty values. */
  readonly hidesEmpty?: boolean;
}): ReactElement {
  const shown = props.facts.filter(([, value]) => props.hidesEmpty !== true || (value !== null && value !== undefined));
  return (
    <dl className="facts narrow">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An instant in the time zone of the reader's device; exact in its title. */
export function Instant({ at }: { readonly at: string | null }): ReactElement {
  const { instant } = useTexts();
  if (at === null) return <>–</>;
  return (
    <time dateTime={at} title={at}>
      {instant(at)}
    </time>
  );
}

/** A part of a page with its own title. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

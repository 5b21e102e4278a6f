// A record with all of its data, and with the records that belong to it.
import { Button, Card, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, Suspense, useState } from 'react';
import { useSession } from '../contexts.ts';
import type { FieldFacts } from '../generated/resources.ts';
import { Icon } from '../icons.tsx';
import type { ListName } from '../list/list-names.ts';
import { type AnyRecord, listSource } from '../list/list-source.ts';
import { RecordTable } from '../list/record-table.tsx';
import {
  aboutRecord,
  activityOf,
  columnFields,
  type ConsoleList,
  consoleList,
  recordRequest,
  usualFields,
} from '../resources.ts';
import { recordDetails } from '../record-details.ts';
import { placeAddress } from '../route.ts';
import { Failed, Loading, Notice } from '../states.tsx';
import { WideTable } from '../table.tsx';
import { useTexts } from '../texts/texts.ts';
import { Value } from '../value.tsx';

interface RecordProps {
  readonly list: ConsoleList;
  readonly activity: string;
  readonly title: string;
}

/** @param props.name of the list, as in addresses */
export function NamedRecordPage(props: Omit<RecordProps, 'list'> & { readonly name: ListName }): ReactElement {
  return <RecordPage list={consoleList(props.name)} activity={props.activity} title={props.title} />;
}

function RecordPage({ list, activity, title }: RecordProps): ReactElement {
  const { say } = useTexts();
  const { client } = useSession();
  const found = useQuery({
    queryKey: ['record', list.name, activity, title],
    queryFn: async ({ signal }) =>
      (await listSource(client, list.name).page(recordRequest(list, activity, title), signal)).records[0] ?? null,
  });
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <a href={placeAddress([list.name])} className="more">
          <Icon name="back" size={16} /> {say(list.name)}
        </a>
        <Title order={1} size="h2">
          {title}
        </Title>
        {found.data && (
          <Text c="dimmed" translate="no">
            {aboutRecord(list, found.data)}
          </Text>
        )}
      </Stack>
      {found.isPending ? (
        <Loading />
      ) : found.isError ? (
        <Failed error={found.error} again={() => void found.refetch()} />
      ) : found.data === null ? (
        <Notice icon="empty" title={say('recordGone')} />
      ) : (
        <>
          <Details list={list} record={found.data} />
          <Facts fields={columnFields(list)} record={found.data} />
          {list.facts.fields
            .filter(({ kind, name }) => kind === 'list' && !name.includes('.'))
            .map((field) => (
              <Nested
                key={field.name}
                field={field}
                records={recordsIn(found.data?.[field.name])}
                activity={activityOf(list, found.data ?? {})}
              />
            ))}
          {relatedTo(list, found.data).map((related) => (
            <Related key={related.name} {...related} />
          ))}
          <AsJson record={found.data} />
        </>
      )}
    </Stack>
  );
}

function Details({ list, record }: { readonly list: ConsoleList; readonly record: AnyRecord }): ReactElement | null {
  const Shown = recordDetails[list.name];
  if (Shown === undefined) return null;
  return (
    <Suspense fallback={<Loading rows={3} isLong />}>
      <Shown record={record} />
    </Suspense>
  );
}

function Facts(props: { readonly fields: readonly FieldFacts[]; readonly record: AnyRecord }): ReactElement {
  const { say, fieldName, language } = useTexts();
  const [showsEmpty, setShowsEmpty] = useState(false);
  const shown = props.fields.filter(({ name }) => showsEmpty || !isEmpty(props.record[name]));
  return (
    <Card withBorder padding="lg">
      <Stack gap="lg">
        <dl className="facts">
          {shown.map((field) => (
            <div key={field.name}>
              <dt title={language === 'en' ? field.meaning : undefined}>{fieldName(field.name)}</dt>
              <dd>
                <Value field={field} value={props.record[field.name]} />
              </dd>
            </div>
          ))}
        </dl>
        <Switch
          label={say('showEmpty')}
          checked={showsEmpty}
          onChange={(event) => setShowsEmpty(event.currentTarget.checked)}
        />
      </Stack>
    </Card>
  );
}

/** Records within the record, such as lines: only columns in which at least one of them has a value. */
function Nested(props: {
  readonly field: FieldFacts;
  readonly records: readonly AnyRecord[];
  /** Of the record that they are within. */
  readonly activity: string;
}): ReactElement | null {
  const { fieldName } = useTexts();
  const { field, records, activity } = props;
  if (records.length === 0) return null;
  const filled = [...new Set(records.flatMap((record) => Object.keys(record)))].filter(
    (name) => !/^id$/i.test(name) && records.some((record) => !isEmpty(record[name])),
  );
  // When the service wrote them says the least of them, and would be all that a narrow window shows.
  const names = [...filled.filter((name) => !isOwnDate(name)), ...filled.filter(isOwnDate)];
  const label = fieldName(field.name);
  const side = (name: string): string | undefined => (isAmount(name, records) ? 'right' : undefined);
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {label}
      </Title>
      <WideTable label={label}>
        <table>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col" className={side(name)}>
                  <span>{fieldName(name)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map((record, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the order of the record is theirs
              <tr key={index}>
                {names.map((name) => (
                  <td key={name} className={side(name)}>
                    {name === 'articleReference' && typeof record[name] === 'string' ? (
                      <a href={placeAddress(['articles', activity || '-', record[name]])}>{record[name]}</a>
                    ) : (
                      <Value field={nestedField(name, record[name])} value={record[name]} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </WideTable>
    </Stack>
  );
}

interface RelatedProps {
  readonly name: ListName;
  readonly filter: string;
  readonly activity: string;
}

function Related({ name, filter, activity }: RelatedProps): ReactElement {
  const { say } = useTexts();
  const { client } = useSession();
  const list = consoleList(name);
  const request = { filter, sort: list.usualSort, activity };
  const found = useQuery({
    queryKey: ['related', name, request],
    queryFn: ({ signal }) => listSource(client, name).page(request, signal, 10),
  });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {say(name)}
        </Title>
        <a href={placeAddress([name], { filter, activity })} className="more">
          {say('seeAll')}
        </a>
      </Group>
      {found.isPending ? (
        <Loading rows={3} />
      ) : found.isError ? (
        <Failed error={found.error} again={() => void found.refetch()} />
      ) : found.data.records.length === 0 ? (
        <Text c="dimmed">{say('none')}</Text>
      ) : (
        <RecordTable list={list} label={say(name)} records={found.data.records} columns={usualFields(list)} />
      )}
    </Stack>
  );
}

function relatedTo(list: ConsoleList, record: AnyRecord): readonly RelatedProps[] {
  const by = (field: string): string => `${field}==${quoted(String(record[field] ?? ''))}`;
  const activity = list.name === 'movements' ? '' : String(record.activityCode ?? '');
  switch (list.name) {
    case 'articles':
      // Its stock stands among its details, by place.
      return [{ name: 'movements', filter: by('articleReference'), activity }];
    case 'stock':
    case 'movements':
      return [{ name: 'articles', filter: by('articleReference'), activity }];
    case 'orders':
      return [{ name: 'order-reports', filter: by('orderUniqueID'), activity }];
    case 'order-reports':
      return [{ name: 'orders', filter: by('orderUniqueID'), activity }];
    case 'procurements':
      return [];
  }
}

function quoted(value: string): string {
  return /^[\w.-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

function AsJson({ record }: { readonly record: AnyRecord }): ReactElement {
  const { say } = useTexts();
  const clipboard = useClipboard();
  const text = JSON.stringify(record, null, 2);
  return (
    <details>
      <summary className="more">{say('raw')}</summary>
      <Button variant="default" my="sm" leftSection={<Icon name="copy" />} onClick={() => clipboard.copy(text)}>
        {say(clipboard.copied ? 'copied' : 'copy')}
      </Button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre className="raw" tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}

/** Dates of the service's own (decision D8). */
function isOwnDate(name: string): boolean {
  return /^date(Creat(ion|ed)|Laste?Updated?)$/.test(name);
}

function recordsIn(value: unknown): readonly AnyRecord[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];
}

/** Numbers stand below each other by their last digit; identifiers are none. */
function isAmount(name: string, records: readonly AnyRecord[]): boolean {
  return !/id$/i.test(name) && records.every(({ [name]: value }) => isEmpty(value) || typeof value === 'number');
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function nestedField(name: string, value: unknown): FieldFacts {
  const kind = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'date-time' : 'text';
  return { name, kind, filterable: false, sortable: false, meaning: '' };
}

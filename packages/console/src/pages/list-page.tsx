// A list of the interface: its filter, order and columns, more records while scrolling, and ways to export it. Its
// state is kept in the address.
import { Button, Collapse, Group, Menu, Select, Stack, Text, Title } from '@mantine/core';
import { useClipboard, useLocalStorage } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import { useSession, useSettings } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { useDraft } from '../kept-draft.ts';
import { curlFor } from '../list/curl.ts';
import { useExport } from '../list/export-menu.tsx';
import { FilterBuilder } from '../list/filter-builder.tsx';
import type { ListName } from '../list/list-names.ts';
import { listParameters, type ListRequest, listSource } from '../list/list-source.ts';
import { RecordTable } from '../list/record-table.tsx';
import { SavedViews } from '../list/saved-views.tsx';
import { columnFields, type ConsoleList, consoleList } from '../resources.ts';
import { goTo, placeAddress, usePlace } from '../route.ts';
import { Failed, Loading, Notice } from '../states.tsx';
import { useTexts } from '../texts/texts.ts';

/** @param props.name as in addresses */
export function NamedListPage({ name }: { readonly name: ListName }): ReactElement {
  return <ListPage list={consoleList(name)} />;
}

function ListPage({ list }: { readonly list: ConsoleList }): ReactElement {
  const { say } = useTexts();
  const { client, activityCodes } = useSession();
  const { parameters } = usePlace();
  const request: ListRequest = {
    filter: parameters.get('filter') ?? '',
    sort: parameters.get('sort') ?? list.usualSort,
    activity: parameters.get('activity') ?? '',
  };
  const show = (change: Partial<ListRequest>): void => {
    const { filter, sort, activity } = { ...request, ...change };
    goTo(placeAddress([list.name], { filter, sort: sort === list.usualSort ? '' : sort, activity }));
  };
  const [chosen, setChosen] = useLocalStorage<readonly string[]>({
    key: `console-columns-${list.name}`,
    defaultValue: list.usualColumns,
  });
  const columns = useMemo(
    () => chosen.flatMap((name) => columnFields(list).find((field) => field.name === name) ?? []),
    [chosen, list],
  );
  const source = listSource(client, list.name);
  const exporting = useExport({ name: list.name, source, request, columns: columns.map(({ name }) => name) });
  const [isFiltering, setFiltering] = useDraft(`filtering-${list.name}`, request.filter !== '');
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <Title order={1} size="h2">
          {say(list.name)}
        </Title>
        <Group gap="xs">
          <Button
            variant={request.filter === '' ? 'default' : 'light'}
            leftSection={<Icon name="filter" />}
            aria-expanded={isFiltering}
            onClick={() => setFiltering(!isFiltering)}
          >
            {say('filter')}
          </Button>
          <ColumnMenu list={list} chosen={chosen} onChoose={setChosen} />
          <SavedViews
            list={list.name}
            request={request}
            columns={chosen}
            onShow={(view) => {
              setChosen(view.columns);
              show(view.request);
            }}
          />
          <CopyCurl path={source.path} request={request} />
          {exporting.menu}
          {list.name === 'articles' && <ArticleActions />}
        </Group>
      </Group>
      {activityCodes.length > 1 && (
        <Select
          aria-label={say('activity')}
          data={[{ value: '', label: say('allActivities') }, ...activityCodes]}
          value={request.activity}
          onChange={(activity) => show({ activity: activity ?? '' })}
          maw={260}
        />
      )}
      <Collapse expanded={isFiltering}>
        <FilterBuilder
          name={list.name}
          fields={list.facts.fields.filter(({ filterable }) => filterable)}
          filter={request.filter}
          onFilter={(filter) => show({ filter })}
        />
      </Collapse>
      {exporting.state}
      <Records list={list} request={request} columns={columns} onRequest={show} />
    </Stack>
  );
}

function ArticleActions(): ReactElement {
  const { say } = useTexts();
  return (
    <>
      <Button component="a" href="#/articles/import" variant="default">
        {say('importCsv')}
      </Button>
      <Button component="a" href="#/articles/create" leftSection={<Icon name="add" />}>
        {say('newArticle')}
      </Button>
    </>
  );
}

function Records(props: {
  readonly list: ConsoleList;
  readonly request: ListRequest;
  readonly columns: ReturnType<typeof columnFields>;
  readonly onRequest: (change: Partial<ListRequest>) => void;
}): ReactElement {
  const { list, request, columns, onRequest } = props;
  const { say } = useTexts();
  const { client } = useSession();
  const source = listSource(client, list.name);
  const pages = useInfiniteQuery({
    queryKey: ['list', list.name, request],
    queryFn: ({ pageParam, signal }) =>
      pageParam === null ? source.page(request, signal) : source.pageAt(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // The current data stays until the requested data arrives, so that the keyboard focus stays in place, even in the
    // table header.
    placeholderData: keepPreviousData,
  });
  const records = useMemo(() => pages.data?.pages.flatMap((page) => page.records) ?? [], [pages.data]);
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, isPlaceholderData } = pages;
  const mayFetch = hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isPlaceholderData;
  useEffect(() => {
    if (end.current === null || !mayFetch) return;
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && void fetchNextPage(), {
      rootMargin: '600px',
    });
    seen.observe(end.current);
    return () => seen.disconnect();
  }, [mayFetch, fetchNextPage]);
  if (pages.isPending || (isPlaceholderData && records.length === 0)) return <Loading />;
  if (records.length === 0 && pages.isError) return <Failed error={pages.error} again={() => void pages.refetch()} />;
  if (records.length === 0)
    return request.filter === '' ? (
      <Notice icon="empty" title={say('nothing')} />
    ) : (
      <Notice icon="empty" title={say('nothingFits')}>
        <Button variant="light" onClick={() => onRequest({ filter: '' })}>
          {say('clearFilter')}
        </Button>
      </Notice>
    );
  return (
    <>
      <RecordTable
        list={list}
        label={say(list.name)}
        records={records}
        columns={columns}
        sort={request.sort}
        isBusy={isPlaceholderData}
        onSort={(sort) => onRequest({ sort })}
      />
      <Text size="sm" c="dimmed" role="status" ref={end}>
        {isPlaceholderData
          ? say('loading')
          : isFetchingNextPage
            ? say('loadingMore')
            : say(hasNextPage ? 'loadedMore' : 'loaded', { count: records.length })}
      </Text>
      {isFetchNextPageError && <Failed error={pages.error} again={() => void fetchNextPage()} />}
    </>
  );
}

function ColumnMenu(props: {
  readonly list: ConsoleList;
  readonly chosen: readonly string[];
  readonly onChoose: (columns: readonly string[]) => void;
}): ReactElement {
  const { list, chosen, onChoose } = props;
  const { say, fieldName } = useTexts();
  return (
    <Menu closeOnItemClick={false} width={300}>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="columns" />}>
          {say('columns')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} className="column-menu">
        <Menu.Item onClick={() => onChoose(list.usualColumns)}>{say('standardColumns')}</Menu.Item>
        <Menu.Divider />
        {columnFields(list).map(({ name }) => {
          const isShown = chosen.includes(name);
          const next = isShown ? chosen.filter((each) => each !== name) : [...chosen, name];
          return (
            <Menu.CheckboxItem
              key={name}
              checked={isShown}
              disabled={isShown && chosen.length === 1}
              onChange={() => onChoose(next)}
            >
              {fieldName(name)}
            </Menu.CheckboxItem>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

function CopyCurl({ path, request }: { readonly path: string; readonly request: ListRequest }): ReactElement {
  const { say } = useTexts();
  const { baseUrl } = useSettings();
  const clipboard = useClipboard();
  const query = new URLSearchParams(listParameters(request)).toString();
  return (
    <Button
      variant="default"
      leftSection={<Icon name="copy" />}
      onClick={() => clipboard.copy(curlFor(`${baseUrl}${path}${query === '' ? '' : `?${query}`}`))}
    >
      {say(clipboard.copied ? 'copied' : 'copyCurl')}
    </Button>
  );
}

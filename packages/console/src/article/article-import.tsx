// Imports articles from a CSV file: checked line by line first, written on confirmation.
import { Alert, Button, FileButton, Group, Progress, Stack, Switch, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { English, ErrorText, Reasons } from '../states.tsx';
import { ProblemError } from '../../../client/src/index.ts';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { csvLine } from '../list/export.ts';
import { saveFile } from '../list/save-file.ts';
import { placeAddress } from '../route.ts';
import { PlainTable } from '../table.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import { type CsvResult, maxCsvBytes, maxCsvLines, readCsv, templateLine } from './csv.ts';
import { type JudgedLine, submitRows } from './submit-rows.ts';
import { textOf } from './values.ts';
import { type ArticleWord, articleWords } from './words.ts';

type Say = (name: ArticleWord, values?: Readonly<Record<string, string | number>>) => string;

/** Why not all lines were written; null: somebody said so. */
interface Stopped {
  readonly all: number;
  readonly why: ReactNode;
}

/** The most result lines that are shown. */
const maxShown = 200;

type State =
  | { readonly kind: 'working'; readonly word: 'judging' | 'writing'; readonly done: number; readonly all: number }
  | { readonly kind: 'judged' | 'written'; readonly lines: readonly JudgedLine[]; readonly stopped?: Stopped }
  | { readonly kind: 'failed'; readonly why: ReactNode };

export function ArticleImport(): ReactElement {
  const say = useWords(articleWords);
  const { say: sayCommon } = useTexts();
  const { client } = useSession();
  const queries = useQueryClient();
  const [state, setState] = useState<State | null>(null);
  const ending = useRef<AbortController | null>(null);
  const resetFile = useRef<() => void>(null);
  const submit = async (lines: readonly JudgedLine[], word: 'judging' | 'writing'): Promise<void> => {
    const end = new AbortController();
    ending.current = end;
    const all = lines.length;
    let answered: readonly JudgedLine[] = [];
    const tell = (judged: readonly JudgedLine[]): void => {
      answered = judged;
      setState({ kind: 'working', word, done: judged.length, all });
    };
    tell([]);
    try {
      const judged = await submitRows(client, lines, word === 'judging', tell, end.signal);
      setState({ kind: word === 'judging' ? 'judged' : 'written', lines: judged });
      if (word === 'writing') await queries.invalidateQueries();
    } catch (error) {
      const why = end.signal.aborted ? null : whyOf(error, say);
      if (word === 'judging') return setState(why === null ? null : { kind: 'failed', why });
      setState({ kind: 'written', lines: answered, stopped: { all, why } });
      await queries.invalidateQueries();
    }
  };
  const choose = async (file: File | null): Promise<void> => {
    resetFile.current?.();
    if (file === null) return;
    if (file.size > maxCsvBytes) return setState({ kind: 'failed', why: say('csvTooLarge') });
    const result = readCsv(await file.arrayBuffer());
    if (result.kind !== 'articles') return setState({ kind: 'failed', why: csvFault(result, say) });
    await submit(
      result.articles.map((line) => ({ ...line, isNew: null, faults: [] })),
      'judging',
    );
  };
  const right = state?.kind === 'judged' ? state.lines.filter(({ faults }) => faults.length === 0) : [];
  return (
    <Stack gap="lg" maw={1000}>
      <Stack gap={4}>
        <a href="#/articles" className="more">
          <Icon name="back" size={16} /> {sayCommon('articles')}
        </a>
        <Title order={1} size="h2">
          {say('importArticles')}
        </Title>
      </Stack>
      <Text>{say('csvHelp')}</Text>
      <Group>
        <FileButton
          accept=".csv,.txt,.tsv,text/csv"
          onChange={(file) => void choose(file)}
          resetRef={resetFile}
          inputProps={{ 'aria-label': say('chooseCsv') }}
        >
          {(props) => (
            <Button {...props} disabled={state?.kind === 'working'}>
              {say('chooseCsv')}
            </Button>
          )}
        </FileButton>
        <Button variant="default" onClick={saveTemplate}>
          {say('template')}
        </Button>
      </Group>
      {state?.kind === 'working' && (
        <Group wrap="nowrap" role="status">
          <Progress.Root size="lg" flex={1}>
            <Progress.Section value={(state.done / state.all) * 100} aria-label={say(state.word, state)} />
          </Progress.Root>
          <Text size="sm">{say(state.word, state)}</Text>
          <Button variant="subtle" onClick={() => ending.current?.abort()}>
            {sayCommon('cancel')}
          </Button>
        </Group>
      )}
      {state?.kind === 'failed' && (
        <Alert color="red" role="alert" icon={<Icon name="warning" />}>
          {state.why}
        </Alert>
      )}
      {state?.kind === 'written' && state.stopped !== undefined && (
        <Alert color="red" role="alert" icon={<Icon name="warning" />} title={say('stopped')}>
          {state.stopped.why}
          <p>{say('stoppedHint')}</p>
        </Alert>
      )}
      {(state?.kind === 'judged' || state?.kind === 'written') && (
        <Result kind={state.kind} lines={state.lines} all={state.stopped?.all ?? state.lines.length} />
      )}
      {right.length > 0 && (
        <Group>
          <Button onClick={() => void submit(right, 'writing')}>{say('write', { count: right.length })}</Button>
        </Group>
      )}
    </Stack>
  );
}

function Result(props: {
  readonly kind: 'judged' | 'written';
  readonly lines: readonly JudgedLine[];
  /** Lines of the file that were to be answered. */
  readonly all: number;
}): ReactElement {
  const { kind, lines, all } = props;
  const say = useWords(articleWords);
  const { number, pair, say: sayCommon } = useTexts();
  const [onlyWrong, setOnlyWrong] = useState(false);
  const right = lines.filter(({ faults }) => faults.length === 0).length;
  const shown = lines.filter(({ faults }) => !onlyWrong || faults.length > 0);
  return (
    <Stack gap="sm">
      <Alert color={right === all ? 'green' : 'yellow'} role="status">
        {say(kind, { right: number(right), all: number(all) })}
      </Alert>
      {right < lines.length && (
        <Switch
          label={say('onlyWrong')}
          checked={onlyWrong}
          onChange={(event) => setOnlyWrong(event.currentTarget.checked)}
        />
      )}
      <PlainTable
        label={say('outcome')}
        columns={[{ name: say('line'), isRight: true }, { name: sayCommon('articles') }, { name: say('outcome') }]}
        rows={shown.slice(0, maxShown).map(({ line, article, isNew, faults }) => ({
          key: String(line),
          cells: [
            number(line),
            kind === 'written' && faults.length === 0 ? (
              <a
                key="article"
                href={placeAddress(['articles', textOf(article.activityCode), textOf(article.articleReference)])}
              >
                {textOf(article.articleReference)}
              </a>
            ) : (
              textOf(article.articleReference)
            ),
            <span key="outcome" className="wrapped">
              {faults.length === 0 ? (
                say(outcomes[kind][isNew === true ? 'new' : 'changed'])
              ) : (
                <>
                  {pair(say('wrong'), '')}
                  <Reasons reasons={faults} />
                </>
              )}
            </span>,
          ],
        }))}
      />
      {shown.length > maxShown && <Text c="dimmed">{say('more', { count: maxShown })}</Text>}
    </Stack>
  );
}

/** What is said of a line without a fault. */
const outcomes = {
  judged: { new: 'rightNew', changed: 'rightChanged' },
  written: { new: 'doneNew', changed: 'doneChanged' },
} as const satisfies Record<string, Record<string, ArticleWord>>;

function csvFault(result: Exclude<CsvResult, { readonly kind: 'articles' }>, say: Say): ReactNode {
  switch (result.kind) {
    case 'unknown':
      return say('csvUnknown', { columns: result.columns.slice(0, 10).join(', ') });
    case 'missing':
      return say('csvMissing', { columns: result.columns.join(', ') });
    case 'broken':
      return (
        <>
          {say('csvBroken', { why: '' })}
          <English>{result.why}</English>
        </>
      );
    case 'empty':
      return say('csvEmpty');
    case 'too-many':
      return say('csvTooMany', { max: maxCsvLines });
    case 'not-utf8':
      return say('csvNotUtf8');
  }
}

function whyOf(error: unknown, say: Say): ReactNode {
  if (error instanceof ProblemError && error.status === 403) return say('readOnly');
  return <ErrorText error={error} />;
}

function saveTemplate(): void {
  saveFile(new Blob([`\uFEFF${csvLine(templateLine)}`], { type: 'text/csv;charset=utf-8' }), 'articles.csv');
}

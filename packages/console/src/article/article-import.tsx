// Imports articles from a CSV file: checked line by line first, written on confirmation.
import { Alert, Button, FileButton, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { English } from '../states.tsx';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { csvLine } from '../list/export.ts';
import { saveFile } from '../list/save-file.ts';
import { useDraft } from '../kept-draft.ts';
import { useTexts, useWords } from '../texts/texts.ts';
import { type CsvResult, maxCsvBytes, maxCsvLines, readCsv, templateLine } from './csv.ts';
import { type ImportOutcome, ImportResult, outcomeOf, Why, whyOf } from './import-result.tsx';
import { type JudgedLine, submitRows } from './submit-rows.ts';
import { type ArticleWord, articleWords } from './words.ts';

type Say = (name: ArticleWord, values?: Readonly<Record<string, string | number>>) => string;

type State =
  | { readonly kind: 'working'; readonly word: 'judging' | 'writing'; readonly done: number; readonly all: number }
  | { readonly kind: 'judged'; readonly lines: readonly JudgedLine[] }
  | { readonly kind: 'failed'; readonly why: ReactNode };

export function ArticleImport(): ReactElement {
  const say = useWords(articleWords);
  const { say: sayCommon } = useTexts();
  const { client } = useSession();
  const queries = useQueryClient();
  const [state, setState] = useState<State | null>(null);
  const [kept, keep] = useDraft<ImportOutcome | null>('article-import', null);
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
      // What was written until then is there after a reload too.
      if (word === 'writing') keep(outcomeOf('written', judged, { all, why: null }));
    };
    keep(null);
    tell([]);
    try {
      const judged = await submitRows(client, lines, word === 'judging', tell, end.signal);
      keep(outcomeOf(word === 'judging' ? 'judged' : 'written', judged, null));
      setState(word === 'judging' ? { kind: 'judged', lines: judged } : null);
      if (word === 'writing') await queries.invalidateQueries();
    } catch (error) {
      const why = end.signal.aborted ? null : whyOf(error);
      if (word === 'judging') return setState(why === null ? null : { kind: 'failed', why: <Why why={why} /> });
      keep(outcomeOf('written', answered, { all, why }));
      setState(null);
      await queries.invalidateQueries();
    }
  };
  const choose = async (file: File | null): Promise<void> => {
    resetFile.current?.();
    if (file === null) return;
    keep(null);
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
      {state?.kind !== 'working' && kept !== null && <ImportResult outcome={kept} />}
      {state === null && kept?.kind === 'judged' && <Text c="dimmed">{say('chooseAgain')}</Text>}
      {right.length > 0 && (
        <Group>
          <Button onClick={() => void submit(right, 'writing')}>{say('write', { count: right.length })}</Button>
        </Group>
      )}
    </Stack>
  );
}

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

function saveTemplate(): void {
  saveFile(new Blob([`\uFEFF${csvLine(templateLine)}`], { type: 'text/csv;charset=utf-8' }), 'articles.csv');
}

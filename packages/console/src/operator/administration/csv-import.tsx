// Imports a CSV file: first shows what it would change, then, on confirmation, applies it line by line with the result
// of each. A line that fails does not stop the others, and the remaining ones can be retried.
import { Alert, Button, Card, FileInput, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { AuthorizationError } from '../../../../client/src/index.ts';
import { useTexts } from '../../texts/texts.ts';
import { FaultText, Outcome } from '../confirmed.tsx';
import { type Column, DataTable } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';
import type { CsvFault } from './csv-table.ts';
import type { Planned } from './planned.ts';
import { useLeaveWarning } from './unsaved-secrets.tsx';

interface Line {
  readonly line: number;
}

interface ImportProps<Listed extends Line, Known> {
  /** The expected content of the file. */
  readonly meaning: string;
  readonly read: (text: string) => readonly Listed[] | CsvFault;
  /** Compares the lines with the current state. */
  readonly plan: (listed: readonly Listed[]) => Promise<readonly Planned<Listed, Known>[]>;
  readonly apply: (planned: Planned<Listed, Known>) => Promise<void>;
  /** The displayed values of a line, in addition to the change. */
  readonly columns: readonly Column<Listed>[];
  /** Shown next to the button. */
  readonly choice?: ReactNode;
}

/** By line: null when it is done, else the error. */
type Results = ReadonlyMap<number, unknown>;

export function CsvImport<Listed extends Line, Known>(props: ImportProps<Listed, Known>): ReactElement {
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  const queries = useQueryClient();
  const [plan, setPlan] = useState<readonly Planned<Listed, Known>[] | null>(null);
  const [results, setResults] = useState<Results>(new Map());
  const [fault, setFault] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  useLeaveWarning(isRunning);
  const read = async (file: File | null): Promise<void> => {
    setPlan(null);
    setResults(new Map());
    setFault(null);
    if (file === null) return;
    const found = props.read(await file.text());
    if ('fault' in found) return setFault(say(`csv-${found.fault}`, { at: found.at }));
    setPlan(await props.plan(found));
  };
  const run = async (shown: readonly Planned<Listed, Known>[]): Promise<void> => {
    setFault(null);
    // Planned again, because a line without an answer may have been applied.
    const again = results.size > 0 ? await props.plan(shown.map(({ listed }) => listed)) : shown;
    setPlan(again);
    setResults((before) => new Map([...before].filter(([, result]) => result === null)));
    for (const each of again.filter(({ action }) => action === 'add' || action === 'change')) {
      const result = await props.apply(each).then(
        () => null,
        (error: unknown) => error,
      );
      setResults((before) => new Map(before).set(each.listed.line, result));
      if (result instanceof AuthorizationError) throw result;
    }
  };
  const begin = (shown: readonly Planned<Listed, Known>[]): void => {
    setRunning(true);
    run(shown)
      .catch(setFault)
      .finally(() => {
        setRunning(false);
        void queries.invalidateQueries({ queryKey: ['platform'] });
      });
  };
  return (
    <Card withBorder padding="lg">
      <Stack gap="sm">
        <Text size="sm">{props.meaning}</Text>
        <FileInput
          label={say('csvFile')}
          placeholder={say('chooseFile')}
          accept=".csv,text/csv"
          onChange={(file) => void read(file).catch(setFault)}
          disabled={isRunning}
          clearable
          clearButtonProps={{ 'aria-label': sayCommon('clear') }}
          maw={420}
        />
        <Outcome error={fault} told={null} />
        {plan !== null && (
          <>
            <Doing plan={plan} results={results} isRunning={isRunning} begin={() => begin(plan)}>
              {props.choice}
            </Doing>
            <PlanTable plan={plan} results={results} columns={props.columns} />
          </>
        )}
      </Stack>
    </Card>
  );
}

interface DoingProps<Listed extends Line, Known> {
  readonly plan: readonly Planned<Listed, Known>[];
  readonly results: Results;
  readonly isRunning: boolean;
  readonly begin: () => void;
  readonly children: ReactNode;
}

/** How much there is to do, the progress, and the results. */
function Doing<Listed extends Line, Known>(props: DoingProps<Listed, Known>): ReactElement {
  const { plan, results, isRunning, begin, children } = props;
  const say = useOperatorWords();
  const { number } = useTexts();
  const wrong = plan.filter(({ action }) => action === 'fault').length;
  const todo = plan.filter(({ action }) => action === 'add' || action === 'change');
  const left = todo.filter(({ listed }) => results.get(listed.line) !== null);
  const failed = [...results.values()].filter((result) => result !== null).length;
  const done = results.size - failed;
  return (
    <>
      {wrong > 0 && <Alert color="yellow">{say('wrongLines', { count: wrong })}</Alert>}
      <Group>
        {children}
        <Button disabled={left.length === 0} loading={isRunning} onClick={begin}>
          {say(results.size > 0 && !isRunning ? 'applyAgain' : 'applyPlan', { count: number(left.length) })}
        </Button>
      </Group>
      {isRunning && (
        <>
          <Progress value={(done * 100) / Math.max(todo.length, 1)} aria-label={say('applying')} />
          <Text size="sm" role="status">
            {say('appliedOf', { done: number(done), all: number(todo.length) })}
          </Text>
        </>
      )}
      {!isRunning && results.size > 0 && (
        <Alert color={failed === 0 ? 'green' : 'yellow'} role="status">
          {say('importDone', { done: number(done), faults: number(failed) })}
        </Alert>
      )}
    </>
  );
}

interface PlanTableProps<Listed extends Line, Known> {
  readonly plan: readonly Planned<Listed, Known>[];
  readonly results: Results;
  readonly columns: readonly Column<Listed>[];
}

function PlanTable<Listed extends Line, Known>(props: PlanTableProps<Listed, Known>): ReactElement {
  const { plan, results, columns } = props;
  const say = useOperatorWords();
  return (
    <DataTable
      label={say('importCsv')}
      rows={plan}
      keyOf={({ listed }) => String(listed.line)}
      columns={[
        { name: 'line', label: say('line'), isNumber: true, cell: ({ listed }) => listed.line },
        ...columns.map((column) => ({
          ...column,
          cell: ({ listed }: Planned<Listed, Known>): ReactNode => column.cell(listed),
        })),
        {
          name: 'plan',
          label: say('planned'),
          cell: ({ action, fault }) => (action === 'fault' ? say(fault.word, fault.values) : say(`plan-${action}`)),
        },
        {
          name: 'result',
          label: say('outcome'),
          cell: ({ listed }) => {
            const result = results.get(listed.line);
            if (result === undefined) return '–';
            return result === null ? say('planDone') : <FaultText error={result} />;
          },
        },
      ]}
    />
  );
}

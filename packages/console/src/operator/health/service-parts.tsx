// What the server's processes have done since they started: responses, problems, background work, carriers, disks.
import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Health } from '../../../../client/src/index.ts';
import { useSettings } from '../../contexts.ts';
import { useTexts } from '../../texts/texts.ts';
import { DataTable, Instant, Part } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';

type Service = NonNullable<Health['service']>;
type Task = NonNullable<Health['tasks']>[number];

export function ServiceParts(props: { readonly service: Service; readonly tasks: readonly Task[] }): ReactElement {
  const { service, tasks } = props;
  return (
    <>
      <Answers service={service} />
      <Problems problems={service.problems} />
      <Tasks tasks={tasks} failures={service.taskFailures} />
      <Carriers calls={service.carrierCalls} />
      <Disks disks={service.disks} />
    </>
  );
}

function Answers({ service }: { readonly service: Service }): ReactElement {
  const say = useOperatorWords();
  const { number, pair, percent } = useTexts();
  const total = service.requests.reduce((sum, { count }) => sum + count, 0);
  return (
    <Part title={say('answers')}>
      <DataTable
        label={say('answers')}
        rows={service.requests}
        keyOf={({ status }) => status}
        columns={[
          { name: 'status', label: say('status'), cell: ({ status }) => status },
          { name: 'count', label: say('count'), isNumber: true, cell: ({ count }) => number(count) },
          {
            name: 'share',
            label: say('share'),
            isNumber: true,
            cell: ({ count }) => percent(count / Math.max(total, 1)),
          },
          {
            name: 'time',
            label: say('meanTime'),
            isNumber: true,
            cell: ({ count, seconds }) =>
              say('milliseconds', { ms: number(Math.round((seconds * 1000) / Math.max(count, 1))) }),
          },
        ]}
      />
      <Text size="sm" c="dimmed">
        {say('since')} <Instant at={service.startedAt} /> · {pair(say('shed'), number(service.shed))}
      </Text>
    </Part>
  );
}

function Problems({ problems }: { readonly problems: Service['problems'] }): ReactElement {
  const say = useOperatorWords();
  const { baseUrl } = useSettings();
  const { number } = useTexts();
  return (
    <Part title={say('frequentProblems')}>
      {problems.length === 0 ? (
        <Text c="dimmed">{say('noProblems')}</Text>
      ) : (
        <DataTable
          label={say('frequentProblems')}
          rows={problems}
          keyOf={({ problem }) => problem}
          columns={[
            {
              name: 'problem',
              label: say('problem'),
              cell: ({ problem }) => <a href={`${baseUrl}/problems/${problem}`}>{problem}</a>,
            },
            { name: 'count', label: say('count'), isNumber: true, cell: ({ count }) => number(count) },
          ]}
        />
      )}
    </Part>
  );
}

function Tasks(props: { readonly tasks: readonly Task[]; readonly failures: Service['taskFailures'] }): ReactElement {
  const say = useOperatorWords();
  const { number, pair } = useTexts();
  const failures = props.failures.map(({ failure, count }) => `${failure} (${number(count)})`);
  return (
    <Part title={say('jobs')}>
      {props.tasks.length === 0 ? (
        <Text c="dimmed">{say('noJobs')}</Text>
      ) : (
        <DataTable
          label={say('jobs')}
          rows={props.tasks}
          keyOf={({ name }) => name}
          columns={[
            { name: 'name', label: say('job'), cell: ({ name }) => <code>{name}</code> },
            { name: 'done', label: say('doneAt'), cell: ({ doneAt }) => <Instant at={doneAt} /> },
            { name: 'state', label: say('state'), cell: ({ isRunning }) => say(isRunning ? 'running' : 'idle') },
          ]}
        />
      )}
      <Text size="sm" c="dimmed">
        {failures.length === 0 ? say('noFailures') : pair(say('failures'), failures.join('; '))}
      </Text>
    </Part>
  );
}

function Carriers({ calls }: { readonly calls: Service['carrierCalls'] }): ReactElement {
  const say = useOperatorWords();
  const { number } = useTexts();
  return (
    <Part title={say('carriers')}>
      {calls.length === 0 ? (
        <Text c="dimmed">{say('noCarrierCalls')}</Text>
      ) : (
        <DataTable
          label={say('carriers')}
          rows={calls}
          keyOf={({ host }) => host}
          columns={[
            { name: 'host', label: say('host'), cell: ({ host }) => host },
            { name: 'calls', label: say('calls'), isNumber: true, cell: (row) => number(row.calls) },
            { name: 'failed', label: say('failedCalls'), isNumber: true, cell: ({ failed }) => number(failed) },
            {
              name: 'time',
              label: say('meanTime'),
              isNumber: true,
              cell: (row) =>
                say('milliseconds', { ms: number(Math.round((row.seconds * 1000) / Math.max(row.calls, 1))) }),
            },
          ]}
        />
      )}
    </Part>
  );
}

function Disks({ disks }: { readonly disks: Service['disks'] }): ReactElement | null {
  const say = useOperatorWords();
  const { bytes } = useTexts();
  if (disks.length === 0) return null;
  return (
    <Part title={say('disks')}>
      <DataTable
        label={say('disks')}
        rows={disks}
        keyOf={({ place }) => place}
        columns={[
          { name: 'place', label: say('place'), cell: ({ place }) => <code>{place}</code> },
          {
            name: 'free',
            label: say('free'),
            isNumber: true,
            cell: ({ freeBytes, sizeBytes }) => `${bytes(freeBytes)} / ${bytes(sizeBytes)}`,
          },
        ]}
      />
    </Part>
  );
}

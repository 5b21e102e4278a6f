// The demonstration warehouse: its clock, requests to it, possible faults, past and upcoming events.
import { Alert, Card, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type Demonstration, ProblemError } from '../../../../client/src/index.ts';
import { ErrorText, Notice } from '../../states.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useOperator } from '../contexts.ts';
import { AdvanceForm, AdvanceTable } from '../demonstration/advances.tsx';
import { FaultList } from '../demonstration/fault-list.tsx';
import { frenchNote } from '../demonstration/notes-fr.ts';
import { Answered, Facts, Instant, PageFrame, Part } from '../page-frame.tsx';
import { useOperatorWords } from '../words/words.ts';

/** Refetched more often while something is in progress. */
const [busyMs, idleMs] = [2000, 10_000];

export function DemonstrationPage(): ReactElement {
  const say = useOperatorWords();
  const { platform } = useOperator();
  const query = useQuery({
    queryKey: ['platform', 'demonstration'],
    queryFn: ({ signal }) => platform.demonstration.status({ signal }),
    refetchInterval: ({ state }) => (state.data?.advances.some(isOpen) === true ? busyMs : idleMs),
  });
  const missing = query.error instanceof ProblemError && query.error.status === 404 ? query.error : null;
  return (
    <PageFrame title={say('demonstration')} intro={say('demonstrationIntro')}>
      {missing !== null ? (
        <Notice icon="empty" title={say('noDemonstration')}>
          <Text lang="en">{missing.message}</Text>
        </Notice>
      ) : (
        <Answered query={query}>
          {(demonstration) => (
            <>
              {query.isError && (
                <Alert color="red">
                  <ErrorText error={query.error} />
                </Alert>
              )}
              <Clock demonstration={demonstration} />
              <AdvanceForm />
              <AdvanceTable demonstration={demonstration} />
              <FaultList demonstration={demonstration} />
              <SimpleGrid cols={{ base: 1, md: 2 }}>
                <Notes title={say('happened')} notes={demonstration.happened} nothing={say('nothingHappened')} />
                <Notes title={say('comesNext')} notes={demonstration.next} nothing="–" />
              </SimpleGrid>
            </>
          )}
        </Answered>
      )}
    </PageFrame>
  );
}

function isOpen({ state }: Demonstration['advances'][number]): boolean {
  return state === 'waiting' || state === 'running';
}

function Clock({ demonstration }: { readonly demonstration: Demonstration }): ReactElement {
  const say = useOperatorWords();
  const { clock, speed, running, deliveredTo, seed } = demonstration;
  return (
    <Card withBorder padding="lg">
      <Facts
        facts={[
          [say('demoClock'), <Instant key="clock" at={clock} />],
          [say('demoSpeed'), `${speed}×`],
          [say('demoState'), running ? say('demoRuns') : say('demoStands')],
          [say('deliveredTo'), <Instant key="delivered" at={deliveredTo} />],
          [say('demoSeed'), <Instant key="seed" at={seed} />],
        ]}
      />
    </Card>
  );
}

interface NotesProps {
  readonly title: string;
  readonly notes: Demonstration['happened'];
  readonly nothing: string;
}

/** Sent by the service in English, and translated to the reader's language as far as possible. */
function Notes({ title, notes, nothing }: NotesProps): ReactElement {
  const { language } = useTexts();
  // Both activities may report the same at the same time.
  const distinct = new Map(notes.map((note) => [`${note.at} ${note.text}`, note]));
  const toldIn = (text: string): string | null => (language === 'fr' ? frenchNote(text) : null);
  return (
    <Part title={title}>
      {notes.length === 0 ? (
        <Text c="dimmed">{nothing}</Text>
      ) : (
        <ul>
          {[...distinct].map(([key, { at, text }]) => (
            <li key={key}>
              <Instant at={at} /> · <span lang={toldIn(text) === null ? 'en' : language}>{toldIn(text) ?? text}</span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

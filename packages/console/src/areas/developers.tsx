// The pages for developers: one per task, with code that runs as shown.
import { Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useClipboard, useLocalStorage } from '@mantine/hooks';
import { type ReactElement, useState } from 'react';
import type { AreaProps } from '../areas.ts';
import { useSettings } from '../contexts.ts';
import { languages, samples, signInSamples } from '../developers/samples.ts';
import { isTaskName, type TaskName, taskTitles } from '../developers/tasks.ts';
import { developerWords } from '../developers/words.ts';
import { Icon } from '../icons.tsx';
import { ownAccessToken } from '../session.ts';
import { Notice } from '../states.tsx';
import { useTexts, useWords } from '../texts/texts.ts';

export function DeveloperPages({ parts }: AreaProps): ReactElement {
  const { say } = useTexts();
  const [task = 'token'] = parts;
  return isTaskName(task) ? (
    <TaskPage key={task} task={task} />
  ) : (
    <Notice icon="empty" title={say('notFound')} isPage />
  );
}

function TaskPage({ task }: { readonly task: TaskName }): ReactElement {
  const say = useWords(developerWords);
  const [language, setLanguage] = useLocalStorage<(typeof languages)[number]>({
    key: 'console-sample-language',
    defaultValue: 'curl',
  });
  const { say: sayCommon } = useTexts();
  const code = samples[task][language] ?? samples[task].curl;
  return (
    <Stack gap="lg" maw={900}>
      <Title order={1} size="h2">
        {sayCommon(taskTitles[task])}
      </Title>
      <Text>{say(`${task}Text`)}</Text>
      <ShellSettings task={task} />
      <SegmentedControl
        aria-label={say('language')}
        data={[...languages]}
        value={language}
        onChange={(chosen) => setLanguage(languages.find((each) => each === chosen) ?? 'curl')}
      />
      <Code text={code} label={say('sample', { language })} />
      {task === 'token' && <PersonSample language={language} />}
      {language === 'TypeScript' && <Text c="dimmed">{say('typed')}</Text>}
    </Stack>
  );
}

/** The other way to a token; in TypeScript where the chosen language has no sample of it. */
function PersonSample({ language }: { readonly language: (typeof languages)[number] }): ReactElement {
  const say = useWords(developerWords);
  const { authUrl } = useSettings();
  const shown = signInSamples[language] === undefined ? 'TypeScript' : language;
  const settings = [
    `export AUTH_URL='${authUrl}'`,
    "export CLIENT_ID='…'",
    "export REDIRECT_URI='http://127.0.0.1:8123/callback'",
  ];
  const label = `${say('person')}: ${say('sample', { language: shown })}`;
  return (
    <Stack gap="md" component="section" aria-label={say('person')}>
      <Title order={2} size="h4">
        {say('person')}
      </Title>
      <Text>{say('personText')}</Text>
      <Code text={settings.join('\n')} label={`${say('person')}: ${say('settings')}`} />
      <Text size="sm">{say('sample', { language: shown })}</Text>
      <Code text={signInSamples[shown] ?? ''} label={label} />
    </Stack>
  );
}

/** What the samples read from the environment, with the addresses of this service. */
function ShellSettings({ task }: { readonly task: TaskName }): ReactElement {
  const say = useWords(developerWords);
  const { baseUrl, authUrl } = useSettings();
  const [isShown, setShown] = useState(false);
  const token = isShown ? (ownAccessToken() ?? '…') : '…';
  const lines =
    task === 'token'
      ? [`export AUTH_URL='${authUrl}'`, "export CLIENT_ID='…'", "export CLIENT_SECRET='…'"]
      : [
          `export BASE_URL='${baseUrl}'`,
          `export TOKEN='${token}'`,
          ...(task === 'ship' ? ["export CONTEXT='acm' CARRIER='sandbox'", 'export LABEL_KEY="$(uuidgen)"'] : []),
        ];
  return (
    <Stack gap="xs">
      <Text size="sm">{say('settings')}</Text>
      <Code text={lines.join('\n')} label={say('settings')} />
      {task !== 'token' && (
        <Group>
          <Button variant="light" onClick={() => setShown(!isShown)}>
            {say(isShown ? 'withoutToken' : 'withToken')}
          </Button>
          {isShown && (
            <Text size="sm" c="dimmed" role="status">
              {say('yourToken')}
            </Text>
          )}
        </Group>
      )}
    </Stack>
  );
}

function Code({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
  const say = useWords(developerWords);
  const clipboard = useClipboard();
  return (
    <div className="sample">
      <section aria-label={label}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
        <pre className="raw" tabIndex={0}>
          {text}
        </pre>
      </section>
      <Button variant="default" leftSection={<Icon name="copy" />} onClick={() => clipboard.copy(text)}>
        {say(clipboard.copied ? 'copied' : 'copy')}
      </Button>
    </div>
  );
}

// The sign-in to the platform interface: its purpose, and who may sign in.
import { Alert, Button, Card, Center, Stack, Text, Title } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { English } from '../states.tsx';
import { useEndingOpen, useSettings } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { signIn } from '../session.ts';
import { useTexts } from '../texts/texts.ts';
import { useOperatorWords } from './words/words.ts';

export function OperatorSignIn({ fault }: { readonly fault: string | null }): ReactElement {
  const say = useOperatorWords();
  const { language, say: sayCommon } = useTexts();
  const settings = useSettings();
  const isEndingOpen = useEndingOpen();
  const [wrong, setWrong] = useState(fault);
  const [isLeaving, setLeaving] = useState(false);
  const begin = (): void => {
    setLeaving(true);
    signIn(settings, language, 'operator').catch((error: unknown) => {
      setLeaving(false);
      setWrong(String(error));
    });
  };
  const why =
    settings.clientId === null ? sayCommon('noClient') : window.isSecureContext ? null : sayCommon('notSecure');
  return (
    <Center mih="70vh">
      <Card withBorder padding="xl" maw={460} radius="lg">
        <Stack gap="lg">
          <Title order={1} size="h2">
            {say('signInTitle')}
          </Title>
          <Text c="dimmed">{say('signInText')}</Text>
          {wrong !== null && (
            <Alert color="red" title={say('signInFailed')} icon={<Icon name="warning" />}>
              {/access_denied/.test(wrong) ? say('noRole') : <English>{wrong}</English>}
            </Alert>
          )}
          {isEndingOpen && (
            <Alert color="yellow" icon={<Icon name="warning" />}>
              {sayCommon('endingOpen')}
            </Alert>
          )}
          {why === null ? (
            <Button size="md" onClick={begin} loading={isLeaving}>
              {say('signIn')}
            </Button>
          ) : (
            <Alert color="yellow" icon={<Icon name="warning" />}>
              {why}
            </Alert>
          )}
        </Stack>
      </Card>
    </Center>
  );
}

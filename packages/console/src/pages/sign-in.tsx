// The page for users who are not signed in.
import { Alert, Button, Card, Center, Stack, Text, Title } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { English } from '../states.tsx';
import { useEndingOpen, useSettings } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { placeAddress } from '../route.ts';
import { signIn } from '../session.ts';
import { useTexts } from '../texts/texts.ts';

export function SignInPage({ fault }: { readonly fault: string | null }): ReactElement {
  const { say, language } = useTexts();
  const settings = useSettings();
  const isEndingOpen = useEndingOpen();
  const [wrong, setWrong] = useState(fault);
  const [isLeaving, setLeaving] = useState(false);
  const begin = (): void => {
    setLeaving(true);
    signIn(settings, language).catch((error: unknown) => {
      setLeaving(false);
      setWrong(String(error));
    });
  };
  const why = settings.clientId === null ? say('noClient') : window.isSecureContext ? null : say('notSecure');
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
              <English>{wrong}</English>
            </Alert>
          )}
          {isEndingOpen && (
            <Alert color="yellow" icon={<Icon name="warning" />}>
              {say('endingOpen')}
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
          <Text size="sm">
            <a href={`${settings.baseUrl}/docs`}>{say('reference')}</a> ·{' '}
            <a href={placeAddress(['operator'])}>{say('forOperators')}</a>
          </Text>
        </Stack>
      </Card>
    </Center>
  );
}

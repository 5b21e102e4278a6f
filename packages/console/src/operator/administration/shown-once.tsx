// What is shown only once: a secret, a key, the link of an invitation.
import { ActionIcon, Alert, Code, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { Icon } from '../../icons.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useOperatorWords } from '../words/words.ts';

export function ShownOnce(props: {
  readonly name: string;
  readonly value: string;
  readonly more?: string;
}): ReactElement {
  const { name, value, more } = props;
  const say = useOperatorWords();
  const { say: sayCommon } = useTexts();
  const clipboard = useClipboard();
  const copy = sayCommon(clipboard.copied ? 'copied' : 'copy');
  return (
    <Alert color="yellow" role="status" title={name} icon={<Icon name="key" />}>
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap">
          <Code className="once">{value}</Code>
          <Tooltip label={copy}>
            <ActionIcon variant="default" size={44} aria-label={copy} onClick={() => clipboard.copy(value)}>
              <Icon name="copy" />
            </ActionIcon>
          </Tooltip>
        </Group>
        <Text size="sm">
          {say('shownOnce')} {more}
        </Text>
      </Stack>
    </Alert>
  );
}

// A part of a page under its title.
import { Group, Stack, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  /** Stands at the end of the title's line, such as a link. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, aside, children }: SectionProps): ReactElement {
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}

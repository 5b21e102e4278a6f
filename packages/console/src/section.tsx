// A part of a page with its title.
import { Group, Stack, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  /** At the end of the title line, such as a link. */
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

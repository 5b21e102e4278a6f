// A figure of the overview: a number that leads to the list behind it.
import { Card, Group, Skeleton, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from '../icons.tsx';

interface FigureProps {
  readonly name: string;
  readonly icon: IconName;
  /** Of the list behind it. */
  readonly address: string;
  /** Undefined: it is being read; null: it could not be. */
  readonly value: ReactNode | undefined;
  /** What it counts, and what is approximate in it. */
  readonly hint: string;
}

export function FigureCard({ name, icon, address, value, hint }: FigureProps): ReactElement {
  return (
    <Card component="a" href={address} withBorder padding="lg" className="figure">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed">
          {name}
        </Text>
        <Icon name={icon} />
      </Group>
      {value === undefined ? (
        <Skeleton height={36} width={96} mt="sm" />
      ) : (
        <Text size="2rem" fw={700} mt="xs" className="number">
          {value ?? '–'}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    </Card>
  );
}

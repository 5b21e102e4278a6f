// Named views of a list: filter, order, activity and columns, kept in this browser for whoever saved them.
import { ActionIcon, Button, Group, Popover, Text, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useSession } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { useWords, type Words } from '../texts/texts.ts';
import type { ListName } from './list-names.ts';
import type { ListRequest } from './list-source.ts';

interface SavedView {
  readonly name: string;
  readonly request: ListRequest;
  readonly columns: readonly string[];
}

/** Per list. */
const maxViews = 30;
const maxNameCharacters = 60;

const english = {
  views: 'Views',
  none: 'No view has been saved for this list.',
  name: 'Name of the view',
  save: 'Save what is shown',
  remove: 'Remove the view {name}',
  full: 'There are {max} views. Remove one first.',
} as const;

const words: Words<keyof typeof english> = {
  en: english,
  fr: {
    views: 'Vues',
    none: 'Aucune vue n’est enregistrée pour cette liste.',
    name: 'Nom de la vue',
    save: 'Enregistrer ce qui est montré',
    remove: 'Retirer la vue {name}',
    full: 'Il y a {max} vues. Retirez-en une d’abord.',
  },
};

interface ViewsProps {
  readonly list: ListName;
  /** What is currently shown. */
  readonly request: ListRequest;
  readonly columns: readonly string[];
  readonly onShow: (view: SavedView) => void;
}

export function SavedViews({ list, request, columns, onShow }: ViewsProps): ReactElement {
  const say = useWords(words);
  const { user } = useSession();
  const [views, setViews] = useLocalStorage<readonly SavedView[]>({
    key: `console-views-${list}-${user}`,
    defaultValue: [],
  });
  const [name, setName] = useState('');
  const isFull = views.length >= maxViews && !views.some((view) => view.name === name.trim());
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const own = { name: name.trim(), request, columns };
    if (own.name === '' || isFull) return;
    setViews([...views.filter((view) => view.name !== own.name), own]);
    setName('');
  };
  return (
    <Popover width={320} position="bottom-end" withinPortal={false} trapFocus shadow="md">
      <Popover.Target>
        <Button variant="default" leftSection={<Icon name="overview" />}>
          {say('views')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={say('views')}>
        {views.length === 0 && (
          <Text size="sm" c="dimmed" pb="xs">
            {say('none')}
          </Text>
        )}
        {views.map((view) => (
          <Group key={view.name} gap={4} wrap="nowrap">
            <Button variant="subtle" justify="flex-start" flex={1} onClick={() => onShow(view)}>
              {view.name}
            </Button>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={44}
              aria-label={say('remove', { name: view.name })}
              onClick={() => setViews(views.filter((other) => other.name !== view.name))}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </Group>
        ))}
        <form onSubmit={save}>
          <TextInput
            label={say('name')}
            value={name}
            maxLength={maxNameCharacters}
            error={isFull ? say('full', { max: maxViews }) : undefined}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" variant="light" mt="xs" disabled={name.trim() === ''}>
            {say('save')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

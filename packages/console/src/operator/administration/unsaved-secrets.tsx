// Secrets and links that are stored nowhere else, kept until they are saved to a file: also on other pages for
// operators, and after the sign-in has ended by itself; signing out forgets them. The user is warned before a reload
// and before signing out, because they are not kept in the browser.
import { Alert, Button, Group, Text } from '@mantine/core';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect } from 'react';
import { Icon } from '../../icons.tsx';
import { csvLine } from '../../list/export.ts';
import { saveFile } from '../../list/save-file.ts';
import { type Unsaved, unsavedKey } from '../../user-change.ts';
import { useOperatorWords } from '../words/words.ts';
import { csvFile } from './csv-table.ts';

/** The possible files: names of their columns. */
const headings = {
  'invitations.csv': ['login', 'invitation'],
  'secrets.csv': ['id', 'name', 'secret'],
} as const;

type SecretFile = keyof typeof headings;

const nothing: Unsaved = { lines: [], isSaved: false };
const files: readonly SecretFile[] = ['invitations.csv', 'secrets.csv'];

/** Stored beside cached responses of the service, but never refetched. */
const keyOf = (file: SecretFile) => [unsavedKey, file] as const;

/** Adds a line to a file of secrets. */
export function useKeepSecret(file: SecretFile): (cells: readonly string[]) => void {
  const queries = useQueryClient();
  return (cells) =>
    change(queries, file, ({ lines, isSaved }) => ({
      lines: isSaved ? [csvLine(cells)] : [...lines, csvLine(cells)],
      isSaved: false,
    }));
}

function change(queries: QueryClient, file: SecretFile, next: (before: Unsaved) => Unsaved): void {
  queries.setQueryData<Unsaved>(keyOf(file), (before) => next(before ?? nothing));
}

export function UnsavedSecrets(): ReactElement {
  return (
    <>
      {files.map((file) => (
        <UnsavedFile key={file} file={file} />
      ))}
    </>
  );
}

function UnsavedFile({ file }: { readonly file: SecretFile }): ReactElement | null {
  const say = useOperatorWords();
  const queries = useQueryClient();
  const { data = nothing } = useQuery({
    queryKey: keyOf(file),
    queryFn: () => nothing,
    enabled: false,
    initialData: nothing,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const { lines, isSaved } = data;
  useLeaveWarning(lines.length > 0 && !isSaved);
  if (lines.length === 0) return null;
  const save = (): void => {
    saveFile(new Blob([csvFile([csvLine(headings[file]), ...lines])], { type: 'text/csv;charset=utf-8' }), file);
    change(queries, file, (before) => ({ ...before, isSaved: true }));
  };
  return (
    <Alert color={isSaved ? 'green' : 'yellow'} role="status" icon={<Icon name="key" />} mb="lg">
      <Group gap="sm">
        <Button variant={isSaved ? 'default' : 'filled'} onClick={save}>
          {say(file === 'secrets.csv' ? 'saveSecrets' : 'saveInvitations', { count: lines.length })}
        </Button>
        <Text size="sm">{say(isSaved ? 'secretsSaved' : 'shownOnceFile')}</Text>
        {isSaved && (
          <Button variant="default" onClick={() => change(queries, file, () => nothing)}>
            {say('forgetSecrets')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** The browser asks for confirmation before the page is left or reloaded. */
export function useLeaveWarning(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isWanted]);
}

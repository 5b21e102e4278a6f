// Exports the filtered list to a file, and shows the progress.
import { Alert, Button, Group, Menu } from '@mantine/core';
import { type ReactElement, useRef, useState } from 'react';
import { ErrorText } from '../states.tsx';
import { Icon } from '../icons.tsx';
import { useTexts } from '../texts/texts.ts';
import { type ExportFormat, exported } from './export.ts';
import { saveFile } from './save-file.ts';
import type { ListRequest, ListSource } from './list-source.ts';

interface ExportProps {
  readonly name: string;
  readonly source: ListSource;
  readonly request: ListRequest;
  readonly columns: readonly string[];
}

interface Exporting {
  readonly menu: ReactElement;
  /** Null: there is and was no export. */
  readonly state: ReactElement | null;
}

export function useExport({ name, source, request, columns }: ExportProps): Exporting {
  const { say } = useTexts();
  const [told, setTold] = useState<{ readonly records: number; readonly isDone: boolean } | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const ending = useRef<AbortController | null>(null);
  const begin = (format: ExportFormat): void => {
    const end = new AbortController();
    ending.current = end;
    setFault(null);
    setTold({ records: 0, isDone: false });
    let records = 0;
    exported(source.pages(request, end.signal), format, columns, (progress) => {
      records = progress.records;
      setTold({ records, isDone: false });
    })
      .then((file) => {
        saveFile(file, `${name}-${new Date().toISOString().slice(0, 10)}.${format}`);
        setTold({ records, isDone: true });
      })
      .catch((error: unknown) => {
        setTold(null);
        if (!end.signal.aborted) setFault(error);
      });
  };
  const isRunning = told !== null && !told.isDone;
  return {
    menu: (
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="export" />} disabled={isRunning}>
            {say('export')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => begin('csv')}>{say('exportCsv')}</Menu.Item>
          <Menu.Item onClick={() => begin('ndjson')}>{say('exportNdjson')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    ),
    state:
      fault !== null ? (
        <Alert color="red" role="alert">
          <ErrorText error={fault} />
        </Alert>
      ) : told === null ? null : (
        <Alert color={told.isDone ? 'green' : 'blue'} role="status">
          <Group justify="space-between">
            {say(told.isDone ? 'exported' : 'exporting', { count: told.records })}
            {isRunning && (
              <Button variant="subtle" size="compact-sm" onClick={() => ending.current?.abort()}>
                {say('cancel')}
              </Button>
            )}
          </Group>
        </Alert>
      ),
  };
}

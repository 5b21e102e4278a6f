// The result of an import of articles, line by line: what of it is shown, and is kept in the tab until the next one.
import { Alert, Stack, Switch, Text } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { ConnectionError, ProblemError } from '../../../client/src/index.ts';
import { Icon } from '../icons.tsx';
import { placeAddress } from '../route.ts';
import { ProblemText, Reasons } from '../states.tsx';
import { PlainTable } from '../table.tsx';
import { useTexts, useWords } from '../texts/texts.ts';
import type { JudgedLine } from './submit-rows.ts';
import { textOf } from './values.ts';
import { type ArticleWord, articleWords } from './words.ts';

/** The most result lines that are shown, of all and of those that were refused. */
const maxShown = 200;

/** Why writing stopped, in a form that can be kept. */
type Fault = 'readOnly' | 'offline' | { readonly slug: string | null; readonly detail: string };

interface Stopped {
  /** Lines that were to be written. */
  readonly all: number;
  /** Null: somebody ended it, or left the page. */
  readonly why: Fault | null;
}

type ShownLine = Pick<JudgedLine, 'line' | 'isNew' | 'faults'> & {
  readonly activity: string;
  readonly reference: string;
};

/** JSON, and no more than is shown. */
export interface ImportOutcome {
  readonly kind: 'judged' | 'written';
  /** When the last line was answered: an instant. */
  readonly at: string;
  readonly right: number;
  /** Lines that were answered. */
  readonly count: number;
  readonly lines: readonly ShownLine[];
  readonly wrong: readonly ShownLine[];
  readonly stopped: Stopped | null;
}

export function outcomeOf(
  kind: ImportOutcome['kind'],
  lines: readonly JudgedLine[],
  stopped: Stopped | null,
): ImportOutcome {
  const wrong = lines.filter(({ faults }) => faults.length > 0);
  const [right, count] = [lines.length - wrong.length, lines.length];
  return { kind, at: new Date().toISOString(), right, count, lines: shownOf(lines), wrong: shownOf(wrong), stopped };
}

function shownOf(lines: readonly JudgedLine[]): readonly ShownLine[] {
  return lines.slice(0, maxShown).map(({ line, article, isNew, faults }) => ({
    ...{ line, isNew, faults },
    activity: textOf(article.activityCode),
    reference: textOf(article.articleReference),
  }));
}

export function whyOf(error: unknown): Fault {
  if (error instanceof ProblemError)
    return error.status === 403 ? 'readOnly' : { slug: error.slug, detail: error.message };
  if (error instanceof ConnectionError) return 'offline';
  return { slug: null, detail: error instanceof Error ? error.message : String(error) };
}

export function Why({ why }: { readonly why: Fault }): ReactElement {
  const say = useWords(articleWords);
  const { say: sayCommon } = useTexts();
  if (why === 'readOnly') return <>{say('readOnly')}</>;
  if (why === 'offline') return <>{sayCommon('offline')}</>;
  return <ProblemText {...why} />;
}

export function ImportResult({ outcome }: { readonly outcome: ImportOutcome }): ReactElement {
  const { kind, at, right, count, lines, wrong, stopped } = outcome;
  const say = useWords(articleWords);
  const { instant, number } = useTexts();
  const [onlyWrong, setOnlyWrong] = useState(false);
  const all = stopped?.all ?? count;
  const shown = onlyWrong ? wrong : lines;
  return (
    <>
      {stopped !== null && (
        <Alert color="red" role="alert" icon={<Icon name="warning" />} title={say('stopped')}>
          {stopped.why !== null && <Why why={stopped.why} />}
          <p>{say('stoppedHint')}</p>
        </Alert>
      )}
      <Stack gap="sm">
        <Alert color={right === all ? 'green' : 'yellow'} role="status">
          {say(kind, { right: number(right), all: number(all) })} <span className="number">{instant(at)}</span>
        </Alert>
        {right < count && (
          <Switch
            label={say('onlyWrong')}
            checked={onlyWrong}
            onChange={(event) => setOnlyWrong(event.currentTarget.checked)}
          />
        )}
        <Lines kind={kind} lines={shown} />
        {shown.length < (onlyWrong ? count - right : count) && (
          <Text c="dimmed">{say('more', { count: maxShown })}</Text>
        )}
      </Stack>
    </>
  );
}

function Lines(props: { readonly kind: ImportOutcome['kind']; readonly lines: readonly ShownLine[] }): ReactElement {
  const { kind, lines } = props;
  const say = useWords(articleWords);
  const { number, pair, say: sayCommon } = useTexts();
  return (
    <PlainTable
      label={say('outcome')}
      columns={[{ name: say('line'), isRight: true }, { name: sayCommon('articles') }, { name: say('outcome') }]}
      rows={lines.map(({ line, activity, reference, isNew, faults }) => ({
        key: String(line),
        cells: [
          number(line),
          kind === 'written' && faults.length === 0 ? (
            <a key="article" href={placeAddress(['articles', activity, reference])}>
              {reference}
            </a>
          ) : (
            reference
          ),
          <span key="outcome" className="wrapped">
            {faults.length === 0 ? (
              say(outcomes[kind][isNew === true ? 'new' : 'changed'])
            ) : (
              <>
                {pair(say('wrong'), '')}
                <Reasons reasons={faults} />
              </>
            )}
          </span>,
        ],
      }))}
    />
  );
}

/** What is said of a line without a fault. */
const outcomes = {
  judged: { new: 'rightNew', changed: 'rightChanged' },
  written: { new: 'doneNew', changed: 'doneChanged' },
} as const satisfies Record<string, Record<string, ArticleWord>>;

// The pages for operators who have signed in to the platform interface.
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useEffect, useMemo } from 'react';
import { createPlatformClient, ProblemError, type TokenSource } from '../../../client/src/index.ts';
import type { AreaProps } from '../areas.ts';
import { useSettings, useSignedIn } from '../contexts.ts';
import { UnsavedSecrets } from '../operator/administration/unsaved-secrets.tsx';
import { OperatorContext, useOperator } from '../operator/contexts.ts';
import { operatorPages } from '../operator/operator-pages.tsx';
import { firstPage, isOperatorPage, pageRoles, type PageRole } from '../operator/page-roles.ts';
import { OperatorSignIn } from '../operator/operator-sign-in.tsx';
import { useOperatorWords } from '../operator/words/words.ts';
import { goTo, placeAddress } from '../route.ts';
import { keepOperatorRoles, signOut, tokenSource } from '../session.ts';
import { Failed, Loading, Notice } from '../states.tsx';
import { useTexts } from '../texts/texts.ts';

export function OperatorPages({ parts, fault }: AreaProps): ReactElement {
  const settings = useSettings();
  const signedIn = useSignedIn('operator');
  const token = useMemo(() => (signedIn ? tokenSource(settings, 'operator') : null), [signedIn, settings]);
  return (
    <>
      <UnsavedSecrets />
      {token === null ? <OperatorSignIn fault={fault} /> : <Recognized parts={parts} token={token} />}
    </>
  );
}

/** Asks who has signed in, and with which roles; again after each action, which may have changed or missed one. */
function Recognized({
  parts,
  token,
}: {
  readonly parts: readonly string[];
  readonly token: TokenSource;
}): ReactElement {
  const settings = useSettings();
  const { platformUrl } = settings;
  const say = useOperatorWords();
  const platform = useMemo(() => createPlatformClient({ platformUrl, token }), [platformUrl, token]);
  const me = useQuery({ queryKey: ['platform', 'me', token], queryFn: ({ signal }) => platform.me({ signal }) });
  const operator = useMemo(() => (me.data === undefined ? null : { ...me.data, platform }), [me.data, platform]);
  useEffect(() => {
    if (me.data !== undefined) keepOperatorRoles(me.data.roles);
  }, [me.data]);
  if (operator !== null)
    return (
      <OperatorContext.Provider value={operator}>
        <OperatorPage parts={parts} />
      </OperatorContext.Provider>
    );
  if (me.isPending) return <Loading />;
  const leave = (): void => void signOut(settings, ['operator']).catch(() => undefined);
  return (
    <>
      {me.error instanceof ProblemError && me.error.status === 403 ? (
        <Notice icon="warning" title={say('noRole')} isPage />
      ) : (
        <Failed error={me.error} again={() => void me.refetch()} />
      )}
      <Group justify="center">
        <Button variant="default" onClick={leave}>
          {say('signOut')}
        </Button>
      </Group>
    </>
  );
}

function OperatorPage({ parts }: { readonly parts: readonly string[] }): ReactElement {
  const { say: sayCommon } = useTexts();
  const say = useOperatorWords();
  const { roles } = useOperator();
  const first = firstPage(roles);
  const [name = first ?? '', ...rest] = parts;
  useEffect(() => {
    if (parts.length === 0 && first !== null) goTo(placeAddress(['operator', first]), true);
  }, [parts.length, first]);
  if (first === null) return <Notice icon="warning" title={say('noRole')} isPage />;
  if (!isOperatorPage(name)) return <Notice icon="empty" title={sayCommon('notFound')} isPage />;
  if (!roles.includes(pageRoles[name])) return <MissingRole role={pageRoles[name]} />;
  const Show = operatorPages[name];
  return <Show key={parts.join('/')} parts={rest} />;
}

/** Says which role the page requires, and who can grant it. */
function MissingRole({ role }: { readonly role: PageRole }): ReactElement {
  const say = useOperatorWords();
  const { name } = useOperator();
  return (
    <Notice icon="warning" title={say('needsRole', { role })} isPage>
      <Text>{say('roleIsFor', { role, meaning: say(`role-${role}`) })}</Text>
      <Text>{say('whoGivesRoles')}</Text>
      <code>{`user change ${name} --add-role ${role}`}</code>
    </Notice>
  );
}

// The frame of the console: who is signed in, the way to each page, language and colours.
import { ActionIcon, AppShell, Burger, Group, Menu, NavLink, ScrollArea, Text } from '@mantine/core';
import { useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactElement, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Icon } from './icons.tsx';
import { type ListName, listNames } from './list/list-source.ts';
import { ListPage } from './pages/list-page.tsx';
import { Overview } from './pages/overview.tsx';
import { RecordPage } from './pages/record-page.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { consoleList } from './resources.ts';
import { placeAddress, usePlace } from './route.ts';
import { isSignedIn, openSession, type Session, signOut, watchSession } from './session.ts';
import { SessionContext, SettingsContext, useSettings } from './contexts.ts';
import type { Settings } from './settings.ts';
import { Notice } from './states.tsx';
import { chooseLanguage, chosenLanguage, type Language, TextsContext, textsIn, useTexts } from './texts/texts.ts';

export function App(props: { readonly settings: Settings; readonly fault: string | null }): ReactElement {
  const [language, setLanguage] = useState<Language>(chosenLanguage);
  const texts = useMemo(() => textsIn(language), [language]);
  const signedIn = useSyncExternalStore(watchSession, isSignedIn);
  const session = useMemo(() => (signedIn ? openSession(props.settings) : null), [signedIn, props.settings]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const change = (next: Language): void => {
    chooseLanguage(next);
    setLanguage(next);
  };
  return (
    <SettingsContext.Provider value={props.settings}>
      <TextsContext.Provider value={texts}>
        <Frame session={session} fault={props.fault} onLanguage={change} />
      </TextsContext.Provider>
    </SettingsContext.Provider>
  );
}

interface FrameProps {
  readonly session: Session | null;
  readonly fault: string | null;
  readonly onLanguage: (language: Language) => void;
}

function Frame({ session, fault, onLanguage }: FrameProps): ReactElement {
  const { say } = useTexts();
  const [opened, { toggle, close }] = useDisclosure();
  const place = usePlace();
  const [page = ''] = place.parts;
  const path = place.parts.join('/');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top
  useEffect(() => {
    // What it returns is a promise in some browsers.
    window.scrollTo(0, 0);
  }, [path]);
  useEffect(() => {
    const name = page === '' ? say('overview') : isList(page) ? say(page) : say('notFound');
    document.title = `${[name, ...place.parts.slice(2)].join(' ')} · ${say('appName')}`;
  }, [page, place, say]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{
        width: 248,
        breakpoint: 'sm',
        collapsed: { mobile: !opened || session === null, desktop: session === null },
      }}
      padding="md"
    >
      <button type="button" className="skip" onClick={skip}>
        {say('skipToContent')}
      </button>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            {session !== null && (
              <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={say('menu')} />
            )}
            <a href="#/" className="brand">
              <Icon name="articles" size={24} />
              <Text span fw={700}>
                {say('appName')}
              </Text>
            </a>
          </Group>
          <Preferences session={session} onLanguage={onLanguage} />
        </Group>
      </AppShell.Header>
      {session !== null && (
        <AppShell.Navbar p="sm" aria-label={say('menu')}>
          <Ways page={page} onGo={close} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="content" tabIndex={-1}>
        {session === null ? (
          <SignInPage fault={fault} />
        ) : (
          <SessionContext.Provider value={session}>
            <Pages parts={place.parts} />
          </SessionContext.Provider>
        )}
      </AppShell.Main>
    </AppShell>
  );
}

function Pages({ parts }: { readonly parts: readonly string[] }): ReactElement {
  const { say } = useTexts();
  const [page, activity, title] = parts;
  if (page === undefined) return <Overview />;
  if (!isList(page)) return <Notice icon="empty" title={say('notFound')} />;
  const list = consoleList(page);
  if (activity === undefined || title === undefined) return <ListPage key={page} list={list} />;
  return <RecordPage key={parts.join('/')} list={list} activity={activity} title={title} />;
}

function Ways({ page, onGo }: { readonly page: string; readonly onGo: () => void }): ReactElement {
  const { say } = useTexts();
  const { baseUrl } = useSettings();
  const way = (name: ListName | 'overview', address: string, isHere: boolean): ReactElement => (
    <NavLink
      key={name}
      href={address}
      label={say(name)}
      leftSection={<Icon name={name} />}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      onClick={onGo}
      className="way"
    />
  );
  return (
    <ScrollArea className="ways">
      {way('overview', '#/', page === '')}
      {listNames.map((name) => way(name, placeAddress([name]), page === name))}
      <Text size="sm" c="dimmed" mt="lg" mb={4} px="sm">
        {say('developers')}
      </Text>
      {(['reference', 'changelog', 'problems'] as const).map((name) => (
        <NavLink
          key={name}
          href={`${baseUrl}/${name === 'reference' ? 'docs' : name}`}
          label={say(name)}
          leftSection={<Icon name="code" />}
          className="way"
        />
      ))}
    </ScrollArea>
  );
}

function Preferences({ session, onLanguage }: Omit<FrameProps, 'fault'>): ReactElement {
  const { say, language } = useTexts();
  const settings = useSettings();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={44} aria-label={say('account')}>
          <Icon name="person" size={22} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{say('language')}</Menu.Label>
        {(['en', 'fr'] as const).map((each) => (
          <Menu.Item key={each} lang={each} fw={each === language ? 700 : 400} onClick={() => onLanguage(each)}>
            {each === 'en' ? 'English' : 'Français'}
          </Menu.Item>
        ))}
        <Menu.Label>{say('colours')}</Menu.Label>
        {schemes.map((each) => (
          <Menu.Item key={each} fw={each === colorScheme ? 700 : 400} onClick={() => setColorScheme(each)}>
            {say(each)}
          </Menu.Item>
        ))}
        {session !== null && (
          <>
            <Menu.Divider />
            <Menu.Item component="a" href={`${settings.authUrl}/account`}>
              {say('account')}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="out" />} onClick={() => void signOut(settings).catch(() => undefined)}>
              {say('signOut')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The address stays that of the page. */
function skip(): void {
  document.getElementById('content')?.focus();
}

function isList(name: string): name is ListName {
  return (listNames as readonly string[]).includes(name);
}

// The frame around every page: the bar above it, the menu beside it, and the page of the address.
import { AppShell, Burger, Group, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactElement, Suspense, useEffect, useRef } from 'react';
import { areaOf, wayOf } from '../areas.ts';
import { SessionContext, useSignedIn } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { SignInPage } from '../pages/sign-in.tsx';
import { type Place, usePlace } from '../route.ts';
import type { Session } from '../session.ts';
import { Loading } from '../states.tsx';
import { type Language, useTexts } from '../texts/texts.ts';
import { LoadFault } from './load-fault.tsx';
import { Navigation } from './navigation.tsx';
import { Preferences } from './preferences.tsx';
import { rememberScroll, restoreScroll } from './scroll-memory.ts';

interface FrameProps {
  readonly session: Session | null;
  readonly fault: string | null;
  readonly onLanguage: (language: Language) => void;
}

export function Frame({ session, fault, onLanguage }: FrameProps): ReactElement {
  const { say } = useTexts();
  const [opened, { toggle, close }] = useDisclosure();
  const place = usePlace();
  const isOperator = useSignedIn('operator');
  const hasMenu = session !== null || isOperator;
  const title = useBeginning(place);
  const path = place.parts.join('/');
  // On a phone the menu lies over the page: back and forward show the page that they lead to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes
  useEffect(close, [path]);
  // The link that was pressed in the menu goes with it.
  useEffect(() => {
    if (!opened) return undefined;
    return () => {
      if (document.activeElement?.closest('nav.menu') != null) focusContent();
    };
  }, [opened]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{
        width: 248,
        breakpoint: 'sm',
        collapsed: { mobile: !opened || !hasMenu, desktop: !hasMenu },
      }}
      padding="md"
    >
      <button type="button" className="skip" onClick={focusContent}>
        {say('skipToContent')}
      </button>
      {/* Who does not see the page is told that it is another one. */}
      <VisuallyHidden aria-live="polite">{title}</VisuallyHidden>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            {hasMenu && (
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={say('menu')}
                aria-expanded={opened}
              />
            )}
            <a href="#/" className="brand">
              <Icon name="articles" size={24} />
              <Text span fw={700}>
                {say('appName')}
              </Text>
            </a>
          </Group>
          <Preferences isSignedIn={hasMenu} onLanguage={onLanguage} />
        </Group>
      </AppShell.Header>
      {hasMenu && (
        <AppShell.Navbar p="sm" aria-label={say('menu')} className={opened ? 'menu' : 'menu closed'}>
          <Navigation parts={place.parts} onGo={close} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="content" tabIndex={-1}>
        <SessionContext.Provider value={session}>
          <AreaPages parts={place.parts} session={session} fault={fault} />
        </SessionContext.Provider>
      </AppShell.Main>
    </AppShell>
  );
}

function AreaPages(props: Omit<FrameProps, 'onLanguage'> & { readonly parts: readonly string[] }): ReactElement {
  const { parts, session, fault } = props;
  const { area, rest } = areaOf(parts);
  if (area.needs === 'client' && session === null) return <SignInPage fault={fault} />;
  return (
    <LoadFault key={area.path}>
      <Suspense fallback={<Loading />}>
        <area.Pages parts={rest} fault={fault} />
      </Suspense>
    </LoadFault>
  );
}

/** A new page begins at its top, a revisited one where it was left; each with its title, which is returned. */
function useBeginning({ parts }: Place): string {
  const { say } = useTexts();
  const path = parts.join('/');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes
  useEffect(() => {
    return restoreScroll();
  }, [path]);
  useEffect(rememberScroll, []);
  const way = wayOf(parts);
  const title = [say(way?.name ?? 'notFound'), ...parts.slice(Math.max(2, way?.parts.length ?? 0))].join(' ');
  useEffect(() => {
    document.title = `${title} · ${say('appName')}`;
  }, [title, say]);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    // The pressed element has gone with its page: the keyboard continues in the new page, not at the top of the menu.
    else if (document.activeElement === document.body) focusContent();
  }, [path]);
  return title;
}

/** The address of the page stays unchanged. */
function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}

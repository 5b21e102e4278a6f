// The user's preferences: language, colours; and the links to their account and to sign out.
import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useSettings } from '../contexts.ts';
import { Icon } from '../icons.tsx';
import { signOut } from '../session.ts';
import { type Language, useTexts } from '../texts/texts.ts';
import { unsavedCount } from '../user-change.ts';

interface PreferencesProps {
  readonly isSignedIn: boolean;
  readonly onLanguage: (language: Language) => void;
}

export function Preferences({ isSignedIn, onLanguage }: PreferencesProps): ReactElement {
  const { say, language } = useTexts();
  const settings = useSettings();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const leave = (): void => {
    const count = unsavedCount(queries);
    // As the browser itself asks before the page is left.
    if (count === 0 || window.confirm(say('signOutForgets', { count }))) void signOut(settings).catch(() => undefined);
  };
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
        {isSignedIn && (
          <>
            <Menu.Divider />
            <Menu.Item component="a" href={`${settings.authUrl}/account`}>
              {say('account')}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="out" />} onClick={leave}>
              {say('signOut')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

// The console as a whole: its language, who is signed in, and the frame around its pages.
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { SettingsContext, useSignedIn } from './contexts.ts';
import { openSession } from './session.ts';
import type { Settings } from './settings.ts';
import { Frame } from './shell/frame.tsx';
import { chooseLanguage, chosenLanguage, type Language, TextsContext, textsIn } from './texts/texts.ts';

export function App(props: { readonly settings: Settings; readonly fault: string | null }): ReactElement {
  const [language, setLanguage] = useState<Language>(chosenLanguage);
  const texts = useMemo(() => textsIn(language), [language]);
  const signedIn = useSignedIn('client');
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

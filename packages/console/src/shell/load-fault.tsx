// Shown instead of pages that could not be loaded: the service was updated meanwhile, or is unavailable.
import { Button } from '@mantine/core';
import { Component, type ReactElement, type ReactNode } from 'react';
import { Notice } from '../states.tsx';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly children: ReactNode;
}

/** A class because React reports errors only to classes. */
export class LoadFault extends Component<Props, { readonly isFaulty: boolean }> {
  static getDerivedStateFromError(): { readonly isFaulty: boolean } {
    return { isFaulty: true };
  }

  override state = { isFaulty: false };

  override render(): ReactNode {
    return this.state.isFaulty ? <Reload /> : this.props.children;
  }
}

function Reload(): ReactElement {
  const { say } = useTexts();
  return (
    <Notice icon="warning" title={say('pageNotLoaded')} isPage>
      <Button variant="light" onClick={() => window.location.reload()}>
        {say('reload')}
      </Button>
    </Notice>
  );
}

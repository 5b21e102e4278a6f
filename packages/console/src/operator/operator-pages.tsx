// The pages for operators by the first part of their address: the role that each needs, and what it shows.
import type { ComponentType } from 'react';
import { AccountsPage } from './pages/accounts-page.tsx';
import { ActivitiesPage } from './pages/activities-page.tsx';
import { AuditPage } from './pages/audit-page.tsx';
import { DeskPage } from './pages/desk-page.tsx';
import { FeedsPage } from './pages/feeds-page.tsx';
import { HealthPage } from './pages/health-page.tsx';
import { LinePage, LinesPage } from './pages/lines-page.tsx';
import { MessagePage } from './pages/message-page.tsx';
import { MessagesPage } from './pages/messages-page.tsx';
import { OutboxPage } from './pages/outbox-page.tsx';
import { ReconciliationPage } from './pages/reconciliation-page.tsx';
import { RequestsPage } from './pages/requests-page.tsx';
import { ClientPage, ClientsPage } from './pages/clients-page.tsx';
import { KeysPage } from './pages/keys-page.tsx';
import { UserPage } from './pages/user-page.tsx';
import { UsersPage } from './pages/users-page.tsx';

export interface PageProps {
  /** Of the address, after the name of the page. */
  readonly parts: readonly string[];
}

interface OperatorPage {
  /** Without it the platform interface would refuse what the page asks for. */
  readonly role: string;
  readonly Show: ComponentType<PageProps>;
}

export const operatorPages: Readonly<Record<string, OperatorPage | undefined>> = {
  health: { role: 'operations', Show: HealthPage },
  feeds: { role: 'feed', Show: FeedsPage },
  messages: {
    role: 'feed',
    Show: ({ parts: [id] }) => (id === undefined ? <MessagesPage /> : <MessagePage id={id} />),
  },
  lines: { role: 'feed', Show: ({ parts: [id] }) => (id === undefined ? <LinesPage /> : <LinePage id={id} />) },
  outbox: { role: 'operations', Show: OutboxPage },
  reconciliation: { role: 'stock', Show: ReconciliationPage },
  accounts: { role: 'shipping', Show: AccountsPage },
  labels: { role: 'shipping', Show: ({ parts: [part] }) => <DeskPage part={part} /> },
  activities: { role: 'administration', Show: ActivitiesPage },
  users: {
    role: 'administration',
    Show: ({ parts: [id] }) => (id === undefined ? <UsersPage /> : <UserPage id={id} />),
  },
  clients: {
    role: 'administration',
    Show: ({ parts: [id] }) => (id === undefined ? <ClientsPage /> : <ClientPage id={id} />),
  },
  keys: { role: 'administration', Show: KeysPage },
  requests: { role: 'operations', Show: RequestsPage },
  audit: { role: 'audit', Show: AuditPage },
};

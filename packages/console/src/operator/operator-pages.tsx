// The pages for operators by the first part of their address, and their content.
import type { ComponentType } from 'react';
import type { OperatorPageName } from './page-roles.ts';
import { AccountPage } from './pages/account-page.tsx';
import { AccountsPage } from './pages/accounts-page.tsx';
import { ActivitiesPage } from './pages/activities-page.tsx';
import { AuditPage } from './pages/audit-page.tsx';
import { DemonstrationPage } from './pages/demonstration-page.tsx';
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
import { WaitingPage } from './pages/waiting-page.tsx';

interface PageProps {
  /** Of the address, after the name of the page. */
  readonly parts: readonly string[];
}

export const operatorPages: Readonly<Record<OperatorPageName, ComponentType<PageProps>>> = {
  health: HealthPage,
  feeds: FeedsPage,
  messages: ({ parts: [id] }) => (id === undefined ? <MessagesPage /> : <MessagePage id={id} />),
  lines: ({ parts: [id] }) => (id === undefined ? <LinesPage /> : <LinePage id={id} />),
  outbox: ({ parts: [part] }) => (part === 'waiting' ? <WaitingPage /> : <OutboxPage />),
  reconciliation: ReconciliationPage,
  accounts: ({ parts: [context, carrier] }) =>
    context === undefined || carrier === undefined ? (
      <AccountsPage />
    ) : (
      <AccountPage context={context} carrier={carrier} />
    ),
  labels: ({ parts: [part] }) => <DeskPage part={part} />,
  audit: AuditPage,
  activities: ActivitiesPage,
  users: ({ parts: [id] }) => (id === undefined ? <UsersPage /> : <UserPage id={id} />),
  clients: ({ parts: [id] }) => (id === undefined ? <ClientsPage /> : <ClientPage id={id} />),
  keys: KeysPage,
  requests: RequestsPage,
  demonstration: DemonstrationPage,
};

// A link to a page for operators that needs another role: plain text for users without it.
import type { ReactElement, ReactNode } from 'react';
import { placeOf } from '../route.ts';
import { useOperator } from './contexts.ts';
import { isOperatorPage, pageRoles } from './page-roles.ts';

/** @param props.otherwise shown without the role; default: the text of the link */
export function PageLink(props: {
  readonly address: string;
  readonly otherwise?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const { address, children, otherwise = children } = props;
  const { roles } = useOperator();
  const [, page = ''] = placeOf(address).parts;
  const isOpen = isOperatorPage(page) && roles.includes(pageRoles[page]);
  return isOpen ? <a href={address}>{children}</a> : <>{otherwise}</>;
}

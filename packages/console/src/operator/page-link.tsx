// A link from a page for operators to one that needs another role: a mere text for whoever does not have it.
import type { ReactElement, ReactNode } from 'react';
import { placeOf } from '../route.ts';
import { useOperator } from './contexts.ts';
import { isOperatorPage, pageRoles } from './page-roles.ts';

/** @param props.otherwise what stands there without the role; absent: the text of the link */
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

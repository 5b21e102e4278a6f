// What an operator does about a login that a PostgreSQL server does not let make or change tables.
import { textBlock } from '../model/text-block.ts';

export const rightsRemedy = textBlock`
    Make it the owner of the database (alter database NAME owner to LOGIN) and of the tables that another login made or
    restored there (alter table NAME owner to LOGIN), or give it an empty schema of its own (create schema authorization
    LOGIN). Since PostgreSQL 15 only the owner of a database may make tables in its schema public.
  `;
